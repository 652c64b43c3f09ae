//! The same events over a WebSocket.

use std::time::Duration;

use axum::{
    extract::ws::{Message, WebSocket, WebSocketUpgrade},
    response::Response,
};
use bytes::Bytes;

use super::{Listener, Next};

/// The subprotocol: what a message is.
const PROTOCOL: &str = "resultant.events.v1";
/// Nothing is expected from the other side, so nothing large is read.
const MESSAGE_BYTES_MAX: usize = 4 << 10;
/// Who does not take a message for so long is gone.
const SEND_TIME: Duration = Duration::from_secs(60);

pub(super) fn serve(upgrade: WebSocketUpgrade, listener: Listener) -> Response {
    upgrade
        .protocols([PROTOCOL])
        .max_message_size(MESSAGE_BYTES_MAX)
        .max_frame_size(MESSAGE_BYTES_MAX)
        .on_upgrade(|socket| talk(socket, listener))
}

async fn talk(mut socket: WebSocket, mut listener: Listener) {
    loop {
        let message = tokio::select! {
            next = listener.next() => match next {
                Some(Next::Told(told)) => Message::Text(told.as_message(listener.format).into()),
                Some(Next::Heartbeat) => Message::Ping(Bytes::new()),
                None => Message::Close(None),
            },
            heard = socket.recv() => match heard {
                // Pings are answered by the library; what else is said means nothing here.
                Some(Ok(message)) if !matches!(message, Message::Close(_)) => continue,
                _ => return,
            },
        };
        let is_end = matches!(message, Message::Close(_));
        let sent = tokio::time::timeout(SEND_TIME, socket.send(message)).await;
        if is_end || !matches!(sent, Ok(Ok(()))) {
            return;
        }
    }
}
