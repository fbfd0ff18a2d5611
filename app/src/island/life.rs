//! The life of the intent in this page: what happens in the browser goes to the state machine, and what the machine wants
//! done is done here.

use std::time::Duration;

use leptos::ev;
use leptos::prelude::*;
use leptos::task::spawn_local;
use leptos::web_sys::PageTransitionEvent;
use leptos::web_sys::wasm_bindgen::JsCast as _;

use super::storage;
use crate::client::pause_asked_for;
use crate::intent::{Ask, How, Intent, Loaded, Request, State, Surroundings, Task};
use crate::key::IdempotencyKey;
use crate::problem::Problem;
use crate::server_fn::{account as account_of, discard, recharge, resolve};
use crate::view::{AccountView, OrderView, Resolution};
use crate::words::Language;

/// After this long the page says that it takes longer than usual.
const PATIENCE: Duration = Duration::from_secs(8);

/// After this long the page takes a request for lost and goes on with the same key. Well above the server's own bound, so
/// that it is reached only where no answer can be expected any more.
const GIVE_UP: Duration = Duration::from_secs(30);

/// After a success the button rests for longer than a double click takes: where the answer was quicker than the second half
/// of one, that half would be taken for a new decision to pay.
const REST: Duration = Duration::from_secs(1);

/// What the page knows, as signals.
#[derive(Clone, Copy)]
pub(super) struct Life {
    person: i64,
    pub intent: RwSignal<Intent>,
    /// The balance and the last orders.
    pub account: RwSignal<AccountView>,
    /// The order whose receipt is shown.
    pub shown: RwSignal<Option<OrderView>>,
    /// Whether the request on its way takes long.
    pub slow: RwSignal<bool>,
    /// Whether the button rests after a success.
    pub resting: RwSignal<bool>,
    /// Whether the browser knows that it has no network.
    pub offline: RwSignal<bool>,
    /// Whether this code is at work, in the browser.
    pub live: RwSignal<bool>,
    /// How often the account was asked for, or came with a success. What was asked for before the last time is older.
    accounts: StoredValue<u32>,
    /// Whether something happened elsewhere while a request was on its way: its answer may be older.
    woken: StoredValue<bool>,
    /// The pause that ended while there was no network.
    overdue: StoredValue<Option<u32>>,
}

impl Life {
    /// The life of the page as the server made it.
    pub fn new(page: &Loaded, account: AccountView, shown: Option<OrderView>) -> Self {
        Self {
            person: page.person,
            intent: RwSignal::new(Intent::load(page.clone(), None).0),
            account: RwSignal::new(account),
            shown: RwSignal::new(shown),
            slow: RwSignal::new(false),
            resting: RwSignal::new(false),
            offline: RwSignal::new(false),
            live: RwSignal::new(false),
            accounts: StoredValue::new(0),
            woken: StoredValue::new(false),
            overdue: StoredValue::new(None),
        }
    }

    /// Takes up what an earlier page left, and listens to what happens around this one. In the browser only.
    pub fn begin(self, page: &Loaded) {
        let stored = storage::read(self.person);
        let (intent, task) = Intent::load(page.clone(), stored.as_deref());
        storage::write(self.person, &intent.stored());
        self.intent.set(intent);
        self.offline.set(is_offline());
        self.listen();
        self.live.set(true);
        if self.intent.with_untracked(|intent| intent.attempted().is_some()) {
            self.shown.set(None);
        }
        if let Some(task) = task {
            self.perform(task);
        }
    }

    fn listen(self) {
        let offline = move |_| self.offline.set(true);
        let online = move |_| {
            self.offline.set(false);
            let overdue = self.overdue.get_value();
            self.act(|intent, _| overdue.and_then(|number| intent.due(number)));
        };
        window_event_listener(ev::offline, offline);
        window_event_listener(ev::online, online);
        window_event_listener(ev::storage, move |event| {
            if storage::concerns(event.key().as_deref()) {
                self.wake();
            }
        });
        // Back from the browser's cache, or from behind another tab.
        window_event_listener_untyped("pageshow", move |event| {
            if event.dyn_ref::<PageTransitionEvent>().is_some_and(PageTransitionEvent::persisted) {
                self.wake();
            }
        });
        window_event_listener_untyped("visibilitychange", move |_| {
            if !document().hidden() {
                self.wake();
            }
        });
    }

    /// Something may have changed while this page was not looked at: storage, the balance, or who is signed in.
    fn wake(self) {
        self.woken.set_value(self.intent.with_untracked(Intent::is_busy));
        self.act(Intent::noticed);
        self.refresh();
    }

    /// Reads the account again.
    fn refresh(self) {
        self.accounts.update_value(|accounts| *accounts += 1);
        let number = self.accounts.get_value();
        spawn_local(async move {
            match account_of(self.person.to_string()).await {
                // One that was asked for later, or came with a success, is newer.
                Ok(fresh) if self.accounts.get_value() == number => self.account.set(fresh),
                // Nobody is to look at the account of somebody else. What was not resolved is found in storage again.
                Err(Problem::NotSignedIn | Problem::NotYours) if self.may_leave() => {
                    leave();
                }
                _ => {}
            }
        });
    }

    /// Whether nothing is lost with this page: what is not resolved is in storage, or nothing is open.
    fn may_leave(self) -> bool {
        self.intent.with_untracked(|intent| {
            storage::keeps(self.person, intent.key()) || !(intent.is_open() || intent.is_busy())
        })
    }

