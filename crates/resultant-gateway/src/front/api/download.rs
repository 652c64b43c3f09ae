//! The bytes of files, for whoever shows a token for one or is its owner.
//!
//! A file is never shown in our origin: it is an attachment in a sandbox, whatever it claims to be.
//! Every refusal looks the same, so that nobody learns from it whether a key, a token or a file was
//! wrong. A single use is counted by bytes: it lasts for one whole file, in as many parts as the
//! client likes, and what was not sent is given back.

mod ranges;

use std::{collections::VecDeque, ops::Range, sync::Arc};

use axum::{
    body::Body,
    extract::State,
    http::{HeaderMap, HeaderValue, Method, StatusCode, header},
    response::{IntoResponse, Response},
};
use bytes::Bytes;
use futures_util::{StreamExt as _, stream};
use resultant_store::{Action, ByteStream, File, Id, Kind, Store, StoreError, TokenRecord, Wanted};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    Api,
    extract::{Asked, Maybe, Place, id},
    operation::{Access, Operation},
    problem::{GONE_AHEAD, NOT_FOUND, Problem, RANGE},
    when::http_date,
};
use crate::{caller::User, random};

/// A longer token is none of ours, and is not looked at.
const TOKEN_BYTES_MAX: usize = 1024;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::get("/api/files/download/{key}", download)
            .named("downloadFile", "Download a file, or parts of it")
            .described(
                "With a token of a link no other credentials are needed, which is how tools get \
                 files. Several ranges are answered with `multipart/byteranges`; those that \
                 overlap are one, and more than 32 are answered with the whole file. A single-use \
                 link lasts until the file's bytes were served once, in whatever parts; HEAD does \
                 not use it up.",
            )
            .open_to(Access::Token)
            .query::<TokenQuery>()
            .header("Range", "The bytes that are wanted.")
            .header("If-Range", "An ETag: the range counts only if it is still the file's.")
            .header("If-None-Match", "ETags: with one of them there is nothing new to say (304).")
            .header("If-Modified-Since", "The `Last-Modified` that you know.")
            .gives_bytes("*/*", 200, "The whole file, as an attachment.")
            .gives_bytes("*/*", 206, "The parts that were asked for.")
            .gives_nothing(304, "You have it already.")
            .fails(&[NOT_FOUND, RANGE, GONE_AHEAD])
            .with_head(),
    ]
}

/// A capability token.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(super) struct TokenQuery {
    /// The token of a link; the owner needs none.
    pub(super) token: Option<String>,
}

async fn download(
    State(api): State<Api>,
    Maybe(user): Maybe,
    Place(key): Place<String>,
    Asked(query): Asked<TokenQuery>,
    method: Method,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let store = &api.gateway.store;
    let (file, token) = find(&api, user.as_deref(), &key, query.token.as_deref()).await?;
    let etag = format!("\"{}\"", file.key);
    let modified = http_date(file.created_ms);
    // Ranges are for GET alone (RFC 9110, section 14.2).
    let takes_ranges = method == Method::GET;
    let conditions =
        Conditions { headers: &headers, etag: &etag, modified: &modified, takes_ranges };
    let answer = conditions.decide(file.size);
    let (status, parts) = match answer {
        Answer::Failed => {
            let problem = Problem::new(GONE_AHEAD, "the file is none of those in `If-Match`");
            return Ok(safe(problem.into_response()));
        }
        Answer::Same => {
            let mut response = safe(StatusCode::NOT_MODIFIED.into_response());
            set(&mut response, header::ETAG, &etag);
            return Ok(response);
        }
        Answer::NoSuchBytes => {
            let problem = Problem::new(RANGE, format!("the file has {} bytes", file.size));
            let mut response = safe(problem.into_response());
            set(&mut response, header::CONTENT_RANGE, &format!("bytes */{}", file.size));
            return Ok(response);
        }
        Answer::Whole => (StatusCode::OK, std::iter::once(0..file.size).collect()),
        Answer::Parts(parts) => (StatusCode::PARTIAL_CONTENT, parts),
    };
    let plan = Plan::new(&file, status, parts);
    let mut response = match method == Method::HEAD {
        true => Response::new(Body::empty()),
        false => {
            let bytes = plan.parts.iter().map(|part| part.end - part.start).sum();
            if let Some(token) = &token
                && store.use_token(token, bytes, file.size).await?.is_err()
            {
                return Err(Problem::not_found());
            }
            let counted =
                token.map(|token| Counted { store: store.clone(), token: token.id, left: bytes });
            Response::new(plan.body(store, &file, counted).await?)
        }
    };
    *response.status_mut() = status;
    set(&mut response, header::CONTENT_TYPE, &plan.content_type);
    set(&mut response, header::CONTENT_LENGTH, &plan.length.to_string());
    if let Some(range) = &plan.content_range {
        set(&mut response, header::CONTENT_RANGE, range);
    }
    set(&mut response, header::ETAG, &etag);
    set(&mut response, header::LAST_MODIFIED, &modified);
    set(&mut response, header::ACCEPT_RANGES, "bytes");
    set(&mut response, header::CONTENT_DISPOSITION, &disposition(&file.name));
    Ok(safe(response))
}

