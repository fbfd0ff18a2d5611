//! The sentences in English.

use super::Words;
#[cfg(feature = "ssr")]
use super::{PageWords, SignProblem};
use crate::intent::How;
use crate::problem::Problem;

pub(super) static WORDS: Words = Words {
    your_balance: "Your balance",
    tokens: " tokens",
    recharge_tokens: "Recharge tokens",
    amount: |currency| format!("Amount ({currency})"),
    limits: |min, max| format!("From {min} to {max}."),
    common_amounts: "Common amounts",
    enter_amount: "Enter an amount to see what it buys.",
    no_tokens: "This amount buys no tokens.",
    next_tier: |missing, tier, rate, unit| format!("{missing} more reaches {tier} ({rate} tokens per {unit})."),
    recharge: "Recharge",
    recharging: "Recharging…",
    try_again: "Try again",
    discard: "Discard",
    sign_in_and_go_on: "Sign in and continue",
    check_the_amount: "Please check the amount",
    amount_malformed: "Enter the amount in digits, with a point before the cents, such as 50 or 49.99: no spaces, commas or signs.",
    amount_too_small: |min| format!("The smallest amount is {min}."),
    amount_too_large: |max| format!("The largest amount is {max}."),
    refused,
    in_flight: "Recharging. Please wait.",
    still_waiting: "This takes longer than usual. Please keep the page open; you will not be charged twice.",
    open,
    waiting,
    asking: |amount| format!("Looking up what became of your recharge of {amount}."),
    discarding: "Discarding. Please wait.",
    discarded: |amount| {
        format!("Your recharge of {amount} is discarded: nothing was paid for it, and nothing will be.")
    },
    discarding_first: |amount| format!("First we check what became of your recharge of {amount}. Please wait."),
    discarded_first: |amount| format!("Your recharge of {amount} is discarded; nothing was paid for it. "),
    succeeded,
    receipt: "Receipt",
    paid: "Paid",
    credited: "Credited",
    tier: "Tier",
    time: "Time",
    order: "Order",
    print: "Print",
    last_recharges: "Recent recharges",
    not_yet: "You have not recharged yet.",
    whole_history: "Full history",
    tier_names: [("Low", "Low"), ("Mid", "Mid"), ("High", "High"), ("Super", "Super")],
};

fn refused(problem: Problem) -> &'static str {
    match problem {
        Problem::NoTier => "There is no rate for this amount, so it would buy nothing. Nothing was paid.",
        Problem::BalanceLimit => "The account cannot hold so many more tokens. Nothing was paid.",
        Problem::NotYours => "Somebody else is signed in now. Nothing was paid. Load the page again.",
        Problem::KeyReused => {
            "An earlier recharge went through with another amount, and stands; you find it among your recent recharges. \
             Nothing was paid now. To pay this amount too, press Recharge once more."
        }
        Problem::KeyVoided => "This recharge was discarded: nothing was paid. To pay, press Recharge once more.",
        _ => "This was refused, and nothing was paid. Load the page again and try once more.",
    }
}

fn open(problem: Option<Problem>, amount: &str, time: &str) -> String {
    match problem {
        None => {
            format!(
                "There is no result yet for your recharge of {amount}, sent on {time}. Try again or discard it: either way \
                 you pay at most once."
            )
        }
        Some(Problem::NotSignedIn) => {
            "You are no longer signed in. Sign in and continue: you will not be charged twice.".to_owned()
        }
        Some(Problem::TwinRunning) => {
            "Your recharge is still under way. Try again in a moment: you will not be charged twice.".to_owned()
        }
        Some(Problem::Busy) => "We are too busy just now and nothing was paid. Try again in a moment.".to_owned(),
        Some(_) => "We could not confirm this. Try again – you will not be charged twice.".to_owned(),
    }
}

fn waiting(problem: Problem, offline: bool) -> &'static str {
    match problem {
        _ if offline => {
            "You are offline. This continues automatically once you are online again; you will not be charged twice."
        }
        Problem::Busy => "We are too busy just now and nothing was paid yet. Trying again automatically in a moment.",
        Problem::TwinRunning => "Your recharge is still under way. Asking again in a moment.",
        _ => "We could not confirm this yet. Trying again automatically – you will not be charged twice.",
    }
}

fn succeeded(tokens: &str, amount: &str, how: How) -> String {
    match how {
        How::Sent => format!("Recharged: {tokens} tokens were added."),
        How::Repeated => {
            format!("Recharged: {tokens} tokens. This had gone through already; you were not charged again.")
        }
        How::Resumed => format!("Your recharge of {amount} went through: {tokens} tokens were added."),
        How::NotDiscarded => {
            format!(
                "Your recharge of {amount} had gone through before it could be discarded: {tokens} tokens were added."
            )
        }
        How::BeforeOther => format!(
            "Your earlier recharge of {amount} had gone through: {tokens} tokens were added. Nothing else was paid. To pay \
             the other amount too, press Recharge once more."
        ),
        How::Elsewhere => format!("Recharged in another tab: {tokens} tokens were added."),
    }
}

