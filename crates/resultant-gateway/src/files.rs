//! From the long strings and artifacts of a result to files that are kept.
//!
//! A file stays what it is to the byte, also where a tool has put one of our tokens into it, out of
//! sight of what takes them out of messages. Such a token is taken back instead, so that the file
//! says something that opens nothing.

use std::{
    collections::{HashMap, HashSet},
    io,
    sync::Arc,
};

use resultant::{Artifact, Content, Sink, SpillId};
use resultant_store::{
    File, Id, Incoming, NewFile, Origin, Store, StoreError, TOKEN_LENGTH, TokenScope,
    find_token_ids,
};

use crate::caller::Caller;

/// Takes the long strings of one message, each into a file that nobody knows yet. What is not kept
/// goes with it.
#[derive(Debug)]
pub(crate) struct FileSink {
    store: Arc<Store>,
    strings: HashMap<SpillId, Coming>,
}

/// A file on its way in, and the tokens in it.
#[derive(Debug)]
struct Coming {
    incoming: Incoming,
    /// Its last bytes, which a token may begin in.
    last: Vec<u8>,
    tokens: HashSet<Id>,
}

impl Coming {
    fn new(incoming: Incoming) -> Coming {
        Coming { incoming, last: Vec::new(), tokens: HashSet::new() }
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.tokens.extend(find_token_ids(bytes));
        // And those that begin before.
        let (room, before) = (TOKEN_LENGTH - 1, self.last.len());
        self.last.extend_from_slice(&bytes[..bytes.len().min(room)]);
        if before > 0 {
            self.tokens.extend(find_token_ids(&self.last));
        }
        if bytes.len() > room {
            self.last.clear();
            self.last.extend_from_slice(&bytes[bytes.len() - room..]);
        }
        self.last.drain(..self.last.len().saturating_sub(room));
        self.incoming.write(bytes)
    }
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
        let (coming, is_hashed) = match &artifact.content {
            Content::Elsewhere => return Ok(None),
            Content::Spilled(id) => match self.strings.remove(id) {
                Some(coming) => (coming, true),
                None => {
                    let message = "the spilled string is not there";
                    return Err(io::Error::new(io::ErrorKind::NotFound, message).into());
                }
            },
            Content::Base64(_) | Content::Text(_) => {
                let mut coming = Coming::new(self.store.incoming_known()?);
                let mut written = Ok(());
                artifact.write_to(|part| {
                    if written.is_ok() {
                        written = coming.write(part);
                    }
                });
                written?;
                (coming, false)
            }
        };
        let Coming { incoming, tokens, .. } = coming;
        for token in tokens {
            // It may be nobody's, or another's, and then there is nothing to take back.
            self.store.revoke(caller.owner(), &TokenScope::Token(token)).await?;
            tracing::warn!(%token, file = artifact.name, "a file of a tool has a token in it");
        }
        let new = NewFile {
            name: artifact.name.clone(),
            mime: artifact.mime.clone(),
            description: artifact.description.clone(),
            viewer: artifact.viewer.map(|viewer| viewer.as_str().to_owned()),
            origin,
        };
        let whole = match is_hashed {
            true => incoming.finish()?,
            false => incoming.finish_known(artifact.sha256.0)?,
        };
        let kept = self.store.keep(caller.owner(), &caller.session, caller.kind, new, whole);
        kept.await.map(Some)
    }
}

impl Sink for FileSink {
    fn write(&mut self, id: SpillId, bytes: &[u8]) -> io::Result<()> {
        let mut refused = Ok(());
        let coming = self.strings.entry(id).or_insert_with(|| {
            let incoming = self.store.incoming().unwrap_or_else(|error| {
                refused = Err(io::Error::other(error.to_string()));
                Incoming::lost(io::Error::other(error))
            });
            Coming::new(incoming)
        });
        refused.and(coming.write(bytes))
    }

    fn end(&mut self, _: SpillId) -> io::Result<()> {
        Ok(())
    }

    fn discard(&mut self, id: SpillId) {
        self.strings.remove(&id);
    }

    fn computes_sha256(&self) -> bool {
        true
    }

    fn sha256(&mut self, id: SpillId) -> [u8; 32] {
        let digest = self.strings.get_mut(&id).map(|coming| coming.incoming.sha256());
        // Where it cannot be computed the file cannot be kept either, and that is told.
        digest.and_then(Result::ok).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arguments::tests::{open_store, token_of};

    #[tokio::test]
    async fn a_token_in_a_file_is_found_however_it_comes() {
        let (_folder, store) = open_store().await;
        let (first, first_id, _) = token_of(&store).await;
        let (second, second_id, _) = token_of(&store).await;
        let (x, y) = ("x".repeat(1000), "y".repeat(3));
        let text = format!("{x}{first}{y}{second}");
        for size in [1, 7, TOKEN_LENGTH - 1, TOKEN_LENGTH, 500, 5000] {
            let mut coming = Coming::new(store.incoming().unwrap());
            for part in text.as_bytes().chunks(size) {
                coming.write(part).unwrap();
            }
            assert_eq!(coming.tokens, HashSet::from([first_id, second_id]), "in parts of {size}");
        }
        let mut coming = Coming::new(store.incoming().unwrap());
        coming.write(&first.as_bytes()[1..]).unwrap();
        assert!(coming.tokens.is_empty());
    }
}
