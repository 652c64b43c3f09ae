//! The plain handler: a body into a file, a file into a body, nothing else.
//!
//! `PUT /NAME`, with `?sync` also waiting for the disk; `GET /NAME`, with one range or without.

use std::{io::SeekFrom, path::PathBuf};

use anyhow::Context;
use axum::{
    Router,
    body::Body,
    extract::{Path, RawQuery, State},
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse as _, Response},
    routing::get,
};
use futures_util::{StreamExt as _, stream};
use tokio::{
    fs::File,
    io::{AsyncReadExt as _, AsyncSeekExt as _, AsyncWriteExt as _},
};

/// As much is read at once.
const CHUNK: usize = 256 << 10;

pub(crate) fn serve(folder: PathBuf) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let router = Router::new().route("/{name}", get(download).put(upload)).with_state(folder);
        let router = router.layer(axum::extract::DefaultBodyLimit::disable());
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
        eprintln!("listening on http://{}", listener.local_addr()?);
        let listener = axum::serve::ListenerExt::tap_io(listener, |stream| {
            let _ = stream.set_nodelay(true);
        });
        axum::serve(listener, router).await.context("serving")
    })
}

fn failed(error: impl std::fmt::Display) -> Response {
    (StatusCode::INTERNAL_SERVER_ERROR, error.to_string()).into_response()
}

async fn upload(
    State(folder): State<PathBuf>,
    Path(name): Path<String>,
    RawQuery(query): RawQuery,
    body: Body,
) -> Response {
    let written = async {
        let mut file = File::create(folder.join(name)).await?;
        let mut chunks = body.into_data_stream();
        while let Some(chunk) = chunks.next().await {
            file.write_all(&chunk.map_err(std::io::Error::other)?).await?;
        }
        file.flush().await?;
        match query.as_deref() {
            Some("sync") => file.sync_all().await,
            _ => Ok(()),
        }
    };
    match written.await {
        Ok(()) => StatusCode::CREATED.into_response(),
        Err(error) => failed(error),
    }
}

async fn download(
    State(folder): State<PathBuf>,
    Path(name): Path<String>,
    headers: HeaderMap,
) -> Response {
    let opened = async {
        let mut file = File::open(folder.join(name)).await?;
        let size = file.metadata().await?.len();
        let range = headers.get(header::RANGE).and_then(|range| {
            let (start, end) = range.to_str().ok()?.strip_prefix("bytes=")?.split_once('-')?;
            Some((start.parse::<u64>().ok()?, end.parse::<u64>().ok()?))
        });
        let (start, length) = match range {
            Some((start, end)) => (start, end + 1 - start),
            None => (0, size),
        };
        file.seek(SeekFrom::Start(start)).await?;
        std::io::Result::Ok((file.take(length), length, range.is_some()))
    };
    let (file, length, is_part) = match opened.await {
        Ok(opened) => opened,
        Err(error) => return failed(error),
    };
    let body = stream::unfold(file, |mut file| async {
        let mut chunk = vec![0; CHUNK.min(usize::try_from(file.limit()).unwrap_or(CHUNK)).max(1)];
        match file.read(&mut chunk).await {
            Ok(0) => None,
            Ok(count) => {
                chunk.truncate(count);
                Some((Ok(chunk), file))
            }
            Err(error) => Some((Err(error), file)),
        }
    });
    let mut response = Response::new(Body::from_stream(body));
    response.headers_mut().insert(header::CONTENT_LENGTH, length.into());
    if is_part {
        *response.status_mut() = StatusCode::PARTIAL_CONTENT;
    }
    response
}
