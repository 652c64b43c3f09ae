//! Connections: taken, served as HTTP/1 or HTTP/2, and let go.
//!
//! Whoever connects and says nothing, or half of something, holds a place for as long as
//! `request_idle_seconds` and no longer. The time of a body is watched where it is read (`late.rs`).

use std::{io, pin::pin, time::Duration};

use axum::Router;
use hyper_util::{
    rt::{TokioExecutor, TokioIo, TokioTimer},
    server::conn::auto::Builder,
    service::TowerToHyperService,
};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::watch,
    time::Instant,
};

/// What a connection of HTTP/2 begins with.
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
/// How often a connection is looked at that has begun with less than that.
const LOOK_AGAIN: Duration = Duration::from_millis(20);
/// When no connection can be taken, it is tried again after so long: others may end.
const ACCEPT_PAUSE: Duration = Duration::from_millis(500);

/// Serves connections until `stop` ends, and those that are there to the end of their requests.
pub(super) async fn serve(
    listener: TcpListener,
    router: Router,
    idle: Duration,
    stop: impl Future<Output = ()>,
) {
    // Dropped when it is time to stop; and what connections hold as long as they are there.
    let (stopping, stopped) = watch::channel(());
    let (ended, open) = watch::channel(());
    let mut stop = pin!(stop);
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = &mut stop => break,
        };
        let stream = match accepted {
            Ok((stream, _)) => stream,
            Err(error) if is_of_one_connection(&error) => continue,
            Err(error) => {
                tracing::error!(%error, "no connection can be taken");
                tokio::time::sleep(ACCEPT_PAUSE).await;
                continue;
            }
        };
        let (router, stopped, open) = (router.clone(), stopped.clone(), open.clone());
        tokio::spawn(async move {
            serve_one(stream, router, idle, stopped).await;
            drop(open);
        });
    }
    drop((listener, stopping, stopped, open));
    ended.closed().await;
}

/// Whether somebody was gone before their connection was taken.
fn is_of_one_connection(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset)
}

async fn serve_one(
    stream: TcpStream,
    router: Router,
    idle: Duration,
    mut stopped: watch::Receiver<()>,
) {
    // Small messages go out at once.
    let _ = stream.set_nodelay(true);
    let begun = tokio::select! {
        begun = tokio::time::timeout(idle, is_http2(&stream)) => begun,
        _ = stopped.changed() => return,
    };
    let Ok(Ok(is_http2)) = begun else { return };
    let mut builder = Builder::new(TokioExecutor::new());
    builder.http1().timer(TokioTimer::new()).header_read_timeout(idle);
    // Who is not there any more does not answer a ping.
    builder.http2().timer(TokioTimer::new()).keep_alive_interval(idle).keep_alive_timeout(idle);
    let builder = if is_http2 { builder.http2_only() } else { builder.http1_only() };
    let service = TowerToHyperService::new(router);
    let serving = builder.serve_connection_with_upgrades(TokioIo::new(stream), service);
    let mut serving = pin!(serving);
    let mut is_told = false;
    loop {
        tokio::select! {
            served = serving.as_mut() => {
                if let Err(error) = served {
                    tracing::trace!(%error, "a connection broke off");
                }
                return;
            }
            _ = stopped.changed(), if !is_told => {
                is_told = true;
                serving.as_mut().graceful_shutdown();
            }
        }
    }
}

/// Whether what comes is HTTP/2; nothing of it is taken.
async fn is_http2(stream: &TcpStream) -> io::Result<bool> {
    let mut begin = [0; PREFACE.len()];
    loop {
        let count = stream.peek(&mut begin).await?;
        let is_other = !PREFACE.starts_with(&begin[..count]);
        if count == 0 || count == begin.len() || is_other {
            return Ok(count == begin.len() && !is_other);
        }
        // What was seen makes it readable, so waiting for that would not wait.
        tokio::time::sleep_until(Instant::now() + LOOK_AGAIN).await;
    }
}