/// The file that a token or its owner asks for.
async fn find(
    api: &Api,
    user: Option<&User>,
    key: &str,
    token: Option<&str>,
) -> Result<(File, Option<TokenRecord>), Problem> {
    let key = id(key)?;
    let (owner, record) = match token {
        Some(token) => {
            let record = check_token(api, token, key, Action::Read).await?;
            (record.grant.owner.clone(), Some(record))
        }
        None => (user.ok_or_else(Problem::not_found)?.id.clone(), None),
    };
    let file = api.gateway.store.file(&owner, key).await?;
    let file = file.ok_or_else(Problem::not_found)?;
    // Of a link that is used up nothing is told, not even how large the file is.
    match record.as_ref().is_some_and(|record| record.is_used_up(file.size)) {
        true => Err(Problem::not_found()),
        false => Ok((file, record)),
    }
}

/// The record of a token that is good for this; nothing tells why another is not.
pub(super) async fn check_token(
    api: &Api,
    token: &str,
    key: Id,
    action: Action,
) -> Result<TokenRecord, Problem> {
    if token.len() > TOKEN_BYTES_MAX {
        return Err(Problem::not_found());
    }
    let wanted = Wanted { kind: Kind::File, subject: Some(key), action };
    let record = api.gateway.store.check(token, wanted).await?;
    // What somebody was given ends with the one who gave it.
    let record = record.ok().filter(|record| api.gateway.auth().has(&record.grant.owner));
    record.ok_or_else(Problem::not_found)
}

/// What the conditions of a request come to.
enum Answer {
    Whole,
    Parts(Vec<Range<u64>>),
    NoSuchBytes,
    Same,
    Failed,
}

struct Conditions<'a> {
    headers: &'a HeaderMap,
    etag: &'a str,
    modified: &'a str,
    takes_ranges: bool,
}

