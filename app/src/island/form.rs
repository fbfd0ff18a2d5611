//! The recharge form. Its submit event is the only way to send: click, Enter and script all pass through it.

use std::time::Duration;

use leptos::html;
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::{orders, preview, receipt, storage};
use crate::intent::{Attempt, Intent, State};
use crate::key::IdempotencyKey;
use crate::money::{Currency, Limits, show_tokens};
use crate::problem::Problem;
use crate::server_fn::{account as account_of, recharge};
use crate::tier::Tiers;
use crate::view::{AccountView, OrderView};
use crate::words;

/// After this long the page says that it takes longer than usual.
const PATIENCE: Duration = Duration::from_secs(8);

/// After this long the page stops waiting and offers another attempt with the same key. Well above the server's own
/// bound, so that it is reached only where no answer can be expected any more.
const GIVE_UP: Duration = Duration::from_secs(30);

/// After a success the button rests for longer than a double click takes: where the answer was quicker than the second half
/// of one, that half would be taken for a new decision to pay.
const REST: Duration = Duration::from_secs(1);

/// Amounts that one press fills in, in minor units.
const PRESETS: [i64; 4] = [1_000, 5_000, 20_000, 100_000];

/// The form with the balance above it, the preview beside it and the receipt and the last orders below it.
///
/// Without WASM it is a plain form that posts to `/`, with the key that the server wrote into it.
#[island]
pub fn RechargeForm(
    /// The person's number.
    person: i64,
    /// The key that the server made for this page.
    served: IdempotencyKey,
    /// The tiers in force.
    tiers: Tiers,
    /// The limits of an amount.
    limits: Limits,
    /// The currency in which amounts are meant.
    currency: Currency,
    /// The balance and the last orders at the time of the page.
    account: AccountView,
    /// What stands in the amount field: what was typed before the server answered the plain form.
    typed: String,
    /// Why the plain form was not accepted.
    failure: Option<Problem>,
    /// The order whose receipt the page shows.
    done: Option<OrderView>,
) -> impl IntoView {
    let resolved = done.as_ref().map(|order| order.key.clone());
    let intent = RwSignal::new(Intent::load(person, served.clone(), None, None));
    let field_problem = RwSignal::new(failure.filter(|problem| problem.field() == Some("amount")));
    let other_failure = RwSignal::new(failure.filter(|problem| problem.field() != Some("amount")));
    let account = RwSignal::new(account);
    let shown = RwSignal::new(done);
    let amount_text = RwSignal::new(typed.clone());
    let patience_ended = RwSignal::new(false);
    let resting = RwSignal::new(false);
    let live = RwSignal::new(false);

    let amount_field = NodeRef::<html::Input>::new();
    let status_line = NodeRef::<html::P>::new();
    let summary = NodeRef::<html::Div>::new();

    let in_flight = move || intent.with(|intent| *intent.state() == State::InFlight);
    let keep = move || intent.with_untracked(|intent| storage::write(person, &intent.stored(), intent.key()));

    // Runs once, in the browser only: takes up what an earlier page left, and what was typed before this code arrived.
    Effect::new(move || {
        let stored = storage::read(person);
        intent.set(Intent::load(person, served.clone(), stored.as_deref(), resolved.as_ref()));
        keep();
        if let Some(field) = amount_field.get_untracked() {
            if let Some(attempted) = intent.with_untracked(|intent| intent.attempted().map(str::to_owned)) {
                field.set_value(&attempted);
            }
            amount_text.set(field.value());
        }
        live.set(true);
    });

    let settle = move |attempt: &Attempt, answer: Result<_, Problem>| {
        let mut changed = false;
        intent.update(|intent| changed = intent.answered(attempt, answer, IdempotencyKey::random()));
        if !changed {
            return;
        }
        keep();
        match intent.with_untracked(|intent| intent.state().clone()) {
            State::Succeeded(recharged) => {
                account.update(|account| match recharged.account {
                    Some(fresh) => *account = fresh,
                    // The recharge stands although the account could not be read: it is shown by what is known.
                    None => account.add(&recharged.order),
                });
                storage::show_receipt_in_address(&recharged.order.order_no);
                shown.set(Some(recharged.order));
                resting.set(true);
                set_timeout(move || resting.set(false), REST);
            }
            State::Refused(Problem::KeyReused) => spawn_local(async move {
                // The order that stands is one that this page does not know yet.
                if let Ok(fresh) = account_of(person.to_string()).await {
                    account.set(fresh);
                }
            }),
            State::Refused(problem) if problem.field() == Some("amount") => field_problem.set(Some(problem)),
            _ => {}
        }
    };

    let submit = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        let Some(field) = amount_field.get_untracked() else { return };
        let amount = field.value();
        if in_flight() || resting.get_untracked() {
            return;
        }
        other_failure.set(None);
        // An amount that was sent already is not judged again: whether it went through is what the retry finds out.
        let again = intent.with_untracked(|intent| intent.attempted() == Some(amount.as_str()));
        field_problem.set(limits.admit(&amount).err().filter(|_| !again));
        if field_problem.get_untracked().is_some() {
            // The summary is still hidden in this turn, and what is hidden cannot take the focus.
            request_animation_frame(move || {
                if let Some(summary) = summary.get_untracked() {
                    let _ = summary.focus();
                }
            });
            return;
        }
        let stored = storage::read(person);
        let mut attempt = None;
        intent.update(|intent| attempt = intent.press(&amount, stored.as_deref()));
        let Some(attempt) = attempt else { return };
        // Stored before it is sent: whatever happens to this page, the next one finds the key.
        keep();
        shown.set(None);
        patience_ended.set(false);
        if let Some(status) = status_line.get_untracked() {
            let _ = status.focus();
        }
        let slow = attempt.clone();
        set_timeout(move || patience_ended.set(intent.with_untracked(|intent| intent.waits_for(&slow))), PATIENCE);
        let lost = attempt.clone();
        set_timeout(move || settle(&lost, Err(Problem::OutcomeUnknown)), GIVE_UP);
        spawn_local(async move {
            let answer = recharge(person.to_string(), attempt.amount.clone(), attempt.key.as_str().to_owned()).await;
            settle(&attempt, answer);
        });
    };

    let status = move || {
        if let Some(problem) = other_failure.get() {
            return words::detail(problem, limits, currency);
        }
        intent.with(|intent| match intent.state() {
            State::Ready => String::new(),
            State::InFlight if patience_ended.get() => words::STILL_WAITING.to_owned(),
            State::InFlight => words::IN_FLIGHT.to_owned(),
            State::Unconfirmed(problem) => words::unconfirmed(*problem).to_owned(),
            State::Succeeded(recharged) => words::succeeded(&show_tokens(recharged.order.tokens), recharged.replayed),
            State::Refused(Problem::KeyReused) => words::EARLIER_STANDS.to_owned(),
            State::Refused(problem) => words::detail(*problem, limits, currency),
        })
    };
    // A success of before would read like one of the amount that was just refused.
    let status = move || if field_problem.get().is_some() { String::new() } else { status() };
    let tone = move || {
        intent.with(|intent| match intent.state() {
            _ if field_problem.get().is_some() => "",
            State::Succeeded(_) => "good",
            State::Unconfirmed(_) => "open",
            State::Refused(_) => "bad",
            _ if other_failure.get().is_some() => "open",
            _ => "",
        })
    };
    // A double click may be slower than the rest, but says itself that it is one.
    let press = move |event: leptos::ev::MouseEvent| {
        if event.detail() > 1 {
            event.prevent_default();
        }
    };
    let label = move || {
        intent.with(|intent| match intent.state() {
            State::InFlight => words::RECHARGING,
            State::Unconfirmed(_) => words::TRY_AGAIN,
            _ => words::RECHARGE,
        })
    };
    let sign_in = move || {
        let ended = intent.with(|intent| *intent.state() == State::Unconfirmed(Problem::NotSignedIn));
        ended.then(|| view! { <p><a href="/sign-in?next=/">"Sign in"</a></p> })
    };
    let field_message =
        move || field_problem.get().map(|problem| words::detail(problem, limits, currency)).unwrap_or_default();

    let presets = PRESETS.into_iter().map(crate::money::Amount::from_minor);
    let presets = presets.filter(|preset| (limits.min..=limits.max).contains(preset)).map(|preset| {
        let text = preset.decimal().trunc().to_string();
        let shown = currency.show(preset);
        let shown = shown.strip_suffix(".00").unwrap_or(&shown).to_owned();
        let fill = move |_| {
            if let Some(field) = amount_field.get_untracked() {
                field.set_value(&text);
                amount_text.set(text.clone());
            }
        };
        view! { <button type="button" class="preset" disabled=in_flight on:click=fill>{shown}</button> }
    });
    let served_key = move || intent.with(|intent| intent.key().as_str().to_owned());

    view! {
        <section class="card balance" aria-labelledby="balance-title">
            <h2 id="balance-title">"Your balance"</h2>
            <p>
                <strong data-testid="balance">
                    {move || account.with(|account| show_tokens(account.balance))}
                </strong>
                " tokens"
            </p>
        </section>

        <form
            class="card recharge"
            action="/"
            method="post"
            novalidate
            aria-labelledby="form-title"
            aria-busy=move || in_flight().to_string()
            data-live=move || live.get().to_string()
            on:submit=submit
        >
            <h2 id="form-title">"Recharge tokens"</h2>
            <div
                class="summary"
                node_ref=summary
                tabindex="-1"
                role="alert"
                hidden=move || field_problem.get().is_none()
            >
                <strong>{words::CHECK_THE_AMOUNT}</strong>
                <a href="#amount">{field_message}</a>
            </div>
            <input type="hidden" name="user_id" value=person.to_string() />
            <input type="hidden" name="idempotency_key" value=served_key />
            <label for="amount">{format!("Amount ({})", currency.code())}</label>
            <p class="hint" id="amount-hint">{words::limits_hint(limits, currency)}</p>
            <p class="field-error" id="amount-error" hidden=move || field_problem.get().is_none()>
                {field_message}
            </p>
            <div class="amount">
                <span aria-hidden="true">{currency.sign()}</span>
                <input
                    id="amount"
                    name="amount"
                    type="text"
                    inputmode="decimal"
                    autocomplete="transaction-amount"
                    value=typed
                    node_ref=amount_field
                    readonly=in_flight
                    aria-describedby="amount-hint amount-error"
                    aria-invalid=move || field_problem.get().is_some().to_string()
                    on:input=move |event| amount_text.set(event_target_value(&event))
                />
            </div>
            <div class="presets" role="group" aria-label="Common amounts">{presets.collect_view()}</div>
            <div class="preview" aria-live="polite" data-testid="preview">
                {move || preview::preview(&amount_text.get(), &tiers, limits, currency)}
            </div>
            <button type="submit" class="primary" disabled=move || in_flight() || resting.get() on:click=press>
                {label}
            </button>
            <p class="status" role="status" tabindex="-1" node_ref=status_line data-tone=tone>{status}</p>
            {sign_in}
        </form>

        {move || shown.get().map(receipt)}

        <section class="card" aria-labelledby="orders-title">
            <h2 id="orders-title">"Last recharges"</h2>
            {move || orders::last_orders(account.with(|account| account.orders.clone()))}
        </section>
    }
}
