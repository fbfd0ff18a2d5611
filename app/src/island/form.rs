//! The recharge form. Its submit event is the only way to send: click, Enter and script all pass through it.

use leptos::html;
use leptos::prelude::*;

use super::life::{Life, now};
use super::status::{status, tone};
use super::{orders, preview, receipt};
use crate::intent::{Attempted, How, Intent, Loaded, State};
use crate::key::IdempotencyKey;
use crate::money::{Amount, show_tokens};
use crate::problem::{KeyFate, Problem};
use crate::view::{AccountView, OrderView};
use crate::words::Speech;

/// Amounts that one press fills in, in minor units.
const PRESETS: [i64; 4] = [1_000, 5_000, 20_000, 100_000];

/// The form with the preview in it; the balance, the receipt and the last orders around it.
///
/// Without WASM it is a plain form that posts to `/`, with the key that the server wrote into it.
#[island]
pub fn RechargeForm(
    /// The person's number.
    person: i64,
    /// The key that the server made for this page.
    served: IdempotencyKey,
    /// The language, the currency and the limits of an amount.
    speech: Speech,
    /// The balance and the last orders at the time of the page.
    account: AccountView,
    /// What stands in the amount field: what was typed before the server answered the plain form.
    typed: String,
    /// Why the plain form was not accepted.
    failure: Option<Problem>,
    /// The order whose receipt the page shows.
    done: Option<OrderView>,
    /// Of a plain form that was just sent: whether an earlier request had done it.
    replayed: Option<bool>,
) -> impl IntoView {
    let words = speech.words();
    let limits = speech.limits;
    let field_problem = RwSignal::new(failure.filter(|problem| problem.field() == Some("amount")));
    let other_failure = failure.filter(|problem| problem.field() != Some("amount"));
    // What the plain form sent and got no certain answer to is this intent.
    let open = other_failure.filter(|problem| problem.key_fate() == KeyFate::Kept && Amount::parse(&typed).is_ok());
    let other_failure = RwSignal::new(other_failure.filter(|_| open.is_none()));
    let page = Loaded {
        person,
        served,
        done: done.as_ref().map(|order| order.key.clone()),
        // The time is that of the page, which came with the answer.
        open: open.map(|problem| (Attempted { amount: typed.clone(), at: 0, shared: false }, problem)),
    };
    // The answer to a plain form says what a status line would have said.
    let told = done.as_ref().zip(replayed).map(|(order, replayed)| {
        let how = if replayed { How::Repeated } else { How::Sent };
        (words.succeeded)(&show_tokens(order.tokens), &speech.money(order.amount), how)
    });
    let told = StoredValue::new(told);
    let life = Life::new(&page, account, done);
    let Life { intent, account, shown, live, .. } = life;
    let amount_text = RwSignal::new(typed.clone());

    let amount_field = NodeRef::<html::Input>::new();
    let status_line = NodeRef::<html::P>::new();
    let summary = NodeRef::<html::Div>::new();

    let busy = move || intent.with(Intent::is_busy);

    // Runs once, in the browser only.
    Effect::new(move || {
        let mut page = page.clone();
        if let Some((attempted, _)) = &mut page.open {
            attempted.at = now();
        }
        life.begin(&page);
        if let Some(field) = amount_field.get_untracked() {
            // What was sent stands in the field again; else what was typed before this code arrived is read.
            if let Some(attempted) = intent.with_untracked(|intent| intent.attempted().cloned()) {
                field.set_value(&attempted.amount);
            }
            amount_text.set(field.value());
        }
    });

    let to_status = move || {
        if let Some(status) = status_line.get_untracked() {
            let _ = status.focus();
        }
    };
    // The summary is still hidden in this turn, and what is hidden cannot take the focus.
    let to_summary = move || {
        request_animation_frame(move || {
            if let Some(summary) = summary.get_untracked() {
                let _ = summary.focus();
            }
        });
    };
    let submit = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        let Some(field) = amount_field.get_untracked() else { return };
        let amount = field.value();
        if intent.with_untracked(Intent::is_busy) || life.resting.get_untracked() {
            return;
        }
        other_failure.set(None);
        // An amount that was sent already is not judged again: whether it went through is what the retry finds out.
        let again = intent.with_untracked(|intent| intent.has_sent(&amount));
        field_problem.set(limits.admit(&amount).err().filter(|_| !again));
        if field_problem.get_untracked().is_some() {
            to_summary();
            return;
        }
        life.act(|intent, around| intent.press(&amount, around));
        to_status();
    };
    let discard = move |_| {
        // Its own amount stands in the field again, so that what is discarded is what is seen.
        if let Some(field) = amount_field.get_untracked()
            && let Some(attempted) = intent.with_untracked(|intent| intent.attempted().cloned())
        {
            field.set_value(&attempted.amount);
            amount_text.set(attempted.amount);
        }
        field_problem.set(None);
        life.act(|intent, _| intent.discard());
        to_status();
    };
    // A request that began by itself disables the button that may have the focus: it must not be lost.
    Effect::new(move || {
        let on_button =
            || document().active_element().is_some_and(|element| element.matches(".recharge button").unwrap_or(false));
        if busy() && on_button() {
            to_status();
        }
    });
    // What the intent comes to outranks what was wrong with an amount before; one that only the server could judge is a
    // matter of the field.
    let state = Memo::new(move |_| intent.with(|intent| intent.state().clone()));
    Effect::new(move || match state.get() {
        State::Ready => {}
        State::Refused(problem) if problem.field() == Some("amount") => {
            field_problem.set(Some(problem));
            to_summary();
        }
        _ => {
            field_problem.set(None);
            other_failure.set(None);
        }
    });

    let status = move || {
        // A success of before would read like one of the amount that was just refused.
        if field_problem.get().is_some() {
            return String::new();
        }
        match other_failure.get() {
            Some(problem) => speech.refusal(problem),
            None => intent.with(|intent| match (intent.state(), told.get_value()) {
                (State::Ready, Some(told)) => told,
                _ => status(intent, life.slow.get(), life.offline.get(), speech),
            }),
        }
    };
    let tone = move || match (field_problem.get(), other_failure.get()) {
        (Some(_), _) => "",
        (None, Some(_)) => "open",
        (None, None) => intent.with(|intent| match intent.state() {
            State::Ready if told.with_value(Option::is_some) => "good",
            state => tone(state),
        }),
    };
    // A double click may be slower than the rest, but says itself that it is one.
    let press = move |event: leptos::ev::MouseEvent| {
        if event.detail() > 1 {
            event.prevent_default();
        }
    };
    let label = move || {
        intent.with(|intent| match intent.state() {
            State::Sending => words.recharging,
            State::Waiting(_) | State::Open(_) if amount_text.with(|typed| intent.has_sent(typed)) => words.try_again,
            _ => words.recharge,
        })
    };
    let may_discard = move || live.get() && intent.with(Intent::is_open);
    let sign_in = move || {
        let ended = intent.with(|intent| *intent.state() == State::Open(Some(Problem::NotSignedIn)));
        ended.then(|| view! { <p><a href="/sign-in?next=/">{words.sign_in_and_go_on}</a></p> })
    };
    let field_message = move || field_problem.get().map(|problem| speech.refusal(problem)).unwrap_or_default();

    let presets = PRESETS.into_iter().map(Amount::from_minor);
    let presets = presets.filter(|preset| (limits.min..=limits.max).contains(preset)).map(|preset| {
        let text = preset.decimal().trunc().to_string();
        let shown = speech.money(preset);
        let shown = shown.strip_suffix(".00").unwrap_or(&shown).to_owned();
        let fill = move |_| {
            if let Some(field) = amount_field.get_untracked() {
                field.set_value(&text);
                amount_text.set(text.clone());
            }
        };
        view! { <button type="button" class="preset" disabled=busy on:click=fill>{shown}</button> }
    });
    let served_key = move || intent.with(|intent| intent.key().as_str().to_owned());

    view! {
        <section class="card balance" aria-labelledby="balance-title">
            <h2 id="balance-title">{words.your_balance}</h2>
            <p>
                <strong data-testid="balance">
                    {move || account.with(|account| show_tokens(account.balance))}
                </strong>
                {words.tokens}
            </p>
        </section>

        <form
            class="card recharge"
            action="/"
            method="post"
            novalidate
            aria-labelledby="form-title"
            aria-busy=move || busy().to_string()
            data-live=move || live.get().to_string()
            on:submit=submit
        >
            <h2 id="form-title">{words.recharge_tokens}</h2>
            <div
                class="summary"
                node_ref=summary
                tabindex="-1"
                role="alert"
                hidden=move || field_problem.get().is_none()
            >
                <strong>{words.check_the_amount}</strong>
                <a href="#amount">{field_message}</a>
            </div>
            <input type="hidden" name="user_id" value=person.to_string() />
            <input type="hidden" name="idempotency_key" value=served_key />
            <label for="amount">{(words.amount)(speech.currency.code())}</label>
            <p class="hint" id="amount-hint">{(words.limits)(&speech.money(limits.min), &speech.money(limits.max))}</p>
            <p class="field-error" id="amount-error" hidden=move || field_problem.get().is_none()>
                {field_message}
            </p>
            <div class="amount">
                <span aria-hidden="true">{speech.currency.sign(speech.language)}</span>
                <input
                    id="amount"
                    name="amount"
                    type="text"
                    inputmode="decimal"
                    autocomplete="transaction-amount"
                    value=typed
                    node_ref=amount_field
                    readonly=busy
                    aria-describedby="amount-hint amount-error"
                    aria-invalid=move || field_problem.get().is_some().to_string()
                    on:input=move |event| amount_text.set(event_target_value(&event))
                />
            </div>
            <div class="presets" role="group" aria-label=words.common_amounts>{presets.collect_view()}</div>
            <div class="preview" aria-live="polite" data-testid="preview">
                {preview::preview(amount_text, account, speech)}
            </div>
            <button type="submit" class="primary" disabled=move || busy() || life.resting.get() on:click=press>
                {label}
            </button>
            <p class="status" role="status" tabindex="-1" node_ref=status_line data-tone=tone>{status}</p>
            {sign_in}
            <button type="button" class="link discard" hidden=move || !may_discard() on:click=discard>
                {words.discard}
            </button>
        </form>

        {move || shown.get().map(|order| receipt(order, speech.language))}

        <section class="card" aria-labelledby="orders-title">
            <h2 id="orders-title">{words.last_recharges}</h2>
            {orders::last_orders(account, speech.language)}
        </section>
    }
}
