//! One call as a fixture sees it, and how a fixture asks its client for something.
//!
//! `ask` hides the eras from each other. A legacy call sends requests and waits. A modern call ends
//! with `input_required` unless the retry brought the answers; what earlier rounds were told is kept
//! in the signed state that the client carries, so that the fixture can run again from its start.

use std::sync::Arc;

use futures_util::future::join_all;
use hmac::{Hmac, KeyInit, Mac};
use serde_json::{Value, json};
use sha2::Sha256;

use crate::{
    message::{
        Failure, Halt, INTERNAL_ERROR, INVALID_PARAMS, MISSING_CAPABILITY, Object, notification,
    },
    outlet::Outlet,
    server::Server,
    session::{Session, urgency},
};

pub(crate) const META_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
pub(crate) const META_LEVEL: &str = "io.modelcontextprotocol/logLevel";
pub(crate) const META_VERSION: &str = "io.modelcontextprotocol/protocolVersion";

/// How the request at hand is to be answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    Legacy,
    Modern,
}

/// Whether the client has to bring back a state besides its answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    None,
    Signed,
}

/// One thing to ask the client for.
pub(crate) struct Question {
    pub(crate) name: &'static str,
    method: &'static str,
    capability: &'static str,
    params: Value,
}

impl Question {
    /// The user, by a form of these properties, all of them required.
    pub(crate) fn form(name: &'static str, message: &str, properties: &Value) -> Self {
        let required: Vec<&String> = properties
            .as_object()
            .map(|properties| properties.keys().collect())
            .unwrap_or_default();
        let schema = json!({ "type": "object", "properties": properties, "required": required });
        let params = json!({ "message": message, "requestedSchema": schema });
        Self { name, method: "elicitation/create", capability: "elicitation", params }
    }

    /// The client's model.
    pub(crate) fn model(name: &'static str, prompt: &str, tokens_max: u32) -> Self {
        let content = json!({ "type": "text", "text": prompt });
        let params = json!({
            "messages": [{ "role": "user", "content": content }],
            "maxTokens": tokens_max,
        });
        Self { name, method: "sampling/createMessage", capability: "sampling", params }
    }

    pub(crate) fn roots(name: &'static str) -> Self {
        Self { name, method: "roots/list", capability: "roots", params: json!({}) }
    }
}

pub(crate) struct Call {
    pub(crate) server: Arc<Server>,
    pub(crate) session: Arc<Session>,
    pub(crate) out: Outlet,
    pub(crate) dialect: Dialect,
    pub(crate) id: Value,
    pub(crate) params: Object,
}

impl Call {
    pub(crate) fn text(&self, name: &str) -> Result<&str, Failure> {
        self.params.get(name).and_then(Value::as_str).ok_or_else(|| {
            Failure::new(INVALID_PARAMS, format!("'{name}' is missing or not a string"))
        })
    }

    /// An argument of a tool or a prompt.
    pub(crate) fn argument(&self, name: &str) -> Result<&str, Failure> {
        self.params.get("arguments").and_then(|arguments| arguments[name].as_str()).ok_or_else(
            || Failure::new(INVALID_PARAMS, format!("the argument '{name}' is missing")),
        )
    }

    fn meta(&self, key: &str) -> Option<&Value> {
        self.params.get("_meta")?.get(key)
    }

    pub(crate) fn can(&self, capability: &str) -> bool {
        match self.dialect {
            Dialect::Legacy => self.session.has_capability(capability),
            Dialect::Modern => self
                .meta(META_CAPABILITIES)
                .is_some_and(|capabilities| capabilities.get(capability).is_some()),
        }
    }

    pub(crate) fn log(&self, level: &'static str, text: &str) {
        let least = match self.dialect {
            Dialect::Legacy => Some(self.session.level().unwrap_or_else(|| "info".to_owned())),
            Dialect::Modern => self.meta(META_LEVEL).and_then(Value::as_str).map(str::to_owned),
        };
        if least.is_some_and(|least| urgency(level) >= urgency(&least)) {
            let params = json!({ "level": level, "logger": "conformance_server", "data": text });
            self.out.send(notification("notifications/message", &params));
        }
    }

    pub(crate) fn progress(&self, progress: u32, total: u32) {
        if let Some(token) = self.meta("progressToken") {
            let params = json!({ "progressToken": token, "progress": progress, "total": total });
            self.out.send(notification("notifications/progress", &params));
        }
    }

