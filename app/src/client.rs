//! How the page sends its server functions: like any other page, but it remembers how long a server that turns it away
//! asked to be left alone, which the answer as it is decoded does not tell.

use std::cell::Cell;
use std::future::Future;
use std::time::Duration;

use futures_util::{Sink, Stream};
use leptos::server_fn::Bytes;
use leptos::server_fn::client::Client;
use leptos::server_fn::client::browser::BrowserClient;
use leptos::server_fn::request::browser::BrowserRequest;
use leptos::server_fn::response::browser::BrowserResponse;

use crate::problem::Problem;

thread_local! {
    /// What the last answer asked for. A page has one thread, and waits for one answer at a time.
    static ASKED: Cell<Option<Duration>> = const { Cell::new(None) };
}

/// How long the last answer asked to be left alone.
pub fn pause_asked_for() -> Option<Duration> {
    ASKED.take()
}

/// Reads a `Retry-After` (RFC 9110, 10.2.3): whole seconds, or a date, which `date` turns into seconds from now.
fn read(value: &str, date: impl FnOnce(&str) -> Option<u64>) -> Option<Duration> {
    value.trim().parse().ok().or_else(|| date(value)).map(Duration::from_secs)
}

/// Seconds from now to a date.
fn seconds_to(date: &str) -> Option<u64> {
    let milliseconds = js_sys::Date::parse(date) - js_sys::Date::now();
    // A date that cannot be read is not a number, one in the past means now; a float of this size becomes whole seconds
    // without loss.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to what fits")]
    (!milliseconds.is_nan()).then(|| (milliseconds / 1000.0).ceil().clamp(0.0, 1e9) as u64)
}

/// The browser's `fetch`.
#[derive(Debug)]
pub struct PageClient;

impl Client<Problem> for PageClient {
    type Request = BrowserRequest;
    type Response = BrowserResponse;

    async fn send(request: Self::Request) -> Result<Self::Response, Problem> {
        let response = <BrowserClient as Client<Problem>>::send(request).await;
        let asked = response.as_ref().ok().and_then(|response| {
            let headers = response.generate_headers();
            read(headers.get("retry-after")?.to_str().ok()?, seconds_to)
        });
        ASKED.set(asked);
        response
    }

    fn open_websocket(
        path: &str,
    ) -> impl Future<
        Output = Result<
            (impl Stream<Item = Result<Bytes, Bytes>> + Send + 'static, impl Sink<Bytes> + Send + 'static),
            Problem,
        >,
    > + Send {
        <BrowserClient as Client<Problem>>::open_websocket(path)
    }

    fn spawn(future: impl Future<Output = ()> + Send + 'static) {
        <BrowserClient as Client<Problem>>::spawn(future);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_and_dates_are_read() {
        let seconds = |value| read(value, |date| (date == "Sun, 29 Nov 2026 17:08:00 GMT").then_some(9));
        assert_eq!(seconds("119"), Some(Duration::from_secs(119)));
        assert_eq!(seconds(" 0 "), Some(Duration::ZERO));
        assert_eq!(seconds("Sun, 29 Nov 2026 17:08:00 GMT"), Some(Duration::from_secs(9)));
        for rubbish in ["", "-1", "1.5", "soon"] {
            assert_eq!(seconds(rubbish), None, "{rubbish}");
        }
    }
}
