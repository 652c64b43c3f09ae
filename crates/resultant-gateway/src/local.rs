//! Callers inside the process: the same pipeline that clients have, without a wire in between.
//!
//! A caller is a session like any other, so a server that asks something is answered, and one that
//! is not to be shared is not. It speaks as a client of the last version with sessions, because
//! such a client is asked while its call runs; results are written for whichever version is wanted.

mod seat;

use std::{future::Future, pin::Pin, sync::Arc};

use bytes::Bytes;
use resultant::{Json, Note, Object};
use resultant_store::{File, Id};
use tokio::sync::mpsc;

pub(crate) use self::seat::{Seat, api_client};
use crate::{
    client::{Client, Exchange, Outlet, Scope, Session},
    dispatch::dispatch,
    gateway::Gateway,
    pipeline::{self, Audience, Called, Text, Written},
    reply::Reply,
    rpc::{self, Kind, Message, RpcError},
    survey::{ServerReport, report},
    upstream::META_TAB,
};

/// How many messages may wait for a caller that is slow to take them.
const MESSAGES_MAX: usize = 256;

/// Someone in this process who calls the tools of one server.
pub struct Caller {
    gateway: Arc<Gateway>,
    client: Arc<Client>,
    session: Arc<Session>,
    server: String,
}

impl Gateway {
    /// A caller for the server of this name.
    pub fn caller(self: &Arc<Gateway>, server: &str) -> Result<Caller, CallError> {
        let client = api_client(self.local_caller(), Scope::One(server.into()));
        let client = self.open_session(client).map_err(|error| CallError::refused(&error))?;
        let gone = || CallError::Failed("the session could not be opened".to_owned());
        let session = client.session.clone().ok_or_else(gone)?;
        Ok(Caller { gateway: self.clone(), client, session, server: server.to_owned() })
    }
}

impl Caller {
    /// The server and its tools; nothing where there is no such server.
    pub async fn report(&self) -> Option<ServerReport> {
        match self.gateway.upstream(&self.server) {
            Some(upstream) => Some(report(&upstream, &self.client).await),
            None => self.gateway.own_tools().filter(|own| own.server == self.server),
        }
    }

    /// Calls a tool of the server. Nothing happens until [`LocalCall::next`] is waited for.
    pub fn call(&self, tool: &str, arguments: &Json, audience: Audience) -> LocalCall {
        let who = (self.client.clone(), self.session.clone());
        let wanted = Wanted { tool, arguments, tab: None };
        LocalCall::new(&self.gateway, who, Id::new(), wanted, audience)
    }
}

/// What is to be called.
#[derive(Clone, Copy)]
pub(crate) struct Wanted<'a> {
    pub(crate) tool: &'a str,
    pub(crate) arguments: &'a Json,
    /// The tab that it is called in, of a tool that lives in a web page.
    pub(crate) tab: Option<&'a str>,
}

impl LocalCall {
    /// A call that is made when it is waited for.
    fn new(
        gateway: &Arc<Gateway>,
        (client, session): (Arc<Client>, Arc<Session>),
        call: Id,
        wanted: Wanted<'_>,
        audience: Audience,
    ) -> LocalCall {
        let Wanted { tool, arguments, tab } = wanted;
        let mut params = Object::default();
        params.set("name", Json::string(tool));
        params.set("arguments", arguments.clone());
        if let Some(tab) = tab {
            let mut meta = Object::default();
            meta.set(META_TAB, Json::string(tab));
            params.set("_meta", meta.to_json());
        }
        let params = params.to_json();
        let (sender, messages) = mpsc::channel(MESSAGES_MAX);
        let exchange = Exchange {
            call,
            client,
            outlet: Outlet::new(sender, Some(session.clone())),
            progress_token: Some(Json::number(1_u64)),
            log_level: None,
        };
        let gateway = gateway.clone();
        let work = async move {
            let called = pipeline::call_tool(&gateway, &exchange, Some(&params), audience).await;
            match called {
                Ok(called) => Delivery::of(called),
                Err(error) => Err(CallError::refused(&error)),
            }
        };
        LocalCall { session, messages, work: Some(Box::pin(work)) }
    }
}

impl Caller {
    /// Makes another request than a tool call, such as `resources/read`, and waits for its result.
    /// A long one is an error; questions of the server are refused.
    pub async fn request(&self, method: &str, params: Option<&Json>) -> Result<Json, CallError> {
        let (sender, _) = mpsc::channel(1);
        let exchange = Exchange {
            call: Id::new(),
            client: self.client.clone(),
            outlet: Outlet::new(sender, None),
            progress_token: None,
            log_level: None,
        };
        let id = Json::number(1);
        match dispatch(&self.gateway, &exchange, &id, method, params).await {
            Ok(Reply::Json(result)) => Ok(result),
            Ok(Reply::File(_)) => Err(CallError::Failed("the result is too long".to_owned())),
            Err(error) => Err(CallError::refused(&error)),
        }
    }
}

