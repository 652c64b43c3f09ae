//! The account of a call: what listeners are told while it runs, and the record that stays of it.
//!
//! Accounts are written in passing. A call does not wait for them, and one that the store cannot
//! take is logged and does no harm to its result.

use std::{
    borrow::Cow,
    io::Read,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use resultant::{Canvas, Json, Note, Object, Sees, Sha256Digest};
use resultant_store::{
    Call, DashboardUpdate, Ending, Entry, File, FrameToken, Id, Persistence, Raw, Store,
    StoreError, redact,
};
use tokio::runtime::Handle;

use super::{
    seen::{Seen, seen_of},
    write::Text,
};
use crate::{
    caller::Caller,
    client::{Exchange, lock},
    clock, events,
    gateway::Gateway,
    tokens,
};

/// Longer arguments are recorded by their digest alone.
const ARGUMENTS_BYTES_MAX: usize = 64 << 10;
/// So much of a long answer is read at once.
const CHUNK_BYTES: usize = 256 << 10;
/// Progress is told at most this often.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(200);

/// A call under way. Dropped before its end is told, it was cancelled.
pub(super) struct Account {
    store: Arc<Store>,
    caller: Caller,
    call: Option<Box<Call>>,
    started: Instant,
    /// What the model of the client sees of a result.
    sees: Sees,
    /// What it would have seen of what the server answered.
    came: Option<Seen>,
}

/// The tokens of a call: what came, and what the model got.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tokens {
    pub(super) received: u64,
    pub(super) given: u64,
}

/// What a call came to, for its record.
pub(super) struct Closing<'a> {
    pub(super) ending: Ending,
    pub(super) message: Option<String>,
    pub(super) text: Option<&'a Text>,
    pub(super) notes: &'a [Note],
    pub(super) files: &'a [File],
}

impl Closing<'_> {
    /// For a call without a result.
    pub(super) fn without_result(ending: Ending, reason: &str) -> Closing<'static> {
        let message = Some(reason.to_owned());
        Closing { ending, message, text: None, notes: &[], files: &[] }
    }
}

/// What a server answered, for the record.
pub(super) struct Answered {
    bytes: u64,
    tokens: u64,
    seen: Seen,
    raw: Raw,
}

impl Answered {
    /// An answer that fits into the record.
    pub(super) fn short(message: &[u8], sees: Sees, keeps_raw: bool) -> Answered {
        let raw = if keeps_raw { Raw::Inline(message.to_vec()) } else { Raw::None };
        Answered::new(message.len() as u64, Seen::of(message), sees, raw)
    }

    fn new(bytes: u64, seen: Seen, sees: Sees, raw: Raw) -> Answered {
        Answered { bytes, tokens: seen.tokens(sees), seen, raw }
    }

    /// An answer that is kept beside the record. It may take its time: not for a thread that others
    /// wait for.
    pub(super) fn long(
        store: &Store,
        owner: &str,
        message: &[u8],
        sees: Sees,
        keeps_raw: bool,
    ) -> Answered {
        let raw = match keeps_raw {
            true => keep(store, owner, message).unwrap_or_else(|error| not_kept(&error)),
            false => Raw::None,
        };
        Answered::new(message.len() as u64, Seen::of(message), sees, raw)
    }

    /// An answer that passed: so many bytes, and what was kept of them.
    pub(super) fn passed(
        bytes: u64,
        seen: Seen,
        sees: Sees,
        raw: Result<Raw, StoreError>,
    ) -> Answered {
        Answered::new(bytes, seen, sees, raw.unwrap_or_else(|error| not_kept(&error)))
    }
}

/// Keeps an answer as it came.
fn keep(store: &Store, owner: &str, mut answer: impl Read) -> Result<Raw, StoreError> {
    let mut incoming = store.incoming()?;
    let mut chunk = vec![0; CHUNK_BYTES];
    loop {
        match answer.read(&mut chunk)? {
            0 => break,
            len => incoming.write(&chunk[..len])?,
        }
    }
    Handle::current().block_on(store.keep_raw(owner, incoming.finish()?))
}

