//! The end of the way: the files of an outcome are kept, and it is written for its audience.

use std::{sync::Arc, time::Instant};

use resultant::{Artifact, ClientOptions, Json, Note, Outcome, Protocol};

use crate::{
    files::{FileSink, Record},
    gateway::Gateway,
    metrics::Step,
};

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
}

/// A result as its audience gets it.
#[derive(Clone, Debug)]
pub enum Text {
    /// A document.
    Json(Json),
    /// The model's text, to the byte.
    Exact(String),
}

/// A result, written.
#[derive(Debug)]
pub(crate) struct Written {
    pub(crate) text: Text,
    pub(crate) is_error: bool,
    pub(crate) notes: Vec<Note>,
    pub(crate) files: Vec<Record>,
}

/// What an outcome is written with.
pub(super) struct Writer {
    pub(super) audience: Audience,
    pub(super) client: ClientOptions,
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
        let (files, metrics) = (&gateway.files, &gateway.metrics);
        let mut kept = Vec::new();
        let mut lost = Vec::new();
        let mut keep_all = |artifacts: &[Artifact]| {
            let started = Instant::now();
            for artifact in artifacts {
                match files.keep(artifact, &mut sink, &self.server, &self.tool) {
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
        Written { text, is_error: outcome.is_error, notes: outcome.notes, files: kept }
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
            Audience::Client(_) => {
                let client = outcome.to_client(&self.client);
                (Text::Json(client.json), client.offloaded)
            }
        }
    }
}
