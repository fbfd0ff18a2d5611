//! The person's last orders.

use leptos::prelude::*;

use crate::money::show_tokens;
use crate::view::{AccountView, OrderView};
use crate::words::Language;

/// A short list, newest first, with a way to the whole history.
pub(super) fn last_orders(account: RwSignal<AccountView>, language: Language) -> impl IntoView {
    let words = language.words();
    let none = move || account.with(|account| account.orders.is_empty());
    let row = move |order: OrderView| {
        view! {
            <li>
                <span class="orders-main">
                    <strong>{order.currency.show(order.amount, language)}</strong>
                    <span>{show_tokens(order.tokens)} {words.tokens}</span>
                </span>
                <span class="hint">{words.tier_name(&order.tier).to_owned()} " · " {order.at}</span>
            </li>
        }
    };
    view! {
        <p class="hint" hidden=move || !none()>{words.not_yet}</p>
        <ul class="orders" data-testid="last-orders" hidden=none>
            {move || account.with(|account| account.orders.clone()).into_iter().map(row).collect_view()}
        </ul>
        <p hidden=none>
            <a href="/history">{words.whole_history}</a>
        </p>
    }
}
