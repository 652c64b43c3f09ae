//! Calling a tool: as one JSON document, as a stream of events, or in the background.

use std::{collections::HashMap, convert::Infallible, sync::Arc};

use axum::{
    Json,
    body::Body,
    extract::State,
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use bytes::Bytes;
use futures_util::stream;
use resultant_store::Id;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::sync::watch;

use super::running::{Ears, GivenAnswer, UnderWay};
use crate::{
    caller::Caller,
    catalog::Viewer,
    client::Scope,
    clock,
    events::AnyJson,
    front::api::{
        Api,
        events::{self, sse},
        extract::{Place, Said, Who, id},
        files::FileInfo,
        operation::Operation,
        problem::{
            BAD_REQUEST, BUSY, CALL_FAILED, CANCELLED, FORBIDDEN, NOT_FOUND, Problem,
            ProblemDocument,
        },
    },
    local::{CallError, Delivery, LocalCall, Question, Seat, Step, Wanted, api_client},
    pipeline::{Audience, Text},
    retrieval, rpc, tokens,
};

/// A longer contract is not in the answer; the call's renderings have its beginning.
const CONTRACT_BYTES_MAX: usize = 4 << 20;
/// So many files of a result get a link for the person at once.
const LINKS_MAX: usize = 32;
/// What a server is told where nobody can be asked.
const NOBODY_TO_ASK: &str = r#"{"action":"cancel"}"#;

/// What to try where a call is not under way in this process.
const NOT_HERE: &str = "the call is over, or it runs at another gateway of the same store: ask the \
                        one that was asked for it";

pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::post("/api/sessions/{session}/calls", call)
            .named("callTool", "Call a tool")
            .described(
                "The answer is one JSON document when the call is over. With `Accept: \
                 text/event-stream` or `\"stream\": true` it is a stream of the events `call` (its \
                 id, first of all), `progress`, `log`, `question`, and at the end `result` or \
                 `problem`. With `Prefer: respond-async` the answer comes at once and the call \
                 goes on; its record and its events say what came of it. A call that is answered \
                 directly is cancelled when the client goes away; so is a stream. Questions of the \
                 server are asked in a stream only; elsewhere they are cancelled.",
            )
            .takes::<NewCall>()
            .header("Accept", "`text/event-stream` for a stream of events.")
            .header("Prefer", "`respond-async` for a call in the background.")
            .gives::<CallResult>(200, "The result. `Location` says where the call's record is.")
            .gives_events::<CallEvent>("What happens, and the result at the end.")
            .gives::<Accepted>(202, "The call goes on in the background.")
            .fails(&[BAD_REQUEST, NOT_FOUND, BUSY, CALL_FAILED, CANCELLED]),
        Operation::delete("/api/sessions/{session}/calls/{call}", cancel)
            .named("cancelCall", "Cancel a call that is under way")
            .described("Where several gateways share a store, only the one that runs it can.")
            .gives_nothing(204, "It is cancelled.")
            .fails(&[NOT_FOUND]),
        Operation::post("/api/sessions/{session}/calls/{call}/answers", answer)
            .named("answerQuestion", "Answer a question that a server asked during a call")
            .described("Where several gateways share a store, only the one that runs it can.")
            .takes::<NewAnswer>()
            .gives_nothing(204, "The server has the answer.")
            .fails(&[BAD_REQUEST, NOT_FOUND]),
    ]
}

/// A call to be made.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NewCall {
    /// The server; without it, `tool` is a name among those of all servers.
    server: Option<String>,
    /// The tool.
    tool: String,
    /// The arguments.
    #[serde(default)]
    #[schemars(with = "Option<std::collections::BTreeMap<String, AnyJson>>")]
    arguments: Option<Box<serde_json::value::RawValue>>,
    /// Whether the answer is a stream of events.
    #[serde(default)]
    stream: bool,
    /// `app` where the view of a tool calls, and not the person: it may call what is for apps, of
    /// its own server, which is to be named.
    #[serde(rename = "as")]
    caller: Option<CallerWord>,
    /// The tab to call it in, of a tool that lives in a web page: one of `listPages`. Without it, the
    /// one that the person used last.
    #[schemars(length(max = 128))]
    tab: Option<String>,
}

