//! What the typed amount buys, before the button is pressed.

use leptos::prelude::*;

use crate::money::show_tokens;
use crate::problem::Problem;
use crate::tier::Tiers;
use crate::words::Speech;

/// The tokens, the tier and the distance to the next one, by the very function that credits.
pub(super) fn preview(typed: &str, tiers: &Tiers, speech: Speech) -> AnyView {
    let words = speech.words();
    let amount = match speech.limits.admit(typed) {
        Ok(amount) => amount,
        Err(Problem::AmountMalformed) => {
            return view! { <p class="preview-hint">{words.enter_amount}</p> }.into_any();
        }
        Err(problem) => {
            return view! { <p class="preview-hint">{speech.refusal(problem)}</p> }.into_any();
        }
    };
    let buys = match tiers.quote(amount) {
        Ok(quote) => view! {
            <p class="preview-tokens">
                <strong data-testid="preview-tokens">{show_tokens(quote.tokens)}</strong>
                {words.tokens}
                <span class="badge" data-testid="preview-tier">{words.tier_name(&quote.tier).to_owned()}</span>
            </p>
        }
        .into_any(),
        Err(_) => view! { <p class="preview-hint">{words.no_tokens}</p> }.into_any(),
    };
    let next = tiers.next_step(amount).map(|step| {
        let missing = speech.money(step.missing);
        let rate = show_tokens(step.tier.tokens_per_unit);
        let unit = format!("{}1", speech.currency.sign(speech.language));
        let next = (words.next_tier)(&missing, words.tier_name(&step.tier.name), &rate, &unit);
        view! {
            <p class="preview-next" data-testid="preview-next">
                {next}
            </p>
        }
    });
    view! {
        {buys}
        {next}
    }
    .into_any()
}
