//! Files that somebody brings: as a form, as a plain body, or through a link made for it.
//!
//! Bytes go to the store as they come, so that memory does not depend on the size of a file. A
//! request brings all of its files or none.

use axum::{
    Json,
    extract::{FromRequest as _, Multipart, Request, State, multipart::MultipartError},
    http::{StatusCode, header},
    response::IntoResponse,
};
use bytes::Bytes;
use futures_util::{Stream, StreamExt as _};
use resultant::{clean_file_name, file_media_type};
use resultant_store::{Action, Entry, File, NewFile, Origin, SessionKind, StoreError, Whole};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{FileInfo, links::upload_key};
use crate::{
    caller::{Caller, User},
    events,
    front::api::{
        Api,
        download::check_token,
        extract::{Asked, Place, Who, id, media_type},
        operation::{Access, Operation},
        problem::{BAD_REQUEST, LATE, MEDIA_TYPE, NOT_FOUND, Problem, QUOTA, TOO_LARGE},
    },
    front::http::Late,
};

/// More files than this in one request are refused.
const FILES_MAX: usize = 1000;
/// As much is written at once.
const WRITE_BYTES: usize = 1 << 20;
/// As much of a file decides about its media type.
const HEAD_BYTES: usize = 512;

pub(super) fn operations() -> Vec<Operation> {
    let kinds = [BAD_REQUEST, NOT_FOUND, LATE, TOO_LARGE, QUOTA];
    vec![
        Operation::post("/api/sessions/{session}/files", form)
            .named("uploadFiles", "Upload files as a form")
            .described(
                "Any number of parts, each of which is a file: named by its `filename`, else by \
                 the name of the part. All are kept or none. The request has at most \
                 `upload_bytes_max` bytes.",
            )
            .takes_bytes("multipart/form-data")
            .gives::<Uploaded>(201, "The files, in the order of the form.")
            .fails(&kinds)
            .fails(&[MEDIA_TYPE]),
        Operation::put("/api/sessions/{session}/files/{name}", plain)
            .named("uploadFile", "Upload one file")
            .described(
                "The body is the file; `Content-Type` says what it is, unless its first bytes \
                 prove otherwise. A file of the same name stays, under its own key.",
            )
            .takes_bytes("*/*")
            .gives::<FileInfo>(201, "The file. `Location` says where it is.")
            .fails(&kinds),
        Operation::put("/api/files/upload/{key}", by_link)
            .named("uploadThroughLink", "Upload the file that an upload link is for")
            .described("The link is used up by one file that was kept. Its name is the link's.")
            .open_to(Access::TokenOnly)
            .query::<UploadQuery>()
            .takes_bytes("*/*")
            .gives::<Received>(201, "The file was kept.")
            .fails(&kinds),
    ]
}

/// The files of a form.
#[derive(Debug, Serialize, JsonSchema)]
struct Uploaded {
    /// The files, in the order of the form.
    items: Vec<FileInfo>,
}

/// What a tool that brought a file needs to know: how its owner refers to it is not for the tool.
#[derive(Debug, Serialize, JsonSchema)]
struct Received {
    /// The file's name.
    name: String,
    /// Its bytes.
    size: u64,
    /// Their SHA-256 digest, as hexadecimal digits.
    sha256: String,
}

/// What an upload link says.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
struct UploadQuery {
    /// The file's name.
    name: String,
    /// The token of the link.
    token: String,
}

/// Who a file will belong to, and what it is called.
struct Bringing<'a> {
    api: &'a Api,
    caller: &'a Caller,
    name: String,
    declared: String,
}