/// On whose behalf a tool is called.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum CallerWord {
    /// The view of a tool (MCP Apps).
    App,
}

/// A call that goes on.
#[derive(Debug, Serialize, JsonSchema)]
struct Accepted {
    /// The call's id.
    id: String,
}

/// What the model is given.
#[derive(Debug, Serialize, JsonSchema)]
struct ModelInfo {
    /// The text.
    text: String,
    /// Its bytes.
    bytes: u64,
    /// Its tokens.
    tokens: u64,
    /// Whether everything is in it; the rest is in files.
    complete: bool,
}

/// A file of a result.
#[derive(Debug, Serialize, JsonSchema)]
struct ResultFile {
    #[serde(flatten)]
    info: FileInfo,
    /// A link for the person, valid for an hour by default; the first 32 files have one.
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
}

/// A result.
#[derive(Debug, Serialize, JsonSchema)]
struct CallResult {
    /// The call's id.
    id: String,
    /// Whether the tool says that it failed.
    is_error: bool,
    /// The result as the contract has it; absent where it is over 4 MiB.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<AnyJson>")]
    contract: Option<resultant::Json>,
    /// The bytes of the contract.
    contract_bytes: u64,
    /// What the model is given.
    model: ModelInfo,
    /// What was odd, each with `rule`, `place`, `message` and `weight`.
    #[schemars(with = "Vec<AnyJson>")]
    notes: Vec<resultant::Json>,
    /// The files that it left in the session.
    files: Vec<ResultFile>,
}

/// An event of a streamed call. Its `event` field is the kind in snake case.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
enum CallEvent {
    /// `call`: the call begins.
    Call {
        /// The call's id.
        id: String,
    },
    /// `progress`: it has come so far.
    Progress {
        /// How far.
        progress: f64,
        /// Of how much.
        #[serde(skip_serializing_if = "Option::is_none")]
        total: Option<f64>,
        /// What the server says about it.
        #[serde(skip_serializing_if = "Option::is_none")]
        message: Option<String>,
    },
    /// `log`: the server says something.
    Log {
        /// How important it is.
        level: String,
        /// What it says.
        #[schemars(with = "AnyJson")]
        data: resultant::Json,
    },
    /// `question`: the server asks the person something, and waits for the answer.
    Question {
        /// What the answer names.
        question: u64,
        /// The parameters of `elicitation/create`: `message`, `requestedSchema`, or `url`.
        #[schemars(with = "AnyJson")]
        params: resultant::Json,
    },
    /// `result`: the end.
    Result(Box<CallResult>),
    /// `problem`: there is no result.
    Problem(ProblemDocument),
}

impl CallEvent {
    fn kind(&self) -> &'static str {
        match self {
            CallEvent::Call { .. } => "call",
            CallEvent::Progress { .. } => "progress",
            CallEvent::Log { .. } => "log",
            CallEvent::Question { .. } => "question",
            CallEvent::Result(_) => "result",
            CallEvent::Problem(_) => "problem",
        }
    }
}

/// What the person says to a question.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum ActionWord {
    /// Here is the answer.
    Accept,
    /// No.
    Decline,
    /// Not now.
    Cancel,
}

/// An answer to a question.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NewAnswer {
    /// The question.
    question: u64,
    /// What the person says.
    action: ActionWord,
    /// What they filled in.
    #[serde(default)]
    #[schemars(with = "Option<std::collections::BTreeMap<String, AnyJson>>")]
    content: Option<Box<serde_json::value::RawValue>>,
}

