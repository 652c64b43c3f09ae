//! The end of the way: the files of an outcome are kept, and it is written for its audience.

use std::{
    collections::HashMap,
    sync::Arc,
    time::{Duration, Instant},
};

use futures_util::StreamExt as _;
use resultant::{
    Artifact, Canvas, ClientOptions, Content, Display, Json, Note, Outcome, Protocol, Sha256Digest,
    ShownImage,
};
use resultant_store::{File, Id, Origin};
use tokio::runtime::Handle;

use crate::{caller::Caller, files::FileSink, gateway::Gateway, images, metrics::Step};

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

impl Text {
    /// What goes out: the document, or what the model gets.
    pub(super) fn as_str(&self) -> &str {
        match self {
            Text::Json(json) => json.as_text(),
            Text::Exact(text) | Text::Whole { model: text, .. } => text,
        }
    }
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
        let mut kept = Kept::default();
        let mut keeping = self.keep(&outcome.artifacts, &mut sink, &mut kept);
        let started = Instant::now();
        let images = self.images(gateway, &outcome.artifacts, &kept.files);
        let client = ClientOptions { images, ..self.client.clone() };
        let (mut text, offloaded) = self.write(&outcome, &client);
        metrics.step(&self.server, Step::Write, started.elapsed());
        keeping += self.keep(&offloaded, &mut sink, &mut kept);
        metrics.step(&self.server, Step::Keep, keeping);
        if !kept.lost.is_empty() {
            // What could not be kept is not to be looked for.
            outcome.meta_data.set("persisted", Json::bool(false));
            let lost = kept.lost.iter().map(|(name, error)| format!("{name}: {error}"));
            let lost = lost.collect::<Vec<_>>().join("; ");
            outcome.meta_data.set("not_kept", Json::string(&lost));
            kept.lost.iter().for_each(|(name, _)| outcome.mark_not_kept(name));
            text = self.write(&outcome, &client).0;
        }
        Written {
            text,
            is_error: outcome.is_error,
            notes: outcome.notes,
            files: kept.files,
            display: outcome.display,
            canvas: outcome.canvas,
        }
    }

    /// Keeps files, and says how long it took.
    fn keep(&self, artifacts: &[Artifact], sink: &mut FileSink, kept: &mut Kept) -> Duration {
        let origin = || Origin::Tool {
            server: self.server.to_string(),
            tool: self.tool.clone(),
            call: Some(self.call),
        };
        let started = Instant::now();
        for artifact in artifacts {
            let keeping = sink.keep(artifact, &self.caller, origin());
            match Handle::current().block_on(keeping) {
                Ok(record) => kept.files.extend(record),
                Err(error) => {
                    tracing::error!(%error, name = artifact.name, "a file could not be kept");
                    kept.lost.push((artifact.name.clone(), error.to_string()));
                }
            }
        }
        started.elapsed()
    }

    /// The images that are more than a model takes, as it is shown them.
    fn images(
        &self,
        gateway: &Gateway,
        artifacts: &[Artifact],
        kept: &[File],
    ) -> HashMap<Sha256Digest, ShownImage> {
        let takes_images = self.client.blocks.is_none_or(|types| types.image);
        if !takes_images || !matches!(self.audience, Audience::Client(_)) {
            return HashMap::new();
        }
        let images = artifacts.iter().filter(|artifact| artifact.is_for_the_eye());
        let shown = |artifact: &Artifact| {
            if artifact.size > images::SOURCE_BYTES_MAX {
                return Some((artifact.sha256, ShownImage::Name));
            }
            let bytes = match &artifact.content {
                Content::Spilled(_) => {
                    let file = kept.iter().find(|file| file.name == artifact.name)?;
                    Handle::current().block_on(read(gateway, file))?
                }
                _ => artifact.to_bytes()?,
            };
            Some((artifact.sha256, images::shown(&bytes)?))
        };
        images.take(resultant::IMAGE_BLOCKS_MAX).filter_map(shown).collect()
    }

    /// The text for the audience, and the files that hold what did not fit.
    pub(super) fn write(&self, outcome: &Outcome, client: &ClientOptions) -> (Text, Vec<Artifact>) {
        match self.audience {
            Audience::Contract => (Text::Json(outcome.to_contract()), Vec::new()),
            Audience::Envelope => (Text::Json(outcome.to_envelope()), Vec::new()),
            Audience::View => (Text::Json(outcome.to_view(&client.budget)), Vec::new()),
            Audience::Model => {
                let model = outcome.to_model(&client.budget);
                (Text::Exact(model.text), model.offloaded)
            }
            Audience::Whole => {
                let resultant::ModelText { text, is_complete, offloaded, .. } =
                    outcome.to_model(&client.budget);
                let contract = outcome.to_contract();
                (Text::Whole { contract, model: text, is_complete }, offloaded)
            }
            Audience::Client(_) => {
                let result = outcome.to_client(client);
                (Text::Json(result.json), result.offloaded)
            }
        }
    }
}

/// What became of the files of a result.
#[derive(Default)]
struct Kept {
    files: Vec<File>,
    /// The names of those that could not be kept, and why.
    lost: Vec<(String, String)>,
}

/// All bytes of a file that was just kept; nothing where it cannot be read.
async fn read(gateway: &Gateway, file: &File) -> Option<Vec<u8>> {
    let mut chunks = gateway.store.read(file, 0..file.size).await.ok()?;
    let mut bytes = Vec::with_capacity(usize::try_from(file.size).ok()?);
    while let Some(chunk) = chunks.next().await {
        bytes.extend_from_slice(&chunk.ok()?);
    }
    Some(bytes)
}
