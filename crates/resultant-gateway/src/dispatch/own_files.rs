//! The caller's own files as resources: `resultant://files/NAME`, listed and read in parts.

use resultant::{Json, Object};
use resultant_query::{By, QueryError, Take};
use resultant_store::{File, Page, StoreError};

use super::resources::not_found;
use crate::{
    caller::Caller,
    clean,
    client::Exchange,
    file_uri::{FilePart, FileUri, SCHEME},
    gateway::Gateway,
    retrieval,
    rpc::{self, RpcError},
};

/// A client gets at most this much of a file at once; the rest by `?offset=`.
const READ_BYTES_MAX: u64 = 1 << 20;
/// So many files are in one page of a list.
const PAGE_FILES: u32 = 200;
/// What a cursor of ours begins with.
const CURSOR: &str = "resultant-files:";

/// Whether a request for a list goes on with our files.
pub(super) fn is_cursor(params: Option<&Json>) -> bool {
    cursor_of(params).is_some()
}

fn cursor_of(params: Option<&Json>) -> Option<(i64, String)> {
    let cursor = params?.get("cursor")?;
    let cursor = cursor.as_str()?;
    let (created, key) = cursor.strip_prefix(CURSOR)?.split_once(':')?;
    Some((created.parse().ok()?, key.to_owned()))
}

/// Adds the files of the caller's session to a list that has come to its end.
pub(super) async fn add_to(
    gateway: &Gateway,
    exchange: &Exchange,
    params: Option<&Json>,
    list: &Json,
) -> Json {
    if list.get("nextCursor").is_some_and(|next| !next.is_null()) {
        return list.clone();
    }
    let caller = &exchange.client.caller;
    let page = Page { count: PAGE_FILES, after: cursor_of(params) };
    let files = gateway.store.files(caller.owner(), Some(&caller.session), &page).await;
    let files = files.unwrap_or_else(|error| {
        tracing::warn!(%error, "the files of a session could not be listed");
        Vec::new()
    });
    if files.is_empty() {
        return list.clone();
    }
    let mut resources: Vec<Json> = list.get("resources").iter().flat_map(Json::items).collect();
    for (at, file) in files.iter().enumerate() {
        // The plain name is the newest file's.
        let is_older = files[..at].iter().any(|newer| newer.name == file.name);
        resources.push(resource(file, is_older || page.after.is_some()));
    }
    let mut result = Object::of(list);
    result.set("resources", Json::array(&resources));
    if let Some(last) = files.last().filter(|_| files.len() == PAGE_FILES as usize) {
        let next = format!("{CURSOR}{}:{}", last.created_ms, last.key);
        result.set("nextCursor", Json::string(&next));
    }
    result.to_json()
}

fn resource(file: &File, is_by_digest: bool) -> Json {
    let mut uri = uri_of(&file.name);
    if is_by_digest {
        uri.push_str(&format!("?sha256={}", file.sha256));
    }
    let mut resource = Object::default();
    resource.set("uri", Json::string(&uri));
    resource.set("name", Json::string(&file.name));
    if let Some(description) = &file.description {
        resource.set("description", Json::string(description));
    }
    resource.set("mimeType", Json::string(&file.mime));
    resource.set("size", Json::number(file.size));
    let mut meta = Object::default();
    meta.set("resultant/sha256", Json::string(&file.sha256));
    resource.set("_meta", meta.to_json());
    resource.to_json()
}

/// The address of a file by its name.
pub(crate) fn uri_of(name: &str) -> String {
    let encoded: String = url::form_urlencoded::byte_serialize(name.as_bytes()).collect();
    format!("{SCHEME}{}", encoded.replace('+', "%20"))
}