/// A call under way.
struct Run {
    api: Api,
    id: Id,
    seat: Arc<Seat>,
    call: LocalCall,
    ears: Ears,
    questions: HashMap<u64, Question>,
    next_question: u64,
    /// Whether there is somebody to ask.
    is_asked: bool,
}

impl Drop for Run {
    fn drop(&mut self) {
        self.seat.finish(self.id);
    }
}

impl Run {
    fn start(api: &Api, caller: &Caller, new: &NewCall, is_asked: bool) -> Result<Run, Problem> {
        let scope = match &new.server {
            Some(server) => {
                let is_own = server == retrieval::SERVER && api.gateway.has_own_tools();
                match api.gateway.upstream_of(caller.owner(), server) {
                    Some(upstream) => Scope::One(upstream.name.clone()),
                    None if is_own => Scope::One(retrieval::SERVER.into()),
                    None => return Err(no_such_server(server)),
                }
            }
            None => Scope::All,
        };
        let arguments = arguments(new.arguments.as_deref())?;
        let seat = api.seats.of(&api.gateway, caller).map_err(|error| problem(&error))?;
        let id = Id::new();
        let about = UnderWay {
            server: new.server.clone(),
            tool: new.tool.clone(),
            arguments: arguments.clone(),
            started_ms: clock::now_ms(),
        };
        let wanted = Wanted { tool: &new.tool, arguments: &arguments, tab: new.tab.as_deref() };
        let call = seat.call(scope, id, wanted, Audience::Whole);
        seat.begin(id);
        Ok(Run {
            api: api.clone(),
            id,
            seat,
            call,
            ears: api.running.add(id, caller, about),
            questions: HashMap::new(),
            next_question: 1,
            is_asked,
        })
    }

    /// What happens next; nothing after the end.
    async fn next(&mut self) -> Option<Result<CallEvent, Problem>> {
        loop {
            let step = tokio::select! {
                biased;
                () = cancelled(&mut self.ears.cancelled) => {
                    let problem = Problem::new(CANCELLED, "somebody cancelled it");
                    return Some(Err(problem.of_call(self.id)));
                }
                Some(given) = self.ears.answers.recv() => {
                    self.take_answer(given);
                    continue;
                }
                step = self.call.next() => step?,
            };
            return Some(Ok(match step {
                Step::Progress { progress, total, message } => {
                    CallEvent::Progress { progress, total, message }
                }
                Step::Log { level, data } => CallEvent::Log { level, data },
                Step::Question(question) if self.is_asked => self.ask(question),
                Step::Question(question) => {
                    let nobody = resultant::Json::parse(NOBODY_TO_ASK);
                    self.call.answer(&question, nobody.unwrap_or(resultant::Json::null()));
                    continue;
                }
                Step::Done(Ok(delivery)) => {
                    let result = result(&self.api, self.id, delivery).await;
                    CallEvent::Result(Box::new(result))
                }
                Step::Done(Err(error)) => return Some(Err(problem(&error).of_call(self.id))),
            }));
        }
    }

    fn ask(&mut self, question: Question) -> CallEvent {
        let number = self.next_question;
        self.next_question += 1;
        let params = question.params.clone();
        self.questions.insert(number, question);
        CallEvent::Question { question: number, params }
    }

    fn take_answer(&mut self, given: GivenAnswer) {
        let question = self.questions.remove(&given.question);
        if let Some(question) = &question {
            self.call.answer(question, given.result);
        }
        // Who gave it may have gone meanwhile.
        let _ = given.is_taken.send(question.is_some());
    }

    fn location(&self) -> HeaderValue {
        let location = format!("/api/calls/{}", self.id);
        HeaderValue::from_str(&location).unwrap_or(HeaderValue::from_static("/api/calls"))
    }
}

