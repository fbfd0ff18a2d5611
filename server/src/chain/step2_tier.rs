//! Step 2, tier: after it every recharge that goes on knows its tokens, by the same pure function that the page shows
//! them with. Of several with one key only the first goes on; the others are its twins and share its outcome.

use std::collections::HashMap;

use app::problem::Problem;
use app::tier::{QuoteError, Tiers};

use super::slice::{Fate, Slice};
use super::step1_check_key::Checked;

/// The stage after step 2.
#[derive(Debug)]
pub struct Priced;

/// Quotes the open recharges in order of arrival. One that is refused leaves its key to the next.
pub fn tier<'a>(mut slice: Slice<'a, Checked>, tiers: &Tiers) -> Slice<'a, Priced> {
    let mut first = HashMap::new();
    for (index, recharge) in slice.recharges().iter_mut().enumerate() {
        if recharge.fate != Fate::Open {
            continue;
        }
        let key = recharge.order_key();
        recharge.fate = match (first.get(&key), tiers.quote(recharge.intent.amount)) {
            (Some(first), _) => Fate::TwinOf(*first),
            (None, Ok(quote)) => {
                first.insert(key, index);
                Fate::Running(quote)
            }
            (None, Err(QuoteError::NoTier)) => Fate::Refused(Problem::NoTier),
            (None, Err(QuoteError::Overflow)) => Fate::Refused(Problem::BalanceLimit),
        };
    }
    slice.reached()
}
