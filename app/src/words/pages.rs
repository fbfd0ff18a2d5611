//! The sentences that only the server's pages need.

use crate::problem::Problem;

/// The sentences of the pages around the interactive part.
pub struct PageWords {
    /// What the program is, in a sentence.
    pub description: &'static str,
    /// The link past the header.
    pub skip: &'static str,
    /// What the links in the header are together.
    pub main_navigation: &'static str,
    /// The title of `/`, and the link to it.
    pub recharge: &'static str,
    /// The title of `/history`, and the link to it.
    pub history: &'static str,
    /// The title of `/sign-in`, the link to it, and its button.
    pub sign_in: &'static str,
    /// The title of `/sign-up`, the link to it, and its button.
    pub sign_up: &'static str,
    /// The button that ends the session.
    pub sign_out: &'static str,
    /// What the button that changes the language does.
    pub change_language: &'static str,
    /// Before a sign-in that a page asked for.
    pub sign_in_first: &'static str,
    /// The label of the e-mail field.
    pub email: &'static str,
    /// The label of the password field.
    pub password: &'static str,
    /// The hint below a new password.
    pub password_hint: &'static str,
    /// From sign-in to sign-up.
    pub no_account_yet: &'static str,
    /// From sign-up to sign-in.
    pub have_account: &'static str,
    /// Why a sign-up or a sign-in was not accepted.
    pub sign_problem: fn(SignProblem) -> &'static str,
    /// The heading over the rates.
    pub rates: &'static str,
    /// The columns of the rates: the smallest amount.
    pub from: &'static str,
    /// Tokens for one unit of the currency, with that unit.
    pub tokens_per: fn(&str) -> String,
    /// The heading over all orders.
    pub orders: &'static str,
    /// Without any.
    pub no_orders: &'static str,
    /// To the next page of them.
    pub older_orders: &'static str,
    /// The heading over the ledger.
    pub ledger: &'static str,
    /// What it is.
    pub ledger_hint: &'static str,
    /// Without any rows.
    pub no_changes: &'static str,
    /// To the next page of them.
    pub older_changes: &'static str,
    /// The columns of orders and ledger: tokens granted.
    pub tokens: &'static str,
    /// What was added to the balance.
    pub change: &'static str,
    /// The balance after it.
    pub balance: &'static str,
    /// Why it was added.
    pub why: &'static str,
    /// What it belongs to.
    pub belongs_to: &'static str,
    /// Why, for a recharge.
    pub by_recharge: &'static str,
    /// The title of `/problems`.
    pub problems: &'static str,
    /// What a problem is about, in a few words.
    pub title: fn(Problem) -> &'static str,
    /// What it means and what to do about it, without the numbers of one installation.
    pub explanation: fn(Problem) -> &'static str,
    /// After a problem that keeps the key.
    pub key_kept: &'static str,
    /// After one that does not.
    pub key_replaced: &'static str,
    /// Before a problem's HTTP status.
    pub http_status: &'static str,
    /// From a page that stands in for another one.
    pub to_recharge: &'static str,
}

impl std::fmt::Debug for PageWords {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("PageWords")
    }
}

/// Why a sign-up or a sign-in was not accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignProblem {
    /// The e-mail address cannot be one.
    Email,
    /// The password has fewer than eight or more than 128 characters.
    Password,
    /// The e-mail address has an account.
    Taken,
    /// No account has this e-mail address and this password.
    Credentials,
}
