//! The page `/`: balance, form, tiers, last orders.

use leptos::prelude::*;

use crate::island::RechargeForm;
use crate::key::IdempotencyKey;
use crate::money::{Currency, Limits, show_tokens};
use crate::problem::Problem;
use crate::tier::Tiers;
use crate::view::{AccountView, OrderView};

/// What the page shows.
#[derive(Debug, Clone)]
pub struct Recharge {
    /// The person's number.
    pub person: i64,
    /// The key that the form sends: that of the person's unresolved intent, or a new one.
    pub key: IdempotencyKey,
    /// The tiers in force.
    pub tiers: Tiers,
    /// The limits of an amount.
    pub limits: Limits,
    /// The currency in which amounts are meant.
    pub currency: Currency,
    /// The balance and the last orders.
    pub account: AccountView,
    /// What the person typed before the form was refused.
    pub typed: String,
    /// Why the form was refused.
    pub failure: Option<Problem>,
    /// The order whose receipt the page shows.
    pub done: Option<OrderView>,
}

/// The page's content.
pub fn recharge(page: Recharge) -> impl IntoView {
    let Recharge { person, key, tiers, limits, currency, account, typed, failure, done } = page;
    let table = tier_table(&tiers, currency);
    view! {
        <RechargeForm person served=key tiers limits currency account typed failure done />
        {table}
    }
}

fn tier_table(tiers: &Tiers, currency: Currency) -> impl IntoView + use<> {
    let rows = tiers.iter().map(|tier| {
        view! {
            <tr>
                <th scope="row">{tier.name.clone()}</th>
                <td>{currency.show(tier.min)}</td>
                <td>{show_tokens(tier.tokens_per_unit)}</td>
            </tr>
        }
    });
    view! {
        <section class="card" aria-labelledby="tiers-title">
            <h2 id="tiers-title">"Rates"</h2>
            <table data-testid="tiers">
                <thead>
                    <tr>
                        <th scope="col">"Tier"</th>
                        <th scope="col">"From"</th>
                        <th scope="col">{format!("Tokens per {}1", currency.sign())}</th>
                    </tr>
                </thead>
                <tbody>{rows.collect_view()}</tbody>
            </table>
        </section>
    }
}
