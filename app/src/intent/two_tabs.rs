//! Two tabs of one person, a network that loses, delays and doubles, and a server: whatever happens in whatever order, no
//! tab sends a second key while the first one that it sent can still be credited, no such key is forgotten, and what is done
//! is not sent again.

use std::collections::{HashMap, HashSet};

use proptest::prelude::*;

use super::tests::{around, key, page, recharged};
use super::*;
use crate::view::Resolution;

/// A request in the network, and who sent it.
type Sent = (Sender, Request);

/// A tab, and how often it was loaded: what an earlier page of it had asked is not answered to a later one.
type Sender = (usize, usize);

#[derive(Default)]
struct World {
    tabs: Vec<Intent>,
    loads: [usize; 2],
    /// The last request of each tab, which it gives up when no answer comes.
    last: [Option<Request>; 2],
    stored: Option<String>,
    /// What can still arrive at the server.
    network: Vec<Sent>,
    /// What can still arrive at a tab.
    answers: Vec<(Sent, Result<Resolution, Problem>)>,
    /// Under a key: whether it was recharged, or else voided.
    server: HashMap<String, bool>,
    /// What each tab knows to be decided.
    decided: [HashSet<String>; 2],
    keys: usize,
}

impl World {
    fn new() -> Self {
        let mut world = Self::default();
        for tab in 0..2 {
            world.tabs.push(Intent::load(page(1, "k0"), None).0);
            world.keep(tab);
        }
        world
    }

    fn next(&mut self) -> String {
        self.keys += 1;
        format!("k{}", self.keys)
    }

    fn keep(&mut self, tab: usize) {
        if let Some(stored) = self.tabs[tab].to_store(self.stored.as_deref()) {
            self.stored = Some(stored.write());
        }
    }

    /// Does what a page does after each event: store, then send.
    fn after(&mut self, tab: usize, task: Option<Task>) {
        self.keep(tab);
        if let Some(Task::Send(request)) = task {
            if request.ask == Ask::Recharge {
                let rival = self.creditable().find(|((by, _), sent)| *by == tab && sent.key != request.key);
                assert_eq!(rival, None, "{request:?} is sent while another key can still be credited");
                assert!(
                    !self.decided[tab].contains(request.key.as_str()),
                    "{request:?} is sent although it is decided"
                );
            }
            self.last[tab] = Some(request.clone());
            self.network.push(((tab, self.loads[tab]), request));
        }
    }

    /// What can still arrive and be credited.
    fn creditable(&self) -> impl Iterator<Item = &Sent> {
        let open = |request: &Request| !self.server.contains_key(request.key.as_str());
        self.network.iter().filter(move |(_, request)| request.ask == Ask::Recharge && open(request))
    }

    fn process(&mut self, request: &Request) -> Result<Resolution, Problem> {
        let stands = self.server.get(request.key.as_str()).copied();
        match (request.ask, stands) {
            (Ask::Recharge, Some(false)) => Err(Problem::KeyVoided),
            (_, Some(true)) => Ok(Resolution::Recharged(recharged(&request.key, true))),
            (_, Some(false)) => Ok(Resolution::Voided),
            (Ask::Resolve, None) => Ok(Resolution::Unresolved),
            (ask, None) => {
                self.server.insert(request.key.as_str().to_owned(), ask == Ask::Recharge);
                self.process(request)
            }
        }
    }

    fn answered(&mut self, sent: &Sent, answer: Result<Resolution, Problem>, around: &Surroundings<'_>) {
        let ((tab, load), request) = sent;
        if self.loads[*tab] == *load {
            let task = self.tabs[*tab].answered(request, answer, None, around);
            if self.tabs[*tab].key() != &request.key {
                self.decided[*tab].insert(request.key.as_str().to_owned());
            }
            self.after(*tab, task);
        }
    }

