//! The page `/history`: orders and ledger, newest first, a page of each at a time.

use leptos::prelude::*;

use crate::money::show_tokens;
use crate::view::{LedgerView, OrderView};
use crate::words::{Language, PageWords};

/// What the page shows.
#[derive(Debug, Clone)]
pub struct History {
    /// The language of the page.
    pub language: Language,
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
    let History { language, orders, more_orders, ledger, more_ledger } = page;
    let (words, page_words) = (language.words(), language.page_words());
    let no_orders = orders.is_empty();
    let no_ledger = ledger.is_empty();
    let orders = orders.into_iter().map(|order| {
        view! {
            <tr>
                <td data-label=words.time>{order.at}</td>
                <td data-label=words.paid>{order.currency.show(order.amount, language)}</td>
                <td data-label=page_words.tokens>{show_tokens(order.tokens)}</td>
                <td data-label=words.tier>{words.tier_name(&order.tier).to_owned()}</td>
                <td data-label=words.order class="code">
                    <a href=format!("/?receipt={}#receipt-title", order.order_no)>{order.order_no.clone()}</a>
                </td>
            </tr>
        }
    });
    let ledger = ledger.into_iter().map(|row| {
        view! {
            <tr>
                <td data-label=words.time>{row.at}</td>
                <td data-label=page_words.change>{signed(row.change)}</td>
                <td data-label=page_words.balance>{show_tokens(row.balance_after)}</td>
                <td data-label=page_words.why>{reason(&row.change_type, page_words)}</td>
                <td data-label=page_words.belongs_to class="code">{row.biz_id}</td>
            </tr>
        }
    });
    view! {
        <section class="card" aria-labelledby="orders-title">
            <h2 id="orders-title">{page_words.orders}</h2>
            <table class="stacks" data-testid="orders">
                <thead>
                    <tr>
                        <th scope="col">{words.time}</th>
                        <th scope="col">{words.paid}</th>
                        <th scope="col">{page_words.tokens}</th>
                        <th scope="col">{words.tier}</th>
                        <th scope="col">{words.order}</th>
                    </tr>
                </thead>
                <tbody>{orders.collect_view()}</tbody>
            </table>
            {no_orders.then(|| view! { <p class="hint">{page_words.no_orders}</p> })}
            {older(more_orders, "orders_before", page_words.older_orders)}
        </section>
        <section class="card" aria-labelledby="ledger-title">
            <h2 id="ledger-title">{page_words.ledger}</h2>
            <p class="hint">{page_words.ledger_hint}</p>
            <table class="stacks" data-testid="ledger">
                <thead>
                    <tr>
                        <th scope="col">{words.time}</th>
                        <th scope="col">{page_words.change}</th>
                        <th scope="col">{page_words.balance}</th>
                        <th scope="col">{page_words.why}</th>
                        <th scope="col">{page_words.belongs_to}</th>
                    </tr>
                </thead>
                <tbody>{ledger.collect_view()}</tbody>
            </table>
            {no_ledger.then(|| view! { <p class="hint">{page_words.no_changes}</p> })}
            {older(more_ledger, "ledger_before", page_words.older_changes)}
        </section>
    }
}

/// A change with its sign.
fn signed(change: i64) -> String {
    format!("{}{}", if change > 0 { "+" } else { "" }, show_tokens(change))
}

fn reason(change_type: &str, words: &PageWords) -> String {
    match change_type {
        "RECHARGE_BONUS" => words.by_recharge.to_owned(),
        other => other.to_owned(),
    }
}

fn older(cursor: Option<String>, parameter: &'static str, label: &'static str) -> impl IntoView {
    cursor.map(|cursor| view! { <p><a href=format!("/history?{parameter}={cursor}") rel="next">{label}</a></p> })
}
