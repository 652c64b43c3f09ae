//! What a request is answered with: JSON in memory, or a long message passed on from its file.

use std::{
    fs::File,
    io::{self, Cursor, Read, Seek as _, SeekFrom},
};

use bytes::Bytes;
use resultant::{Json, Protocol};

use crate::{
    body::Spool,
    bridge,
    rpc::{self, RpcError},
};

/// An answer.
#[derive(Debug)]
pub(crate) enum Reply {
    Json(Json),
    File(PassedFile),
}

/// A message that is passed on from its file with the client's id in it.
#[derive(Debug)]
pub(crate) struct PassedFile {
    spool: Spool,
    /// Where the id is, and how long it is.
    id: (u64, u64),
    /// What is put where.
    insert: Option<(u64, String)>,
}

impl PassedFile {
    /// A long answer for a client; an error where it is one.
    pub(crate) fn new(
        spool: Spool,
        method: &str,
        client: Protocol,
        server: Protocol,
    ) -> Result<PassedFile, RpcError> {
        let envelope = spool.envelope().clone();
        let (Some(id), Some(result), false) = (envelope.id, envelope.result, envelope.has_error)
        else {
            let message = "the server's answer is long and no result";
            return Err(RpcError::new(rpc::INTERNAL_ERROR, message));
        };
        let needs_members = client.is_modern() && !server.is_modern();
        let insert = needs_members.then(|| {
            // Right behind the brace; a result this long is not empty.
            (result + 1, format!("{},", bridge::modern_members(method)))
        });
        Ok(PassedFile { id: (id.start, id.text.len() as u64), insert, spool })
    }

    /// The result as text; nothing where its message is longer than that.
    pub(crate) fn result(&self, bytes_max: usize) -> io::Result<Option<String>> {
        let mut text = Vec::new();
        let message = self.read(&Json::number(1))?;
        message.take(bytes_max as u64 + 1).read_to_end(&mut text)?;
        if text.len() > bytes_max {
            return Ok(None);
        }
        let odd = || io::Error::from(io::ErrorKind::InvalidData);
        let message = Json::read_lenient(text).map_err(|_| odd())?;
        let result = message.get("result").ok_or_else(odd)?;
        Ok(Some(result.as_text().to_owned()))
    }

    /// The message with this id.
    pub(crate) fn read(&self, id: &Json) -> io::Result<Box<dyn Read + Send>> {
        let (start, len) = self.id;
        let mut splices = vec![(start, len, Bytes::copy_from_slice(id.as_text().as_bytes()))];
        if let Some((at, text)) = &self.insert {
            splices.push((*at, 0, Bytes::copy_from_slice(text.as_bytes())));
        }
        splices.sort_by_key(|splice| splice.0);
        let mut out: Box<dyn Read + Send> = Box::new(io::empty());
        let mut at = 0;
        for (start, len, text) in splices {
            out = Box::new(out.chain(self.part(at, start - at)?).chain(Cursor::new(text)));
            at = start + len;
        }
        Ok(Box::new(out.chain(self.part(at, u64::MAX)?)))
    }

    fn part(&self, start: u64, len: u64) -> io::Result<io::Take<File>> {
        let mut file = self.spool.open()?;
        file.seek(SeekFrom::Start(start))?;
        Ok(file.take(len))
    }
}
