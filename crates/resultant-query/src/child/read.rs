//! Pages: by lines, bytes, items or rows.

pub(super) mod bytes;
pub(super) mod flat;
pub(super) mod items;
pub(super) mod lines;
mod split;

use resultant::{Json, TableKind};

use super::{
    Limits, Stop,
    form::Form,
    incoming::{Incoming, Source},
};
use crate::{By, Part};

pub(super) fn answer(
    part: &Part,
    incoming: &mut Incoming<'_>,
    limits: &Limits,
) -> Result<String, Stop> {
    let source = incoming.only()?;
    let by = match (part.by, &part.path) {
        (Some(by), _) => by,
        (None, Some(_)) => By::Items,
        (None, None) => usual(&source),
    };
    match by {
        By::Lines => lines::answer(part, source, limits),
        By::Bytes => bytes::answer(part, source, limits),
        By::Items => items::answer_items(part, source, limits),
        By::Rows => items::answer_rows(part, source, limits),
    }
}

/// What is counted when nobody says.
fn usual(source: &Source<'_>) -> By {
    match source.form {
        Form::Binary => By::Bytes,
        Form::Rows(TableKind::Markdown) | Form::Text | Form::Json => By::Lines,
        Form::Rows(_) => By::Rows,
    }
}

/// The lines of a source: those of its flattened form if it is JSON, its rows if Python printed it,
/// its own otherwise. They are handed out as bytes, in any pieces.
pub(super) fn each_line_piece(source: Source<'_>, mut take: impl FnMut(&[u8])) -> Result<(), Stop> {
    if source.form == Form::Rows(TableKind::PythonRows) {
        let mut split = split::Split::default();
        return Ok(source.every(|bytes| split.push(bytes, &mut take))?);
    }
    if !source.form.is_json() {
        return Ok(source.every(take)?);
    }
    let bytes = source.all()?;
    match Json::read_lenient(bytes.clone()) {
        Ok(json) => flat::each_line(&json, &mut |line| {
            take(line.as_bytes());
            take(b"\n");
        }),
        // Broken JSON is text.
        Err(_) => take(&bytes),
    }
    Ok(())
}