impl Drop for Caller {
    fn drop(&mut self) {
        self.gateway.close_session(&self.session.id);
    }
}

/// A result for a caller.
#[derive(Debug)]
pub struct Delivery {
    /// The result as the audience gets it.
    pub text: Text,
    /// Whether the tool failed.
    pub is_error: bool,
    /// What was odd about it.
    pub notes: Vec<Note>,
    /// The files it left.
    pub files: Vec<File>,
}

/// Why there is no result.
#[derive(Debug, thiserror::Error)]
pub enum CallError {
    /// The server, or the gateway, answered with an error of the protocol.
    #[error("{message} ({code})")]
    Refused {
        /// The code of the error.
        code: i64,
        /// What was said.
        message: String,
    },
    /// No answer came.
    #[error("{0}")]
    Failed(String),
    /// The answer is no result yet, but a task.
    #[error("the tool answers with a task, which is not waited for here")]
    Unfinished(Json),
}

impl CallError {
    fn refused(error: &RpcError) -> CallError {
        CallError::Refused { code: error.code, message: error.message.clone() }
    }
}

impl Delivery {
    fn of(called: Called) -> Result<Delivery, CallError> {
        match called {
            Called::Written(Written { text, is_error, notes, files, .. }) => {
                Ok(Delivery { text, is_error, notes, files })
            }
            Called::Unfinished(json) => Err(CallError::Unfinished(json)),
            Called::Failed(reason) => Err(CallError::Failed(reason)),
        }
    }
}

type Work = Pin<Box<dyn Future<Output = Result<Delivery, CallError>> + Send>>;

/// A call that runs while it is waited for. Dropped before its end, it is cancelled.
pub struct LocalCall {
    session: Arc<Session>,
    messages: mpsc::Receiver<Bytes>,
    work: Option<Work>,
}

/// What happens next in a call.
#[derive(Debug)]
pub enum Step {
    /// It has come so far.
    Progress {
        /// How far.
        progress: f64,
        /// Of how much.
        total: Option<f64>,
        /// What the server says about it.
        message: Option<String>,
    },
    /// A log message.
    Log {
        /// Its level, as the protocol has them.
        level: String,
        /// What is said: a string or any other value.
        data: Json,
    },
    /// The server asks the person something, and waits for the answer.
    Question(Question),
    /// The end.
    Done(Result<Delivery, CallError>),
}

/// Something that a server wants to know from the person.
#[derive(Clone, Debug)]
pub struct Question {
    id: Json,
    /// The parameters of `elicitation/create`.
    pub params: Json,
}

impl LocalCall {
    /// What comes next; nothing after the end.
    pub async fn next(&mut self) -> Option<Step> {
        loop {
            let work = self.work.as_mut()?;
            let message = tokio::select! {
                biased;
                Some(message) = self.messages.recv() => message,
                done = work => {
                    // What was said just before the end comes before it.
                    match self.messages.try_recv() {
                        Ok(message) => {
                            self.work = Some(Box::pin(std::future::ready(done)));
                            message
                        }
                        Err(_) => {
                            self.work = None;
                            return Some(Step::Done(done));
                        }
                    }
                }
            };
            if let Some(step) = self.step_of(message) {
                return Some(step);
            }
        }
    }

    /// Answers a question with the result of `elicitation/create`.
    pub fn answer(&self, question: &Question, result: Json) {
        self.session.answered(&question.id, Ok(result));
    }

    fn step_of(&self, message: Bytes) -> Option<Step> {
        match Message::read(message).ok()?.kind {
            Kind::Request { id, method, params } if method == "elicitation/create" => {
                let params = params.unwrap_or(Json::null());
                Some(Step::Question(Question { id, params }))
            }
            Kind::Request { id, method, .. } => {
                let message = format!("{method} is not answered here");
                let refusal = RpcError::new(rpc::METHOD_NOT_FOUND, message);
                self.session.answered(&id, Err(refusal));
                None
            }
            Kind::Notification { method, params: Some(params) } => match method.as_str() {
                "notifications/progress" => Some(Step::Progress {
                    progress: number(&params, "progress")?,
                    total: number(&params, "total"),
                    message: text(&params, "message"),
                }),
                "notifications/message" => Some(Step::Log {
                    level: text(&params, "level").unwrap_or_default(),
                    data: params.get("data")?,
                }),
                _ => None,
            },
            _ => None,
        }
    }
}

fn number(params: &Json, key: &str) -> Option<f64> {
    params.get(key)?.as_text().parse().ok().filter(|number: &f64| number.is_finite())
}

fn text(params: &Json, key: &str) -> Option<String> {
    params.get(key)?.as_str().map(std::borrow::Cow::into_owned)
}