impl Account {
    /// Opens the account of a call that is about to be made.
    pub(super) async fn open(
        gateway: &Gateway,
        exchange: &Exchange,
        (server, tool): (&str, &str),
        arguments: Option<Json>,
    ) -> Account {
        let caller = exchange.client.caller.clone();
        // What stays of them opens nothing.
        let arguments = arguments.map(|arguments| match redact(arguments.as_text()) {
            Cow::Borrowed(_) => arguments,
            Cow::Owned(text) => Json::parse(text).unwrap_or(Json::null()),
        });
        let text = arguments.as_ref().map_or("{}", Json::as_text);
        let store = gateway.store.clone();
        let null = Json::null();
        let start = events::tool_start(
            &caller,
            exchange.call,
            server,
            tool,
            arguments.as_ref().unwrap_or(&null),
        );
        store.record(Entry::Event(start)).await;
        let call = Call {
            id: exchange.call,
            owner: caller.owner().to_owned(),
            session: caller.session.to_string(),
            server: server.to_owned(),
            tool: tool.to_owned(),
            client: exchange.client.name(),
            arguments_sha256: Sha256Digest::of(text.as_bytes()).to_string(),
            arguments: (text.len() <= ARGUMENTS_BYTES_MAX).then(|| text.to_owned()),
            ending: Ending::Cancelled,
            message: None,
            started_ms: clock::now_ms(),
            duration_us: 0,
            bytes_in: 0,
            bytes_out: 0,
            tokens_in: 0,
            tokens_out: 0,
            notes: "[]".to_owned(),
            files: "[]".to_owned(),
            handed: "[]".to_owned(),
            raw: Raw::None,
        };
        Account {
            store,
            caller,
            call: Some(Box::new(call)),
            started: Instant::now(),
            sees: gateway.config().clients.profile(&exchange.client.name()).sees,
            came: None,
        }
    }

    /// What the model of the client sees.
    pub(super) fn sees(&self) -> Sees {
        self.sees
    }

    /// Files were handed to the tool: a JSON array that says which, and how.
    pub(super) fn handed(&mut self, handed: String) {
        if let Some(call) = &mut self.call {
            call.handed = handed;
        }
    }

    /// The server has answered.
    pub(super) fn answered(&mut self, answered: Answered) {
        let Some(call) = &mut self.call else { return };
        let Answered { bytes, tokens, seen, raw } = answered;
        (call.bytes_in, call.tokens_in, call.raw) = (bytes, tokens, raw);
        self.came = Some(seen);
    }

    /// The files of a result are kept, and it may want a dashboard open.
    pub(super) async fn shown(
        &self,
        files: &[File],
        display: Option<&resultant::Display>,
        canvas: Option<&Canvas>,
    ) {
        let Some(call) = &self.call else { return };
        if !files.is_empty() {
            let event = events::files_update(&self.caller, Some(call.id), files, display);
            self.store.record(Entry::Event(event)).await;
        }
        let Some(canvas) = canvas else { return };
        if let Some(update) = dashboard(&self.caller, call, canvas)
            && let Err(error) = self.store.update_dashboard(&update).await
        {
            tracing::error!(%error, "a dashboard could not be recorded");
        }
        let event = events::canvas_open(&self.caller, call.id, &call.server, canvas);
        self.store.record(Entry::Event(event)).await;
    }

    /// Nothing stays of it: the call is not at its end, and comes back under another id.
    pub(super) fn forget(mut self) {
        self.call = None;
    }

    /// The tokens of what was written. What is as it came has as many as that.
    fn given(&self, text: &Text, received: u64) -> u64 {
        let seen = match text {
            Text::Json(json) => seen_of(json),
            Text::Exact(text) | Text::Whole { model: text, .. } => Seen::of_text(text),
        };
        match self.came.as_ref().is_some_and(|came| came.is_same(&seen)) {
            true => received,
            false => seen.tokens(self.sees),
        }
    }

