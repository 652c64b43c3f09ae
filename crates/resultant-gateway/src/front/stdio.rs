//! Clients over standard input and output: one message a line, one client.

use std::{
    collections::HashMap,
    io::Read as _,
    sync::{Arc, Mutex},
};

use bytes::Bytes;
use resultant::Json;
use tokio::{
    io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader},
    sync::mpsc,
    task::{AbortHandle, JoinSet},
};

use super::{
    flow::{Answer, Asked, Flow, Item, flatten, one_line},
    request::{RequestEra, era_of, legacy_client, modern_client},
};
use crate::{
    client::{Client, Scope, lock},
    dispatch,
    gateway::Gateway,
    rpc::{self, Batch, Kind, Message, RpcError},
};

const QUEUE_MAX: usize = 1024;
const CHUNK_BYTES: usize = 64 * 1024;

enum Line {
    Bytes(Bytes),
    File(crate::reply::PassedFile, Json),
    /// Nothing comes after it.
    End,
}

struct Front {
    gateway: Arc<Gateway>,
    scope: Scope,
    lines: mpsc::Sender<Line>,
    client: Mutex<Option<Arc<Client>>>,
    /// Requests that stand alone, by their ids.
    running: Mutex<HashMap<String, AbortHandle>>,
}

/// Serves one client until its input ends, or `stop` does; what is under way is finished. With the
/// name of a server the client sees that one alone.
pub async fn serve_stdio(
    gateway: Arc<Gateway>,
    server: Option<&str>,
    input: impl AsyncRead + Unpin,
    output: impl AsyncWrite + Unpin + Send + 'static,
    stop: impl Future<Output = ()>,
) {
    let (lines, out) = mpsc::channel(QUEUE_MAX);
    let writer = tokio::spawn(write(output, out));
    let scope = server.map_or(Scope::All, |server| Scope::One(server.into()));
    let front = Arc::new(Front {
        gateway,
        scope,
        lines,
        client: Mutex::default(),
        running: Mutex::default(),
    });
    let mut tasks = JoinSet::new();
    let mut input = BufReader::with_capacity(CHUNK_BYTES, input);
    let bytes_max = front.gateway.config().limits.request_bytes_max;
    let mut stop = std::pin::pin!(stop);
    loop {
        let line = tokio::select! {
            line = read_line(&mut input, bytes_max) => line,
            () = &mut stop => None,
        };
        match line {
            Some(Ok(line)) if line.trim_ascii().is_empty() => {}
            Some(Ok(line)) => front.take(line, &mut tasks).await,
            Some(Err(())) => {
                let message =
                    format!("a message has more than {bytes_max} bytes (request_bytes_max)");
                let error = RpcError::new(rpc::INVALID_REQUEST, message);
                front.say(rpc::error("null", &error)).await;
            }
            None => break,
        }
        while tasks.try_join_next().is_some() {}
    }
    let patience = front.gateway.config().timeouts.shutdown;
    let _ =
        tokio::time::timeout(patience, async { while tasks.join_next().await.is_some() {} }).await;
    tasks.shutdown().await;
    if let Some(session) = lock(&front.client).take().and_then(|client| client.session.clone()) {
        front.gateway.close_session(&session.id);
    }
    // Connections may hold on to the session, and with it to the way out: its end is said.
    let ended = async {
        let _ = front.lines.send(Line::End).await;
        let _ = writer.await;
    };
    let _ = tokio::time::timeout(patience, ended).await;
}

/// The next line; an error for one that is too long, which is skipped.
async fn read_line(
    input: &mut BufReader<impl AsyncRead + Unpin>,
    bytes_max: usize,
) -> Option<Result<Bytes, ()>> {
    let mut line = Vec::new();
    let mut is_too_long = false;
    loop {
        let chunk = input.fill_buf().await.ok()?;
        if chunk.is_empty() {
            return (!line.is_empty()).then(|| Ok(line.into()));
        }
        let end = memchr::memchr(b'\n', chunk);
        let part = &chunk[..end.unwrap_or(chunk.len())];
        if line.len() + part.len() > bytes_max {
            is_too_long = true;
            line.clear();
        }
        if !is_too_long {
            line.extend_from_slice(part);
        }
        let used = part.len() + usize::from(end.is_some());
        input.consume(used);
        if end.is_some() {
            return Some(if is_too_long { Err(()) } else { Ok(line.into()) });
        }
    }
}

async fn write(mut output: impl AsyncWrite + Unpin, mut lines: mpsc::Receiver<Line>) {
    while let Some(line) = lines.recv().await {
        let written = match line {
            Line::Bytes(bytes) => {
                let mut line = one_line(bytes).to_vec();
                line.push(b'\n');
                output.write_all(&line).await
            }
            Line::File(file, id) => write_file(&mut output, &file, &id).await,
            Line::End => return,
        };
        if written.is_err() || output.flush().await.is_err() {
            return;
        }
    }
}

async fn write_file(
    output: &mut (impl AsyncWrite + Unpin),
    file: &crate::reply::PassedFile,
    id: &Json,
) -> std::io::Result<()> {
    let mut reader = file.read(id)?;
    let mut chunk = vec![0; CHUNK_BYTES];
    loop {
        let len = tokio::task::block_in_place(|| reader.read(&mut chunk))?;
        if len == 0 {
            return output.write_all(b"\n").await;
        }
        flatten(&mut chunk[..len]);
        output.write_all(&chunk[..len]).await?;
    }
}

