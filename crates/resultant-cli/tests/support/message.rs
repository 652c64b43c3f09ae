//! One JSON-RPC message, with its bytes as they came.

use std::ops::Range;

use anyhow::Context;
use serde::Deserialize;
use serde_json::value::RawValue;

/// A message; its parts are ranges of its text.
#[derive(Debug, Clone)]
pub(crate) struct Message {
    text: String,
    id: Option<Range<usize>>,
    params: Option<Range<usize>>,
    result: Option<Range<usize>>,
    error: Option<Range<usize>>,
    method: Option<String>,
}

#[derive(Deserialize)]
struct Parts<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    method: Option<String>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
    #[serde(borrow)]
    result: Option<&'a RawValue>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
}

impl Message {
    pub(crate) fn parse(bytes: Vec<u8>) -> anyhow::Result<Self> {
        let text = String::from_utf8(bytes).context("a message that is not UTF-8")?;
        let start = text.as_ptr().addr();
        let place = |part: &RawValue| {
            let at = part.get().as_ptr().addr() - start;
            at..at + part.get().len()
        };
        let parts: Parts<'_> = serde_json::from_str(&text).with_context(|| {
            let head: String = text.chars().take(200).collect();
            format!("not a JSON-RPC message: {head}")
        })?;
        let id = parts.id.map(place);
        let params = parts.params.map(place);
        let result = parts.result.map(place);
        let error = parts.error.map(place);
        let method = parts.method;
        Ok(Self { text, id, params, result, error, method })
    }

    /// The whole message.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn id(&self) -> Option<&str> {
        self.id.clone().map(|part| &self.text[part])
    }

    pub(crate) fn method(&self) -> Option<&str> {
        self.method.as_deref()
    }

    pub(crate) fn params(&self) -> Option<&str> {
        self.params.clone().map(|part| &self.text[part])
    }

    /// The result's exact bytes.
    pub(crate) fn result(&self) -> Option<&str> {
        self.result.clone().map(|part| &self.text[part])
    }

    /// The error's exact bytes.
    pub(crate) fn error(&self) -> Option<&str> {
        self.error.clone().map(|part| &self.text[part])
    }

    /// Whether this is the answer to the request with that id.
    pub(super) fn answers(&self, id: u64) -> bool {
        self.method.is_none() && self.id().is_some_and(|text| text == id.to_string())
    }

    /// Whether the other side wants an answer.
    pub(super) fn is_request(&self) -> bool {
        self.method.is_some() && self.id.is_some()
    }
}
