//! Money as people type it, as programs send it and as databases keep it.
//!
//! One parser serves the page and the server. What it accepts is exact to the cent; nothing here is ever a float.

use std::fmt;

use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

use crate::problem::Problem;
use crate::words::Language;

/// An amount of money, exact to the cent, from 0.00 up to what 64 bits of cents hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Amount(Decimal);

/// Why a text is not an amount.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AmountError {
    /// Not ASCII digits, optionally followed by a point and one or two digits.
    Malformed,
    /// Well formed, but more cents than a 64-bit integer holds.
    Overflow,
}

impl fmt::Display for AmountError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Malformed => "not digits, optionally followed by a point and one or two digits",
            Self::Overflow => "more than can be counted",
        })
    }
}

impl Amount {
    /// Parses digits, optionally followed by a point and one or two digits. Nothing else is an amount: no sign,
    /// exponent, separator, blank or digit of another script.
    ///
    /// # Errors
    /// [`AmountError`] says whether the text is malformed or merely too large.
    pub fn parse(text: &str) -> Result<Self, AmountError> {
        let (units, cents) = text.split_once('.').unwrap_or((text, "0"));
        let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        if !digits(units) || !digits(cents) || cents.len() > 2 {
            return Err(AmountError::Malformed);
        }
        // `1.5` means 50 cents: the first digit after the point counts tens.
        let scale = if cents.len() == 1 { 10 } else { 1 };
        let parse = |part: &str| part.parse::<i64>().map_err(|_| AmountError::Overflow);
        let minor = parse(units)?.checked_mul(100).ok_or(AmountError::Overflow)?;
        let minor = minor.checked_add(parse(cents)? * scale).ok_or(AmountError::Overflow)?;
        Ok(Self::from_minor(minor))
    }

    /// The amount of so many minor units (cents).
    #[must_use]
    pub fn from_minor(minor: i64) -> Self {
        Self(Decimal::new(minor, 2))
    }

    /// The amount in minor units (cents).
    #[must_use]
    pub fn minor(self) -> i64 {
        // Every constructor starts from 64-bit cents at scale 2, so the mantissa is those cents again.
        i64::try_from(self.0.mantissa()).unwrap_or(i64::MAX)
    }

    /// The amount in currency units.
    #[must_use]
    pub fn decimal(self) -> Decimal {
        self.0
    }
}

impl fmt::Display for Amount {
    /// The amount as [`Amount::parse`] reads it, always with two decimals.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl TryFrom<String> for Amount {
    type Error = AmountError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text)
    }
}

impl From<Amount> for String {
    fn from(amount: Amount) -> Self {
        amount.to_string()
    }
}

/// The smallest and the largest amount that one recharge may have, both allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// The smallest amount that is accepted.
    pub min: Amount,
    /// The largest amount that is accepted.
    pub max: Amount,
}

impl Limits {
    /// Reads an amount and holds it against the limits. The page asks before it sends and the server before it stores,
    /// so that both say the same.
    ///
    /// # Errors
    /// [`Problem::AmountMalformed`], [`Problem::AmountTooSmall`] or [`Problem::AmountTooLarge`].
    pub fn admit(self, text: &str) -> Result<Amount, Problem> {
        let amount = Amount::parse(text).map_err(|error| match error {
            AmountError::Malformed => Problem::AmountMalformed,
            AmountError::Overflow => Problem::AmountTooLarge,
        })?;
        if amount < self.min {
            Err(Problem::AmountTooSmall)
        } else if amount > self.max {
            Err(Problem::AmountTooLarge)
        } else {
            Ok(amount)
        }
    }
}

/// A currency with one hundred minor units to the unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Currency(usize);

/// The currencies that can be configured, and their signs in English and in Chinese. A currency without cents (the yen) is not among them: an amount has two
/// decimals everywhere in this program.
const CURRENCIES: [(&str, &str, &str); 14] = [
    ("AUD", "A$", "AU$"),
    ("BRL", "R$", "R$"),
    ("CAD", "CA$", "CA$"),
    ("CHF", "CHF\u{a0}", "CHF\u{a0}"),
    ("CNY", "CN¥", "¥"),
    ("EUR", "€", "€"),
    ("GBP", "£", "£"),
    ("HKD", "HK$", "HK$"),
    ("INR", "₹", "₹"),
    ("NZD", "NZ$", "NZ$"),
    ("PLN", "zł\u{a0}", "PLN\u{a0}"),
    ("SEK", "kr\u{a0}", "SEK\u{a0}"),
    ("SGD", "S$", "SGD\u{a0}"),
    ("USD", "$", "US$"),
];

