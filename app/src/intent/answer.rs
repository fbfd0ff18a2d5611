//! What an answer, or its absence, means for an intent.

use std::time::Duration;

use super::pause::{RETRIES, pause};
use super::{Ask, How, Intent, Request, State, Stored, Surroundings, Task};
use crate::problem::{KeyFate, Problem};
use crate::view::Resolution;

impl Intent {
    /// A request was answered, or given up as [`Problem::OutcomeUnknown`]. A decision about the current key counts
    /// whichever request brought it; any other answer counts only if it is that of the last one. `asked` is how long
    /// the server wants to be left alone.
    pub fn answered(
        &mut self,
        request: &Request,
        answer: Result<Resolution, Problem>,
        asked: Option<Duration>,
        around: &Surroundings<'_>,
    ) -> Option<Task> {
        let decided = matches!(answer, Ok(Resolution::Recharged(_) | Resolution::Voided) | Err(Problem::KeyVoided));
        if request.key != self.key || !(decided || self.waits_for(request)) {
            return None;
        }
        let quiet = self.quiet && self.waits_for(request);
        self.quiet &= !quiet;
        match answer {
            Ok(Resolution::Recharged(recharged)) => {
                let how = match request.ask {
                    _ if self.then.is_some() => How::BeforeOther,
                    Ask::Recharge if recharged.replayed => How::Repeated,
                    Ask::Recharge => How::Sent,
                    Ask::Resolve => self.asked_as,
                    Ask::Discard => How::NotDiscarded,
                };
                self.resolved(around);
                if quiet {
                    self.instead_of = None;
                }
                self.state = State::Succeeded(recharged, how);
                None
            }
            Ok(Resolution::Voided) if quiet => {
                self.resolved(around);
                None
            }
            // Nothing came of it: there is nothing to say, and the key that another tab went on to is shared.
            _ if quiet => {
                if let Some(others) = self.others(around.stored) {
                    (self.key, self.attempted) = (others.key, others.attempted);
                }
                None
            }
            Ok(Resolution::Voided) | Err(Problem::KeyVoided) => {
                let (then, voided) = (self.then.take(), self.attempted.take());
                self.resolved(around);
                self.state = State::Discarded(voided.clone());
                let task = then.and_then(|amount| self.press(&amount, around));
                self.instead_of = voided.filter(|_| task.is_some());
                task
            }
            Ok(Resolution::Unresolved) => {
                self.state = State::Open(None);
                None
            }
            // Which recharge it is that stands, the server will say.
            Err(Problem::KeyReused) if request.ask == Ask::Recharge => {
                self.asked_as = How::BeforeOther;
                Some(self.request(Ask::Resolve))
            }
            Err(problem) if problem.key_fate() == KeyFate::Kept => self.not_known(request.ask, problem, asked, around),
            // Another request may still be on its way under the same key.
            Err(problem) if self.unsure || self.is_shared(around) || request.ask != Ask::Recharge => {
                self.then = None;
                self.state = State::Open(Some(problem));
                None
            }
            Err(problem) => {
                self.resolved(around);
                self.state = State::Refused(problem);
                None
            }
        }
    }

    /// No certain answer came: the key stays, and the request is repeated by itself where that may help.
    fn not_known(
        &mut self,
        ask: Ask,
        problem: Problem,
        asked: Option<Duration>,
        around: &Surroundings<'_>,
    ) -> Option<Task> {
        // That nothing was paid is only known of this request, not of one before it, and not by one that asked.
        let problem = match problem {
            Problem::Busy if self.unsure || ask != Ask::Recharge => Problem::OutcomeUnknown,
            problem => problem,
        };
        // These two say for certain that this request did nothing.
        self.unsure |= ask == Ask::Recharge && !matches!(problem, Problem::NotSignedIn | Problem::Busy);
        let helps = problem != Problem::NotSignedIn && self.retries < RETRIES;
        let pause = pause(self.retries + 1, asked, around.chance).filter(|_| helps);
        let Some(pause) = pause else {
            // The person decides about what was sent, not about the amount after it.
            self.then = None;
            self.state = State::Open(Some(problem));
            return None;
        };
        self.retries += 1;
        self.state = State::Waiting(problem);
        Some(Task::Wait(self.number, pause))
    }

    /// Whether another page has sent something with the key.
    fn is_shared(&self, around: &Surroundings<'_>) -> bool {
        let stored = Stored::read(self.person, around.stored).filter(|stored| stored.key == self.key);
        stored.is_some_and(|stored| stored.is_shared()) || self.stored().is_shared()
    }

    /// The fate of the key is certain: on to the key that another tab went on to, or else to a new one.
    fn resolved(&mut self, around: &Surroundings<'_>) {
        let others = self.others(around.stored);
        let (key, attempted) =
            others.map_or_else(|| (around.next.clone(), None), |stored| (stored.key, stored.attempted));
        self.settled.push(std::mem::replace(&mut self.key, key));
        self.attempted = attempted;
        (self.own, self.sent, self.unsure, self.then) = (false, false, false, None);
        (self.retries, self.asked_as) = (0, How::Resumed);
    }
}
