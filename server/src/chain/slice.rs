//! What the steps work on: a slice of recharges in their order of arrival, and what became of each.

use std::marker::PhantomData;

use app::problem::Problem;
use app::tier::Quote;
use uuid::Uuid;

use super::Intent;
use crate::order::Order;
use crate::store::OrderKey;

/// One intent on its way through the chain. Its order number and time are made once, before the first attempt, and
/// survive every retry of the transaction.
#[derive(Debug, Clone)]
pub struct Recharge {
    /// The validated intent.
    pub intent: Intent,
    /// The number its order gets, if this request is the first with its key: a UUIDv7.
    pub order_no: Uuid,
    /// When it arrived: milliseconds since 1970-01-01 UTC.
    pub at: i64,
    /// What became of it so far.
    pub fate: Fate,
}

/// What became of a recharge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fate {
    /// Nothing is decided yet.
    Open,
    /// It goes on through the chain, to be granted what the quote says.
    Running(Quote),
    /// Its key already has this order.
    Hit(Order),
    /// Another recharge of the slice, that of this index, has the same key and came first.
    TwinOf(usize),
    /// It was refused and drops out.
    Refused(Problem),
    /// It went through all steps.
    Completed(Order),
}

/// The answer to a recharge that stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answered {
    /// The order as it is stored.
    pub order: Order,
    /// Whether an earlier request with the same key had made it.
    pub replayed: bool,
    /// The tokens that the order granted.
    pub tokens: i64,
}

/// A slice that went through the step which `Stage` names.
#[derive(Debug)]
pub struct Slice<'a, Stage> {
    recharges: &'a mut [Recharge],
    stage: PhantomData<Stage>,
}

/// The stage before step 1.
#[derive(Debug)]
pub struct Validated;

impl Recharge {
    /// The person and the key: what names the intent.
    pub fn order_key(&self) -> OrderKey {
        OrderKey { user_id: self.intent.user_id, key: self.intent.key.clone() }
    }
}

impl<'a> Slice<'a, Validated> {
    /// Takes the recharges as validated, and forgets what an earlier attempt, which was rolled back, made of them.
    pub fn new(recharges: &'a mut [Recharge]) -> Self {
        for recharge in &mut *recharges {
            recharge.fate = Fate::Open;
        }
        Self { recharges, stage: PhantomData }
    }
}

impl<'a, Stage> Slice<'a, Stage> {
    /// The recharges, in order of arrival.
    pub(super) fn recharges(&mut self) -> &mut [Recharge] {
        self.recharges
    }

    /// Those that go on through the chain, in order of arrival, with what they will be granted.
    pub(super) fn running(&self) -> impl Iterator<Item = (&Recharge, &Quote)> {
        self.recharges.iter().filter_map(|recharge| match &recharge.fate {
            Fate::Running(quote) => Some((recharge, quote)),
            _ => None,
        })
    }

    /// Those that go on, in the one order in which every writer of every process locks orders.
    pub(super) fn running_by_key(&self) -> Vec<(&Recharge, &Quote)> {
        let mut running: Vec<_> = self.running().collect();
        running.sort_by(|(a, _), (b, _)| (a.intent.user_id, &a.intent.key).cmp(&(b.intent.user_id, &b.intent.key)));
        running
    }

    /// Declares a step done.
    pub(super) fn reached<Next>(self) -> Slice<'a, Next> {
        Slice { recharges: self.recharges, stage: PhantomData }
    }
}

/// The answer to every recharge of a slice whose transaction is committed, in order of arrival.
pub fn answers(recharges: &[Recharge]) -> Vec<Result<Answered, Problem>> {
    recharges.iter().map(|recharge| answer(recharge, &recharge.fate, recharges)).collect()
}

fn answer(recharge: &Recharge, fate: &Fate, slice: &[Recharge]) -> Result<Answered, Problem> {
    match fate {
        Fate::Completed(order) | Fate::Hit(order) => stands(recharge, order),
        Fate::TwinOf(first) => match slice.get(*first).map(|first| &first.fate) {
            Some(Fate::Completed(order) | Fate::Hit(order)) => stands(recharge, order),
            other => {
                tracing::error!(fate = ?other, "a recharge waits for a twin that did not end");
                Err(Problem::Internal)
            }
        },
        Fate::Refused(problem) => Err(*problem),
        Fate::Open | Fate::Running(_) => {
            tracing::error!(?fate, "a recharge left the chain before its end");
            Err(Problem::Internal)
        }
    }
}

/// Whether the order that stands under the key is the one that was asked for. Amounts are compared as numbers. A voided
/// key refuses every amount.
fn stands(recharge: &Recharge, order: &Order) -> Result<Answered, Problem> {
    let tokens = order.granted()?;
    if (order.amount, order.currency) != (recharge.intent.amount, recharge.intent.currency) {
        return Err(Problem::KeyReused);
    }
    Ok(Answered { order: order.clone(), replayed: order.order_no != recharge.order_no, tokens })
}
