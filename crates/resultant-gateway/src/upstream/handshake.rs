//! Finding out what a server speaks: first the modern question, then the legacy handshake.

use std::{sync::Arc, time::Duration};

use resultant::{Json, Object, Protocol};

use super::{
    link::{Link, Peer},
    wire::WireError,
};
use crate::{
    config::Era,
    rpc::{self, RpcError},
};

/// How long a server may think about a question it may not know, before it is taken for a legacy
/// one. Some old servers answer nothing at all before `initialize`.
const PROBE_TIME: Duration = Duration::from_secs(3);

/// The step before anything is said.
pub(crate) const START: &str = "start";

pub(crate) const META_PREFIX: &str = "io.modelcontextprotocol/";

/// Why a server is not connected, and at which step.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{step}: {reason}")]
pub(crate) struct ConnectError {
    pub(crate) step: &'static str,
    pub(crate) reason: String,
    pub(crate) kind: FailureKind,
}

/// What kind of thing keeps a server from being connected, for those who say what to try.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureKind {
    /// Its program cannot be started.
    Start,
    /// Nothing can be sent to it.
    Unreachable,
    /// It went away, or the connection broke.
    Ended,
    /// It wants a token that we have not.
    Unauthorized,
    /// It answers HTTP with this status.
    Status(u16),
    /// It did not answer in time.
    TimedOut,
    /// It answers, but not as the protocol has it.
    Protocol,
}

impl ConnectError {
    pub(crate) fn new(step: &'static str, reason: impl Into<String>) -> ConnectError {
        ConnectError { step, reason: reason.into(), kind: FailureKind::Protocol }
    }

    pub(crate) fn timed_out(step: &'static str, after: Duration) -> ConnectError {
        let seconds = after.as_secs_f64();
        let reason = format!("no answer within {seconds} seconds (connect_seconds)");
        ConnectError { step, reason, kind: FailureKind::TimedOut }
    }

    pub(crate) fn of(step: &'static str, error: &WireError) -> ConnectError {
        let kind = match error {
            WireError::Unreachable(_) if step == START => FailureKind::Start,
            WireError::Unreachable(_) => FailureKind::Unreachable,
            WireError::Broken(_) | WireError::SessionGone => FailureKind::Ended,
            WireError::Limit { .. } => FailureKind::Protocol,
            WireError::Unauthorized(_) => FailureKind::Unauthorized,
            WireError::Status { status, .. } => FailureKind::Status(*status),
        };
        ConnectError { step, reason: error.to_string(), kind }
    }

    pub(crate) fn is_unauthorized(&self) -> bool {
        self.kind == FailureKind::Unauthorized
    }
}

/// Agrees with the server on a version.
pub(crate) async fn shake_hands(
    link: &Arc<Link>,
    era: Era,
    capabilities: &Json,
    info: &Json,
) -> Result<(), ConnectError> {
    let peer = match era {
        Era::Legacy => initialize(link, capabilities, info).await?,
        Era::Modern => match discover(link, capabilities, info).await? {
            Discovered::Modern(peer) => peer,
            Discovered::Legacy(reason) => {
                return Err(ConnectError::new("server/discover", reason));
            }
        },
        Era::Auto => {
            let probe = discover(link, capabilities, info);
            match tokio::time::timeout(PROBE_TIME, probe).await {
                Ok(Ok(Discovered::Modern(peer))) => peer,
                Ok(Err(error)) if error.is_unauthorized() => return Err(error),
                // A refusal or a status is what old servers answer.
                Ok(Ok(Discovered::Legacy(_)) | Err(_)) => {
                    initialize(link, capabilities, info).await?
                }
                // Silence is an old server, or one that is slow to start.
                Err(_) => match initialize(link, capabilities, info).await {
                    Ok(peer) => peer,
                    Err(refusal) => match discover(link, capabilities, info).await? {
                        Discovered::Modern(peer) => peer,
                        Discovered::Legacy(_) => return Err(refusal),
                    },
                },
            }
        }
    };
    link.set_peer(peer);
    if !link.is_modern() {
        let sent = link.notify("notifications/initialized", None).await;
        sent.map_err(|error| ConnectError::of("notifications/initialized", &error))?;
    }
    Ok(())
}

enum Discovered {
    Modern(Peer),
    Legacy(String),
}

