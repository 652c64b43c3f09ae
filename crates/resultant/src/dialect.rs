//! Which convention a result was written in. Detection is one function over the payload; reading
//! each convention is one file.

mod blocks;
mod contract;
mod display;
mod envelope;
mod structured;

pub(crate) use self::{
    blocks::read_blocks,
    contract::{read_contract, take_canvas, take_files},
    envelope::{EXTENSION_KEY, read_envelope},
    structured::{Chosen, Knowledge, Payload, choose_payload, note_other_data},
};
use crate::json::Json;

/// A convention, with the evidence for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// The first contract: `results`, and files in two arrays.
    ContractV1 {
        /// Whether `results` is there, and not only files.
        has_results: bool,
    },
    /// The second contract: `artifacts`, `display` or `canvas` as well.
    ContractV2 {
        /// Whether `results` is there, and not only files.
        has_results: bool,
        /// The members that only the second contract has.
        keys: Vec<&'static str>,
    },
    /// The response-v2 envelope.
    ResponseV2 {
        /// Its `success`.
        success: bool,
        /// Whether its `error` is not null.
        has_error: bool,
    },
    /// Structured content by the protocol.
    Structured {
        /// It was found in a text block by the tool's output schema.
        by_schema: bool,
        /// It was `{"result": value}`, for the value alone.
        was_wrapped: bool,
    },
    /// Content blocks, and nothing else.
    Blocks {
        /// The first text is JSON.
        is_json: bool,
    },
}

impl Dialect {
    /// A name for logs and views.
    pub fn name(&self) -> &'static str {
        match self {
            Dialect::ContractV1 { .. } => "contract-v1",
            Dialect::ContractV2 { .. } => "contract-v2",
            Dialect::ResponseV2 { .. } => "response-v2",
            Dialect::Structured { .. } => "structured",
            Dialect::Blocks { .. } => "blocks",
        }
    }
}

/// Whether a payload is a convention of its own.
pub(crate) fn detect(payload: &Json) -> Option<Dialect> {
    if !payload.is_object() {
        return None;
    }
    let mut has_results = false;
    let mut has_files = false;
    let mut v2_keys = Vec::new();
    let (mut success, mut error, mut is_response_v2) = (None, None, false);
    for (key, value) in payload.members() {
        match &*key {
            "results" => has_results = true,
            "artifacts" => {
                has_files |=
                    value.items().any(|item| contract::is_file(&item)) || contract::is_file(&value);
                v2_keys.push("artifacts");
            }
            "display" => v2_keys.push("display"),
            "canvas" => v2_keys.push("canvas"),
            "returned_file_contents" => has_files |= value.items().next().is_some(),
            "success" => success = value.as_bool(),
            "error" => error = Some(value),
            "meta" => {
                is_response_v2 = value
                    .get("version")
                    .is_some_and(|version| version.as_text() == "\"response-v2\"");
            }
            _ => {}
        }
    }
    match success {
        Some(success) if is_response_v2 => {
            let has_error = error.is_some_and(|error| !error.is_null());
            Some(Dialect::ResponseV2 { success, has_error })
        }
        _ if !has_results && !has_files => None,
        _ if v2_keys.is_empty() => Some(Dialect::ContractV1 { has_results }),
        _ => Some(Dialect::ContractV2 { has_results, keys: v2_keys }),
    }
}
