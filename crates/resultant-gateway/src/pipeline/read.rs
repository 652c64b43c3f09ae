//! The middle of the way: a result is read, its files are kept, and it is written for its audience.
//!
//! Short results are read where they arrive. Longer ones are read on a thread that may take its
//! time, while they come where that is possible, and there all of it is done, so that nothing long
//! is held in between.

use std::{
    io::{self, Read as _},
    sync::{Arc, Mutex, mpsc},
    thread,
    time::{Duration, Instant},
};

use bytes::{Bytes, BytesMut};
use resultant::{ClientOptions, Limits, More, Note, Outcome, ReadOptions, Sees, Shape};
use resultant_store::{Id, Raw, Store, StoreError};
use tokio::{runtime::Handle, sync::OwnedSemaphorePermit, task::JoinHandle};

use super::{Audience, Called, Seen, ToolCall, account::Answered, error_object, write::Writer};
use crate::{
    arguments::Scrubber,
    body::{Entrance, Exit, Interest, Spool, passage},
    client::{Client, Exchange, lock},
    files::FileSink,
    gateway::Gateway,
    metrics::Step,
    retrieval::Naming,
    upstream::TakesAnswer,
};

/// A longer result is read on a thread of its own.
const QUICK_BYTES_MAX: usize = 64 * 1024;
/// How much of a long message is read at once.
const CHUNK_BYTES: usize = 256 * 1024;
/// So many parts of a long message wait to be kept as they came.
const RAW_WAITING_MAX: usize = 4;

/// Everything that a result is read and written with, known before it comes.
pub(super) struct Reading {
    gateway: Arc<Gateway>,
    options: ReadOptions,
    writer: Writer,
    /// What was odd about the arguments.
    notes: Vec<Note>,
    scrubber: Scrubber,
    sees: Sees,
    keeps_raw: bool,
    blocks_max: usize,
}

/// Where the bytes of a result are.
pub(super) enum Source {
    Message(Bytes),
    Spool(Spool),
}

/// What a result came to, and what there is to record of the answer.
pub(super) type Read = (Called, Option<Answered>);

impl Reading {
    pub(super) fn new(
        gateway: &Arc<Gateway>,
        exchange: &Exchange,
        call: &ToolCall,
        audience: Audience,
        sees: Sees,
        (notes, scrubber): (Vec<Note>, Scrubber),
    ) -> Reading {
        let config = gateway.config();
        Reading {
            gateway: gateway.clone(),
            options: read_options(gateway, exchange, call),
            writer: Writer {
                audience,
                client: client_options(gateway, exchange, call, audience),
                caller: exchange.client.caller.clone(),
                call: exchange.call,
                server: call.upstream.name.clone(),
                tool: call.name.clone(),
            },
            notes,
            scrubber,
            sees,
            keeps_raw: config.store.keeps_raw,
            blocks_max: config.limits.blocks_max,
        }
    }

    /// Reads a result, keeps its files and writes it for the audience.
    pub(super) async fn read(self: Arc<Reading>, source: Source) -> Read {
        match source {
            Source::Message(message) if message.len() <= QUICK_BYTES_MAX => self.quick(message),
            source => {
                let permit = self.gateway.large.clone().acquire_owned().await;
                let work = move || {
                    let _permit = permit;
                    match source {
                        Source::Message(message) => self.message(message),
                        Source::Spool(spool) => self.spool(&spool),
                    }
                };
                done(tokio::task::spawn_blocking(work)).await
            }
        }
    }

    fn quick(&self, message: Bytes) -> Read {
        let started = Instant::now();
        self.gateway.metrics.bytes_in(message.len() as u64);
        let answered = Answered::short(&message, self.sees, self.keeps_raw);
        let message_len = message.len();
        let outcome = self.options.read(message);
        // Only what has files waits for the disk, and what is short enough has none: no text
        // has more tokens than bytes.
        let budget = self.writer.client.budget;
        let is_small = message_len <= budget.bytes.min(budget.tokens);
        let is_quick = outcome.artifacts.is_empty() && is_small;
        let sink = FileSink::new(&self.gateway.store);
        let write = || self.written(outcome, sink, started);
        let called = if is_quick { write() } else { tokio::task::block_in_place(write) };
        (called, Some(answered))
    }

    fn message(&self, message: Bytes) -> Read {
        let started = Instant::now();
        self.gateway.metrics.bytes_in(message.len() as u64);
        let (store, owner) = (&self.gateway.store, self.writer.caller.owner());
        let answered = Answered::long(store, owner, &message, self.sees, self.keeps_raw);
        let outcome = self.options.read(message);
        (self.written(outcome, FileSink::new(store), started), Some(answered))
    }

    fn spool(&self, spool: &Spool) -> Read {
        let read = spool.open().and_then(|mut file| {
            self.parts(|| {
                let mut chunk = BytesMut::zeroed(CHUNK_BYTES);
                let len = file.read(&mut chunk)?;
                chunk.truncate(len);
                Ok((len > 0).then(|| chunk.freeze()))
            })
        });
        read.unwrap_or_else(|error| {
            let message = format!("the result came but could not be read back: {error}");
            let outcome = self.options.read(&error_object(&message).to_json());
            (self.written(outcome, FileSink::new(&self.gateway.store), Instant::now()), None)
        })
    }

