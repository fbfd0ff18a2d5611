//! The receipt of a recharge that stands.

use leptos::prelude::*;

use crate::money::show_tokens;
use crate::view::OrderView;

/// What was paid, what was credited, when, and the order's number.
pub fn receipt(order: OrderView) -> impl IntoView {
    view! {
        <section class="card receipt" aria-labelledby="receipt-title" data-testid="receipt">
            <h2 id="receipt-title">"Receipt"</h2>
            <dl>
                <dt>"Paid"</dt>
                <dd data-testid="receipt-amount">{order.currency.show(order.amount)}</dd>
                <dt>"Credited"</dt>
                <dd data-testid="receipt-tokens">{show_tokens(order.tokens)} " tokens"</dd>
                <dt>"Tier"</dt>
                <dd>{order.tier}</dd>
                <dt>"Time"</dt>
                <dd>{order.at}</dd>
                <dt>"Order"</dt>
                <dd class="code" data-testid="receipt-order">{order.order_no}</dd>
            </dl>
        </section>
    }
}
