//! What the typed amount buys, before the button is pressed.

use leptos::prelude::*;

use crate::money::show_tokens;
use crate::problem::Problem;
use crate::tier::Tiers;
use crate::view::AccountView;
use crate::words::Speech;

/// What the preview says. A line without words is not shown.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Lines {
    hint: String,
    tokens: String,
    tier: String,
    next: String,
    /// How much of the way to the next tier is gone, in percent.
    reach: i64,
}

impl Lines {
    /// The tokens, the tier and the distance to the next one, by the very function that credits.
    fn of(typed: &str, tiers: &Tiers, speech: Speech) -> Self {
        let words = speech.words();
        let hint = |hint: String| Self { hint, ..Self::default() };
        let amount = match speech.limits.admit(typed) {
            Ok(amount) => amount,
            Err(Problem::AmountMalformed) => return hint(words.enter_amount.to_owned()),
            Err(problem) => return hint(speech.refusal(problem)),
        };
        let step = tiers.next_step(amount);
        let reach = step.as_ref().map_or(0, |step| {
            let below = tiers.iter().map(|tier| tier.min.minor()).filter(|min| *min <= amount.minor()).max();
            let (from, to) = (below.unwrap_or(0), step.tier.min.minor());
            (amount.minor() - from).saturating_mul(100) / (to - from)
        });
        let next = step.map(|step| {
            let (missing, rate) = (speech.money(step.missing), show_tokens(step.tier.tokens_per_unit));
            let unit = format!("{}1", speech.currency.sign(speech.language));
            (words.next_tier)(&missing, words.tier_name(&step.tier.name), &rate, &unit)
        });
        let mut lines = match tiers.quote(amount) {
            Ok(quote) => Self {
                tokens: show_tokens(quote.tokens),
                tier: words.tier_name(&quote.tier).to_owned(),
                ..Self::default()
            },
            Err(_) => hint(words.no_tokens.to_owned()),
        };
        lines.next = next.unwrap_or_default();
        lines.reach = reach;
        lines
    }
}

/// The preview of what stands in the amount field.
pub(super) fn preview(typed: RwSignal<String>, account: RwSignal<AccountView>, speech: Speech) -> impl IntoView {
    let lines =
        Memo::new(move |_| account.with(|account| typed.with(|typed| Lines::of(typed, &account.tiers, speech))));
    let text = |line: fn(&Lines) -> &String| move || lines.with(|lines| line(lines).clone());
    let silent = |line: fn(&Lines) -> &String| move || lines.with(|lines| line(lines).is_empty());
    view! {
        <p class="preview-hint" hidden=silent(|lines| &lines.hint)>
            {text(|lines| &lines.hint)}
        </p>
        <p class="preview-tokens" hidden=silent(|lines| &lines.tokens)>
            <strong data-testid="preview-tokens">{text(|lines| &lines.tokens)}</strong>
            {speech.words().tokens}
            <span class="badge" data-testid="preview-tier">{text(|lines| &lines.tier)}</span>
        </p>
        <p class="preview-next" data-testid="preview-next" hidden=silent(|lines| &lines.next)>
            {text(|lines| &lines.next)}
        </p>
        <div
            class="reach"
            aria-hidden="true"
            hidden=silent(|lines| &lines.next)
            style=("--reach", move || lines.with(|lines| format!("{}%", lines.reach)))
        ></div>
    }
}
