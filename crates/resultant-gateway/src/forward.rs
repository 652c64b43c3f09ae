//! A client's request on its way through a server: progress and log messages pass, questions of
//! the server reach the client, in whichever way both can have it.
//!
//! | server | client | a question of the server |
//! |---|---|---|
//! | legacy | legacy | is asked of the client, and the answer passed on |
//! | modern | modern | `input_required` passes through |
//! | modern | legacy | is asked of the client, and the request made again with the answer |
//! | legacy | modern | the call is parked, the client gets `input_required` and comes back |

mod parked;

use std::{
    sync::{Arc, Weak},
    time::{Duration, Instant},
};

use resultant::{Json, Object};
use tokio::task::JoinSet;

pub(crate) use self::parked::{Parked, ParkedCalls};
use crate::{
    arguments::Scrubber,
    body::{Body, Spool},
    bridge,
    client::Exchange,
    pipeline::ProgressEvents,
    rpc::{self, Kind, Message, RpcError},
    upstream::{Call, Event, Link, ServerRequest, Step, TakesAnswer, WireError},
};

/// How many rounds of questions a call may have.
const ROUNDS_MAX: usize = 10;
/// Questions that come within this time of each other are asked together.
const GATHER_TIME: Duration = Duration::from_millis(60);
/// So many progress messages pass unthinned; from there on one in each interval.
const PROGRESS_FREE: u32 = 100;
const PROGRESS_INTERVAL: Duration = Duration::from_millis(50);

/// What a request comes to.
#[derive(Debug)]
pub(crate) enum Answer {
    /// A short result, and the whole message it came in.
    Result {
        result: Json,
        message: bytes::Bytes,
    },
    /// A long message.
    Spooled(Spool),
    /// A long message that was taken as it came.
    Taken,
    Error(RpcError),
    /// The way broke, or a limit was reached.
    Failed(WireError),
    /// No answer within the time for calls.
    TimedOut(Duration),
}

