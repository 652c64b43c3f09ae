//! Calls of modern clients that a legacy server has asked something about: they wait here until
//! the client comes back with the answers, but not for ever.

use std::{
    collections::HashMap,
    sync::Mutex,
    time::{Duration, Instant},
};

use resultant::{Json, Object};

use crate::{
    caller::Caller,
    client::lock,
    random,
    rpc::{self, RpcError},
    upstream::{Call, ServerRequest},
};

/// The calls that wait.
#[derive(Debug)]
pub(crate) struct ParkedCalls {
    calls: Mutex<HashMap<String, Waiting>>,
    patience: Duration,
    calls_max: usize,
}

#[derive(Debug)]
struct Waiting {
    /// Whose it is.
    owner: String,
    call: Call,
    requests: Vec<(String, ServerRequest)>,
    until: Instant,
}

/// What coming back leads to.
#[derive(Debug)]
pub(crate) enum Parked {
    /// The server has what it asked for.
    Running(Call),
    /// Something is still missing: the result that says so.
    Waiting(Json),
}

impl ParkedCalls {
    pub(crate) fn new(patience: Duration, calls_max: usize) -> ParkedCalls {
        ParkedCalls { calls: Mutex::default(), patience, calls_max }
    }

    /// Parks a call and says what the client is to answer.
    pub(crate) fn park(&self, caller: &Caller, call: Call, requests: Vec<ServerRequest>) -> Json {
        let mut keyed: Vec<(String, ServerRequest)> = Vec::new();
        for request in requests {
            // The server's own name for its request, made unique.
            let name = request.id.as_str().map_or_else(|| request.id.to_string(), |id| id.into());
            let is_taken = keyed.iter().any(|(key, _)| *key == name);
            let key = if is_taken { format!("{name}-{}", keyed.len() + 1) } else { name };
            keyed.push((key, request));
        }
        self.keep(caller, call, keyed)
    }

    fn keep(&self, caller: &Caller, call: Call, requests: Vec<(String, ServerRequest)>) -> Json {
        let state = random::token();
        let result = input_required(&state, &requests);
        let mut calls = lock(&self.calls);
        // Where too many wait, the one that would end first makes room.
        if calls.len() >= self.calls_max {
            let first = calls.iter().min_by_key(|(_, waiting)| waiting.until);
            if let Some(first) = first.map(|(state, _)| state.clone()) {
                calls.remove(&first);
            }
        }
        let until = Instant::now() + self.patience;
        calls.insert(state, Waiting { owner: caller.owner().to_owned(), call, requests, until });
        result
    }

    /// Takes a call up again with the client's answers.
    pub(crate) async fn resume(
        &self,
        caller: &Caller,
        state: &str,
        responses: Option<&Json>,
    ) -> Result<Parked, RpcError> {
        let waiting = {
            let mut calls = lock(&self.calls);
            let is_theirs = calls.get(state).is_some_and(|waiting| waiting.owner == caller.owner());
            if is_theirs { calls.remove(state) } else { None }
        };
        let Some(Waiting { call, requests, .. }) = waiting else {
            let message = "this requestState is unknown, used or too old; make the request again";
            return Err(RpcError::new(rpc::INVALID_PARAMS, message));
        };
        let mut missing = Vec::new();
        for (key, request) in requests {
            match responses.and_then(|responses| responses.get(&key)) {
                Some(response) if response.is_object() => request.answer(Ok(response)).await,
                _ => missing.push((key, request)),
            }
        }
        Ok(match missing.is_empty() {
            true => Parked::Running(call),
            false => Parked::Waiting(self.keep(caller, call, missing)),
        })
    }

    /// Lets go of those who waited too long.
    pub(crate) fn sweep(&self) {
        let now = Instant::now();
        lock(&self.calls).retain(|_, waiting| waiting.until > now);
    }
}

fn input_required(state: &str, requests: &[(String, ServerRequest)]) -> Json {
    let mut questions = Object::default();
    for (key, request) in requests {
        let mut question = Object::default();
        question.set("method", Json::string(&request.method));
        if let Some(params) = &request.params {
            question.set("params", params.clone());
        }
        questions.set(key, question.to_json());
    }
    let mut result = Object::default();
    result.set("resultType", Json::string("input_required"));
    result.set("inputRequests", questions.to_json());
    result.set("requestState", Json::string(state));
    result.to_json()
}