    fn coming(&self, mut exit: Exit, _permit: OwnedSemaphorePermit) -> Read {
        self.parts(|| exit.next()).unwrap_or_else(|error| {
            // Whoever waits for it hears why from the wire, if anybody does.
            (Called::Failed(format!("the result did not come whole: {error}")), None)
        })
    }

    /// A result that comes in parts. Nothing stays of it where one of them is an error.
    fn parts(&self, mut next: impl FnMut() -> io::Result<Option<Bytes>>) -> io::Result<Read> {
        let started = Instant::now();
        let store = &self.gateway.store;
        let mut sink = FileSink::new(store);
        let (mut seen, mut bytes) = (Seen::default(), 0);
        thread::scope(|scope| {
            let owner = self.writer.caller.owner();
            let mut raw = self.keeps_raw.then(|| RawThread::start(scope, store, owner));
            let mut reader = self.options.reader(&mut sink);
            let mut scrubbing = self.scrubber.scrubbing();
            let mut give = |part: Bytes| {
                seen.feed(&part);
                reader.feed(&part);
                if let Some(raw) = &mut raw {
                    raw.keep(part);
                }
            };
            let mut waited = Duration::ZERO;
            loop {
                let asked = Instant::now();
                let Some(part) = next()? else { break };
                waited += asked.elapsed();
                bytes += part.len() as u64;
                scrubbing.feed(&part, &mut give);
            }
            scrubbing.end(&mut give);
            let raw = raw.map(RawThread::end);
            self.gateway.metrics.bytes_in(bytes);
            let called = self.written(reader.finish(), sink, started + waited);
            let raw = raw.map_or(Ok(Raw::None), |thread| {
                let lost = || io::Error::other("the thread that keeps it has ended").into();
                thread.join().unwrap_or_else(|_| Err(lost()))
            });
            Ok((called, Some(Answered::passed(bytes, seen, self.sees, raw))))
        })
    }

    /// A result that was read since then, written.
    fn written(&self, mut outcome: Outcome, sink: FileSink, started: Instant) -> Called {
        outcome.notes.extend(self.notes.iter().cloned());
        self.gateway.metrics.step(&self.writer.server, Step::Read, started.elapsed());
        match outcome.carried.block_count > self.blocks_max {
            true => too_many_blocks(&outcome, self.blocks_max),
            false => Called::Written(self.writer.keep_and_write(&self.gateway, outcome, sink)),
        }
    }
}

async fn done(reading: JoinHandle<Read>) -> Read {
    reading.await.unwrap_or_else(|error| {
        tracing::error!(%error, "reading a result failed");
        (Called::Failed("the gateway failed to read the result".to_owned()), None)
    })
}

/// Keeps a message as it came, on a thread of its own.
struct RawThread<'scope> {
    parts: mpsc::SyncSender<Option<Bytes>>,
    thread: thread::ScopedJoinHandle<'scope, Result<Raw, StoreError>>,
}

impl<'scope> RawThread<'scope> {
    fn start<'env>(
        scope: &'scope thread::Scope<'scope, 'env>,
        store: &'env Store,
        owner: &'env str,
    ) -> RawThread<'scope> {
        let (sender, parts) = mpsc::sync_channel::<Option<Bytes>>(RAW_WAITING_MAX);
        let runtime = Handle::current();
        let thread = scope.spawn(move || {
            let mut incoming = store.incoming()?;
            let broke_off = |_| io::Error::from(io::ErrorKind::UnexpectedEof);
            while let Some(part) = parts.recv().map_err(broke_off)? {
                incoming.write_shared(&part)?;
            }
            runtime.block_on(store.keep_raw(owner, incoming.finish()?))
        });
        RawThread { parts: sender, thread }
    }

    fn keep(&mut self, part: Bytes) {
        // It says why it ended when it is asked.
        let _ = self.parts.send(Some(part));
    }

    /// All of it came.
    fn end(self) -> thread::ScopedJoinHandle<'scope, Result<Raw, StoreError>> {
        let _ = self.parts.send(None);
        self.thread
    }
}

/// Reads the answer to a call while it comes, if it is long.
pub(super) struct Early {
    reading: Arc<Reading>,
    begun: Mutex<Option<Begun>>,
}

struct Begun {
    result: JoinHandle<Read>,
    interest: Interest,
}

impl Early {
    pub(super) fn new(reading: Reading) -> Arc<Early> {
        Arc::new(Early { reading: Arc::new(reading), begun: Mutex::default() })
    }

    pub(super) fn reading(&self) -> Arc<Reading> {
        self.reading.clone()
    }

    /// What was read, once all of it has come.
    pub(super) async fn finish(&self) -> Read {
        let begun = lock(&self.begun).take();
        match begun {
            Some(Begun { result, interest }) => {
                interest.confirm();
                done(result).await
            }
            None => (Called::Failed("the result was lost on its way".to_owned()), None),
        }
    }
}

impl TakesAnswer for Early {
    fn take(&self, request: u64) -> Option<Entrance> {
        let permit = self.reading.gateway.early.clone().try_acquire_owned().ok()?;
        let (entrance, exit, interest) = passage(request);
        let reading = self.reading.clone();
        let result = tokio::task::spawn_blocking(move || reading.coming(exit, permit));
        // Of an answer that comes a second time, because its stream broke, only this counts.
        *lock(&self.begun) = Some(Begun { result, interest });
        Some(entrance)
    }

    fn has_begun(&self) -> bool {
        // One that turned out to be another's has ended.
        lock(&self.begun).as_ref().is_some_and(|begun| !begun.result.is_finished())
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
