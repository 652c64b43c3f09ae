//! The middle of the way: a result is read, its files are kept, and it is written for its audience.
//!
//! Short results are read where they arrive; longer ones on a thread that may take its time, and
//! there all of it is done, so that nothing long is held in between.

use std::{io::Read as _, sync::Arc, time::Instant};

use bytes::Bytes;
use resultant::{ClientOptions, Limits, More, Note, Outcome, ReadOptions, Shape};
use resultant_store::Id;

use super::{
    Audience, Called, ToolCall,
    account::{Account, Answered},
    error_object,
    write::Writer,
};
use crate::{
    arguments::Scrubber,
    body::Spool,
    client::{Client, Exchange},
    files::FileSink,
    gateway::Gateway,
    metrics::Step,
    retrieval::Naming,
};

/// A longer result is read on a thread of its own.
const QUICK_BYTES_MAX: usize = 64 * 1024;
/// How much of a long message is read at once.
const CHUNK_BYTES: usize = 256 * 1024;

/// What a result is read and written with, beside what everybody's is.
pub(super) struct Context {
    pub(super) audience: Audience,
    /// What was odd about the arguments.
    pub(super) notes: Vec<Note>,
    pub(super) scrubber: Scrubber,
}

/// Where the bytes of a result are.
pub(super) enum Source {
    Message(Bytes),
    Spool(Spool),
}

/// Reads a result, keeps its files and writes it for the audience.
pub(super) async fn normalize(
    gateway: &Arc<Gateway>,
    exchange: &Exchange,
    call: &ToolCall,
    source: Source,
    context: Context,
    account: &mut Account,
) -> Called {
    let Context { audience, notes, scrubber } = context;
    let options = read_options(gateway, exchange, call);
    let writer = Writer {
        audience,
        client: client_options(gateway, exchange, call, audience),
        caller: exchange.client.caller.clone(),
        call: exchange.call,
        server: call.upstream.name.clone(),
        tool: call.name.clone(),
    };
    let keeps_raw = gateway.config().store.keeps_raw;
    let blocks_max = gateway.config().limits.blocks_max;
    let started = Instant::now();
    match source {
        Source::Message(message) if message.len() <= QUICK_BYTES_MAX => {
            gateway.metrics.bytes_in(message.len() as u64);
            account.answered(Answered::short(&message, account.sees(), keeps_raw));
            let message_len = message.len();
            let mut outcome = options.read(message);
            outcome.notes.extend(notes);
            gateway.metrics.step(&call.upstream.name, Step::Read, started.elapsed());
            if outcome.carried.block_count > blocks_max {
                return too_many_blocks(&outcome, blocks_max);
            }
            // Only what has files waits for the disk, and what is short enough has none: no text
            // has more tokens than bytes.
            let budget = writer.client.budget;
            let is_small = message_len <= budget.bytes.min(budget.tokens);
            let is_quick = outcome.artifacts.is_empty() && is_small;
            let sink = FileSink::new(&gateway.store);
            let write = || writer.keep_and_write(gateway, outcome, sink);
            Called::Written(if is_quick { write() } else { tokio::task::block_in_place(write) })
        }
        source => {
            let permit = gateway.large.clone().acquire_owned().await;
            let gateway = gateway.clone();
            let sees = account.sees();
            let work = move || {
                let _permit = permit;
                let mut sink = FileSink::new(&gateway.store);
                let owner = writer.caller.owner();
                let (answered, mut outcome) = match source {
                    Source::Message(message) => {
                        gateway.metrics.bytes_in(message.len() as u64);
                        let answered =
                            Answered::long(&gateway.store, owner, &message, sees, keeps_raw);
                        (answered, options.read(message))
                    }
                    Source::Spool(spool) => {
                        gateway.metrics.bytes_in(spool.len());
                        let store = &gateway.store;
                        let read = || read_spool(&options, &spool, &scrubber, &mut sink);
                        let parts = (&spool, &scrubber);
                        Answered::of_spool(store, owner, parts, sees, keeps_raw, read)
                    }
                };
                outcome.notes.extend(notes);
                gateway.metrics.step(&writer.server, Step::Read, started.elapsed());
                let called = match outcome.carried.block_count > blocks_max {
                    true => too_many_blocks(&outcome, blocks_max),
                    false => Called::Written(writer.keep_and_write(&gateway, outcome, sink)),
                };
                (called, answered)
            };
            match tokio::task::spawn_blocking(work).await {
                Ok((called, answered)) => {
                    account.answered(answered);
                    called
                }
                Err(error) => {
                    tracing::error!(%error, "reading a result failed");
                    Called::Failed("the gateway failed to read the result".to_owned())
                }
            }
        }
    }
}

