//! Files: what there is, what it is, the JSON form, and its end.

mod links;
mod list;
mod upload;

use std::borrow::Cow;

use axum::{
    Json,
    body::Body,
    extract::State,
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use base64_simd::STANDARD;
use bytes::Bytes;
use futures_util::{StreamExt as _, stream};
use resultant::{file_is_showable, file_viewer};
use resultant_store::{ByteStream, File, Origin, StoreError};
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    Api,
    download::safe,
    extract::{Asked, Place, Who, id},
    operation::Operation,
    page::{Listing, PageQuery},
    problem::{BAD_REQUEST, NOT_FOUND, Problem, TOO_LARGE},
    when::rfc3339,
};
use crate::{caller::User, events::Category};

/// A larger file is not given as JSON: whoever reads that holds all of it in memory.
const JSON_FILE_BYTES_MAX: u64 = 32 << 20;

pub(super) fn operations() -> Vec<Operation> {
    let mut operations = vec![
        Operation::get("/api/files", list)
            .named("listFiles", "List all files, the newest first")
            .query::<PageQuery>()
            .gives::<Listing<FileInfo>>(200, "A part of the list.")
            .fails(&[BAD_REQUEST]),
        Operation::get("/api/sessions/{session}/files", list_of_session)
            .named("listSessionFiles", "List the files of a session, the newest first")
            .described("Where several have one name, the newest is what the name means.")
            .query::<PageQuery>()
            .gives::<Listing<FileInfo>>(200, "A part of the list.")
            .fails(&[BAD_REQUEST, NOT_FOUND]),
        Operation::get("/api/files/{key}/info", info)
            .named("getFileInfo", "Look at a file without its bytes")
            .gives::<FileInfo>(200, "What is known of it.")
            .fails(&[NOT_FOUND]),
        Operation::get("/api/files/{key}", whole)
            .named("getFile", "Get a file as JSON, its bytes in base64")
            .described(
                "For front ends that read files so. Files over 32 MiB are refused; the download \
                 has no such limit.",
            )
            .gives::<FileDocument>(200, "The file.")
            .fails(&[NOT_FOUND, TOO_LARGE]),
        Operation::delete("/api/files/{key}", delete)
            .named("deleteFile", "Delete a file and its links")
            .gives_nothing(204, "It is gone.")
            .fails(&[NOT_FOUND]),
    ];
    operations.extend(upload::operations());
    operations.extend(links::operations());
    operations
}

/// Where a file came from.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum OriginInfo {
    /// A tool returned it.
    Tool {
        /// The server.
        server: String,
        /// The tool.
        tool: String,
        /// The call.
        #[serde(skip_serializing_if = "Option::is_none")]
        call: Option<String>,
    },
    /// Somebody uploaded it.
    Upload,
}

/// A file.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "File")]
pub(super) struct FileInfo {
    /// What it is asked for by.
    key: String,
    /// Its session.
    session: String,
    /// Its name.
    name: String,
    /// Its media type.
    mime: String,
    /// Its bytes.
    size: u64,
    /// Their SHA-256 digest, as hexadecimal digits.
    sha256: String,
    /// What it is, for a person.
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    /// Its drawer.
    category: Category,
    /// Whether a canvas can show it.
    showable: bool,
    /// The viewer that shows it best.
    viewer: Cow<'static, str>,
    /// Where it came from.
    origin: OriginInfo,
    /// When it was kept.
    #[schemars(extend("format" = "date-time"))]
    created_at: String,
    /// Where its owner downloads it. A link for somebody else is made by `createLink`.
    download: String,
}

impl From<File> for FileInfo {
    fn from(file: File) -> FileInfo {
        let own = file_viewer(&file.mime, &file.name);
        let viewer = file.viewer.filter(|viewer| viewer != "auto");
        let key = file.key.to_string();
        FileInfo {
            category: Category::of_viewer(own, &file.mime),
            showable: file_is_showable(&file.mime, &file.name),
            viewer: viewer.map_or(Cow::Borrowed(own), Cow::Owned),
            download: ["/api/files/download/", &key].concat(),
            key,
            origin: match file.origin {
                Origin::Tool { server, tool, call } => {
                    OriginInfo::Tool { server, tool, call: call.map(|call| call.to_string()) }
                }
                Origin::Upload => OriginInfo::Upload,
            },
            created_at: rfc3339(file.created_ms),
            session: file.session,
            name: file.name,
            mime: file.mime,
            size: file.size,
            sha256: file.sha256,
            description: file.description,
        }
    }
}

