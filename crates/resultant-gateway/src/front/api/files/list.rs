//! Lists of files, which may be long: written as they are read, so that the database looks for the
//! next part while this one is on its way.

use std::sync::Arc;

use axum::{
    body::Body,
    http::{HeaderValue, header},
    response::{IntoResponse as _, Response},
};
use bytes::Bytes;
use futures_util::stream;
use resultant_store::{File, Page, Store, StoreError};
use tokio::task::JoinHandle;

use super::FileInfo;
use crate::front::api::{
    Api,
    page::{PageQuery, cursor, wanted},
    problem::Problem,
};

/// So many are read at once.
const PART_COUNT: u32 = 1000;
/// A file in a list has about so many bytes.
const FILE_BYTES: usize = 512;

/// The list as a response. What fails after its beginning breaks it off.
pub(super) async fn listed(
    api: &Api,
    owner: &str,
    session: Option<&str>,
    query: &PageQuery,
) -> Result<Response, Problem> {
    let Page { count, after } = wanted(query.count, query.cursor.as_deref())?;
    let reading = Reading {
        store: api.gateway.store.clone(),
        owner: owner.to_owned(),
        session: session.map(str::to_owned),
        after,
        left: count,
    };
    let (reading, first) = reading.part().await;
    let writing = Writing { left: count - 1, last: None, is_first: true };
    let mut state = Some((writing, Ahead::of(reading, first?)));
    // What fits into one part is one document, with its length.
    if state.as_ref().is_some_and(|(_, ahead)| ahead.next.is_none()) {
        let Some((mut writing, ahead)) = state.take() else { return Err(Problem::not_found()) };
        let text = writing.write(ahead.files, true);
        return Ok(json(Body::from(text)));
    }
    let body = stream::unfold(state, |state| async {
        let (mut writing, ahead) = state?;
        let Some(next) = ahead.next else {
            return Some((Ok(writing.write(ahead.files, true)), None));
        };
        let text = writing.write(ahead.files, false);
        match next.await {
            Ok((reading, Ok(files))) => {
                Some((Ok(text), Some((writing, Ahead::of(reading, files)))))
            }
            Ok((_, Err(error))) => {
                tracing::error!(%error, "a list broke off");
                Some((Err(error), None))
            }
            Err(error) => Some((Err(std::io::Error::other(error).into()), None)),
        }
    });
    Ok(json(Body::from_stream(body)))
}

fn json(body: Body) -> Response {
    let json = HeaderValue::from_static("application/json");
    ([(header::CONTENT_TYPE, json)], body).into_response()
}

/// Where a list is read from.
struct Reading {
    store: Arc<Store>,
    owner: String,
    session: Option<String>,
    after: Option<(i64, String)>,
    /// How many are still wanted; one more than is shown.
    left: u32,
}

type Part = (Reading, Result<Vec<File>, StoreError>);

impl Reading {
    async fn part(mut self) -> Part {
        let page = Page { count: self.left.min(PART_COUNT), after: self.after.clone() };
        let files = self.store.files(&self.owner, self.session.as_deref(), &page).await;
        if let Ok(files) = &files {
            self.after = files.last().map(place);
            self.left = match files.len() < page.count as usize {
                true => 0,
                false => self.left - page.count,
            };
        }
        (self, files)
    }
}

fn place(file: &File) -> (i64, String) {
    (file.created_ms, file.key.to_string())
}

/// A part, and the next one on its way.
struct Ahead {
    files: Vec<File>,
    next: Option<JoinHandle<Part>>,
}

impl Ahead {
    fn of(reading: Reading, files: Vec<File>) -> Ahead {
        let next = (reading.left > 0).then(|| tokio::spawn(reading.part()));
        Ahead { files, next }
    }
}

/// What is written.
struct Writing {
    /// How many are still shown.
    left: u32,
    last: Option<(i64, String)>,
    is_first: bool,
}

impl Writing {
    fn write(&mut self, files: Vec<File>, is_end: bool) -> Bytes {
        let mut out = Vec::with_capacity(files.len() * FILE_BYTES + 64);
        if self.is_first {
            out.extend_from_slice(b"{\"items\":[");
        }
        let has_more = files.len() > self.left as usize;
        let shown = files.len().min(self.left as usize);
        self.left -= shown as u32;
        if let Some(last) = files[..shown].last() {
            self.last = Some(place(last));
        }
        for file in files.into_iter().take(shown) {
            if !std::mem::take(&mut self.is_first) {
                out.push(b',');
            }
            // Writing text and numbers into memory cannot fail.
            let _ = serde_json::to_writer(&mut out, &FileInfo::from(file));
        }
        self.is_first = false;
        if is_end {
            out.push(b']');
            if let Some((at, id)) = self.last.as_ref().filter(|_| has_more) {
                out.extend_from_slice(b",\"next\":\"");
                out.extend_from_slice(cursor(*at, id).as_bytes());
                out.push(b'"');
            }
            out.push(b'}');
        }
        out.into()
    }
}
