//! The person's last orders, below the form.

use leptos::prelude::*;

use crate::money::show_tokens;
use crate::view::OrderView;
use crate::words::Language;

/// A short list, newest first, with a way to the whole history.
pub(super) fn last_orders(orders: Vec<OrderView>, language: Language) -> AnyView {
    let words = language.words();
    if orders.is_empty() {
        return view! { <p class="hint">{words.not_yet}</p> }.into_any();
    }
    let rows = orders.into_iter().map(|order| {
        view! {
            <li>
                <span class="orders-main">
                    <strong>{order.currency.show(order.amount, language)}</strong>
                    <span>{show_tokens(order.tokens)} {words.tokens}</span>
                </span>
                <span class="hint">{words.tier_name(&order.tier).to_owned()} " · " {order.at}</span>
            </li>
        }
    });
    view! {
        <ul class="orders" data-testid="last-orders">{rows.collect_view()}</ul>
        <p>
            <a href="/history">{words.whole_history}</a>
        </p>
    }
    .into_any()
}