impl Front {
    async fn say(&self, bytes: Bytes) {
        let _ = self.lines.send(Line::Bytes(bytes)).await;
    }

    async fn take(self: &Arc<Front>, line: Bytes, tasks: &mut JoinSet<()>) {
        match Message::read_batch(line) {
            Ok(Batch::One(message)) => self.message(message, tasks).await,
            Ok(Batch::Many(messages)) => {
                // The answers of a batch may come one by one.
                for message in messages {
                    self.message(message, tasks).await;
                }
            }
            Err(error) => {
                let error = RpcError::new(rpc::PARSE_ERROR, format!("not JSON: {error}"));
                self.say(rpc::error("null", &error)).await;
            }
        }
    }

    async fn message(self: &Arc<Front>, message: Message, tasks: &mut JoinSet<()>) {
        let session = lock(&self.client).as_ref().and_then(|client| client.session.clone());
        match message.kind {
            Kind::Request { id, method, params } => self.request(id, method, params, tasks).await,
            Kind::Notification { method, params } => {
                let id = params.as_ref().and_then(|params| params.get("requestId"));
                match (method.as_str(), id) {
                    ("notifications/cancelled", Some(id)) => {
                        if let Some(session) = &session {
                            session.cancel(&id);
                        }
                        if let Some(task) = lock(&self.running).remove(&id.to_string()) {
                            task.abort();
                        }
                    }
                    (method, _) => {
                        let client = lock(&self.client).clone();
                        if let Some(client) = client {
                            dispatch::notified(&self.gateway, &client, method, params.as_ref())
                                .await;
                        }
                    }
                }
            }
            Kind::Result { id, result } => {
                session.iter().for_each(|session| {
                    session.answered(&id, Ok(result.clone()));
                });
            }
            Kind::Error { id: Some(id), error } => {
                session.iter().for_each(|session| {
                    session.answered(&id, Err(error.clone()));
                });
            }
            Kind::Error { id: None, .. } | Kind::Other => {
                let error = RpcError::new(rpc::INVALID_REQUEST, "not a JSON-RPC message");
                self.say(rpc::error("null", &error)).await;
            }
        }
    }

    async fn request(
        self: &Arc<Front>,
        id: Json,
        method: String,
        params: Option<Json>,
        tasks: &mut JoinSet<()>,
    ) {
        let legacy = lock(&self.client).clone();
        let client = match (era_of(None, params.as_ref()), legacy) {
            (RequestEra::Modern, _) => {
                modern_client(params.as_ref(), self.scope.clone(), self.gateway.local_caller())
                    .map(Arc::new)
            }
            (RequestEra::Legacy, _) if method == "initialize" => {
                return self.initialize(&id, params.as_ref()).await;
            }
            (RequestEra::Legacy, Some(client)) => Ok(client),
            (RequestEra::Legacy, None) if method == "ping" => {
                return self.say(rpc::result(id.as_text(), "{}")).await;
            }
            (RequestEra::Legacy, None) => {
                modern_client(params.as_ref(), self.scope.clone(), self.gateway.local_caller())
                    .map(Arc::new)
            }
        };
        let client = match client {
            Ok(client) => client,
            Err(error) => return self.say(rpc::error(id.as_text(), &error)).await,
        };
        let key = id.to_string();
        let is_alone = client.session.is_none();
        let front = self.clone();
        let task_key = key.clone();
        let task = tasks.spawn(async move {
            let mut flow = Flow::start(&front.gateway, &client, Asked { id, method, params });
            while let Some(item) = flow.next().await {
                let line = match item {
                    Item::Message(bytes) | Item::Answer(Answer::Bytes { bytes, .. }) => {
                        Line::Bytes(bytes)
                    }
                    Item::Answer(Answer::File { file, id }) => Line::File(file, id),
                    Item::Tick | Item::Answer(Answer::None) => continue,
                };
                let _ = front.lines.send(line).await;
            }
            lock(&front.running).remove(&task_key);
        });
        if is_alone {
            lock(&self.running).insert(key, task);
        }
    }

    async fn initialize(self: &Arc<Front>, id: &Json, params: Option<&Json>) {
        let client = legacy_client(params, self.scope.clone(), self.gateway.local_caller());
        let client = match self.gateway.open_session(client) {
            Ok(client) => client,
            Err(error) => return self.say(rpc::error(id.as_text(), &error)).await,
        };
        let result = dispatch::initialize(&self.gateway, &client).await;
        *lock(&self.client) = Some(client.clone());
        self.say(rpc::result(id.as_text(), result.as_text())).await;
        if let Some(session) = &client.session {
            let (stream, mut messages) = mpsc::channel(QUEUE_MAX);
            session.listen(stream);
            let lines = self.lines.clone();
            tokio::spawn(async move {
                while let Some(bytes) = messages.recv().await {
                    if lines.send(Line::Bytes(bytes)).await.is_err() {
                        return;
                    }
                }
            });
        }
    }
}
