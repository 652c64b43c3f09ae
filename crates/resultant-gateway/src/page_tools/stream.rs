//! A result that comes in pieces: gathered like every long message, in a file where it is long.
//!
//! The bytes are those of a `CallToolResult`. An envelope is written around them as they come, and
//! what came is checked to be one object within it, because a page must not answer for another.

use bytes::Bytes;

use crate::{
    body::{Body, CollectError, Collector, LongMessage, Spool, SpoolOptions},
    rpc::{self, Kind, Message},
    upstream::WireError,
};

/// A result on its way in.
pub(crate) struct Incoming<'a> {
    collector: Collector<'a>,
    call: u64,
    /// What stands before the result.
    head: String,
    /// Bytes of the result itself.
    bytes: u64,
    /// Those of them that the page was told are here.
    told: u64,
    /// Why nothing of it is of use.
    broken: Option<WireError>,
}

impl<'a> Incoming<'a> {
    /// Whether it is a result of this call.
    pub(crate) fn is_of(&self, call: u64) -> bool {
        self.call == call
    }

    pub(crate) fn new(call: u64, options: &'a SpoolOptions) -> Incoming<'a> {
        let head = format!("{{\"jsonrpc\":\"2.0\",\"id\":{call},\"result\":");
        let mut incoming = Incoming {
            collector: Collector::new(options, None),
            call,
            head,
            bytes: 0,
            told: 0,
            broken: None,
        };
        let head = incoming.head.clone();
        incoming.broken = incoming.collector.push(head.as_bytes()).err().map(|e| wire_error(&e));
        incoming
    }

    pub(crate) fn call(&self) -> u64 {
        self.call
    }

    /// The next bytes, or why there is no use for more.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Result<(), WireError> {
        self.bytes += bytes.len() as u64;
        let pushed = match self.collector.blocks(bytes.len()) {
            true => tokio::task::block_in_place(|| self.collector.push(bytes)),
            false => self.collector.push(bytes),
        };
        let broken = self.broken.take();
        match (broken, pushed) {
            (Some(error), _) => Err(error),
            (None, Err(error)) => Err(wire_error(&error)),
            (None, Ok(())) => Ok(()),
        }
    }

    /// How many bytes are here, where that is `step` more than the page was told.
    pub(crate) fn due_ack(&mut self, step: u64) -> Option<u64> {
        if self.bytes - self.told < step {
            return None;
        }
        self.told = self.bytes;
        Some(self.bytes)
    }

    /// The message, where it is one.
    pub(super) fn finish(mut self) -> Result<Body, WireError> {
        let taken = self.collector.push(b"}").and_then(|()| self.collector.take());
        match taken.map_err(|error| wire_error(&error))? {
            Body::Whole(bytes) => self.whole(bytes),
            Body::Spooled(spool) if self.is_one(&spool) => Ok(Body::Spooled(spool)),
            _ => Err(no_result()),
        }
    }

    fn whole(&self, bytes: Bytes) -> Result<Body, WireError> {
        let message = Message::read(bytes).map_err(|_| no_result())?;
        let is_ours = message.json.members().count() == 3;
        match message.kind {
            Kind::Result { id, result }
                if is_ours && id.as_u64() == Some(self.call) && result.is_object() =>
            {
                let mut members = resultant::Object::of(&result);
                members.remove("resultType");
                let result = members.to_json();
                Ok(Body::Whole(rpc::result(&self.call.to_string(), result.as_text())))
            }
            _ => Err(no_result()),
        }
    }

    /// Whether all that came is the result of our envelope.
    fn is_one(&self, spool: &Spool) -> bool {
        let envelope = spool.envelope();
        let id_at = self.head.find("\"id\":").map(|at| at as u64 + 5);
        LongMessage::of(envelope) == LongMessage::Answer(self.call)
            && envelope.id.as_ref().map(|id| id.start) == id_at
            && envelope.result == Some(self.head.len() as u64)
            && !envelope.has_error
    }
}

fn no_result() -> WireError {
    WireError::Broken("the page sent bytes that are no result".to_owned())
}

fn wire_error(error: &CollectError) -> WireError {
    match error {
        CollectError::TooLarge { .. } => {
            WireError::Limit { limit: "message_bytes_max", message: error.to_string() }
        }
        CollectError::Disk(cause) => WireError::Broken(format!("{error}: {cause}")),
    }
}

#[cfg(test)]
mod tests {
    use super::Incoming;
    use crate::body::{Body, SpoolOptions};

    /// The message that pieces of a result come to, and whether it was in a file.
    fn take(pieces: &[&[u8]], inline_bytes_max: usize) -> Result<(String, bool), String> {
        let folder = tempfile::tempdir().expect("a folder");
        let options = SpoolOptions {
            folder: folder.path().to_owned(),
            inline_bytes_max,
            message_bytes_max: 4096,
        };
        let mut incoming = Incoming::new(7, &options);
        for piece in pieces {
            incoming.push(piece).map_err(|error| error.to_string())?;
        }
        let (bytes, is_file) = match incoming.finish().map_err(|error| error.to_string())? {
            Body::Whole(bytes) => (bytes.to_vec(), false),
            Body::Spooled(spool) => (std::fs::read(spool.path()).expect("a file"), true),
            other => panic!("{other:?}"),
        };
        Ok((String::from_utf8(bytes).expect("text"), is_file))
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_result_in_pieces_is_one_message_and_nothing_else_is() {
        let fine = br#"{"content":[{"type":"text","text":"a}b"}]}"#;
        let whole =
            r#"{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"a}b"}]}}"#;
        for (inline_bytes_max, is_file) in [(4096, false), (16, true)] {
            let taken = take(&[&fine[..9], &fine[9..]], inline_bytes_max);
            assert_eq!(taken, Ok((whole.to_owned(), is_file)));
            for foreign in [
                &br#"{},"id":8"#[..],
                br#"{},"result":{}"#,
                br#"{},"error":{"code":1}"#,
                br#"{},"method":"tools/call"#,
                br#"{}}{"id":8,"result":{}"#,
            ] {
                let taken = take(&[foreign, b" "], inline_bytes_max);
                // Of equal keys the last counts: the result is another, and the call the same.
                let own = r#"{"jsonrpc":"2.0","id":7,"result":{}}"#.to_owned();
                let is_own = taken == Ok((own, false));
                let text = String::from_utf8_lossy(foreign);
                assert!(taken.is_err() || is_own, "{text} within {inline_bytes_max}: {taken:?}");
            }
            let long = vec![b' '; 4096];
            assert!(take(&[fine, &long], inline_bytes_max).is_err_and(|e| e.contains("4096")));
        }
    }
}