impl Currency {
    /// The three-letter code of ISO 4217.
    #[must_use]
    pub fn code(self) -> &'static str {
        CURRENCIES[self.0].0
    }

    /// The sign that stands before an amount.
    #[must_use]
    pub fn sign(self, language: Language) -> &'static str {
        let (_, english, chinese) = CURRENCIES[self.0];
        match language {
            Language::English => english,
            Language::Chinese => chinese,
        }
    }

    /// The amount as a person reads it: with the currency's sign and grouped thousands.
    #[must_use]
    pub fn show(self, amount: Amount, language: Language) -> String {
        let text = amount.to_string();
        let (units, cents) = text.split_once('.').unwrap_or((&text, "00"));
        format!("{}{}.{cents}", self.sign(language), grouped(units))
    }
}

impl TryFrom<String> for Currency {
    type Error = String;

    fn try_from(code: String) -> Result<Self, Self::Error> {
        CURRENCIES.iter().position(|(known, ..)| *known == code).map(Self).ok_or_else(|| {
            let codes: Vec<_> = CURRENCIES.into_iter().map(|(code, ..)| code).collect();
            format!("unknown currency {code:?}; use one of {}", codes.join(", "))
        })
    }
}

impl std::str::FromStr for Currency {
    type Err = String;

    fn from_str(code: &str) -> Result<Self, Self::Err> {
        code.to_owned().try_into()
    }
}

impl From<Currency> for String {
    fn from(currency: Currency) -> Self {
        currency.code().to_owned()
    }
}

/// Tokens as a person reads them: a whole number with grouped thousands.
#[must_use]
pub fn show_tokens(tokens: i64) -> String {
    let digits = tokens.unsigned_abs().to_string();
    format!("{}{}", if tokens < 0 { "-" } else { "" }, grouped(&digits))
}

fn grouped(digits: &str) -> String {
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn accepts_exactly_the_grammar() {
        for (text, minor) in crate::vectors::AMOUNTS {
            assert_eq!(Amount::parse(text).ok().map(Amount::minor), *minor, "{text:?}");
        }
    }

    #[test]
    fn a_thousand_times_ten_cents_is_a_hundred_units() {
        let sum: Decimal = (0..1000).map(|_| Amount::from_minor(10).decimal()).sum();
        assert_eq!(sum, Amount::parse("100").unwrap().decimal());
    }

    #[test]
    fn overflow_is_told_apart_from_nonsense() {
        assert_eq!(Amount::parse("92233720368547758.07").map(Amount::minor), Ok(i64::MAX));
        assert_eq!(Amount::parse("92233720368547758.08"), Err(AmountError::Overflow));
        assert_eq!(Amount::parse(&"9".repeat(400)), Err(AmountError::Overflow));
    }

    #[test]
    fn limits_hold_to_the_cent_and_both_ends_are_allowed() {
        let limits = Limits { min: Amount::from_minor(100), max: Amount::from_minor(5_000_000) };
        let table = [
            ("0.99", Err(Problem::AmountTooSmall)),
            ("0", Err(Problem::AmountTooSmall)),
            ("1.00", Ok(Amount::from_minor(100))),
            ("50000.00", Ok(Amount::from_minor(5_000_000))),
            ("50000.01", Err(Problem::AmountTooLarge)),
            ("99999999999999999999", Err(Problem::AmountTooLarge)),
            ("-1", Err(Problem::AmountMalformed)),
        ];
        for (text, answer) in table {
            assert_eq!(limits.admit(text), answer, "{text}");
        }
    }

    #[test]
    fn people_read_signs_and_groups() {
        let usd: Currency = "USD".parse().unwrap();
        assert_eq!(usd.show(Amount::from_minor(5), Language::English), "$0.05");
        assert_eq!(usd.show(Amount::from_minor(123_456_789), Language::Chinese), "US$1,234,567.89");
        assert_eq!(show_tokens(100), "100");
        assert_eq!(show_tokens(-1_234_567), "-1,234,567");
        assert!("JPY".parse::<Currency>().is_err());
    }

    proptest! {
        #[test]
        fn whatever_is_printed_is_read_back(minor in 0..=i64::MAX) {
            let amount = Amount::from_minor(minor);
            prop_assert_eq!(amount.minor(), minor);
            prop_assert_eq!(Amount::parse(&amount.to_string()), Ok(amount));
        }

        #[test]
        fn no_text_outside_the_grammar_is_an_amount(text in "[0-9.+\\-eE_, ٣]{0,12}") {
            let (units, cents) = text.split_once('.').unwrap_or((&text, "0"));
            let digits = |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_digit());
            let right = digits(units) && digits(cents) && cents.len() <= 2;
            prop_assert_eq!(Amount::parse(&text).is_ok(), right);
        }

        #[test]
        fn any_text_is_answered_without_a_panic(text in any::<String>()) {
            let _ = Amount::parse(&text);
        }
    }
}
