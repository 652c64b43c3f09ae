//! A result as each audience gets it, made again from what the server answered.
//!
//! The tool's schema and the settings are those of now, so that a change can be tried on results
//! that are there. Files are not kept again; long strings are read past.

use std::{io, sync::Arc};

use axum::{Json, extract::State, response::IntoResponse};
use futures_util::StreamExt as _;
use resultant::{Outcome, Protocol, ReadOptions, Sees, Sink, SpillId};
use resultant_store::ByteStream;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::sync::mpsc;

use crate::{
    clean,
    events::AnyJson,
    front::api::{
        Api,
        extract::{Asked, Place, Who},
        operation::Operation,
        problem::{BAD_REQUEST, CONFLICT, NOT_FOUND, Problem, STORE},
    },
    pipeline::{Seen, again},
    tokens,
};

/// Of a longer rendering only its beginning is given.
const RENDERING_BYTES_MAX: usize = 1 << 20;
/// As much of it.
const HEAD_BYTES: usize = 64 << 10;
/// How many chunks wait for the reader.
const CHUNKS_MAX: usize = 8;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::get("/api/calls/{call}/renderings", renderings)
            .named("getRenderings", "See a result as each audience gets it")
            .described(
                "Made again from what the server answered, with the tool's schema and the settings \
                 of now. A rendering over 1 MiB is given in part.",
            )
            .query::<RenderingsQuery>()
            .gives::<Renderings>(200, "What each audience gets.")
            .fails(&[BAD_REQUEST, NOT_FOUND, CONFLICT]),
    ]
}

/// For which client.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
struct RenderingsQuery {
    /// The protocol version of the client, such as `2025-06-18`; the newest when absent.
    client: Option<String>,
    /// Which client it is: a name of `clients` in the settings. The one that called when absent.
    profile: Option<String>,
}

/// What a client's model sees.
#[derive(Debug, Serialize, JsonSchema)]
struct SeenInfo {
    /// The lanes that it sees; where that is not known, each that it may see by itself.
    lanes: Vec<SeenLaneInfo>,
    /// All its tokens; of lanes by themselves the most.
    tokens: u64,
    /// All its bytes.
    bytes: u64,
    /// The tokens that it would have seen of what the server answered.
    tokens_before: u64,
    /// How many fewer it sees; less than none where it sees more.
    tokens_saved: i64,
}

/// A lane of a result.
#[derive(Debug, Serialize, JsonSchema)]
struct SeenLaneInfo {
    /// `content` or `structured`.
    lane: String,
    /// What stands in it; of more than 1 MiB the beginning.
    text: String,
    /// Its tokens.
    tokens: u64,
    /// Its bytes.
    bytes: u64,
}

/// A document, or its beginning.
#[derive(Debug, Serialize, JsonSchema)]
struct Rendering {
    /// Its bytes.
    bytes: u64,
    /// Its tokens; absent for a long one.
    #[serde(skip_serializing_if = "Option::is_none")]
    tokens: Option<u64>,
    /// The document.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<AnyJson>")]
    json: Option<resultant::Json>,
    /// The beginning of a document that is too long.
    #[serde(skip_serializing_if = "Option::is_none")]
    head: Option<String>,
}

/// The model's text.
#[derive(Debug, Serialize, JsonSchema)]
struct ModelRendering {
    /// The text.
    text: String,
    /// Its bytes.
    bytes: u64,
    /// Its tokens.
    tokens: u64,
    /// Whether everything is in it.
    complete: bool,
    /// The names of the files that hold the rest.
    offloaded: Vec<String>,
}

/// What each audience gets.
#[derive(Debug, Serialize, JsonSchema)]
struct Renderings {
    /// The convention that the result was written in.
    dialect: String,
    /// The protocol version of `client`.
    protocol: String,
    /// The client that it is written for, as `clients` in the settings names it.
    profile: String,
    /// What that client's model sees of the result.
    seen: SeenInfo,
    /// What the model gets.
    model: ModelRendering,
    /// The `CallToolResult` of an MCP client.
    client: Rendering,
    /// What a page that shows it gets.
    view: Rendering,
    /// What a program gets: the contract.
    contract: Rendering,
    /// What a program gets that knows response-v2.
    envelope: Rendering,
}

fn seen(written: &resultant::Json, before: &Seen, sees: Sees) -> SeenInfo {
    let lanes = Seen::lanes(written, sees);
    let now = Seen::of(written.as_text().as_bytes()).tokens(sees);
    let tokens_before = before.tokens(sees);
    let signed = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
    SeenInfo {
        tokens: now,
        bytes: lanes.iter().map(|lane| lane.text.len() as u64).sum(),
        tokens_before,
        tokens_saved: signed(tokens_before) - signed(now),
        lanes: lanes
            .into_iter()
            .map(|lane| SeenLaneInfo {
                lane: lane.name.to_owned(),
                bytes: lane.text.len() as u64,
                tokens: lane.tokens,
                text: match lane.text.len() <= RENDERING_BYTES_MAX {
                    true => lane.text,
                    false => lane.text[..lane.text.floor_char_boundary(HEAD_BYTES)].to_owned(),
                },
            })
            .collect(),
    }
}