impl Bringing<'_> {
    /// Keeps the bytes of a stream as a file. `room` is what the request may still bring.
    async fn keep<E: std::error::Error + 'static>(
        self,
        bytes: impl Stream<Item = Result<Bytes, E>> + Unpin,
        room: &mut u64,
    ) -> Result<File, Problem> {
        let (api, caller) = (self.api, self.caller);
        let (new, whole) = self.take(bytes, room).await?;
        Ok(keep(api, caller, new, whole).await?)
    }

    /// Takes the bytes of a stream; they are nobody's yet.
    async fn take<E: std::error::Error + 'static>(
        self,
        mut bytes: impl Stream<Item = Result<Bytes, E>> + Unpin,
        room: &mut u64,
    ) -> Result<(NewFile, Whole), Problem> {
        let store = &self.api.gateway.store;
        let mut incoming = blocking(|| store.incoming())?;
        let mut head = Vec::new();
        let (mut waiting, mut waiting_bytes) = (Vec::new(), 0);
        while let Some(chunk) = bytes.next().await {
            let chunk = chunk.map_err(|error| Problem::broken_off(&error))?;
            *room = room.checked_sub(chunk.len() as u64).ok_or_else(|| too_large(self.api))?;
            if head.len() < HEAD_BYTES {
                head.extend_from_slice(&chunk[..chunk.len().min(HEAD_BYTES - head.len())]);
            }
            waiting_bytes += chunk.len();
            waiting.push(chunk);
            if waiting_bytes >= WRITE_BYTES {
                let mut parts = waiting.drain(..);
                let write = || parts.try_for_each(|part| incoming.write_shared(&part));
                blocking(write).map_err(StoreError::from)?;
                waiting_bytes = 0;
            }
        }
        let whole = blocking(|| {
            waiting.iter().try_for_each(|part| incoming.write(part))?;
            incoming.finish()
        });
        let whole = whole.map_err(StoreError::from)?;
        let new = NewFile {
            mime: file_media_type(&self.declared, &head, &self.name),
            name: self.name,
            description: None,
            viewer: None,
            origin: Origin::Upload,
        };
        Ok((new, whole))
    }
}

/// Keeps a file in its session, which may have been deleted while the bytes came. The session that
/// everybody has without asking is made.
async fn keep(api: &Api, caller: &Caller, new: NewFile, whole: Whole) -> Result<File, StoreError> {
    let (store, owner, session) = (&api.gateway.store, caller.owner(), &*caller.session);
    match caller.kind {
        SessionKind::Default => store.keep(owner, session, caller.kind, new, whole).await,
        SessionKind::Api | SessionKind::Mcp => store.keep_in(owner, session, new, whole).await,
    }
}

/// Work that waits for the disk.
fn blocking<T>(work: impl FnOnce() -> T) -> T {
    tokio::task::block_in_place(work)
}

fn too_large(api: &Api) -> Problem {
    let bytes_max = api.gateway.config().limits.upload_bytes_max;
    Problem::new(TOO_LARGE, format!("there are more than {bytes_max} bytes (upload_bytes_max)"))
}

/// The bytes that a request may bring; refused early where it says that it brings more.
fn room_for(api: &Api, request: &Request) -> Result<u64, Problem> {
    let bytes_max = api.gateway.config().limits.upload_bytes_max;
    let said = request.headers().get(header::CONTENT_LENGTH);
    let said = said.and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
    match said.is_some_and(|bytes| bytes > bytes_max) {
        true => Err(too_large(api)),
        false => Ok(bytes_max),
    }
}

/// What the request says that its body is; what clients say without being asked does not count.
fn declared(request: &Request) -> String {
    let kind = media_type(request).filter(|kind| kind != "application/x-www-form-urlencoded");
    kind.unwrap_or_default()
}

/// What is wrong with a form, in words of ours.
fn broken_form(error: &MultipartError) -> Problem {
    match Late::of(error) {
        Some(late) => Problem::late(&late),
        None => Problem::bad("the form cannot be read")
            .hint("each part has a name, and the last boundary ends with --"),
    }
}

fn clean(name: &str) -> Result<String, Problem> {
    let bad = || Problem::bad("this is no name for a file").hint("one path segment, such as a.csv");
    clean_file_name(name).ok_or_else(bad)
}

async fn tell(api: &Api, caller: &Caller, files: &[File]) {
    let event = events::files_update(caller, None, files, None);
    api.gateway.store.record(Entry::Event(event)).await;
    // Who is told that a file is kept can count on listeners being told too.
    api.gateway.settle().await;
}

async fn plain(
    State(api): State<Api>,
    Who(user): Who,
    Place((session, name)): Place<(String, String)>,
    request: Request,
) -> Result<impl IntoResponse, Problem> {
    let caller = api.caller(&user, &session).await?;
    let mut room = room_for(&api, &request)?;
    let bringing =
        Bringing { api: &api, caller: &caller, name: clean(&name)?, declared: declared(&request) };
    let file = bringing.keep(request.into_body().into_data_stream(), &mut room).await?;
    tell(&api, &caller, std::slice::from_ref(&file)).await;
    let location = [(header::LOCATION, format!("/api/files/{}", file.key))];
    Ok((StatusCode::CREATED, location, Json(FileInfo::from(file))))
}

