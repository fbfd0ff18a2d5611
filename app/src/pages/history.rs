//! The page `/history`: orders and ledger, newest first, a page of each at a time.

use leptos::prelude::*;

use crate::money::show_tokens;
use crate::view::{LedgerView, OrderView};

/// What the page shows.
#[derive(Debug, Clone)]
pub struct History {
    /// A page of orders, newest first.
    pub orders: Vec<OrderView>,
    /// Where the orders' next page begins, if there is one.
    pub more_orders: Option<String>,
    /// A page of the ledger, newest first.
    pub ledger: Vec<LedgerView>,
    /// Where the ledger's next page begins, if there is one.
    pub more_ledger: Option<String>,
}

/// The page's content.
pub fn history(page: History) -> impl IntoView {
    let History { orders, more_orders, ledger, more_ledger } = page;
    let no_orders = orders.is_empty();
    let no_ledger = ledger.is_empty();
    let orders = orders.into_iter().map(|order| {
        view! {
            <tr>
                <td data-label="Time">{order.at}</td>
                <td data-label="Paid">{order.currency.show(order.amount)}</td>
                <td data-label="Tokens">{show_tokens(order.tokens)}</td>
                <td data-label="Tier">{order.tier}</td>
                <td data-label="Order" class="code">
                    <a href=format!("/?receipt={}", order.order_no)>{order.order_no.clone()}</a>
                </td>
            </tr>
        }
    });
    let ledger = ledger.into_iter().map(|row| {
        view! {
            <tr>
                <td data-label="Time">{row.at}</td>
                <td data-label="Change">{format!("+{}", show_tokens(row.change))}</td>
                <td data-label="Balance">{show_tokens(row.balance_after)}</td>
                <td data-label="Why">{reason(&row.change_type)}</td>
                <td data-label="For" class="code">{row.biz_id}</td>
            </tr>
        }
    });
    view! {
        <section class="card" aria-labelledby="orders-title">
            <h2 id="orders-title">"Orders"</h2>
            <table class="stacks" data-testid="orders">
                <thead>
                    <tr>
                        <th scope="col">"Time"</th>
                        <th scope="col">"Paid"</th>
                        <th scope="col">"Tokens"</th>
                        <th scope="col">"Tier"</th>
                        <th scope="col">"Order"</th>
                    </tr>
                </thead>
                <tbody>{orders.collect_view()}</tbody>
            </table>
            {no_orders.then(|| view! { <p class="hint">"No orders here."</p> })}
            {older(more_orders, "orders_before", "Older orders")}
        </section>
        <section class="card" aria-labelledby="ledger-title">
            <h2 id="ledger-title">"Ledger"</h2>
            <p class="hint">"Every change of your balance. The balance is the sum of these rows."</p>
            <table class="stacks" data-testid="ledger">
                <thead>
                    <tr>
                        <th scope="col">"Time"</th>
                        <th scope="col">"Change"</th>
                        <th scope="col">"Balance"</th>
                        <th scope="col">"Why"</th>
                        <th scope="col">"For"</th>
                    </tr>
                </thead>
                <tbody>{ledger.collect_view()}</tbody>
            </table>
            {no_ledger.then(|| view! { <p class="hint">"No changes here."</p> })}
            {older(more_ledger, "ledger_before", "Older changes")}
        </section>
    }
}

fn reason(change_type: &str) -> String {
    match change_type {
        "RECHARGE_BONUS" => "Recharge".to_owned(),
        other => other.to_owned(),
    }
}

fn older(cursor: Option<String>, parameter: &'static str, label: &'static str) -> impl IntoView {
    cursor.map(|cursor| view! { <p><a href=format!("/history?{parameter}={cursor}") rel="next">{label}</a></p> })
}
