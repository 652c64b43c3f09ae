//! The arguments of a call on their way to the tool: who is calling is put in, and what stands for
//! a file becomes the file.
//!
//! ```text
//! arguments → who is calling → strings that stand for files → files found → policy → values put in
//! ```
//! Everything but the looking up, reading and minting is pure. Bytes that nothing is done to go on
//! as the client sent them. A call that needs none of this costs a scan of its arguments.

mod files;
mod handing;
mod identity;
pub(crate) mod near;
mod places;
mod references;
mod scrub;
mod splice;
#[cfg(test)]
pub(crate) mod tests;

use std::{
    fmt,
    sync::{Arc, OnceLock},
};

use resultant::{Json, Note};
use resultant_store::{Id, Store};
use serde_json::Value;

use self::{
    files::{Search, may_have_files},
    handing::Handing,
    identity::Param,
    places::Places,
    splice::{Edit, splice},
};
pub(crate) use self::{places::Form, scrub::Scrubber};
use crate::{
    caller::Caller,
    config::{Inject, ServerConfig},
    file_uri::percent_decoded,
    retrieval::Asking,
};

/// What is known of a tool's arguments before any call.
#[derive(Debug)]
pub(crate) struct Input {
    schema: Json,
    /// The same as a tree, once somebody needs it.
    tree: OnceLock<Value>,
    params: Vec<Param>,
    is_by_mode: bool,
    takes_uris: bool,
}

impl Input {
    pub(crate) fn read(schema: &Json, inject: &Inject) -> Input {
        Input {
            schema: schema.clone(),
            tree: OnceLock::new(),
            params: identity::params_of(Some(schema), inject),
            is_by_mode: *inject == Inject::ByMode,
            takes_uris: takes_uris(schema.as_text()),
        }
    }

    /// The schema that clients see, where it differs from the tool's: without the arguments that
    /// say who is calling.
    pub(crate) fn shown(&self, users_authenticate: bool) -> Option<Json> {
        let is_on = users_authenticate || !self.is_by_mode;
        let is_hidden = is_on && !self.params.is_empty();
        is_hidden.then(|| identity::without(&self.schema, &self.params))
    }

    fn tree(&self) -> &Value {
        self.tree.get_or_init(|| self.schema.to_value())
    }
}

/// Whether a schema may want a URI anywhere.
fn takes_uris(schema: &str) -> bool {
    let formats = ["\"uri\"", "\"iri\"", "\"url\"", "\"uri-reference\"", "\"iri-reference\""];
    schema.contains("\"format\"") && formats.iter().any(|format| schema.contains(format))
}

/// What arguments are prepared with.
pub(crate) struct Preparing<'a> {
    pub(crate) store: &'a Arc<Store>,
    pub(crate) caller: &'a Caller,
    /// Whether users authenticate in this gateway's mode.
    pub(crate) users_authenticate: bool,
    /// Where the gateway is for tools: `http://127.0.0.1:8737`.
    pub(crate) public_url: &'a str,
    /// The server that gets them.
    pub(crate) server: &'a ServerConfig,
    /// `handover_bytes_max`.
    pub(crate) handover_bytes_max: u64,
    /// Who takes parts out of files, and with which caps; nobody where that is switched off.
    pub(crate) asking: Option<Asking<'a>>,
}

/// Arguments as the tool gets them.
#[derive(Debug, Default)]
pub(crate) struct Prepared {
    /// Nothing where they are as the client sent them.
    pub(crate) arguments: Option<Json>,
    pub(crate) notes: Vec<Note>,
    pub(crate) handed: Vec<Handed>,
    pub(crate) minted: Vec<Minted>,
}

impl Prepared {
    /// What was handed over, for the record of the call.
    pub(crate) fn handed_json(&self) -> String {
        let handed = self.handed.iter().map(|handed| {
            let mut written = serde_json::json!({
                "name": handed.name,
                "key": handed.key.to_string(),
                "as": handed.form.name(),
                "argument": handed.argument,
            });
            if let Some(part) = &handed.part {
                written["part"] = Value::String(part.clone());
            }
            written
        });
        Value::Array(handed.collect()).to_string()
    }
}

/// A file that a tool was handed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Handed {
    pub(crate) name: String,
    pub(crate) key: Id,
    pub(crate) form: Form,
    /// A JSON pointer into the arguments.
    pub(crate) argument: String,
    /// The part of it, as it was written: `lines=10-20`.
    pub(crate) part: Option<String>,
}

