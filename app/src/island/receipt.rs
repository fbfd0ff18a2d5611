//! The receipt of a recharge that stands.

use leptos::prelude::*;

use crate::money::show_tokens;
use crate::view::OrderView;
use crate::words::Language;

/// What was paid, what was credited, when, and the order's number.
pub fn receipt(order: OrderView, language: Language) -> impl IntoView {
    let words = language.words();
    let tier = words.tier_name(&order.tier).to_owned();
    view! {
        <section class="card receipt" aria-labelledby="receipt-title" data-testid="receipt">
            <h2 id="receipt-title">{words.receipt}</h2>
            <dl>
                <dt>{words.paid}</dt>
                <dd data-testid="receipt-amount">{order.currency.show(order.amount, language)}</dd>
                <dt>{words.credited}</dt>
                <dd data-testid="receipt-tokens">{show_tokens(order.tokens)} {words.tokens}</dd>
                <dt>{words.tier}</dt>
                <dd>{tier}</dd>
                <dt>{words.time}</dt>
                <dd>{order.at}</dd>
                <dt>{words.order}</dt>
                <dd class="code" data-testid="receipt-order">{order.order_no}</dd>
            </dl>
            <button type="button" class="link print" on:click=|_| {
                // A browser that cannot print has no way to be told so.
                let _ = window().print();
            }>
                {words.print}
            </button>
        </section>
    }
}