    /// The call is over.
    pub(super) async fn close(mut self, closing: Closing<'_>) -> Tokens {
        let Some(mut call) = self.call.take() else { return Tokens::default() };
        call.ending = closing.ending;
        call.tokens_out = match (closing.text, &closing.message) {
            (Some(text), _) => self.given(text, call.tokens_in),
            (None, Some(message)) => tokens::count(message) as u64,
            (None, None) => 0,
        };
        call.message = closing.message;
        call.duration_us = micros(self.started.elapsed());
        if let Some(text) = closing.text {
            call.bytes_out = text.as_str().len() as u64;
        }
        if !closing.notes.is_empty() {
            call.notes = Json::array(closing.notes.iter().map(note).collect::<Vec<_>>().iter())
                .as_text()
                .to_owned();
        }
        if !closing.files.is_empty() {
            let keys: Vec<Json> =
                closing.files.iter().map(|file| Json::string(&file.key.to_string())).collect();
            call.files = Json::array(&keys).as_text().to_owned();
        }
        let event = events::tool_complete(&self.caller, &call);
        let tokens = Tokens { received: call.tokens_in, given: call.tokens_out };
        self.store.record(Entry::Call(call)).await;
        self.store.record(Entry::Event(event)).await;
        tokens
    }
}

impl Drop for Account {
    fn drop(&mut self) {
        let Some(mut call) = self.call.take() else { return };
        call.duration_us = micros(self.started.elapsed());
        let event = events::tool_complete(&self.caller, &call);
        if !self.store.try_record(Entry::Call(call)) || !self.store.try_record(Entry::Event(event))
        {
            tracing::warn!("the end of a cancelled call could not be recorded");
        }
    }
}

fn not_kept(error: &StoreError) -> Raw {
    tracing::error!(%error, "what a server answered could not be kept");
    Raw::None
}

fn micros(time: Duration) -> i64 {
    i64::try_from(time.as_micros()).unwrap_or(i64::MAX)
}

fn note(note: &Note) -> Json {
    let mut members = Object::default();
    members.set("rule", Json::string(&note.rule.to_string()));
    members.set("place", Json::string(&note.place));
    members.set("message", Json::string(&note.message));
    members.to_json()
}

/// What a result says of a dashboard, where it says which one.
fn dashboard(caller: &Caller, call: &Call, canvas: &Canvas) -> Option<DashboardUpdate> {
    let text = |key: &str| {
        let value = canvas.members.get(key).and_then(Json::as_str);
        value.map(|value| value.into_owned()).filter(|value| !value.is_empty())
    };
    Some(DashboardUpdate {
        id: text("id")?,
        owner: caller.owner().to_owned(),
        session: caller.session.to_string(),
        server: call.server.clone(),
        tool: call.tool.clone(),
        call: call.id.to_string(),
        title: text("title"),
        url: text("url"),
        mode: text("mode"),
        persistence: text("persistence").and_then(|word| match word.as_str() {
            "pinned" => Some(Persistence::Pinned),
            "session" => Some(Persistence::Session),
            "ephemeral" => Some(Persistence::Ephemeral),
            _ => None,
        }),
        token: canvas.token.clone().map(FrameToken),
        is_open: canvas.members.get("open").is_none_or(|open| open.as_text() != "false"),
        updated_ms: clock::now_ms(),
    })
}

/// Tells listeners how far a call has come, now and then.
#[derive(Debug)]
pub(crate) struct ProgressEvents {
    store: Arc<Store>,
    caller: Caller,
    call: Id,
    last: Mutex<Option<Instant>>,
}

impl ProgressEvents {
    pub(super) fn new(gateway: &Gateway, exchange: &Exchange) -> ProgressEvents {
        ProgressEvents {
            store: gateway.store.clone(),
            caller: exchange.client.caller.clone(),
            call: exchange.call,
            last: Mutex::default(),
        }
    }

    /// The parameters of a progress notification.
    pub(crate) fn tell(&self, params: &Json) {
        let mut last = lock(&self.last);
        let now = Instant::now();
        if last.is_some_and(|last| now - last < PROGRESS_INTERVAL) {
            return;
        }
        *last = Some(now);
        drop(last);
        let number = |key: &str| {
            let number = params.get(key).and_then(|number| number.as_text().parse::<f64>().ok());
            number.filter(|number| number.is_finite())
        };
        let Some(progress) = number("progress") else { return };
        let message = params.get("message");
        let message = message.as_ref().and_then(Json::as_str);
        let event = events::tool_progress(
            &self.caller,
            self.call,
            progress,
            number("total"),
            message.as_deref(),
        );
        // The next report says more anyway.
        self.store.try_record(Entry::Event(event));
    }
}