/// The answer for a result, with links for the person.
async fn result(api: &Api, id: Id, delivery: Delivery) -> CallResult {
    // The id that goes out is of a call that stays.
    api.gateway.settle().await;
    let (contract, text, complete) = match delivery.text {
        Text::Whole { contract, model, is_complete } => (contract, model, is_complete),
        Text::Json(json) => (json, String::new(), false),
        Text::Exact(text) => (resultant::Json::null(), text, true),
    };
    let contract_bytes = contract.as_text().len();
    let mut files = Vec::with_capacity(delivery.files.len());
    for (at, file) in delivery.files.into_iter().enumerate() {
        let url = match at < LINKS_MAX {
            // Without a link the file is there all the same.
            true => api.link_for_person(&file).await.ok(),
            false => None,
        };
        files.push(ResultFile { info: file.into(), url });
    }
    CallResult {
        id: id.to_string(),
        is_error: delivery.is_error,
        contract: (contract_bytes <= CONTRACT_BYTES_MAX).then_some(contract),
        contract_bytes: contract_bytes as u64,
        model: ModelInfo {
            bytes: text.len() as u64,
            tokens: tokens::count(&text) as u64,
            text,
            complete,
        },
        notes: delivery.notes.iter().map(resultant::Note::to_json).collect(),
        files,
    }
}

/// Waits until a call is cancelled.
async fn cancelled(is_cancelled: &mut watch::Receiver<bool>) {
    // Whoever could cancel it stays as long as the call.
    let _ = is_cancelled.wait_for(|is_cancelled| *is_cancelled).await;
}

fn no_such_server(server: &str) -> Problem {
    Problem::new(NOT_FOUND, format!("there is no server `{server}`"))
        .hint("GET /api/servers lists them")
}

fn arguments(written: Option<&serde_json::value::RawValue>) -> Result<resultant::Json, Problem> {
    let text = written.map_or("{}", |written| written.get());
    match resultant::Json::parse(text.to_owned()) {
        Ok(json) if json.is_null() => Ok(resultant::Object::default().to_json()),
        Ok(json) if json.is_object() => Ok(json),
        _ => Err(Problem::bad("`arguments` is to be an object")),
    }
}

/// Why there is no result.
fn problem(error: &CallError) -> Problem {
    match error {
        CallError::Refused { code, message } if *code == rpc::INVALID_PARAMS => {
            let kind = if message.starts_with("unknown tool") { NOT_FOUND } else { BAD_REQUEST };
            Problem::new(kind, message.clone()).hint("GET /api/tools lists the tools")
        }
        CallError::Refused { message, .. } if message.contains("sessions_max") => {
            Problem::new(BUSY, message.clone())
        }
        CallError::Failed(reason) if reason.contains("calls_in_flight_max") => {
            Problem::new(BUSY, reason.clone())
        }
        error => Problem::new(CALL_FAILED, error.to_string()),
    }
}

fn prefers_async(headers: &HeaderMap) -> bool {
    let mut values = headers.get_all("prefer").iter().filter_map(|value| value.to_str().ok());
    values.any(|value| value.split(',').any(|word| word.trim() == "respond-async"))
}

fn accepts_events(headers: &HeaderMap) -> bool {
    let accepted = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok());
    accepted.is_some_and(|accepted| accepted.contains("text/event-stream"))
}

/// Lets the view of a tool call what says that it is for apps, and nothing else.
async fn check_app(api: &Api, caller: &Caller, new: &NewCall) -> Result<(), Problem> {
    let Some(server) = &new.server else {
        return Err(Problem::bad("`as` needs `server`: an app calls tools of its own server"));
    };
    let upstream = api.gateway.upstream(server).ok_or_else(|| no_such_server(server))?;
    let client = api_client(caller.clone(), Scope::One(upstream.name.clone()));
    let found = api.gateway.find_tool(&client, &new.tool).await;
    // What is not listed says nothing of whom it is for.
    match found {
        Ok((_, _, Some(tool))) if tool.is_for(Viewer::App) => Ok(()),
        _ => {
            let detail = format!("`{}` is no tool that an app may call", new.tool);
            let hint = "the tool's `_meta.ui.visibility` has no `app`, or it is not listed";
            Err(Problem::new(FORBIDDEN, detail).hint(hint))
        }
    }
}

