//! Tiers: how many tokens an amount buys. One pure function, compiled into the server and into the page, so that the
//! preview is what is credited.

use rust_decimal::Decimal;
use rust_decimal::prelude::ToPrimitive;
use serde::{Deserialize, Serialize};

use crate::money::Amount;

/// A rate of tokens per currency unit that applies from a minimum amount up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tier {
    /// What people call it.
    pub name: String,
    /// The smallest amount it applies to.
    pub min: Amount,
    /// Tokens granted per currency unit.
    pub tokens_per_unit: i64,
}

/// The tiers in force, in ascending order of their minimum.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
// The page takes them as the server has ordered them.
#[serde(transparent)]
pub struct Tiers(Vec<Tier>);

/// What an amount buys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quote {
    /// The name of the tier that applies.
    pub tier: String,
    /// `floor(amount × tier rate)`.
    pub tokens: i64,
}

/// The next better tier and what is missing to reach it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The tier that is within reach.
    pub tier: Tier,
    /// How much more the amount must be.
    pub missing: Amount,
}

/// Why an amount buys nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QuoteError {
    /// The amount is below the lowest tier, there are no tiers, or the rate makes less than one token of it.
    NoTier,
    /// More tokens than a 64-bit integer holds; refused, never rounded or wrapped.
    Overflow,
}

impl From<Vec<Tier>> for Tiers {
    /// Orders the tiers whatever order they come in. Of two with the same minimum the better rate applies; one that
    /// grants nothing is left out.
    fn from(mut tiers: Vec<Tier>) -> Self {
        tiers.retain(|tier| tier.tokens_per_unit > 0);
        tiers.sort_unstable_by_key(|tier| (tier.min, std::cmp::Reverse(tier.tokens_per_unit)));
        tiers.dedup_by_key(|tier| tier.min);
        Self(tiers)
    }
}

impl Tiers {
    /// Picks the tier of the amount and computes its tokens.
    ///
    /// # Errors
    /// [`QuoteError`] when no tier applies or the tokens do not fit into 64 bits.
    pub fn quote(&self, amount: Amount) -> Result<Quote, QuoteError> {
        let tier = self.0.iter().rev().find(|tier| tier.min <= amount).ok_or(QuoteError::NoTier)?;
        // Whole tokens are what is left of the point; nothing here is negative.
        let tokens = amount.decimal().checked_mul(Decimal::from(tier.tokens_per_unit));
        let tokens = tokens.and_then(|tokens| tokens.to_i64()).ok_or(QuoteError::Overflow)?;
        if tokens == 0 {
            return Err(QuoteError::NoTier);
        }
        Ok(Quote { tier: tier.name.clone(), tokens })
    }

    /// The next tier above the amount, if there is one.
    #[must_use]
    pub fn next_step(&self, amount: Amount) -> Option<Step> {
        let tier = self.0.iter().find(|tier| tier.min > amount)?.clone();
        let missing = Amount::from_minor(tier.min.minor() - amount.minor());
        Some(Step { tier, missing })
    }

    /// The tiers in ascending order of their minimum.
    pub fn iter(&self) -> impl Iterator<Item = &Tier> {
        self.0.iter()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn tier(name: &str, min: i64, tokens_per_unit: i64) -> Tier {
        Tier { name: name.to_owned(), min: Amount::from_minor(min), tokens_per_unit }
    }

    fn seeded() -> Tiers {
        let seeded =
            [tier("Low", 100, 100), tier("Mid", 5_000, 105), tier("High", 20_000, 110), tier("Super", 100_000, 120)];
        seeded.to_vec().into()
    }

    #[test]
    fn every_border_holds_to_the_cent() {
        let table = [
            ("1.00", "Low", 100),
            ("1.01", "Low", 101),
            ("49.99", "Low", 4_999),
            ("50.00", "Mid", 5_250),
            ("50.01", "Mid", 5_251),
            ("199.99", "Mid", 20_998),
            ("200.00", "High", 22_000),
            ("200.01", "High", 22_001),
            ("999.99", "High", 109_998),
            ("1000.00", "Super", 120_000),
            ("1000.01", "Super", 120_001),
            ("50000.00", "Super", 6_000_000),
        ];
        for (amount, tier, tokens) in table {
            let quote = seeded().quote(Amount::parse(amount).unwrap()).unwrap();
            assert_eq!((quote.tier.as_str(), quote.tokens), (tier, tokens), "{amount}");
        }
        assert_eq!(seeded().quote(Amount::parse("0.99").unwrap()), Err(QuoteError::NoTier));
    }

    #[test]
    fn a_table_in_any_state_has_a_defined_result() {
        let amount = Amount::from_minor(10_000);
        assert_eq!(Tiers::default().quote(amount), Err(QuoteError::NoTier));
        assert_eq!(Tiers::default().next_step(amount), None);
        let unsorted: Tiers = vec![tier("B", 5_000, 105), tier("A", 100, 100)].into();
        assert_eq!(unsorted.quote(amount).unwrap().tier, "B");
        let overlapping: Tiers = vec![tier("A", 100, 100), tier("B", 100, 130), tier("C", 100, 0)].into();
        assert_eq!(overlapping.quote(amount).unwrap().tokens, 13_000);
        let useless: Tiers = vec![tier("A", 100, 0), tier("B", 100, -5)].into();
        assert_eq!(useless.quote(amount), Err(QuoteError::NoTier));
    }

    #[test]
    fn overflow_is_refused() {
        let huge: Tiers = vec![tier("A", 0, i64::MAX)].into();
        assert_eq!(huge.quote(Amount::from_minor(100)).unwrap().tokens, i64::MAX);
        assert_eq!(huge.quote(Amount::from_minor(101)), Err(QuoteError::Overflow));
        assert_eq!(huge.quote(Amount::from_minor(i64::MAX)), Err(QuoteError::Overflow));
    }

    #[test]
    fn the_next_step_says_how_much_is_missing() {
        let step = seeded().next_step(Amount::from_minor(4_999)).unwrap();
        assert_eq!((step.tier.name.as_str(), step.missing.minor()), ("Mid", 1));
        assert_eq!(seeded().next_step(Amount::from_minor(100_000)), None);
    }

    proptest! {
        #[test]
        fn tokens_are_the_floor_of_amount_times_rate(minor in 0..=i64::MAX, rate in 1..=i64::MAX) {
            let tiers: Tiers = vec![tier("A", 0, rate)].into();
            let exact = i64::try_from(i128::from(minor) * i128::from(rate) / 100).ok().filter(|tokens| *tokens > 0);
            prop_assert_eq!(tiers.quote(Amount::from_minor(minor)).ok().map(|quote| quote.tokens), exact);
        }

        #[test]
        fn more_money_never_buys_fewer_tokens(a in 100..5_000_000_i64, b in 100..5_000_000_i64) {
            let tokens = |minor| seeded().quote(Amount::from_minor(minor)).unwrap().tokens;
            prop_assert!(tokens(a.min(b)) <= tokens(a.max(b)));
        }
    }
}
