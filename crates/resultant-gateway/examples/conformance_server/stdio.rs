//! One message a line, on the standard streams.

use std::{io, sync::Arc};

use serde_json::Value;
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader},
    sync::mpsc,
};

use crate::{
    dispatch,
    message::{Failure, PARSE_ERROR},
    outlet::Outlet,
    server::{Era, Server},
    session::Session,
};

/// Serves until standard input ends.
pub(crate) async fn run(server: Arc<Server>) -> io::Result<()> {
    let (sender, mut receiver) = mpsc::unbounded_channel::<Value>();
    let out = Outlet::Channel(sender);
    let session = Arc::new(Session::new(out.clone()));
    tokio::spawn(async move {
        let mut stdout = tokio::io::stdout();
        while let Some(message) = receiver.recv().await {
            let line = format!("{message}\n");
            if stdout.write_all(line.as_bytes()).await.is_err() || stdout.flush().await.is_err() {
                break;
            }
        }
    });
    if server.era != Era::Modern {
        let (server, session) = (Arc::clone(&server), Arc::clone(&session));
        tokio::spawn(async move { session.tell_changes(&server).await });
    }
    let mut lines = BufReader::new(tokio::io::stdin()).lines();
    while let Some(line) = lines.next_line().await? {
        match serde_json::from_str(&line) {
            Ok(message) => dispatch::receive(&server, &session, message, out.clone()),
            Err(error) => {
                out.send(Failure::new(PARSE_ERROR, error.to_string()).answer(&Value::Null));
            }
        }
    }
    Ok(())
}
