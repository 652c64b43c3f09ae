//! The end of the way: the files of an outcome are kept, and it is written for its audience.

use std::{sync::Arc, time::Instant};

use resultant::{Artifact, Canvas, ClientOptions, Display, Json, Note, Outcome, Protocol};
use resultant_store::{File, Id, Origin};
use tokio::runtime::Handle;

use crate::{caller::Caller, files::FileSink, gateway::Gateway, metrics::Step};

/// Whom a result is written for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Audience {
    /// A program: contract JSON.
    Contract,
    /// The model: the text it is given.
    Model,
    /// An MCP client of this version.
    Client(Protocol),
    /// A program that knows the response-v2 envelope.
    Envelope,
    /// A host that shows the result.
    View,
    /// A program that also wants to know what the model gets.
    Whole,
}

/// A result as its audience gets it.
#[derive(Clone, Debug)]
pub enum Text {
    /// A document.
    Json(Json),
    /// The model's text, to the byte.
    Exact(String),
    /// A document for a program, and what the model gets of it.
    Whole {
        /// The contract.
        contract: Json,
        /// The model's text, to the byte.
        model: String,
        /// Whether the model gets all of it.
        is_complete: bool,
    },
}

/// A result, written.
#[derive(Debug)]
pub(crate) struct Written {
    pub(crate) text: Text,
    pub(crate) is_error: bool,
    pub(crate) notes: Vec<Note>,
    pub(crate) files: Vec<File>,
    pub(crate) display: Option<Display>,
    pub(crate) canvas: Option<Canvas>,
}

/// What an outcome is written with.
pub(super) struct Writer {
    pub(super) audience: Audience,
    pub(super) client: ClientOptions,
    pub(super) caller: Caller,
    pub(super) call: Id,
    pub(super) server: Arc<str>,
    pub(super) tool: String,
}

impl Writer {
    /// Keeps the files of an outcome, also those that its writing makes, and writes it.
    pub(super) fn keep_and_write(
        &self,
        gateway: &Gateway,
        mut outcome: Outcome,
        mut sink: FileSink,
    ) -> Written {
        let metrics = &gateway.metrics;
        let origin = || Origin::Tool {
            server: self.server.to_string(),
            tool: self.tool.clone(),
            call: Some(self.call),
        };
        let mut kept = Vec::new();
        let mut lost = Vec::new();
        let mut keep_all = |artifacts: &[Artifact]| {
            let started = Instant::now();
            for artifact in artifacts {
                let keeping = sink.keep(artifact, &self.caller, origin());
                match Handle::current().block_on(keeping) {
                    Ok(record) => kept.extend(record),
                    Err(error) => {
                        tracing::error!(%error, name = artifact.name, "a file could not be kept");
                        lost.push(format!("{}: {error}", artifact.name));
                    }
                }
            }
            started.elapsed()
        };
        let keeping = keep_all(&outcome.artifacts);
        let started = Instant::now();
        let (mut text, offloaded) = self.write(&outcome);
        metrics.step(&self.server, Step::Write, started.elapsed());
        metrics.step(&self.server, Step::Keep, keeping + keep_all(&offloaded));
        if !lost.is_empty() {
            // What could not be kept is not to be looked for.
            outcome.meta_data.set("persisted", Json::bool(false));
            outcome.meta_data.set("not_kept", Json::string(&lost.join("; ")));
            text = self.write(&outcome).0;
        }
        Written {
            text,
            is_error: outcome.is_error,
            notes: outcome.notes,
            files: kept,
            display: outcome.display,
            canvas: outcome.canvas,
        }
    }

    /// The text for the audience, and the files that hold what did not fit.
    fn write(&self, outcome: &Outcome) -> (Text, Vec<Artifact>) {
        match self.audience {
            Audience::Contract => (Text::Json(outcome.to_contract()), Vec::new()),
            Audience::Envelope => (Text::Json(outcome.to_envelope()), Vec::new()),
            Audience::View => (Text::Json(outcome.to_view(&self.client.budget)), Vec::new()),
            Audience::Model => {
                let model = outcome.to_model(&self.client.budget);
                (Text::Exact(model.text), model.offloaded)
            }
            Audience::Whole => {
                let resultant::ModelText { text, is_complete, offloaded, .. } =
                    outcome.to_model(&self.client.budget);
                let contract = outcome.to_contract();
                (Text::Whole { contract, model: text, is_complete }, offloaded)
            }
            Audience::Client(_) => {
                let client = outcome.to_client(&self.client);
                (Text::Json(client.json), client.offloaded)
            }
        }
    }
}