    /// Lets something happen to the intent, and does what follows from it.
    pub fn act(self, event: impl FnOnce(&mut Intent, &Surroundings<'_>) -> Option<Task>) {
        let stored = storage::read(self.person);
        let around = Surroundings {
            stored: stored.as_deref(),
            next: IdempotencyKey::random(),
            now: now(),
            chance: js_sys::Math::random(),
        };
        let before = self.intent.with_untracked(|intent| intent.state().clone());
        let mut task = None;
        let mut changed = false;
        // Only a change is told, so that a status line is not read out twice.
        self.intent.maybe_update(|intent| {
            let old = intent.clone();
            task = event(intent, &around);
            changed = old != *intent;
            changed
        });
        // Stored before it is sent: whatever happens to this page, the next one finds the key.
        self.intent.with_untracked(|intent| {
            // And only a change is stored: each write wakes the other tabs.
            if let Some(stored) = intent.to_store(around.stored).filter(|_| changed) {
                storage::write(self.person, &stored);
            }
            if *intent.state() != before {
                self.show(intent.state());
                if matches!(intent.state(), State::Succeeded(..)) && self.woken.get_value() {
                    self.woken.set_value(false);
                    self.refresh();
                }
            }
        });
        if let Some(task) = task {
            self.perform(task);
        }
    }

    fn show(self, state: &State) {
        match state {
            State::Succeeded(recharged, how) => {
                self.accounts.update_value(|accounts| *accounts += 1);
                self.account.update(|account| match &recharged.account {
                    Some(fresh) => account.clone_from(fresh),
                    // The recharge stands although the account could not be read: it is shown by what is known.
                    None => account.add(&recharged.order),
                });
                storage::show_receipt_in_address(&recharged.order.order_no);
                self.shown.set(Some(recharged.order.clone()));
                // What another tab did was not pressed here.
                if *how != How::Elsewhere {
                    self.resting.set(true);
                    set_timeout(move || self.resting.set(false), REST);
                }
            }
            // The page was made for somebody else than the person who is signed in now.
            State::Refused(Problem::NotYours) | State::Open(Some(Problem::NotYours)) if self.may_leave() => {
                leave();
            }
            State::Discarded(_) => {
                self.shown.set(None);
                // Another tab may have gone on since.
                self.refresh();
            }
            // The receipt of another recharge would be taken for that of this one.
            State::Sending | State::Waiting(_) | State::Open(_) => self.shown.set(None),
            _ => {}
        }
    }

    fn perform(self, task: Task) {
        match task {
            Task::Send(request) => self.send(request),
            // Without a network an attempt would be wasted: the event that brings it back goes on.
            Task::Wait(number, pause) => set_timeout(
                move || {
                    if is_offline() {
                        self.overdue.set_value(Some(number));
                    } else {
                        self.act(|intent, _| intent.due(number));
                    }
                },
                pause,
            ),
        }
    }

    fn send(self, request: Request) {
        self.slow.set(false);
        let slow = request.clone();
        set_timeout(move || self.slow.set(self.intent.with_untracked(|intent| intent.waits_for(&slow))), PATIENCE);
        let lost = request.clone();
        set_timeout(move || self.settle(&lost, Err(Problem::OutcomeUnknown), None), GIVE_UP);
        spawn_local(async move {
            let (person, key) = (self.person.to_string(), request.key.as_str().to_owned());
            let answer = match request.ask {
                Ask::Recharge => recharge(person, request.amount.clone(), key).await.map(Resolution::Recharged),
                Ask::Resolve => resolve(person, key).await,
                Ask::Discard => discard(person, key).await,
            };
            let asked = pause_asked_for();
            self.settle(&request, answer, asked);
        });
    }

    fn settle(self, request: &Request, answer: Result<Resolution, Problem>, asked: Option<Duration>) {
        self.act(|intent, around| intent.answered(request, answer, asked, around));
    }
}

/// Loads the page anew: by its address, because a page that a form was answered with would send the form again.
fn leave() {
    let _ = window().location().replace("/");
}

/// The browser's time in milliseconds since 1970-01-01 UTC.
pub(super) fn now() -> i64 {
    // Whole milliseconds, which a float of this size holds exactly.
    #[expect(clippy::cast_possible_truncation, reason = "whole milliseconds of our age fit")]
    let now = js_sys::Date::now() as i64;
    now
}

/// A time of the browser's clock, in the language of the page and like the server's times in UTC. The server has no such
/// clock.
pub(super) fn show_time(at: i64, language: Language) -> String {
    #[cfg(feature = "hydrate")]
    {
        let options = js_sys::Object::new();
        for (name, value) in [("dateStyle", "medium"), ("timeStyle", "short"), ("timeZone", "UTC")] {
            // Setting a property of a plain object does not fail.
            let _ = js_sys::Reflect::set(&options, &name.into(), &value.into());
        }
        // Milliseconds of our age fit a float exactly.
        #[expect(clippy::cast_precision_loss, reason = "milliseconds of our age fit")]
        let date = js_sys::Date::new(&(at as f64).into());
        // The English that has the day before the month, as the server's times do.
        let locale = if language == Language::English { "en-GB" } else { language.code() };
        format!("{} UTC", String::from(date.to_locale_string(locale, &options)))
    }
    #[cfg(not(feature = "hydrate"))]
    {
        let _ = (at, language);
        String::new()
    }
}

/// Whether the browser knows that it has no network.
fn is_offline() -> bool {
    !window().navigator().on_line()
}