impl Conditions<'_> {
    fn text(&self, name: header::HeaderName) -> Option<&str> {
        self.headers.get(name)?.to_str().ok().map(str::trim)
    }

    /// In the order of RFC 9110, section 13.2.2.
    fn decide(&self, size: u64) -> Answer {
        let any = |tags: &str, is_ours: &dyn Fn(&str) -> bool| {
            tags.split(',').map(str::trim).any(|tag| tag == "*" || is_ours(tag))
        };
        let is_same = |tag: &str| tag == self.etag;
        let is_like = |tag: &str| tag.strip_prefix("W/").unwrap_or(tag) == self.etag;
        // What is only like it does not match here (RFC 9110, section 13.1.1).
        if self.text(header::IF_MATCH).is_some_and(|tags| !any(tags, &is_same)) {
            return Answer::Failed;
        }
        match self.text(header::IF_NONE_MATCH) {
            Some(tags) if any(tags, &is_like) => return Answer::Same,
            Some(_) => {}
            // A file never changes, so any other time than ours is of another file.
            None if self.text(header::IF_MODIFIED_SINCE) == Some(self.modified) => {
                return Answer::Same;
            }
            None => {}
        }
        let is_current = self
            .text(header::IF_RANGE)
            .is_none_or(|known| known == self.etag || known == self.modified);
        match self.text(header::RANGE).filter(|_| is_current && self.takes_ranges) {
            Some(range) => match ranges::read(range, size) {
                ranges::Wanted::Whole => Answer::Whole,
                ranges::Wanted::Parts(parts) => Answer::Parts(parts),
                ranges::Wanted::Unsatisfiable => Answer::NoSuchBytes,
            },
            None => Answer::Whole,
        }
    }
}

/// What is sent.
struct Plan {
    parts: Vec<Range<u64>>,
    /// What stands before each part, where there are several; and after the last.
    heads: Vec<String>,
    tail: String,
    content_type: String,
    content_range: Option<String>,
    length: u64,
}

impl Plan {
    fn new(file: &File, status: StatusCode, parts: Vec<Range<u64>>) -> Plan {
        let mime = safe_type(&file.mime);
        let range = |part: &Range<u64>| {
            format!("bytes {}-{}/{}", part.start, part.end.saturating_sub(1), file.size)
        };
        let bytes: u64 = parts.iter().map(|part| part.end - part.start).sum();
        if parts.len() == 1 {
            let is_part = status == StatusCode::PARTIAL_CONTENT;
            let content_range = parts.first().filter(|_| is_part).map(range);
            let (heads, tail) = (Vec::new(), String::new());
            return Plan { parts, heads, tail, content_type: mime, content_range, length: bytes };
        }
        let boundary = random::token();
        let head = |(at, part): (usize, &Range<u64>)| {
            let start = if at == 0 { "" } else { "\r\n" };
            let range = range(part);
            format!("{start}--{boundary}\r\nContent-Type: {mime}\r\nContent-Range: {range}\r\n\r\n")
        };
        let heads: Vec<String> = parts.iter().enumerate().map(head).collect();
        let tail = format!("\r\n--{boundary}--\r\n");
        let around = heads.iter().map(String::len).sum::<usize>() + tail.len();
        Plan {
            parts,
            heads,
            tail,
            content_type: format!("multipart/byteranges; boundary={boundary}"),
            content_range: None,
            length: bytes + around as u64,
        }
    }

    /// The bytes, each part read when its turn comes. The first is opened now: a store that does
    /// not answer is told as such.
    async fn body(
        &self,
        store: &Arc<Store>,
        file: &File,
        counted: Option<Counted>,
    ) -> Result<Body, Problem> {
        let mut steps: VecDeque<Step> = VecDeque::new();
        for (at, part) in self.parts.iter().enumerate() {
            steps.extend(self.heads.get(at).map(|head| Step::Text(head.clone().into())));
            if part.end > part.start {
                steps.push_back(match at {
                    0 => Step::Open(store.read(file, part.clone()).await?),
                    _ => Step::Part(part.clone()),
                });
            }
        }
        if !self.tail.is_empty() {
            steps.push_back(Step::Text(self.tail.clone().into()));
        }
        let sending = Sending { store: store.clone(), file: file.clone(), steps, counted };
        Ok(Body::from_stream(stream::unfold(sending, |mut sending| async move {
            let next = sending.next().await?;
            Some((next, sending))
        })))
    }
}

enum Step {
    Text(Bytes),
    Part(Range<u64>),
    Open(ByteStream),
}

struct Sending {
    store: Arc<Store>,
    file: File,
    steps: VecDeque<Step>,
    counted: Option<Counted>,
}