/// The newest file of this name: in the caller's session, else in any other of the same user.
pub(crate) async fn own_file(
    gateway: &Gateway,
    caller: &Caller,
    name: &str,
    sha256: Option<&str>,
) -> Result<Option<File>, StoreError> {
    let (store, owner) = (&gateway.store, caller.owner());
    match store.file_named(owner, Some(&caller.session), name, sha256).await? {
        Some(file) => Ok(Some(file)),
        None => store.file_named(owner, None, name, sha256).await,
    }
}

/// A file that a result left behind, or a part of it.
pub(super) async fn read(
    gateway: &Gateway,
    exchange: &Exchange,
    uri: &str,
    parsed: Result<FileUri, String>,
) -> Result<Json, RpcError> {
    let wanted = parsed.map_err(|message| RpcError::new(rpc::INVALID_PARAMS, message))?;
    let failed = |error: StoreError| {
        RpcError::new(rpc::INTERNAL_ERROR, format!("`{}` cannot be read: {error}", wanted.name))
    };
    let found = retrieval::by_uri(gateway, &exchange.client.caller, &wanted).await;
    let record = found.map_err(failed)?.ok_or_else(|| not_found(exchange, uri))?;
    let mut meta = Object::default();
    meta.set("resultant/size", Json::number(record.size));
    meta.set("resultant/sha256", Json::string(&record.sha256));
    let (bytes, mime) = match &wanted.part {
        Some(part) => {
            meta.set("resultant/complete", Json::bool(false));
            meta.set("resultant/part", Json::string(&part.written));
            let bytes = read_part(gateway, exchange, &record, part).await?;
            let mime = match part.take {
                Take::Range { by: By::Lines | By::Bytes, .. } => &*record.mime,
                // A text that jq gives is the text.
                _ if is_json(&bytes) => "application/json",
                _ => "text/plain",
            };
            (bytes, mime)
        }
        None => {
            let start = wanted.offset.unwrap_or(0).min(record.size);
            let length = wanted.length.unwrap_or(READ_BYTES_MAX).min(READ_BYTES_MAX);
            let end = start.saturating_add(length).min(record.size);
            if end < record.size || start > 0 {
                meta.set("resultant/complete", Json::bool(false));
                let range = format!("{start}-{end}/{}", record.size);
                meta.set("resultant/range", Json::string(&range));
            }
            let bytes = gateway.store.read_part(&record, start..end).await.map_err(failed)?;
            (bytes.to_vec(), &*record.mime)
        }
    };
    let mut content = Object::default();
    content.set("uri", Json::string(uri));
    content.set("mimeType", Json::string(mime));
    let is_text = mime.starts_with("text/") || mime.ends_with("json");
    match std::str::from_utf8(&bytes) {
        Ok(text) if is_text => {
            let text = clean::text(&gateway.config(), text).into_owned();
            content.set("text", Json::string(&text));
        }
        _ => content.set("blob", Json::string(&encoded(&bytes))),
    }
    content.set("_meta", meta.to_json());
    let mut result = Object::default();
    result.set("contents", Json::array([&content.to_json()]));
    Ok(result.to_json())
}

async fn read_part(
    gateway: &Gateway,
    exchange: &Exchange,
    file: &File,
    part: &FilePart,
) -> Result<Vec<u8>, RpcError> {
    let config = gateway.config();
    let refused = |message: String| RpcError::new(rpc::INVALID_PARAMS, message);
    let asking = gateway.asking(&config, &exchange.client.caller).ok_or_else(|| {
        refused("files are read by `?offset=` and `?length=` here: `retrieval` is off".to_owned())
    })?;
    let taken = retrieval::take(&asking, &gateway.store, file, part, READ_BYTES_MAX).await;
    taken.map_err(|error| match error {
        QueryError::Refused(_) | QueryError::Limit(_) => refused(error.to_string()),
        error => RpcError::new(rpc::INTERNAL_ERROR, error.to_string()),
    })
}

fn is_json(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_ok_and(|text| Json::parse(text).is_ok())
}

fn encoded(bytes: &[u8]) -> String {
    base64_simd::STANDARD.encode_to_string(bytes)
}