async fn discover(
    link: &Arc<Link>,
    capabilities: &Json,
    info: &Json,
) -> Result<Discovered, ConnectError> {
    const STEP: &str = "server/discover";
    let version = Protocol::V2026_07_28;
    let mut meta = Object::default();
    meta.set(&format!("{META_PREFIX}protocolVersion"), Json::string(&version.to_string()));
    meta.set(&format!("{META_PREFIX}clientInfo"), info.clone());
    meta.set(&format!("{META_PREFIX}clientCapabilities"), capabilities.clone());
    let mut params = Object::default();
    params.set("_meta", meta.to_json());
    let headers = vec![
        ("MCP-Protocol-Version".to_owned(), version.to_string()),
        ("Mcp-Method".to_owned(), STEP.to_owned()),
    ];
    let params = params.to_json().to_string();
    let mut answer = link.request(STEP, Some(params.clone()), headers.clone()).await;
    if let Ok(Err(error)) = &answer
        && error.code == rpc::UNSUPPORTED_VERSION
        && speaks(error.json.get("data").and_then(|data| data.get("supported")).as_ref(), version)
    {
        // It wanted to be asked in other words, and says that it knows these.
        answer = link.request(STEP, Some(params), headers).await;
    }
    let result = match answer {
        Ok(Ok(result)) => result,
        Ok(Err(error)) if is_modern_refusal(error.code) => {
            return Err(ConnectError::new(STEP, error.message));
        }
        Ok(Err(error)) => return Ok(Discovered::Legacy(error.message)),
        Err(error @ (WireError::Status { .. } | WireError::SessionGone)) => {
            return Ok(Discovered::Legacy(error.to_string()));
        }
        Err(error) => return Err(ConnectError::of(STEP, &error)),
    };
    if !speaks(result.get("supportedVersions").as_ref(), version) {
        return Ok(Discovered::Legacy(format!("the server does not speak {version}")));
    }
    let meta = result.get("_meta");
    let info = meta.and_then(|meta| meta.get(&format!("{META_PREFIX}serverInfo")));
    Ok(Discovered::Modern(peer(version, &result, info)))
}

async fn initialize(
    link: &Arc<Link>,
    capabilities: &Json,
    info: &Json,
) -> Result<Peer, ConnectError> {
    const STEP: &str = "initialize";
    let version = Protocol::V2025_11_25;
    let mut params = Object::default();
    params.set("protocolVersion", Json::string(&version.to_string()));
    params.set("capabilities", capabilities.clone());
    params.set("clientInfo", info.clone());
    let params = params.to_json().to_string();
    let answer = link.request(STEP, Some(params), Vec::new()).await;
    let result = match answer {
        Ok(Ok(result)) => result,
        Ok(Err(RpcError { message, code, .. })) => {
            let reason = format!("the server refused the handshake: {message} ({code})");
            return Err(ConnectError::new(STEP, reason));
        }
        Err(error) => return Err(ConnectError::of(STEP, &error)),
    };
    let agreed = result.get("protocolVersion");
    let agreed = agreed.as_ref().and_then(Json::as_str).unwrap_or_default();
    let protocol = match agreed.parse::<Protocol>() {
        Ok(protocol) if !protocol.is_modern() => protocol,
        _ if agreed.is_empty() => {
            return Err(ConnectError::new(STEP, "the server named no protocol version"));
        }
        _ => {
            let reason = format!("the server wants protocol version {agreed}, which is unknown");
            return Err(ConnectError::new(STEP, reason));
        }
    };
    Ok(peer(protocol, &result, result.get("serverInfo")))
}

fn peer(protocol: Protocol, result: &Json, info: Option<Json>) -> Peer {
    let object = |json: Option<Json>| {
        json.filter(Json::is_object).unwrap_or_else(|| Object::default().to_json())
    };
    let instructions = result.get("instructions");
    Peer {
        protocol,
        capabilities: object(result.get("capabilities")),
        info: object(info),
        instructions: instructions
            .as_ref()
            .and_then(Json::as_str)
            .map(std::borrow::Cow::into_owned),
    }
}

/// Whether a list of versions has this one.
fn speaks(versions: Option<&Json>, version: Protocol) -> bool {
    let mut versions = versions.into_iter().flat_map(Json::items);
    versions.any(|supported| supported.as_str().as_deref() == Some(version.as_str()))
}

/// Errors that only a modern server knows.
fn is_modern_refusal(code: i64) -> bool {
    matches!(code, rpc::HEADER_MISMATCH | rpc::MISSING_CAPABILITY)
}
