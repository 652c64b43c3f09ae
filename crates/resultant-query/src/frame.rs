//! What goes through the pipes between the two processes.
//!
//! In: the limits, as two numbers, so that they hold before anything else is read; the question; then
//! each source in chunks. A chunk is its length and its bytes; an empty one ends the source. Out: a
//! byte that says what it is, and the answer.

use std::io::{self, Read};

use serde::{Deserialize, Serialize};

use crate::{Ask, QueryLimits};

/// Bytes of a chunk, and of a question.
pub(crate) const CHUNK_BYTES_MAX: usize = 1 << 20;

/// The answer is what was asked for.
pub(crate) const TAG_ANSWER: u8 = b'+';
/// The question cannot be answered, and the text says why.
pub(crate) const TAG_REFUSED: u8 = b'?';
/// A limit was met, and the text says which.
pub(crate) const TAG_LIMIT: u8 = b'!';

/// A question, as it is written.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Question {
    pub(crate) ask: Ask,
    pub(crate) limits: QueryLimits,
    pub(crate) sources: Vec<Head>,
}

/// What is known of a source before its bytes.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Head {
    pub(crate) name: String,
    pub(crate) mime: String,
    pub(crate) size: u64,
}

/// The limits and the question, as bytes.
pub(crate) fn opening(question: &Question) -> io::Result<Vec<u8>> {
    let json = serde_json::to_vec(question)?;
    if json.len() > CHUNK_BYTES_MAX {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "the question is too long"));
    }
    let mut out = Vec::with_capacity(json.len() + 20);
    out.extend_from_slice(&question.limits.seconds.to_le_bytes());
    out.extend_from_slice(&question.limits.memory_bytes.to_le_bytes());
    out.extend_from_slice(&(json.len() as u32).to_le_bytes());
    out.extend_from_slice(&json);
    Ok(out)
}

/// Seconds and bytes of memory.
pub(crate) fn read_limits(input: &mut impl Read) -> io::Result<(u64, u64)> {
    let mut bytes = [0; 8];
    input.read_exact(&mut bytes)?;
    let seconds = u64::from_le_bytes(bytes);
    input.read_exact(&mut bytes)?;
    Ok((seconds, u64::from_le_bytes(bytes)))
}

pub(crate) fn read_question(input: &mut impl Read) -> io::Result<Question> {
    let mut json = Vec::new();
    read_chunk(input, &mut json)?;
    Ok(serde_json::from_slice(&json)?)
}

/// Reads a chunk in place of what the buffer holds.
pub(crate) fn read_chunk(input: &mut impl Read, chunk: &mut Vec<u8>) -> io::Result<()> {
    let mut length = [0; 4];
    input.read_exact(&mut length)?;
    let length = u32::from_le_bytes(length) as usize;
    if length > CHUNK_BYTES_MAX {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "a chunk is too long"));
    }
    chunk.resize(length, 0);
    input.read_exact(chunk)
}