fn rendering(json: resultant::Json) -> Rendering {
    let text = json.as_text();
    let bytes = text.len() as u64;
    match text.len() <= RENDERING_BYTES_MAX {
        true => {
            let tokens = Some(tokens::count(text) as u64);
            Rendering { bytes, tokens, json: Some(json), head: None }
        }
        false => {
            let head = text[..text.floor_char_boundary(HEAD_BYTES)].to_owned();
            Rendering { bytes, tokens: None, json: None, head: Some(head) }
        }
    }
}

async fn renderings(
    State(api): State<Api>,
    Who(user): Who,
    Place(call): Place<String>,
    Asked(query): Asked<RenderingsQuery>,
) -> Result<impl IntoResponse, Problem> {
    let protocol = match query.client.as_deref() {
        Some(version) => version.parse::<Protocol>().map_err(|_| {
            let known: Vec<&str> = Protocol::ALL.iter().map(|known| known.as_str()).collect();
            let hint = format!("one of {}", known.join(", "));
            Problem::bad(format!("`client` is no version known here: {version}")).hint(hint)
        })?,
        None => Protocol::LATEST,
    };
    let call = api.call_record(&user, &call).await?;
    let bytes = api.gateway.store.read_raw(&call).await?;
    let bytes = bytes.ok_or_else(|| {
        Problem::new(NOT_FOUND, "what the server answered was not kept").hint("see `keep_raw`")
    })?;
    let config = api.gateway.config();
    let profile = match query.profile.as_deref() {
        Some(name) => config.clients.row(name).ok_or_else(|| {
            let known: Vec<&str> = config.clients.each().map(|known| &*known.name).collect();
            let hint = format!("one of {}", known.join(", "));
            Problem::bad("`profile` is no client known here").hint(hint)
        })?,
        None => config.clients.profile(&call.client),
    }
    .clone();
    let (options, client) = again::options(&api.gateway, &call, &profile, protocol).await;
    let permit = api.gateway.large.clone().acquire_owned().await;
    let (sender, chunks) = mpsc::channel(CHUNKS_MAX);
    let write = move || {
        let _permit = permit;
        let mut before = Seen::default();
        let outcome = read(&options, chunks, &mut before)?;
        let mut model = outcome.to_model(&client.budget);
        model.text = clean::text(&config, &model.text).into_owned();
        let written = outcome.to_client(&client).json;
        let written = clean::result(&config, written, options.schema.as_ref());
        Ok(Renderings {
            dialect: outcome.dialect.name().to_owned(),
            protocol: protocol.as_str().to_owned(),
            seen: seen(&written, &before, profile.sees),
            profile: profile.name,
            client: rendering(written),
            view: rendering(outcome.to_view(&client.budget)),
            contract: rendering(outcome.to_contract()),
            envelope: rendering(outcome.to_envelope()),
            model: ModelRendering {
                bytes: model.text.len() as u64,
                tokens: tokens::count(&model.text) as u64,
                text: model.text,
                complete: model.is_complete,
                offloaded: model.offloaded.into_iter().map(|artifact| artifact.name).collect(),
            },
        })
    };
    let (sent, written) = tokio::join!(send(bytes, sender), tokio::task::spawn_blocking(write));
    sent?;
    let failed = || Problem::new(STORE, "the result could not be read again");
    let written: Result<Renderings, io::Error> = written.map_err(|_| failed())?;
    written.map(Json).map_err(|_| failed())
}

/// Hands the bytes to the reader; an empty chunk is the end.
async fn send(mut bytes: ByteStream, sender: mpsc::Sender<bytes::Bytes>) -> Result<(), Problem> {
    while let Some(chunk) = bytes.next().await {
        let chunk = chunk?;
        if !chunk.is_empty() && sender.send(chunk).await.is_err() {
            break;
        }
    }
    // That the reader has gone is what it says itself.
    let _ = sender.send(bytes::Bytes::new()).await;
    Ok(())
}

fn read(
    options: &Arc<ReadOptions>,
    mut chunks: mpsc::Receiver<bytes::Bytes>,
    before: &mut Seen,
) -> io::Result<Outcome> {
    let mut sink = ReadPast;
    let mut reader = options.reader(&mut sink);
    loop {
        match chunks.blocking_recv() {
            Some(chunk) if chunk.is_empty() => return Ok(reader.finish()),
            Some(chunk) => {
                before.feed(&chunk);
                reader.feed(&chunk);
            }
            None => return Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }
}

/// Long strings are measured and not kept: their files are there already.
struct ReadPast;

impl Sink for ReadPast {
    fn write(&mut self, _: SpillId, _: &[u8]) -> io::Result<()> {
        Ok(())
    }

    fn end(&mut self, _: SpillId) -> io::Result<()> {
        Ok(())
    }

    fn discard(&mut self, _: SpillId) {}
}
