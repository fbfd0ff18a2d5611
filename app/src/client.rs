//! How the page sends its server functions: like any other page, but it remembers how long a server that turns it away
//! asked to be left alone, which the answer as it is decoded does not tell.

use std::cell::Cell;
use std::future::Future;
use std::time::Duration;

use futures_util::sink::Drain;
use futures_util::stream::Empty;
use futures_util::{Sink, Stream};
use http::Method;
use js_sys::futures::JsFuture;
use leptos::server_fn::Bytes;
use leptos::server_fn::client::Client;
use leptos::server_fn::request::ClientReq;
use leptos::server_fn::response::ClientRes;
use leptos::web_sys::wasm_bindgen::{JsCast as _, JsValue};
use send_wrapper::SendWrapper;
use web_sys::RequestInit;

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
    // A header that was sent twice is joined by a comma, which a date has too.
    let first = value.split(',').next().unwrap_or_default().trim();
    let digits = !first.is_empty() && first.bytes().all(|byte| byte.is_ascii_digit());
    let seconds = digits.then(|| first.parse().unwrap_or(u64::MAX));
    seconds.or_else(|| date(value)).map(Duration::from_secs)
}

/// Seconds from now to a date.
fn seconds_to(date: &str) -> Option<u64> {
    let milliseconds = js_sys::Date::parse(date) - js_sys::Date::now();
    // A date that cannot be read is not a number, one in the past means now; a float of this size becomes whole seconds
    // without loss.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to what fits")]
    (!milliseconds.is_nan()).then(|| (milliseconds / 1000.0).ceil().clamp(0.0, 1e9) as u64)
}

/// The browser's `fetch`, for server functions that take a form and answer with JSON.
#[derive(Debug)]
pub struct PageClient;

/// A form on its way to a server function.
#[derive(Debug)]
pub struct PageRequest {
    path: String,
    content_type: String,
    accepts: String,
    body: String,
}

/// What came back, read to its end.
#[derive(Debug)]
pub struct PageResponse {
    status: u16,
    body: String,
}

impl PageRequest {
    /// Sends the form and reads the answer to its end. A page has no other way to lose a request than this one.
    async fn send(self) -> Result<PageResponse, JsValue> {
        let init = RequestInit::new();
        init.set_method("POST");
        init.set_body(&self.body.into());
        let request = web_sys::Request::new_with_str_and_init(&self.path, &init)?;
        request.headers().set("content-type", &self.content_type)?;
        request.headers().set("accept", &self.accepts)?;
        // Reading the account goes on beside the intent, and its answers say nothing of that.
        let concerns = !self.path.ends_with("/account");
        if concerns {
            ASKED.take();
        }
        let response: web_sys::Response =
            JsFuture::from(leptos::prelude::window().fetch_with_request(&request)).await?.unchecked_into();
        if concerns {
            ASKED.set(response.headers().get("retry-after")?.and_then(|value| read(&value, seconds_to)));
        }
        let body = JsFuture::from(response.text()?).await?;
        Ok(PageResponse { status: response.status(), body: body.as_string().unwrap_or_default() })
    }
}

impl Client<Problem> for PageClient {
    type Request = PageRequest;
    type Response = PageResponse;

    fn send(request: Self::Request) -> impl Future<Output = Result<Self::Response, Problem>> + Send {
        // The browser runs all of it on one thread.
        SendWrapper::new(async move { request.send().await.map_err(|_| Problem::OutcomeUnknown) })
    }

    async fn open_websocket(
        _path: &str,
    ) -> Result<(impl Stream<Item = Result<Bytes, Bytes>> + Send + 'static, impl Sink<Bytes> + Send + 'static), Problem>
    {
        Err::<(Empty<_>, Drain<_>), _>(Problem::Internal)
    }

    fn spawn(future: impl Future<Output = ()> + Send + 'static) {
        leptos::task::spawn(future);
    }
}

/// Of all ways to send arguments the page uses one. The others belong to encodings that no server function here has.
impl ClientReq<Problem> for PageRequest {
    type FormData = ();

    fn try_new_req_text(
        path: &str,
        content_type: &str,
        accepts: &str,
        body: String,
        _method: Method,
    ) -> Result<Self, Problem> {
        let [path, content_type, accepts] = [path, content_type, accepts].map(str::to_owned);
        Ok(Self { path, content_type, accepts, body })
    }

    fn try_new_req_query(_: &str, _: &str, _: &str, _: &str, _: Method) -> Result<Self, Problem> {
        Err(Problem::Internal)
    }

    fn try_new_req_bytes(_: &str, _: &str, _: &str, _: Bytes, _: Method) -> Result<Self, Problem> {
        Err(Problem::Internal)
    }

    fn try_new_req_form_data(_: &str, _: &str, _: &str, (): (), _: Method) -> Result<Self, Problem> {
        Err(Problem::Internal)
    }

    fn try_new_req_multipart(_: &str, _: &str, (): (), _: Method) -> Result<Self, Problem> {
        Err(Problem::Internal)
    }

    fn try_new_req_streaming(
        _: &str,
        _: &str,
        _: &str,
        _: impl Stream<Item = Bytes> + Send + 'static,
        _: Method,
    ) -> Result<Self, Problem> {
        Err(Problem::Internal)
    }
}

impl ClientRes<Problem> for PageResponse {
    async fn try_into_string(self) -> Result<String, Problem> {
        Ok(self.body)
    }

    async fn try_into_bytes(self) -> Result<Bytes, Problem> {
        Ok(self.body.into())
    }

    fn try_into_stream(self) -> Result<impl Stream<Item = Result<Bytes, Bytes>> + Send + Sync + 'static, Problem> {
        Err::<Empty<_>, _>(Problem::Internal)
    }

    fn status(&self) -> u16 {
        self.status
    }

    fn status_text(&self) -> String {
        String::new()
    }

    fn location(&self) -> String {
        String::new()
    }

    fn has_redirect(&self) -> bool {
        false
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
        assert_eq!(seconds("300, 300"), Some(Duration::from_mins(5)));
        assert_eq!(seconds("99999999999999999999"), Some(Duration::from_secs(u64::MAX)));
        for rubbish in ["", "-1", "1.5", "soon"] {
            assert_eq!(seconds(rubbish), None, "{rubbish}");
        }
    }
}