/// A request to make.
#[derive(Clone)]
pub(crate) struct Errand {
    pub(crate) method: String,
    pub(crate) params: Option<Json>,
    /// Members of the parameters to set or to take out.
    pub(crate) edits: Vec<(&'static str, Option<Json>)>,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) timeout: Option<Duration>,
    /// The client hears something at least this often.
    pub(crate) heartbeat: Duration,
    /// Who else hears how far it has come.
    pub(crate) progress: Option<Arc<ProgressEvents>>,
    /// Who takes a long answer as it comes.
    pub(crate) takes: Option<Weak<dyn TakesAnswer>>,
}

impl Errand {
    /// Whether the answer is on its way already.
    fn is_being_answered(&self) -> bool {
        self.takes.as_ref().and_then(Weak::upgrade).is_some_and(|takes| takes.has_begun())
    }
}

/// Makes a request and sees it through to its answer.
pub(crate) async fn forward(
    parked: &ParkedCalls,
    exchange: &Exchange,
    link: &Arc<Link>,
    errand: &Errand,
) -> Answer {
    let client = &exchange.client;
    if let Some(level) = &exchange.log_level {
        let _ = link.want_level(level).await;
    }
    let state = errand.params.as_ref().and_then(|params| params.get("requestState"));
    if client.is_modern() && !link.is_modern() {
        if let Some(state) = state {
            return come_back(parked, exchange, errand, &state).await;
        }
        let answer = run(parked, exchange, link, errand, &errand.edits).await;
        return answer;
    }
    let mut edits = errand.edits.clone();
    for _ in 0..ROUNDS_MAX {
        let answer = run(parked, exchange, link, errand, &edits).await;
        let Answer::Result { result, .. } = &answer else { return answer };
        let asks = bridge::unfinished(result).as_deref() == Some("input_required");
        if !asks || client.is_modern() {
            return answer;
        }
        // A modern server asks a legacy client: ask it, and make the request again.
        let patience = errand.timeout.unwrap_or(Duration::from_secs(24 * 60 * 60));
        let Ok(answers) = tokio::time::timeout(patience, answers_of(exchange, result)).await else {
            return Answer::TimedOut(patience);
        };
        match answers {
            Ok(responses) => {
                edits.retain(|(key, _)| !matches!(*key, "inputResponses" | "requestState"));
                edits.push(("inputResponses", Some(responses)));
                edits.push(("requestState", result.get("requestState")));
            }
            Err(error) => return Answer::Error(error),
        }
    }
    let message = format!("the server asked for input more than {ROUNDS_MAX} times");
    Answer::Error(RpcError::new(rpc::INTERNAL_ERROR, message))
}

async fn run(
    parked: &ParkedCalls,
    exchange: &Exchange,
    link: &Arc<Link>,
    errand: &Errand,
    edits: &[(&'static str, Option<Json>)],
) -> Answer {
    let params = |id| Some(bridge::params_for(link, exchange, errand.params.as_ref(), edits, id));
    let owner = exchange.client.owner;
    let (headers, takes) = (errand.headers.clone(), errand.takes.clone());
    let starting = link.start(owner, &errand.method, params, headers, takes);
    // A server that does not read lets requests pile up.
    let started = match errand.timeout {
        Some(timeout) => tokio::time::timeout(timeout, starting).await,
        None => Ok(starting.await),
    };
    match started {
        Ok(Ok(call)) => see_through(parked, exchange, errand, call).await,
        Ok(Err(error)) => Answer::Failed(error),
        Err(_) => Answer::TimedOut(errand.timeout.unwrap_or_default()),
    }
}

/// Waits for the answer of a call, and passes on what comes before it.
async fn see_through(
    parked: &ParkedCalls,
    exchange: &Exchange,
    errand: &Errand,
    mut call: Call,
) -> Answer {
    let mut deadline = errand.timeout.map(|timeout| Instant::now() + timeout);
    let mut questions = JoinSet::new();
    let mut thinning = Thinning::default();
    let mut pulse = Pulse::new();
    let mut refused: Option<&'static str> = None;
    loop {
        let beat = Instant::now() + errand.heartbeat;
        let until = deadline.map_or(beat, |deadline| deadline.min(beat));
        let step = match tokio::time::timeout_at(until.into(), call.next()).await {
            Ok(step) => step,
            Err(_) if deadline.is_some_and(|deadline| deadline <= until) => {
                return Answer::TimedOut(errand.timeout.unwrap_or_default());
            }
            Err(_) => {
                pulse.beat(exchange);
                continue;
            }
        };
        match step {
            Step::Event(Event::Notification { method, params }) => {
                let params = without_tokens(params);
                pulse.heard(&method, params.as_ref());
                // Who reports progress is at work, and gets the time anew.
                if method == "notifications/progress" {
                    deadline = errand.timeout.map(|timeout| Instant::now() + timeout);
                    if let (Some(events), Some(params)) = (&errand.progress, &params) {
                        events.tell(params);
                    }
                }
                pass_on(exchange, &mut thinning, &method, params.as_ref());
            }
            Step::Event(Event::Request(mut request)) => {
                request.params = without_tokens(request.params.take());
                if !exchange.client.can(&request.method) {
                    refused = Some(capability_of(&request.method));
                    let message = format!("the client cannot answer {}", request.method);
                    request.answer(Err(RpcError::new(rpc::METHOD_NOT_FOUND, message))).await;
                } else if errand.is_being_answered() {
                    request.refuse("the answer to the call is already coming").await;
                } else if exchange.client.is_modern() {
                    let requests = gather(&mut call, request, exchange, &mut thinning).await;
                    let result = parked.park(&exchange.client.caller, call, requests);
                    let message = rpc::result("null", result.as_text());
                    return Answer::Result { result, message };
                } else {
                    let outlet = exchange.outlet.clone();
                    questions.spawn(async move {
                        let answer = outlet.ask(&request.method, request.params.as_ref()).await;
                        request.answer(answer).await;
                    });
                }
            }
            Step::Answer(answer) => return read_answer(exchange, answer, refused),
        }
    }
}

/// Questions that come together are asked together.
async fn gather(
    call: &mut Call,
    first: ServerRequest,
    exchange: &Exchange,
    thinning: &mut Thinning,
) -> Vec<ServerRequest> {
    let mut requests = vec![first];
    while let Ok(Some(event)) = tokio::time::timeout(GATHER_TIME, call.next_event()).await {
        match event {
            Event::Notification { method, params } => {
                let params = without_tokens(params);
                pass_on(exchange, thinning, &method, params.as_ref());
            }
            Event::Request(mut request) if exchange.client.can(&request.method) => {
                request.params = without_tokens(request.params.take());
                requests.push(request);
            }
            Event::Request(request) => request.refuse("the client cannot answer it").await,
        }
    }
    requests
}

/// A modern client comes back with what a legacy server asked for.
async fn come_back(
    parked: &ParkedCalls,
    exchange: &Exchange,
    errand: &Errand,
    state: &Json,
) -> Answer {
    let responses = errand.params.as_ref().and_then(|params| params.get("inputResponses"));
    let state = state.as_str().unwrap_or_default();
    match parked.resume(&exchange.client.caller, &state, responses.as_ref()).await {
        Ok(Parked::Running(call)) => see_through(parked, exchange, errand, call).await,
        Ok(Parked::Waiting(result)) => {
            let message = rpc::result("null", result.as_text());
            Answer::Result { result, message }
        }
        Err(error) => Answer::Error(error),
    }
}

fn read_answer(
    exchange: &Exchange,
    answer: Result<Body, WireError>,
    refused: Option<&'static str>,
) -> Answer {
    let bytes = match answer {
        Ok(Body::Whole(bytes)) => bytes,
        Ok(Body::Spooled(spool)) => return Answer::Spooled(spool),
        Ok(Body::Passed(_)) => return Answer::Taken,
        Ok(Body::Strayed(_)) => {
            return Answer::Failed(WireError::Broken("the answer is no response".to_owned()));
        }
        Err(error) => return Answer::Failed(error),
    };
    match Message::read(bytes.clone()).map(|message| message.kind) {
        Ok(Kind::Result { result, .. }) => Answer::Result { result, message: bytes },
        Ok(Kind::Error { error, .. }) => match refused {
            // The server failed because of what the client cannot do: the client is told so.
            Some(capability) if exchange.client.is_modern() => {
                Answer::Error(missing_capability(capability))
            }
            _ => Answer::Error(error),
        },
        Ok(_) => Answer::Failed(WireError::Broken("the answer is no response".to_owned())),
        Err(error) => Answer::Failed(WireError::Broken(format!("the answer is no JSON: {error}"))),
    }
}

/// A server may say an address that it was given also before it answers.
fn without_tokens(params: Option<Json>) -> Option<Json> {
    params.map(|params| Scrubber::default().json(params))
}

fn missing_capability(capability: &str) -> RpcError {
    let mut required = Object::default();
    required.set(capability, Object::default().to_json());
    let mut data = Object::default();
    data.set("requiredCapabilities", required.to_json());
    let message = format!("this needs the client capability `{capability}`");
    RpcError::with_data(rpc::MISSING_CAPABILITY, message, Some(&data.to_json()))
}

fn capability_of(method: &str) -> &'static str {
    match method {
        "elicitation/create" => "elicitation",
        "roots/list" => "roots",
        _ => "sampling",
    }
}

/// Asks a legacy client everything a modern server wants to know.
async fn answers_of(exchange: &Exchange, result: &Json) -> Result<Json, RpcError> {
    let requests = result.get("inputRequests");
    let mut responses = Object::default();
    for (key, request) in requests.iter().flat_map(Json::members) {
        let method = request.get("method");
        let method = method.as_ref().and_then(Json::as_str).unwrap_or_default();
        if !exchange.client.can(&method) {
            return Err(missing_capability(capability_of(&method)));
        }
        let answer = exchange.outlet.ask(&method, request.get("params").as_ref()).await?;
        responses.set(&key, answer);
    }
    Ok(responses.to_json())
}

/// Signs of life for a client while its server says nothing.
#[derive(Debug)]
struct Pulse {
    started: Instant,
    /// The last progress that the client knows of.
    progress: f64,
}

impl Pulse {
    fn new() -> Pulse {
        Pulse { started: Instant::now(), progress: 0.0 }
    }

    fn heard(&mut self, method: &str, params: Option<&Json>) {
        let progress = params.filter(|_| method == "notifications/progress");
        let progress = progress.and_then(|params| params.get("progress"));
        if let Some(progress) = progress.and_then(|progress| progress.as_text().parse().ok()) {
            self.progress = progress;
        }
    }

    /// Progress must grow, so it grows by next to nothing.
    fn beat(&mut self, exchange: &Exchange) {
        let Some(token) = &exchange.progress_token else { return exchange.outlet.tick() };
        self.progress += 1e-6;
        let seconds = self.started.elapsed().as_secs();
        let params = format!(
            "{{\"progressToken\":{},\"progress\":{},\"message\":\"still running after {seconds} s\"}}",
            token.as_text(),
            self.progress,
        );
        exchange.outlet.tell(rpc::notification("notifications/progress", Some(&params)));
    }
}

#[derive(Debug, Default)]
struct Thinning {
    passed: u32,
    last: Option<Instant>,
}

impl Thinning {
    fn lets_pass(&mut self) -> bool {
        let now = Instant::now();
        let is_due = self.last.is_none_or(|last| now - last >= PROGRESS_INTERVAL);
        let passes = self.passed < PROGRESS_FREE || is_due;
        if passes {
            self.passed += 1;
            self.last = Some(now);
        }
        passes
    }
}

/// Passes a notification on to the client who made the request.
fn pass_on(exchange: &Exchange, thinning: &mut Thinning, method: &str, params: Option<&Json>) {
    let outlet = &exchange.outlet;
    match method {
        "notifications/progress" => {
            let Some(token) = &exchange.progress_token else {
                return outlet.tick();
            };
            if !thinning.lets_pass() {
                return;
            }
            let mut params = params.map(Object::of).unwrap_or_default();
            params.set("progressToken", token.clone());
            outlet.tell(rpc::notification(method, Some(params.to_json().as_text())));
        }
        "notifications/message" => {
            let level = params.and_then(|params| params.get("level"));
            let level = level.as_ref().and_then(Json::as_str).unwrap_or_default();
            let wanted = match &exchange.client.session {
                Some(session) => crate::client::lock(&session.level).clone(),
                None => exchange.log_level.clone(),
            };
            // A legacy client that named no level takes what the server sends.
            let is_wanted = match wanted {
                Some(wanted) => bridge::level_rank(&level) >= bridge::level_rank(&wanted),
                None => !exchange.client.is_modern(),
            };
            if is_wanted {
                outlet.tell(rpc::notification(method, params.map(Json::as_text)));
            }
        }
        _ => outlet.tell(rpc::notification(method, params.map(Json::as_text))),
    }
}