/// A token that was made for this call. Nothing prints it.
#[derive(Clone)]
pub(crate) struct Minted {
    pub(crate) token: String,
    pub(crate) id: Id,
    pub(crate) key: Id,
    /// The address that it is in.
    pub(crate) url: String,
    /// The file's name.
    pub(crate) name: String,
}

impl fmt::Debug for Minted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Minted").field("id", &self.id).field("name", &self.name).finish()
    }
}

/// Why a call is not made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub(crate) struct Refused {
    message: String,
}

impl Refused {
    fn new(message: impl Into<String>) -> Refused {
        Refused { message: message.into() }
    }
}

/// Prepares the arguments of a call. `input` is absent for a tool that its server does not list.
pub(crate) async fn prepare(
    preparing: &Preparing<'_>,
    input: Option<&Input>,
    arguments: Option<&Json>,
) -> Result<Prepared, Refused> {
    let arguments = arguments.filter(|arguments| !arguments.is_null());
    let text = arguments.map_or("{}", Json::as_text);
    let identity = identify(preparing, input, arguments)?;
    let replaced: Vec<&str> = identity.iter().map(|(name, _)| name.as_str()).collect();
    let takes_uris = input.is_some_and(|input| input.takes_uris);
    let mut prepared = Prepared::default();
    let mut edits = identity_edits(arguments, text, &identity);
    if arguments.is_some() && may_have_files(text, takes_uris) {
        let wishes = {
            let places = input.map(|input| Places::of(input.tree()));
            let search = Search { places: places.as_ref(), takes_uris, replaced: &replaced };
            search.wishes(text)?
        };
        if !wishes.is_empty() {
            let mut handing = Handing::new(preparing);
            edits.extend(handing.hand_over(wishes, &mut prepared).await?);
        }
    }
    if !edits.is_empty() {
        let spliced = splice(text, edits);
        let too_deep = || Refused::new("with its files the arguments are nested too deep");
        prepared.arguments = Some(spliced.ok_or_else(too_deep)?);
    }
    Ok(prepared)
}

/// Who is calling, by the arguments that say so.
fn identify(
    preparing: &Preparing<'_>,
    input: Option<&Input>,
    arguments: Option<&Json>,
) -> Result<Vec<(String, String)>, Refused> {
    let inject = &preparing.server.inject;
    if !identity::is_on(inject, preparing.users_authenticate) {
        return Ok(Vec::new());
    }
    let unlisted;
    let params = match input {
        Some(input) => &input.params,
        None => {
            unlisted = identity::params_of(None, inject);
            &unlisted
        }
    };
    if params.is_empty() {
        return Ok(Vec::new());
    }
    if arguments.is_some_and(|arguments| !arguments.is_object()) {
        return Err(Refused::new("the arguments of a tool are an object"));
    }
    let is_there = |name: &str| arguments.is_some_and(|arguments| arguments.get(name).is_some());
    let values =
        identity::values(params, preparing.caller, preparing.users_authenticate, is_there)?;
    Ok(values.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}

/// Puts these members into an object, in the place of what is there under their names.
fn identity_edits(
    arguments: Option<&Json>,
    text: &str,
    identity: &[(String, String)],
) -> Vec<Edit> {
    let mut edits = Vec::new();
    let mut added = String::new();
    for (name, value) in identity {
        let value = Json::string(value);
        let found = arguments.map(|arguments| splice::member_ranges(arguments, name));
        let found = found.unwrap_or_default();
        if found.is_empty() {
            added.push(',');
            added.push_str(Json::string(name).as_text());
            added.push(':');
            added.push_str(value.as_text());
        }
        let edit = |range| Edit { range, text: value.as_text().to_owned().into() };
        edits.extend(found.into_iter().map(edit));
    }
    if let Some(end) = text.rfind('}').filter(|_| !added.is_empty()) {
        let is_empty = text[..end].trim() == "{";
        let added = if is_empty { added.split_off(1) } else { added };
        edits.push(Edit { range: end..end, text: added.into() });
    }
    edits
}

/// A name that somebody wrote, fit for a sentence: without what is not seen, and not too long.
pub(crate) fn shown(name: &str) -> String {
    const SHOWN_CHARS_MAX: usize = 120;
    let is_seen = |char: &char| {
        !char.is_control()
            && !matches!(char, '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{2069}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}' | '`')
    };
    let mut chars = name.chars().filter(is_seen);
    let mut out: String = chars.by_ref().take(SHOWN_CHARS_MAX).collect();
    if chars.next().is_some() {
        out.push('…');
    }
    out
}
