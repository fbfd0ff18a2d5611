//! The person's last orders, below the form.

use leptos::prelude::*;

use crate::money::show_tokens;
use crate::view::OrderView;

/// A short list, newest first, with a way to the whole history.
pub(super) fn last_orders(orders: Vec<OrderView>) -> AnyView {
    if orders.is_empty() {
        return view! { <p class="hint">"You have not recharged yet."</p> }.into_any();
    }
    let rows = orders.into_iter().map(|order| {
        view! {
            <li>
                <span class="orders-main">
                    <strong>{order.currency.show(order.amount)}</strong>
                    <span>{show_tokens(order.tokens)} " tokens"</span>
                </span>
                <span class="hint">{order.tier} " · " {order.at}</span>
            </li>
        }
    });
    view! {
        <ul class="orders" data-testid="last-orders">{rows.collect_view()}</ul>
        <p>
            <a href="/history">"Whole history"</a>
        </p>
    }
    .into_any()
}
