//! The calls that are under way in this process, so that they can be cancelled and answered.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
};

use resultant::Json;
use resultant_store::Id;
use tokio::sync::{mpsc, oneshot, watch};

use crate::{
    caller::Caller,
    client::lock,
    gateway::Gateway,
    local::{CallError, Seat},
};

/// How many answers may wait for a call to take them.
const ANSWERS_MAX: usize = 16;

/// An answer to a question of a server. Whether the question waits for one is told back.
pub(super) struct GivenAnswer {
    pub(super) question: u64,
    pub(super) result: Json,
    pub(super) is_taken: oneshot::Sender<bool>,
}

struct Entry {
    owner: String,
    session: String,
    about: UnderWay,
    cancel: watch::Sender<bool>,
    answers: mpsc::Sender<GivenAnswer>,
}

/// What is known of a call that is under way.
#[derive(Clone, Debug)]
pub(super) struct UnderWay {
    /// The server, where the caller named one.
    pub(super) server: Option<String>,
    pub(super) tool: String,
    pub(super) arguments: Json,
    pub(super) started_ms: i64,
}

/// The calls under way.
#[derive(Default)]
pub(in crate::front::api) struct Running {
    calls: Mutex<HashMap<Id, Entry>>,
}

/// What a call hears while it runs. Dropped, the call is not under way any more.
pub(super) struct Ears {
    running: Arc<Running>,
    id: Id,
    pub(super) cancelled: watch::Receiver<bool>,
    pub(super) answers: mpsc::Receiver<GivenAnswer>,
}

impl Drop for Ears {
    fn drop(&mut self) {
        lock(&self.running.calls).remove(&self.id);
    }
}

impl Running {
    pub(super) fn add(self: &Arc<Running>, id: Id, caller: &Caller, about: UnderWay) -> Ears {
        let (cancel, cancelled) = watch::channel(false);
        let (sender, answers) = mpsc::channel(ANSWERS_MAX);
        let entry = Entry {
            owner: caller.owner().to_owned(),
            session: caller.session.to_string(),
            about,
            cancel,
            answers: sender,
        };
        lock(&self.calls).insert(id, entry);
        Ears { running: self.clone(), id, cancelled, answers }
    }

    /// A call of the owner's, and its session.
    pub(super) fn find(&self, owner: &str, id: Id) -> Option<(String, UnderWay)> {
        let calls = lock(&self.calls);
        let entry = calls.get(&id).filter(|entry| entry.owner == owner)?;
        Some((entry.session.clone(), entry.about.clone()))
    }

    /// Cancels a call. Says whether there was one.
    pub(super) fn cancel(&self, owner: &str, session: &str, id: Id) -> bool {
        let calls = lock(&self.calls);
        let entry = calls.get(&id).filter(|entry| entry.owner == owner && entry.session == session);
        entry.is_some_and(|entry| entry.cancel.send(true).is_ok())
    }

    /// Cancels the calls of a session.
    pub(in crate::front::api) fn cancel_session(&self, owner: &str, session: &str) {
        for entry in lock(&self.calls).values() {
            if entry.owner == owner && entry.session == session {
                let _ = entry.cancel.send(true);
            }
        }
    }

    /// Answers a question of a server. Says whether it waited for that.
    pub(super) async fn answer(
        &self,
        (owner, session): (&str, &str),
        id: Id,
        question: u64,
        result: Json,
    ) -> bool {
        let sender = {
            let calls = lock(&self.calls);
            let entry = calls.get(&id);
            let entry = entry.filter(|entry| entry.owner == owner && entry.session == session);
            entry.map(|entry| entry.answers.clone())
        };
        let Some(sender) = sender else { return false };
        let (is_taken, taken) = oneshot::channel();
        let given = GivenAnswer { question, result, is_taken };
        sender.send(given).await.is_ok() && taken.await.unwrap_or(false)
    }
}

/// The places of API sessions at the servers, each kept as long as it is used.
#[derive(Default)]
pub(in crate::front::api) struct Seats {
    taken: Mutex<HashMap<(String, String), Arc<Seat>>>,
}

impl Seats {
    /// The place of a caller's session.
    pub(in crate::front::api) fn of(
        &self,
        gateway: &Arc<Gateway>,
        caller: &Caller,
    ) -> Result<Arc<Seat>, CallError> {
        let key = (caller.owner().to_owned(), caller.session.to_string());
        let mut taken = lock(&self.taken);
        // Those that the gateway has given up are of no use.
        let gone: Vec<_> = taken.extract_if(|_, seat| !seat.is_open()).collect();
        if let Some(seat) = taken.get(&key) {
            return Ok(seat.clone());
        }
        let seat = Arc::new(Seat::take(gateway, caller.clone())?);
        taken.insert(key, seat.clone());
        drop(taken);
        drop(gone);
        Ok(seat)
    }

    /// Gives up the place of a session that is over.
    pub(in crate::front::api) fn leave(&self, owner: &str, session: &str) {
        let seat = lock(&self.taken).remove(&(owner.to_owned(), session.to_owned()));
        drop(seat);
    }
}
