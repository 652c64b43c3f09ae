//! A page of bytes: text where they are text, and else a short dump.

use std::{fmt::Write as _, ops::ControlFlow};

use super::super::{Limits, Stop, form::Form, incoming::Source, page::quoted};
use crate::Part;

/// A dump says little for its length.
const DUMP_BYTES_MAX: usize = 256;
/// A character has so many bytes besides its first, at most.
const INSIDE_MAX: usize = 3;

pub(super) fn answer(part: &Part, source: Source<'_>, limits: &Limits) -> Result<String, Stop> {
    let count = part.count.unwrap_or(u64::MAX).clamp(1, limits.page.bytes as u64) as usize;
    let of = source.size;
    let from = part.from.min(of);
    // A few bytes do not tell what they are: the start of the file does.
    if source.form == Form::Binary {
        let bytes = range(source, from, count.min(DUMP_BYTES_MAX) as u64)?;
        return Ok(dump(from, of, &bytes, limits));
    }
    // Some bytes before and behind tell whether a character is cut.
    let before = from.min(INSIDE_MAX as u64);
    let bytes = range(source, from - before, before + (count + 2 * INSIDE_MAX) as u64)?;
    let asked = (before as usize).min(bytes.len());
    let start = character_end(&bytes, asked);
    let from = from + (start - asked) as u64;
    let bytes = &bytes[start..];
    let wanted = count.min(bytes.len());
    let (_, text) = limits.page.most(wanted, |count| {
        let end = match wanted {
            0 => 0,
            _ => character_end(bytes, count.max(1)),
        };
        let text = quoted(&String::from_utf8_lossy(&bytes[..end]));
        format!("{{{}\"text\":{text}}}", opening(from, end as u64, of))
    });
    Ok(text)
}

/// The end of the character that this place is inside of; else the place itself. Bytes that are no
/// character are not passed over, or those who follow the pages would not see them.
fn character_end(bytes: &[u8], at: usize) -> usize {
    let around = |back: usize| {
        let start = at - back;
        let length = match bytes[start] {
            0xC0..=0xDF => 2,
            0xE0..=0xEF => 3,
            0xF0..=0xF7 => 4,
            _ => 1,
        };
        let character = bytes.get(start..start + length)?;
        (length > back && std::str::from_utf8(character).is_ok()).then_some(start + length)
    };
    (1..=at.min(INSIDE_MAX)).find_map(around).unwrap_or(at)
}

fn dump(from: u64, of: u64, bytes: &[u8], limits: &Limits) -> String {
    let (_, text) = limits.page.most(bytes.len(), |count| {
        let bytes = &bytes[..count];
        let mut hex = String::new();
        for (at, row) in bytes.chunks(16).enumerate() {
            let _ = write!(hex, "{:08x} ", from + at as u64 * 16);
            for byte in row {
                let _ = write!(hex, " {byte:02x}");
            }
            let shown = |byte: &u8| match byte {
                b' '..=b'~' => *byte as char,
                _ => '.',
            };
            let _ = writeln!(hex, "  {}", row.iter().map(shown).collect::<String>());
        }
        format!("{{{}\"hex\":{}}}", opening(from, count as u64, of), quoted(&hex))
    });
    text
}

fn opening(from: u64, count: u64, of: u64) -> String {
    let mut out = format!("\"by\":\"bytes\",\"from\":{from},");
    let next = from + count;
    if count > 0 {
        let _ = write!(out, "\"to\":{},", next - 1);
    }
    let _ = write!(out, "\"of\":{of},");
    if count > 0 && next < of {
        let _ = write!(out, "\"next\":{{\"from\":{next}}},");
    }
    out
}

/// The bytes from this one on, so many. The rest of the source is not read.
pub(in crate::child) fn range(source: Source<'_>, from: u64, count: u64) -> Result<Vec<u8>, Stop> {
    let mut kept = Vec::new();
    let mut passed = 0_u64;
    source.each(|bytes| {
        let start = from.saturating_sub(passed).min(bytes.len() as u64) as usize;
        let room = count - kept.len() as u64;
        let end = (start as u64).saturating_add(room).min(bytes.len() as u64) as usize;
        kept.extend_from_slice(&bytes[start..end]);
        passed += bytes.len() as u64;
        match kept.len() as u64 >= count {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    })?;
    Ok(kept)
}