    /// Asks all questions at once. The answers come in the order of the questions; a refusal of the
    /// client's ends the call.
    pub(crate) async fn ask(
        &self,
        questions: &[Question],
        state: State,
    ) -> Result<Vec<Value>, Halt> {
        match self.dialect {
            Dialect::Legacy => {
                let answers = join_all(questions.iter().map(|question| self.request(question)));
                answers.await.into_iter().map(|answer| answer.map_err(Halt::Error)).collect()
            }
            Dialect::Modern => self.read_answers(questions, state),
        }
    }

    pub(crate) async fn ask_one(&self, question: Question, state: State) -> Result<Value, Halt> {
        Ok(self.ask(&[question], state).await?.pop().unwrap_or_default())
    }

    async fn request(&self, question: &Question) -> Result<Value, Failure> {
        let Question { name, method, params, .. } = question;
        let (id, answer) = self.session.expect(name);
        let params = if params == &json!({}) { None } else { Some(params) };
        let mut message = json!({ "jsonrpc": "2.0", "id": id, "method": method });
        if let Some(params) = params {
            message["params"] = params.clone();
        }
        self.out.send(message);
        match answer.await {
            Ok(Ok(result)) => Ok(result),
            Ok(Err(error)) => {
                let why = error["message"].as_str().unwrap_or_default();
                Err(Failure::new(INTERNAL_ERROR, format!("the client refused {method}: {why}")))
            }
            Err(_) => Err(Failure::new(INTERNAL_ERROR, "the client is gone")),
        }
    }

    fn read_answers(&self, questions: &[Question], state: State) -> Result<Vec<Value>, Halt> {
        let mut known = self.open_state()?;
        match self.params.get("inputResponses") {
            None => {}
            Some(Value::Object(responses)) => {
                known.extend(responses.iter().map(|(name, answer)| (name.clone(), answer.clone())));
            }
            Some(_) => {
                let message = "inputResponses is not an object";
                return Err(Failure::new(INVALID_PARAMS, message).into());
            }
        }
        let answers: Option<Vec<Value>> = questions
            .iter()
            .map(|question| known.get(question.name).filter(|answer| answer.is_object()).cloned())
            .collect();
        if let Some(answers) = answers {
            return Ok(answers);
        }
        if let Some(lacking) = questions.iter().find(|question| !self.can(question.capability)) {
            return Err(missing_capability(lacking.capability).into());
        }
        let requests: Object = questions
            .iter()
            .map(|Question { name, method, params, .. }| {
                ((*name).to_owned(), json!({ "method": method, "params": params }))
            })
            .collect();
        let mut result = json!({ "resultType": "input_required", "inputRequests": requests });
        if state == State::Signed {
            result["requestState"] = self.seal_state(known).into();
        }
        Err(Halt::InputRequired(result))
    }

    /// The answers of earlier rounds.
    fn open_state(&self) -> Result<Object, Failure> {
        let Some(state) = self.params.get("requestState") else { return Ok(Object::new()) };
        let broken = || Failure::new(INVALID_PARAMS, "requestState is not what we gave");
        let (signature, text) =
            state.as_str().and_then(|state| state.split_once('.')).ok_or_else(broken)?;
        if signature != self.signature(text) {
            return Err(broken());
        }
        serde_json::from_str(text).map_err(|_| broken())
    }

    fn seal_state(&self, answers: Object) -> String {
        let text = Value::Object(answers).to_string();
        format!("{}.{text}", self.signature(&text))
    }

    /// Bound to the tool or prompt, so that a state is of no use to another.
    fn signature(&self, text: &str) -> String {
        let name = self.params.get("name").and_then(Value::as_str).unwrap_or_default();
        let mut mac = Hmac::<Sha256>::new(&self.server.key.into());
        mac.update(name.as_bytes());
        mac.update(b"\0");
        mac.update(text.as_bytes());
        mac.finalize().into_bytes().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// What a modern server says when the client did not declare what a request needs.
pub(crate) fn missing_capability(capability: &str) -> Failure {
    let message = format!("this needs a client with the capability '{capability}'");
    let data = json!({ "requiredCapabilities": { capability: {} } });
    Failure::with(MISSING_CAPABILITY, message, data)
}