async fn call(
    State(api): State<Api>,
    Who(user): Who,
    Place(session): Place<String>,
    headers: HeaderMap,
    Said(new): Said<NewCall>,
) -> Result<Response, Problem> {
    let caller = api.caller(&user, &session).await?;
    if let Some(CallerWord::App) = new.caller {
        check_app(&api, &caller, &new).await?;
    }
    let is_streamed = new.stream || accepts_events(&headers);
    let mut run = Run::start(&api, &caller, &new, is_streamed)?;
    let location = run.location();
    if is_streamed {
        let mut response = events::response(stream_body(run));
        response.headers_mut().insert(header::LOCATION, location);
        return Ok(response);
    }
    if prefers_async(&headers) {
        let id = run.id.to_string();
        tokio::spawn(async move { while let Some(Ok(_)) = run.next().await {} });
        let applied = ("preference-applied", HeaderValue::from_static("respond-async"));
        let said = [(header::LOCATION.as_str(), location), applied];
        return Ok((StatusCode::ACCEPTED, said, Json(Accepted { id })).into_response());
    }
    let gone = Problem::new(CALL_FAILED, "the call ended without a result").of_call(run.id);
    while let Some(happened) = run.next().await {
        if let CallEvent::Result(result) = happened? {
            let said = [(header::LOCATION, location)];
            return Ok((said, Json(result)).into_response());
        }
    }
    Err(gone)
}

fn stream_body(run: Run) -> Body {
    let heartbeat = run.api.gateway.config().timeouts.heartbeat;
    let first = CallEvent::Call { id: run.id.to_string() };
    let state = (Some(run), Some(first));
    Body::from_stream(stream::unfold(state, move |(run, first)| async move {
        let mut run = run?;
        let event = match first {
            Some(first) => first,
            None => match tokio::time::timeout(heartbeat, run.next()).await {
                Ok(Some(Ok(event))) => event,
                Ok(Some(Err(problem))) => CallEvent::Problem(problem.document()),
                Ok(None) => return None,
                Err(_) => return Some((ok(events::HEARTBEAT), (Some(run), None))),
            },
        };
        let is_end = matches!(event, CallEvent::Result(_) | CallEvent::Problem(_));
        let bytes = sse(None, Some(event.kind()), resultant::Json::of(&event).as_text());
        Some((ok(bytes), ((!is_end).then_some(run), None)))
    }))
}

fn ok(bytes: Bytes) -> Result<Bytes, Infallible> {
    Ok(bytes)
}

async fn cancel(
    State(api): State<Api>,
    Who(user): Who,
    Place((session, call)): Place<(String, String)>,
) -> Result<impl IntoResponse, Problem> {
    match api.running.cancel(&user.id, &session, id(&call)?) {
        true => Ok(StatusCode::NO_CONTENT),
        false => Err(Problem::not_found().hint(NOT_HERE)),
    }
}

async fn answer(
    State(api): State<Api>,
    Who(user): Who,
    Place((session, call)): Place<(String, String)>,
    Said(new): Said<NewAnswer>,
) -> Result<impl IntoResponse, Problem> {
    let mut result = resultant::Object::default();
    let action = match new.action {
        ActionWord::Accept => "accept",
        ActionWord::Decline => "decline",
        ActionWord::Cancel => "cancel",
    };
    result.set("action", resultant::Json::string(action));
    if let Some(content) = &new.content {
        result.set("content", arguments(Some(content))?);
    }
    let place = (user.id.as_str(), session.as_str());
    match api.running.answer(place, id(&call)?, new.question, result.to_json()).await {
        true => Ok(StatusCode::NO_CONTENT),
        false => Err(Problem::not_found().hint(NOT_HERE)),
    }
}
