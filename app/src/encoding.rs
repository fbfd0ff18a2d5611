//! How server functions answer: with JSON, which the page reads as the text that it is.
//!
//! The framework's own encoding reads bytes. The page reads JSON from text already, what it was made with and what
//! localStorage holds, and reading both would weigh it down with two copies of the code that does.

use leptos::server_fn::codec::Post;
use leptos::server_fn::{Bytes, ContentType, Decodes, Encodes, Format, FormatType};
use serde::Serialize;
use serde::de::{DeserializeOwned, Error as _};

/// JSON, as text.
#[derive(Debug)]
pub struct JsonText;

/// An answer in [`JsonText`] to a POST.
pub type PostJsonText = Post<JsonText>;

impl ContentType for JsonText {
    const CONTENT_TYPE: &'static str = "application/json";
}

impl FormatType for JsonText {
    const FORMAT_TYPE: Format = Format::Text;
}

impl<T: Serialize> Encodes<T> for JsonText {
    type Error = serde_json::Error;

    fn encode(output: &T) -> Result<Bytes, Self::Error> {
        serde_json::to_string(output).map(Bytes::from)
    }
}

impl<T: DeserializeOwned> Decodes<T> for JsonText {
    type Error = serde_json::Error;

    fn decode(bytes: Bytes) -> Result<T, Self::Error> {
        serde_json::from_str(std::str::from_utf8(&bytes).map_err(Self::Error::custom)?)
    }
}
