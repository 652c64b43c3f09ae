//! From the long strings and artifacts of a result to files that are kept.

use std::{collections::HashMap, io, sync::Arc};

use resultant::{Artifact, Content, Sink, SpillId};
use resultant_store::{File, Incoming, NewFile, Origin, Store, StoreError};

use crate::caller::Caller;

/// Takes the long strings of one message, each into a file that nobody knows yet. What is not kept
/// goes with it.
#[derive(Debug)]
pub(crate) struct FileSink {
    store: Arc<Store>,
    strings: HashMap<SpillId, Incoming>,
}

impl FileSink {
    pub(crate) fn new(store: &Arc<Store>) -> FileSink {
        FileSink { store: store.clone(), strings: HashMap::new() }
    }

    /// Keeps an artifact for a caller; it is safe when this returns. Nothing for one whose bytes are
    /// not here.
    pub(crate) async fn keep(
        &mut self,
        artifact: &Artifact,
        caller: &Caller,
        origin: Origin,
    ) -> Result<Option<File>, StoreError> {
        let incoming = match &artifact.content {
            Content::Elsewhere => return Ok(None),
            Content::Spilled(id) => self.strings.remove(id).ok_or_else(|| {
                io::Error::new(io::ErrorKind::NotFound, "the spilled string is not there")
            })?,
            Content::Base64(_) | Content::Text(_) => {
                let mut incoming = self.store.incoming_known()?;
                let mut written = Ok(());
                artifact.write_to(|part| {
                    if written.is_ok() {
                        written = incoming.write(part);
                    }
                });
                written?;
                incoming
            }
        };
        let new = NewFile {
            name: artifact.name.clone(),
            mime: artifact.mime.clone(),
            description: artifact.description.clone(),
            viewer: artifact.viewer.map(|viewer| viewer.as_str().to_owned()),
            origin,
        };
        let whole = incoming.finish_known(artifact.sha256.0)?;
        let kept = self.store.keep(caller.owner(), &caller.session, caller.kind, new, whole);
        kept.await.map(Some)
    }
}

impl Sink for FileSink {
    fn write(&mut self, id: SpillId, bytes: &[u8]) -> io::Result<()> {
        if let Some(incoming) = self.strings.get_mut(&id) {
            return incoming.write(bytes);
        }
        let mut incoming = self.store.incoming_known().map_err(io::Error::other)?;
        incoming.write(bytes)?;
        self.strings.insert(id, incoming);
        Ok(())
    }

    fn end(&mut self, _: SpillId) -> io::Result<()> {
        Ok(())
    }

    fn discard(&mut self, id: SpillId) {
        self.strings.remove(&id);
    }
}
