//! The page `/`: balance, form, tiers, last orders.

use leptos::prelude::*;

use crate::island::RechargeForm;
use crate::key::IdempotencyKey;
use crate::money::show_tokens;
use crate::problem::Problem;
use crate::tier::Tiers;
use crate::view::{AccountView, OrderView};
use crate::words::Speech;

/// What the page shows.
#[derive(Debug, Clone)]
pub struct Recharge {
    /// The person's number.
    pub person: i64,
    /// The key that the form sends: that of the person's unresolved intent, or a new one.
    pub key: IdempotencyKey,
    /// The language, the currency and the limits of an amount.
    pub speech: Speech,
    /// The balance and the last orders.
    pub account: AccountView,
    /// What the person typed before the form was refused.
    pub typed: String,
    /// Why the form was refused.
    pub failure: Option<Problem>,
    /// The order whose receipt the page shows.
    pub done: Option<OrderView>,
    /// Of a form that was just sent: whether an earlier request had done it.
    pub replayed: Option<bool>,
}

/// The page's content.
pub fn recharge(page: Recharge) -> impl IntoView {
    let Recharge { person, key, speech, account, typed, failure, done, replayed } = page;
    let table = tier_table(&account.tiers, speech);
    view! {
        <RechargeForm person served=key speech account typed failure done replayed />
        {table}
    }
}

fn tier_table(tiers: &Tiers, speech: Speech) -> impl IntoView + use<> {
    let (words, page_words) = (speech.words(), speech.language.page_words());
    let rows = tiers.iter().map(|tier| {
        view! {
            <tr>
                <th scope="row">{words.tier_name(&tier.name).to_owned()}</th>
                <td>{speech.money(tier.min)}</td>
                <td>{show_tokens(tier.tokens_per_unit)}</td>
            </tr>
        }
    });
    view! {
        <section class="card" aria-labelledby="tiers-title">
            <h2 id="tiers-title">{page_words.rates}</h2>
            <table data-testid="tiers">
                <thead>
                    <tr>
                        <th scope="col">{words.tier}</th>
                        <th scope="col">{page_words.from}</th>
                        <th scope="col">{(page_words.tokens_per)(&format!("{}1", speech.currency.sign(speech.language)))}</th>
                    </tr>
                </thead>
                <tbody>{rows.collect_view()}</tbody>
            </table>
        </section>
    }
}