async fn form(
    State(api): State<Api>,
    Who(user): Who,
    Place(session): Place<String>,
    request: Request,
) -> Result<impl IntoResponse, Problem> {
    let caller = api.caller(&user, &session).await?;
    let mut room = room_for(&api, &request)?;
    let form = Multipart::from_request(request, &()).await;
    let form = form.map_err(|_| {
        Problem::new(MEDIA_TYPE, "the body is to be multipart/form-data with a boundary")
    })?;
    let store = &api.gateway.store;
    let mut files = Vec::new();
    // Nothing is kept before everything is here.
    for (new, whole) in take_form(&api, &caller, form, &mut room).await? {
        match keep(&api, &caller, new, whole).await {
            Ok(file) => files.push(file),
            Err(error) => {
                for file in files {
                    if let Err(error) = store.delete_file(&user.id, file.key).await {
                        tracing::error!(%error, "a file of a broken upload stays");
                    }
                }
                return Err(error.into());
            }
        }
    }
    tell(&api, &caller, &files).await;
    let items = files.into_iter().map(FileInfo::from).collect();
    Ok((StatusCode::CREATED, Json(Uploaded { items })))
}

async fn take_form(
    api: &Api,
    caller: &Caller,
    mut form: Multipart,
    room: &mut u64,
) -> Result<Vec<(NewFile, Whole)>, Problem> {
    let mut files = Vec::new();
    loop {
        let part = form.next_field().await;
        let part = part.map_err(|error| broken_form(&error))?;
        let Some(part) = part else { break };
        if files.len() == FILES_MAX {
            let detail = format!("the form has more than {FILES_MAX} files");
            return Err(Problem::new(TOO_LARGE, detail));
        }
        let name = part.file_name().or(part.name()).unwrap_or_default();
        let name = clean(name)?;
        let declared = part.content_type().unwrap_or_default().to_owned();
        files.push(Bringing { api, caller, name, declared }.take(part, room).await?);
    }
    match files.is_empty() {
        true => Err(Problem::bad("the form has no file")),
        false => Ok(files),
    }
}

async fn by_link(
    State(api): State<Api>,
    Place(key): Place<String>,
    Asked(query): Asked<UploadQuery>,
    request: Request,
) -> Result<impl IntoResponse, Problem> {
    let store = &api.gateway.store;
    let key = id(&key)?;
    let token = check_token(&api, &query.token, key, Action::Write).await?;
    // The name is bound to the link by its key.
    if upload_key(&key, &query.name) != key {
        return Err(Problem::not_found());
    }
    let mut room = room_for(&api, &request)?;
    // One use, whatever its size; given back where nothing comes of it.
    if store.use_token(&token, 1, 1).await?.is_err() {
        return Err(Problem::not_found());
    }
    let mut taken = Taken { store: store.clone(), token: Some(token.id) };
    let user = User {
        id: token.grant.owner.clone(),
        name: String::new(),
        email: None,
        is_authenticated: false,
    };
    let caller = Caller::of(user.into()).within(&token.grant.session, SessionKind::Api);
    if store.session(caller.owner(), &caller.session).await?.is_none() {
        return Err(Problem::not_found());
    }
    let name = clean(&query.name)?;
    let bringing = Bringing { api: &api, caller: &caller, name, declared: declared(&request) };
    let (new, whole) = bringing.take(request.into_body().into_data_stream(), &mut room).await?;
    // The link may have been taken back, or be over, since the bytes began to come.
    check_token(&api, &query.token, key, Action::Write).await?;
    let file = keep(&api, &caller, new, whole).await?;
    taken.token = None;
    tell(&api, &caller, std::slice::from_ref(&file)).await;
    let File { name, size, sha256, .. } = file;
    Ok((StatusCode::CREATED, Json(Received { name, size, sha256 })))
}

/// A use of a link that is given back unless a file came of it.
struct Taken {
    store: std::sync::Arc<resultant_store::Store>,
    token: Option<resultant_store::Id>,
}

impl Drop for Taken {
    fn drop(&mut self) {
        let Some(token) = self.token.take() else { return };
        let store = self.store.clone();
        tokio::spawn(async move {
            if let Err(error) = store.give_back(token, 1).await {
                tracing::warn!(%error, "an unused upload link could not be given back");
            }
        });
    }
}
