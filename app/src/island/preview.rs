//! What the typed amount buys, before the button is pressed.

use leptos::prelude::*;

use crate::money::{Currency, Limits, show_tokens};
use crate::problem::Problem;
use crate::tier::Tiers;
use crate::words;

/// The tokens, the tier and the distance to the next one, by the very function that credits.
pub(super) fn preview(typed: &str, tiers: &Tiers, limits: Limits, currency: Currency) -> AnyView {
    let amount = match limits.admit(typed) {
        Ok(amount) => amount,
        Err(Problem::AmountMalformed) => {
            return view! { <p class="preview-hint">"Enter an amount to see what it buys."</p> }.into_any();
        }
        Err(problem) => {
            return view! { <p class="preview-hint">{words::detail(problem, limits, currency)}</p> }.into_any();
        }
    };
    let buys = match tiers.quote(amount) {
        Ok(quote) => view! {
            <p class="preview-tokens">
                <strong data-testid="preview-tokens">{show_tokens(quote.tokens)}</strong>
                " tokens"
                <span class="badge" data-testid="preview-tier">{quote.tier}</span>
            </p>
        }
        .into_any(),
        Err(_) => view! { <p class="preview-hint">"This amount buys no tokens."</p> }.into_any(),
    };
    let next = tiers.next_step(amount).map(|step| {
        let missing = currency.show(step.missing);
        let rate = show_tokens(step.tier.tokens_per_unit);
        let sign = currency.sign();
        view! {
            <p class="preview-next" data-testid="preview-next">
                {format!("{missing} more reaches {} ({rate} tokens per {sign}1).", step.tier.name)}
            </p>
        }
    });
    view! {
        {buys}
        {next}
    }
    .into_any()
}