/// A file with its bytes.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "FileWithContent")]
struct FileDocument {
    /// What is known of it.
    #[serde(flatten)]
    info: FileInfo,
    /// Its name, under the name that older front ends know.
    filename: String,
    /// Its media type, under the name that older front ends know.
    content_type: String,
    /// Its bytes in standard base64, with padding.
    content_base64: String,
}

impl Api {
    /// A file of the user's.
    async fn file(&self, user: &User, key: &str) -> Result<File, Problem> {
        let found = self.gateway.store.file(&user.id, id(key)?).await?;
        found.ok_or_else(Problem::not_found)
    }
}

async fn list(
    State(api): State<Api>,
    Who(user): Who,
    Asked(query): Asked<PageQuery>,
) -> Result<Response, Problem> {
    list::listed(&api, &user.id, None, &query).await
}

async fn list_of_session(
    State(api): State<Api>,
    Who(user): Who,
    Place(session): Place<String>,
    Asked(query): Asked<PageQuery>,
) -> Result<Response, Problem> {
    let caller = api.caller(&user, &session).await?;
    list::listed(&api, &user.id, Some(&caller.session), &query).await
}

async fn info(
    State(api): State<Api>,
    Who(user): Who,
    Place(key): Place<String>,
) -> Result<impl IntoResponse, Problem> {
    api.file(&user, &key).await.map(|file| Json(FileInfo::from(file)))
}

async fn delete(
    State(api): State<Api>,
    Who(user): Who,
    Place(key): Place<String>,
) -> Result<impl IntoResponse, Problem> {
    match api.gateway.store.delete_file(&user.id, id(&key)?).await? {
        true => Ok(StatusCode::NO_CONTENT),
        false => Err(Problem::not_found()),
    }
}

async fn whole(
    State(api): State<Api>,
    Who(user): Who,
    Place(key): Place<String>,
) -> Result<Response, Problem> {
    let file = api.file(&user, &key).await?;
    if file.size > JSON_FILE_BYTES_MAX {
        let detail = format!("the file has {} bytes, more than {JSON_FILE_BYTES_MAX}", file.size);
        let hint = format!("GET /api/files/download/{key} has no such limit");
        return Err(Problem::new(TOO_LARGE, detail).hint(hint));
    }
    let bytes = api.gateway.store.read(&file, 0..file.size).await?;
    let document = FileDocument {
        filename: file.name.clone(),
        content_type: file.mime.clone(),
        content_base64: String::new(),
        info: file.into(),
    };
    // The bytes are put between the quotes at the end as they are read.
    let text = resultant::Json::of(&document).to_string();
    let (start, end) = text.split_at(text.len().saturating_sub(2));
    let (start, end) = (Bytes::from(start.to_owned()), Bytes::from(end.to_owned()));
    let around = |part: Bytes| stream::once(async move { Ok::<Bytes, StoreError>(part) });
    let body = around(start).chain(encoded(bytes)).chain(around(end));
    let mut response = Response::new(Body::from_stream(body));
    let json = HeaderValue::from_static("application/json");
    response.headers_mut().insert(header::CONTENT_TYPE, json);
    Ok(safe(response))
}

/// Bytes as base64, in steps of three: what is left of a chunk waits for the next.
fn encoded(
    bytes: ByteStream,
) -> impl futures_util::Stream<Item = Result<Bytes, StoreError>> + Send {
    let state = (bytes, Vec::new(), false);
    stream::unfold(
        state,
        |(mut bytes, mut left, is_done): (ByteStream, Vec<u8>, bool)| async move {
            if is_done {
                return None;
            }
            match bytes.next().await {
                Some(Ok(chunk)) => {
                    left.extend_from_slice(&chunk);
                    let rest = left.split_off(left.len() - left.len() % 3);
                    let text = STANDARD.encode_to_string(&left);
                    Some((Ok(text.into()), (bytes, rest, false)))
                }
                Some(Err(error)) => Some((Err(error), (bytes, left, true))),
                None => {
                    let text = STANDARD.encode_to_string(&left);
                    Some((Ok(text.into()), (bytes, Vec::new(), true)))
                }
            }
        },
    )
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use futures_util::{StreamExt as _, stream};

    use super::encoded;

    #[tokio::test]
    async fn base64_does_not_depend_on_the_chunks() {
        let data: Vec<u8> = (0..=255).collect();
        for size in [1, 2, 3, 4, 7, 256] {
            let chunks: Vec<_> =
                data.chunks(size).map(|chunk| Ok(Bytes::copy_from_slice(chunk))).collect();
            let text: String = encoded(stream::iter(chunks).boxed())
                .map(|part| String::from_utf8(part.expect("bytes").to_vec()).expect("text"))
                .collect()
                .await;
            assert_eq!(base64_simd::STANDARD.decode_to_vec(text).expect("base64"), data, "{size}");
        }
    }
}
