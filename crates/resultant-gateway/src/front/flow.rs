//! One request while it is answered: what is said before the answer, then the answer.

use std::{future::Future, pin::Pin, sync::Arc};

use bytes::Bytes;
use resultant::Json;
use resultant_store::Id;
use tokio::sync::mpsc;

use crate::{
    client::{Client, Exchange, Outlet, Session},
    dispatch::dispatch,
    gateway::Gateway,
    reply::{PassedFile, Reply},
    rpc::{self, RpcError},
};

/// How many messages may wait for a client that is slow to take them.
const MESSAGES_MAX: usize = 256;

/// What comes out of a request.
pub(super) enum Item {
    /// A message before the answer.
    Message(Bytes),
    /// A sign of life.
    Tick,
    Answer(Answer),
}

/// The answer to a request.
pub(super) enum Answer {
    Bytes {
        bytes: Bytes,
        error_code: Option<i64>,
    },
    File {
        file: PassedFile,
        id: Json,
    },
    /// The client has cancelled it and wants no answer.
    None,
}

/// A request on its way.
pub(super) struct Flow {
    messages: mpsc::Receiver<Bytes>,
    work: Pin<Box<dyn Future<Output = Answer> + Send>>,
    is_done: bool,
}

/// A request as a client made it.
pub(super) struct Asked {
    pub(super) id: Json,
    pub(super) method: String,
    pub(super) params: Option<Json>,
}

impl Flow {
    /// Starts to answer. Where the client has a session, the work goes on when it is not waited
    /// for; otherwise it ends with the flow.
    pub(super) fn start(gateway: &Arc<Gateway>, client: &Arc<Client>, asked: Asked) -> Flow {
        let (sender, messages) = mpsc::channel(MESSAGES_MAX);
        let exchange = exchange(client, &asked, sender);
        let gateway = gateway.clone();
        let work: Pin<Box<dyn Future<Output = Answer> + Send>> = match client.session.clone() {
            Some(session) => {
                let task = tokio::spawn(answer_in_session(gateway, exchange, asked, session));
                Box::pin(async move { task.await.unwrap_or(Answer::None) })
            }
            None => Box::pin(async move { answer(&gateway, &exchange, asked).await }),
        };
        Flow { messages, work, is_done: false }
    }

    /// What comes next; nothing after the answer.
    pub(super) async fn next(&mut self) -> Option<Item> {
        if self.is_done {
            return None;
        }
        tokio::select! {
            biased;
            Some(message) = self.messages.recv() => Some(match message.is_empty() {
                true => Item::Tick,
                false => Item::Message(message),
            }),
            answer = &mut self.work => {
                // What was said just before the answer comes before it.
                if let Ok(message) = self.messages.try_recv() {
                    self.work = Box::pin(std::future::ready(answer));
                    return Some(match message.is_empty() {
                        true => Item::Tick,
                        false => Item::Message(message),
                    });
                }
                self.is_done = true;
                Some(Item::Answer(answer))
            }
        }
    }
}

fn exchange(client: &Arc<Client>, asked: &Asked, sender: mpsc::Sender<Bytes>) -> Exchange {
    let meta = asked.params.as_ref().and_then(|params| params.get("_meta"));
    let member = |key: &str| meta.as_ref().and_then(|meta| meta.get(key));
    let level = match &client.session {
        Some(session) => crate::client::lock(&session.level).clone(),
        None => {
            let level = member(&format!("{}logLevel", crate::upstream::META_PREFIX));
            level.and_then(|level| level.as_str().map(|level| level.into_owned()))
        }
    };
    Exchange {
        call: Id::new(),
        client: client.clone(),
        outlet: Outlet::new(sender, client.session.clone()),
        progress_token: member("progressToken").filter(|token| !token.is_null()),
        log_level: level,
    }
}

async fn answer_in_session(
    gateway: Arc<Gateway>,
    exchange: Exchange,
    asked: Asked,
    session: Arc<Session>,
) -> Answer {
    let id = asked.id.clone();
    let cancelled = session.begin(&id);
    let answer = tokio::select! {
        answer = answer(&gateway, &exchange, asked) => answer,
        Ok(()) = cancelled => Answer::None,
    };
    session.finish(&id);
    if exchange.outlet.is_closed()
        && let Answer::Bytes { bytes, .. } = &answer
    {
        // The connection broke; the client may still listen on its other stream.
        session.tell(bytes.clone());
    }
    answer
}

async fn answer(gateway: &Arc<Gateway>, exchange: &Exchange, asked: Asked) -> Answer {
    let Asked { id, method, params } = asked;
    match dispatch(gateway, exchange, &id, &method, params.as_ref()).await {
        Ok(Reply::Json(result)) => {
            let bytes = rpc::result(id.as_text(), result.as_text());
            Answer::Bytes { bytes, error_code: None }
        }
        Ok(Reply::File(file)) => Answer::File { file, id },
        Err(error) => Answer::error(&id, &error),
    }
}

impl Answer {
    pub(super) fn error(id: &Json, error: &RpcError) -> Answer {
        Answer::Bytes { bytes: rpc::error(id.as_text(), error), error_code: Some(error.code) }
    }
}

/// A message as one line: line ends stand only between tokens, where a space is as good.
pub(super) fn one_line(bytes: Bytes) -> Bytes {
    if memchr::memchr2(b'\n', b'\r', &bytes).is_none() {
        return bytes;
    }
    let mut bytes = bytes.to_vec();
    flatten(&mut bytes);
    bytes.into()
}

pub(super) fn flatten(bytes: &mut [u8]) {
    for byte in bytes {
        if matches!(byte, b'\n' | b'\r') {
            *byte = b' ';
        }
    }
}