    fn event(&mut self, event: u8, place: usize) {
        let tab = place % 2;
        let next = self.next();
        let stored = self.stored.clone();
        let surroundings = around(stored.as_deref(), &next);
        match event {
            0 | 1 => {
                let task = self.tabs[tab].press(if event == 0 { "5" } else { "6" }, &surroundings);
                self.after(tab, task);
            }
            2 => {
                let task = self.tabs[tab].discard();
                self.after(tab, task);
            }
            3 => {
                let task = self.tabs[tab].pausing().and_then(|number| self.tabs[tab].due(number));
                self.after(tab, task);
            }
            4 => {
                let task = self.tabs[tab].noticed(&surroundings);
                self.after(tab, task);
            }
            // The tab is loaded again: what it knew is gone but for storage.
            5 => {
                let (intent, task) = Intent::load(page(1, &next), stored.as_deref());
                self.stored = Some(intent.stored().write());
                self.tabs[tab] = intent;
                self.loads[tab] += 1;
                self.decided[tab].clear();
                self.last[tab] = None;
                self.after(tab, task);
            }
            6 | 7 => {
                // Arrives; with 7 it stays in the network, to arrive once more.
                let Some(place) = place.checked_rem(self.network.len()) else { return };
                let sent = if event == 6 { self.network.remove(place) } else { self.network[place].clone() };
                let answer = self.process(&sent.1);
                self.answers.push((sent, answer));
            }
            8 => {
                let Some(place) = place.checked_rem(self.answers.len()) else { return };
                let (sent, answer) = self.answers.remove(place);
                self.answered(&sent, answer, &surroundings);
            }
            9 => {
                let Some(place) = place.checked_rem(self.answers.len()) else { return };
                drop(self.answers.remove(place));
            }
            // No answer, although it may still arrive; then two answers that say for certain that it did nothing.
            10..=12 => {
                let Some(place) = place.checked_rem(self.network.len()) else { return };
                let (answer, arrives) = match event {
                    10 => (Problem::OutcomeUnknown, true),
                    11 => (Problem::Busy, false),
                    _ => (Problem::NoTier, false),
                };
                let sent = self.network[place].clone();
                if !arrives {
                    if self.server.contains_key(sent.1.key.as_str()) || sent.1.ask != Ask::Recharge {
                        return;
                    }
                    // One that is refused was not sent twice.
                    self.network.retain(|other| *other != sent);
                }
                self.answered(&sent, Err(answer), &surroundings);
            }
            13 => {
                let Some(request) = self.last[tab].clone() else { return };
                self.answered(&((tab, self.loads[tab]), request), Err(Problem::OutcomeUnknown), &surroundings);
            }
            _ => {}
        }
        let forgotten = self.creditable().find(|(_, sent)| {
            let held = self.tabs.iter().any(|tab| tab.key() == &sent.key);
            !held && Stored::read(1, self.stored.as_deref()).is_none_or(|stored| stored.key != sent.key)
        });
        assert_eq!(forgotten, None, "its key is forgotten while it can still be credited");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn no_second_key_is_sent_while_the_first_can_be_credited(
        events in proptest::collection::vec((0_u8..=13, 0_usize..6), 0..60),
    ) {
        let mut world = World::new();
        for (event, place) in events {
            world.event(event, place);
        }
    }

    /// Left alone with a network that works, every tab comes to rest, and its key is one that nothing was done with.
    #[test]
    fn every_tab_comes_to_rest(events in proptest::collection::vec((0_u8..=13, 0_usize..6), 0..40)) {
        let mut world = World::new();
        for (event, place) in events {
            world.event(event, place);
        }
        for _ in 0..40 {
            for tab in 0..2 {
                world.event(3, tab);
                world.event(2, tab);
            }
            while !world.network.is_empty() {
                world.event(6, 0);
            }
            while !world.answers.is_empty() {
                world.event(8, 0);
            }
            for tab in 0..2 {
                world.event(13, tab);
            }
        }
        for tab in &world.tabs {
            prop_assert!(!tab.is_busy() && (!tab.is_open() || !tab.own), "{tab:?}");
        }
    }
}

#[test]
fn the_world_notices_a_tab_that_forgets() {
    let mut world = World::new();
    world.event(0, 0);
    world.tabs = vec![Intent::load(page(1, "x"), None).0; 2];
    world.stored = None;
    let forgot = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| world.event(4, 0)));
    assert!(forgot.is_err());
    assert_ne!(key("k0"), key("x"));
}