fn too_many_blocks(outcome: &Outcome, blocks_max: usize) -> Called {
    let count = outcome.carried.block_count;
    Called::Failed(format!(
        "the result has {count} content blocks, more than {blocks_max} (blocks_max); ask for less"
    ))
}

/// What the names of files that we make for a call end with, so that a name means one file of a
/// session for ever: letters and digits that are not taken for one another.
pub(super) fn name_suffix(call: Id) -> String {
    const LETTERS: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";
    let bytes = call.to_bytes();
    bytes[..6].iter().map(|byte| char::from(LETTERS[usize::from(byte % 32)])).collect()
}

fn read_options(gateway: &Gateway, exchange: &Exchange, call: &ToolCall) -> ReadOptions {
    let limits = &gateway.config().limits;
    let peer = call.upstream.any_link().and_then(|link| link.peer().map(|peer| peer.protocol));
    ReadOptions {
        limits: Limits {
            depth_max: limits.depth_max,
            string_bytes_max: limits.string_bytes_max,
            ..Limits::default()
        },
        server: peer,
        schema: call.schema().cloned(),
        schema_policy: call.upstream.config.schema_policy,
        suffix: Some(name_suffix(exchange.call)),
    }
}

fn client_options(
    gateway: &Gateway,
    exchange: &Exchange,
    call: &ToolCall,
    audience: Audience,
) -> ClientOptions {
    let client = &exchange.client;
    let shape = match call.upstream.config.shape {
        Shape::Mcp if client.asks_envelope() => Shape::Envelope,
        shape => shape,
    };
    let config = gateway.config();
    let options = ClientOptions {
        protocol: match audience {
            Audience::Client(protocol) => protocol,
            _ => client.protocol,
        },
        shape,
        budget: resultant::Budget {
            more: more(gateway, client),
            ..call.upstream.config.budgets.of(&call.name, config.budget)
        },
        keeps_small_blocks: true,
        is_advertised: call.schema().is_some(),
        has_view: client.shows_apps()
            && call.tool.as_ref().is_some_and(|tool| tool.view().is_some()),
        ..ClientOptions::default()
    };
    config.clients.profile(&client.name()).apply(options)
}

/// How the model of this client gets more of what it was not shown.
fn more(gateway: &Gateway, client: &Client) -> More {
    gateway.known_own_names(client).map_or(More::None, Naming::more)
}

fn read_spool(
    options: &ReadOptions,
    spool: &Spool,
    scrubber: &Scrubber,
    sink: &mut FileSink,
) -> Outcome {
    read_chunks(options, spool, scrubber, sink).unwrap_or_else(|error| {
        let message = format!("the result came but could not be read back: {error}");
        options.read(&error_object(&message).to_json())
    })
}

fn read_chunks(
    options: &ReadOptions,
    spool: &Spool,
    scrubber: &Scrubber,
    sink: &mut FileSink,
) -> std::io::Result<Outcome> {
    let mut file = scrubber.reader(spool.open()?);
    let mut reader = options.reader(sink);
    let mut chunk = vec![0; CHUNK_BYTES];
    loop {
        match file.read(&mut chunk)? {
            0 => return Ok(reader.finish()),
            len => reader.feed(&chunk[..len]),
        }
    }
}