impl Sending {
    async fn next(&mut self) -> Option<Result<Bytes, StoreError>> {
        loop {
            match self.steps.pop_front()? {
                Step::Text(text) => return Some(Ok(text)),
                Step::Part(part) => match self.store.read(&self.file, part).await {
                    Ok(stream) => self.steps.push_front(Step::Open(stream)),
                    Err(error) => return Some(Err(error)),
                },
                Step::Open(mut stream) => match stream.next().await {
                    Some(Ok(bytes)) => {
                        if let Some(counted) = &mut self.counted {
                            counted.left = counted.left.saturating_sub(bytes.len() as u64);
                        }
                        self.steps.push_front(Step::Open(stream));
                        return Some(Ok(bytes));
                    }
                    Some(Err(error)) => {
                        // The response breaks off, so that nobody takes it for the whole.
                        self.steps.clear();
                        tracing::error!(%error, "a download broke off");
                        return Some(Err(error));
                    }
                    None => {}
                },
            }
        }
    }
}

/// Gives back what was counted and not sent.
struct Counted {
    store: Arc<Store>,
    token: Id,
    left: u64,
}

impl Drop for Counted {
    fn drop(&mut self) {
        let (store, token, left) = (self.store.clone(), self.token, self.left);
        if left > 0
            && let Ok(runtime) = tokio::runtime::Handle::try_current()
        {
            runtime.spawn(async move {
                if let Err(error) = store.give_back(token, left).await {
                    tracing::warn!(%error, "an unused link could not be given back");
                }
            });
        }
    }
}

fn set(response: &mut Response, name: header::HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        response.headers_mut().insert(name, value);
    }
}

/// Nothing of a file is ever run in our origin, remembered by a cache, or told to another site.
pub(super) fn safe(mut response: Response) -> Response {
    for (name, value) in [
        (header::CONTENT_SECURITY_POLICY, "sandbox; default-src 'none'"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "private, no-store"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ] {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    let same_site = HeaderValue::from_static("same-site");
    response.headers_mut().insert("cross-origin-resource-policy", same_site);
    response
}

fn safe_type(mime: &str) -> String {
    match !mime.is_empty() && mime.bytes().all(|byte| (0x20..0x7f).contains(&byte)) {
        true => mime.to_owned(),
        false => "application/octet-stream".to_owned(),
    }
}

/// An attachment of this name (RFC 6266): an approximation in ASCII, and the name as it is.
pub(super) fn disposition(name: &str) -> String {
    // A percent sign in the plain form is read as an escape by some.
    let is_plain =
        |c: char| c == ' ' || c.is_ascii_graphic() && !matches!(c, '"' | '\\' | '%' | '/');
    let plain: String = name.chars().map(|c| if is_plain(c) { c } else { '_' }).collect();
    let mut encoded = String::with_capacity(name.len());
    for byte in name.bytes() {
        // What RFC 8187 calls attr-char.
        match byte.is_ascii_alphanumeric() || b"!#$&+-.^_`|~".contains(&byte) {
            true => encoded.push(char::from(byte)),
            false => encoded.push_str(&format!("%{byte:02X}")),
        }
    }
    format!("attachment; filename=\"{plain}\"; filename*=UTF-8''{encoded}")
}

#[cfg(test)]
mod tests {
    use super::disposition;

    #[test]
    fn a_name_cannot_break_the_header() {
        let cases = [
            ("report.pdf", "attachment; filename=\"report.pdf\"; filename*=UTF-8''report.pdf"),
            (
                "a\"b\r\nx: ü.txt",
                "attachment; filename=\"a_b__x: _.txt\"; \
                 filename*=UTF-8''a%22b%0D%0Ax%3A%20%C3%BC.txt",
            ),
            ("50%.txt", "attachment; filename=\"50_.txt\"; filename*=UTF-8''50%25.txt"),
            ("表.csv", "attachment; filename=\"_.csv\"; filename*=UTF-8''%E8%A1%A8.csv"),
        ];
        for (name, expected) in cases {
            assert_eq!(disposition(name), expected);
        }
    }
}