#[cfg(feature = "ssr")]
pub(super) static PAGE_WORDS: PageWords = PageWords {
    description: "Recharge tokens, exactly once per decision to pay.",
    skip: "Skip to the content",
    main_navigation: "Main",
    recharge: "Recharge",
    history: "History",
    sign_in: "Sign in",
    sign_up: "Sign up",
    sign_out: "Sign out",
    change_language: "Change the language to English",
    sign_in_first: "Sign in to continue.",
    email: "E-mail",
    password: "Password",
    password_hint: "8 to 128 characters.",
    no_account_yet: "No account yet? Sign up.",
    have_account: "Already have an account? Sign in.",
    sign_problem: |problem| match problem {
        SignProblem::Email => "Enter an e-mail address, such as name@example.com.",
        SignProblem::Password => "Choose a password of 8 to 128 characters.",
        SignProblem::Taken => "There is an account with this e-mail address. Sign in instead.",
        SignProblem::Credentials => "No account has this e-mail address and this password. Check both and try again.",
    },
    rates: "Rates",
    from: "From",
    tokens_per: |unit| format!("Tokens per {unit}"),
    orders: "Orders",
    no_orders: "No orders here.",
    older_orders: "Older orders",
    ledger: "Ledger",
    ledger_hint: "Every change of your balance. The balance is the sum of all of them.",
    no_changes: "No changes here.",
    older_changes: "Older changes",
    tokens: "Tokens",
    change: "Change",
    balance: "Balance",
    why: "Type",
    belongs_to: "Order",
    by_recharge: "Recharge",
    problems: "Problems",
    title,
    explanation,
    key_kept: "The key stays good: send the same one again.",
    key_replaced: "This answer is final for the request as it was sent.",
    http_status: "HTTP status",
    to_recharge: "To the recharge page",
};

#[cfg(feature = "ssr")]
fn title(problem: Problem) -> &'static str {
    match problem {
        Problem::AmountMalformed => "The amount cannot be read",
        Problem::AmountTooSmall => "The amount is too small",
        Problem::AmountTooLarge => "The amount is too large",
        Problem::KeyMissing => "The idempotency key is missing",
        Problem::KeyMalformed => "The idempotency key is malformed",
        Problem::KeyTwice => "The idempotency key was sent twice",
        Problem::BodyMalformed => "The request cannot be read",
        Problem::NotSignedIn => "Nobody is signed in",
        Problem::NotYours => "That is another person's account",
        Problem::ForeignOrigin => "The request comes from another site",
        Problem::NotFound => "There is nothing here",
        Problem::MethodNotAllowed => "That cannot be done here",
        Problem::BodyTooLarge => "The request is too long",
        Problem::KeyReused => "The key stands for another amount",
        Problem::KeyVoided => "The key was voided",
        Problem::KeyUsed => "The key is used",
        Problem::KeyUnused => "Nothing stands under the key",
        Problem::NoTier => "No tier applies",
        Problem::BalanceLimit => "The balance is full",
        Problem::TwinRunning => "Still under way",
        Problem::Busy => "Too busy just now",
        Problem::OutcomeUnknown => "Not confirmed yet",
        Problem::Internal => "Something went wrong here",
    }
}

#[cfg(feature = "ssr")]
fn explanation(problem: Problem) -> &'static str {
    match problem {
        Problem::AmountMalformed => {
            "An amount is digits, optionally followed by a point and one or two digits: no sign, blank, comma or \
             exponent. Nothing was stored; correct the amount and send it again."
        }
        Problem::AmountTooSmall => {
            "The amount is below the smallest one that is accepted. Nothing was stored; send a larger amount."
        }
        Problem::AmountTooLarge => {
            "The amount is above the largest one that is accepted. Nothing was stored; send a smaller amount."
        }
        Problem::KeyMissing => {
            "Send an idempotency key, either as idempotentKey in the body or in the header Idempotency-Key. Use one key \
             for one decision to pay, and the same key for every retry. Nothing was stored."
        }
        Problem::KeyMalformed => {
            "An idempotency key is 1 to 255 characters of visible ASCII (0x21 to 0x7E). Nothing was stored."
        }
        Problem::KeyTwice => "Send the idempotency key once: either in the body or in one header. Nothing was stored.",
        Problem::BodyMalformed => "The body is not what this address takes. Nothing was stored.",
        Problem::NotSignedIn => "Sign in and send the same request, with the same key, again. Nothing was stored.",
        Problem::NotYours => {
            "The request is meant for another account than the one that is signed in now. Nothing was paid. Load the page \
             again and look whose account it shows."
        }
        Problem::ForeignOrigin => {
            "A page of another site sent this request in your name, so it was refused. Nothing was stored."
        }
        Problem::NotFound => "There is no page and nothing else at this address.",
        Problem::MethodNotAllowed => "This address exists, but not for this method.",
        Problem::BodyTooLarge => "No request of this program needs so long a body. Nothing was stored.",
        Problem::KeyReused => {
            "An earlier recharge with this key went through with another amount, and stands. Nothing was paid now. To \
             pay again, start a new recharge with a new key."
        }
        Problem::KeyVoided => {
            "This recharge was discarded: nothing was paid, and nothing ever will be with this key. To pay, start a new \
             recharge with a new key."
        }
        Problem::KeyUsed => {
            "A recharge with this key went through, so the key cannot be voided. Ask for the key to see the order."
        }
        Problem::KeyUnused => {
            "No recharge stands under this key so far. One that is still on its way may change that; to rule it out, void \
             the key."
        }
        Problem::NoTier => "There is no rate for this amount, so it would buy nothing. Nothing was paid.",
        Problem::BalanceLimit => "The account cannot hold so many more tokens. Nothing was paid.",
        Problem::TwinRunning => {
            "An earlier request with this key is still under way. Try again in a moment, with the same key: you will not \
             be charged twice."
        }
        Problem::Busy => "Nothing was paid. Try again in a moment, with the same key.",
        Problem::OutcomeUnknown => {
            "We could not confirm this. Try again, with the same key: you will not be charged twice."
        }
        Problem::Internal => "This is our fault. Try again, with the same key: you will not be charged twice.",
    }
}
