//! Clients of MCP: `/mcp` for all servers, `/mcp/SERVER` for one.
//!
//! An answer that comes first goes out as plain JSON. When something has to be said before it, the
//! response becomes an event stream, which is decided by whichever is there first.

use std::sync::Arc;

use axum::{
    Extension, Router,
    body::Body,
    extract::{Path, Request, State},
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse as _, Response},
    routing::get,
};
use bytes::Bytes;
use http_body_util::{BodyExt as _, Limited};
use resultant::Json;

use super::{
    Front, Late,
    stream::{event_stream, respond},
    text,
};
use crate::{
    caller::{Caller, User},
    client::{Client, Scope},
    dispatch,
    front::{
        flow::{Answer, Asked, Flow, Item},
        request::{
            RequestEra, check_headers, era_of, legacy_client, modern_client, unsupported,
            with_session,
        },
    },
    rpc::{self, Batch, Kind, Message, RpcError},
};

const SESSION_HEADER: &str = "mcp-session-id";
const VERSION_HEADER: &str = "mcp-protocol-version";

pub(super) fn routes() -> Router<Front> {
    let methods = || get(get_stream).post(post_messages).delete(delete_session);
    Router::new().route("/mcp", methods()).route("/mcp/{server}", methods())
}

/// The server in the path; all of them where it names none.
type Server = Option<Path<String>>;

async fn post_messages(State(front): State<Front>, server: Server, request: Request) -> Response {
    match front.scope(server) {
        Ok(scope) => front.post(scope, request).await,
        Err(response) => *response,
    }
}

async fn get_stream(
    State(front): State<Front>,
    server: Server,
    Extension(user): Extension<Arc<User>>,
    headers: HeaderMap,
) -> Response {
    match front.scope(server) {
        Ok(scope) => front.get(&scope, &user, &headers).await,
        Err(response) => *response,
    }
}

async fn delete_session(
    State(front): State<Front>,
    server: Server,
    Extension(user): Extension<Arc<User>>,
    headers: HeaderMap,
) -> Response {
    match front.scope(server) {
        Ok(scope) => front.delete(&scope, &user, &headers).await,
        Err(response) => *response,
    }
}

/// An error that is no answer to a request we know.
fn refusal(status: StatusCode, id: Option<&Json>, error: &RpcError) -> Response {
    let bytes = rpc::error(id.map_or("null", Json::as_text), error);
    json_response(status, bytes)
}

pub(super) fn json_response(status: StatusCode, bytes: Bytes) -> Response {
    let mut response = Response::new(Body::from(bytes));
    *response.status_mut() = status;
    let json = HeaderValue::from_static("application/json");
    response.headers_mut().insert(header::CONTENT_TYPE, json);
    response
}

/// The status of an answer: modern ones say by it what went wrong.
pub(super) fn status_of(client: &Client, error_code: Option<i64>) -> StatusCode {
    match error_code {
        Some(rpc::METHOD_NOT_FOUND) if client.is_modern() => StatusCode::NOT_FOUND,
        Some(rpc::HEADER_MISMATCH | rpc::MISSING_CAPABILITY | rpc::UNSUPPORTED_VERSION)
            if client.is_modern() =>
        {
            StatusCode::BAD_REQUEST
        }
        _ => StatusCode::OK,
    }
}

impl Front {
    fn scope(&self, server: Server) -> Result<Scope, Box<Response>> {
        let Some(Path(server)) = server else { return Ok(Scope::All) };
        match self.gateway.server_name(&server) {
            Some(name) => Ok(Scope::One(name)),
            None => {
                let message = format!("there is no server `{server}` in the configuration");
                let error = RpcError::new(rpc::INVALID_REQUEST, message);
                Err(Box::new(refusal(StatusCode::NOT_FOUND, None, &error)))
            }
        }
    }

    async fn post(&self, scope: Scope, request: Request) -> Response {
        let (parts, body) = request.into_parts();
        let headers = parts.headers;
        let Some(user) = parts.extensions.get::<Arc<User>>() else {
            return StatusCode::UNAUTHORIZED.into_response();
        };
        let is_json = text(&headers, "content-type")
            .is_some_and(|kind| kind.to_ascii_lowercase().starts_with("application/json"));
        if !is_json {
            return (StatusCode::UNSUPPORTED_MEDIA_TYPE, "send application/json").into_response();
        }
        let bytes_max = self.gateway.config().limits.request_bytes_max;
        let body = match Limited::new(body, bytes_max).collect().await {
            Ok(body) => body,
            Err(error) => {
                let (status, message) = match Late::of(&*error) {
                    Some(late) => (StatusCode::REQUEST_TIMEOUT, late.to_string()),
                    None => (
                        StatusCode::PAYLOAD_TOO_LARGE,
                        format!("the request has more than {bytes_max} bytes (request_bytes_max)"),
                    ),
                };
                return refusal(status, None, &RpcError::new(rpc::INVALID_REQUEST, message));
            }
        };
        match Message::read_batch(body.to_bytes()) {
            Ok(Batch::One(message)) => self.one(scope, user, &headers, message).await,
            Ok(Batch::Many(messages)) => self.many(&scope, user, &headers, messages).await,
            Err(error) => {
                let error = RpcError::new(rpc::PARSE_ERROR, format!("not JSON: {error}"));
                refusal(StatusCode::BAD_REQUEST, None, &error)
            }
        }
    }

    async fn one(
        &self,
        scope: Scope,
        user: &Arc<User>,
        headers: &HeaderMap,
        message: Message,
    ) -> Response {
        let version = text(headers, VERSION_HEADER);
        let (id, method, params) = match message.kind {
            Kind::Request { id, method, params } => (id, method, params),
            kind => return self.told(&scope, user, headers, kind).await,
        };
        let caller = Caller::of(user.clone());
        match era_of(version.as_deref(), params.as_ref()) {
            RequestEra::Modern => {
                let asked = Asked { id, method, params };
                match with_session(caller, headers, asked.params.as_ref()) {
                    Ok(caller) => self.modern(scope, caller, headers, asked).await,
                    Err(error) => refusal(StatusCode::BAD_REQUEST, Some(&asked.id), &error),
                }
            }
            RequestEra::Legacy if method == "initialize" => {
                self.initialize(scope, caller, &id, params.as_ref()).await
            }
            RequestEra::Legacy => match self.session_of(&scope, user, headers, Some(&id)).await {
                Ok(client) => {
                    let flow = Flow::start(&self.gateway, &client, Asked { id, method, params });
                    respond(&self.gateway, &client, flow).await
                }
                Err(response) => *response,
            },
        }
    }

    async fn modern(
        &self,
        scope: Scope,
        caller: Caller,
        headers: &HeaderMap,
        asked: Asked,
    ) -> Response {
        let Asked { id, method, params } = asked;
        let bad = |error: &RpcError| refusal(StatusCode::BAD_REQUEST, Some(&id), error);
        let client = modern_client(params.as_ref(), scope, caller);
        // A wrong header is told before a wrong version, which may be the header's fault.
        let is_meta_whole = !matches!(&client, Err(error) if error.code == rpc::INVALID_PARAMS);
        let tool = match (&client, method.as_str()) {
            (Ok(client), "tools/call") => self.known_tool(client, params.as_ref()).await,
            _ => None,
        };
        if is_meta_whole
            && let Err(error) = check_headers(headers, &method, params.as_ref(), tool.as_ref())
        {
            return bad(&error);
        }
        let client = match client {
            Ok(client) => Arc::new(client),
            Err(error) => return bad(&error),
        };
        let flow = Flow::start(&self.gateway, &client, Asked { id, method, params });
        respond(&self.gateway, &client, flow).await
    }

    /// The tool of a call, where its headers matter.
    async fn known_tool(
        &self,
        client: &Client,
        params: Option<&Json>,
    ) -> Option<Arc<crate::catalog::Tool>> {
        let name = params?.get("name")?;
        let name = name.as_str()?;
        let (_, _, tool) = self.gateway.find_tool(client, &name).await.ok()?;
        tool.filter(|tool| !tool.header_params.is_empty())
    }

    async fn initialize(
        &self,
        scope: Scope,
        caller: Caller,
        id: &Json,
        params: Option<&Json>,
    ) -> Response {
        let client = legacy_client(params, scope, caller);
        let client = match self.gateway.open_session(client) {
            Ok(client) => client,
            Err(error) => return refusal(StatusCode::SERVICE_UNAVAILABLE, Some(id), &error),
        };
        if let Err(error) = self.gateway.remember_session(&client).await {
            tracing::warn!(%error, "a session could not be recorded");
            let message = "the session could not be recorded; try again later";
            let error = RpcError::new(rpc::INTERNAL_ERROR, message);
            if let Some(session) = &client.session {
                self.gateway.close_session(&session.id);
            }
            return refusal(StatusCode::SERVICE_UNAVAILABLE, Some(id), &error);
        }
        let result = dispatch::initialize(&self.gateway, &client).await;
        let mut response =
            json_response(StatusCode::OK, rpc::result(id.as_text(), result.as_text()));
        let session = client.session.as_ref();
        if let Some(Ok(value)) = session.map(|session| HeaderValue::from_str(&session.id)) {
            response.headers_mut().insert(SESSION_HEADER, value);
        }
        response
    }

    /// The client whose session a request names. Another user's session is as good as none.
    async fn session_of(
        &self,
        scope: &Scope,
        user: &Arc<User>,
        headers: &HeaderMap,
        id: Option<&Json>,
    ) -> Result<Arc<Client>, Box<Response>> {
        if let Some(version) = text(headers, VERSION_HEADER)
            && version.parse::<resultant::Protocol>().is_err()
        {
            return Err(Box::new(refusal(StatusCode::BAD_REQUEST, id, &unsupported(&version))));
        }
        let Some(session) = text(headers, SESSION_HEADER) else {
            let message = "the header Mcp-Session-Id is missing; start with `initialize`";
            let error = RpcError::new(rpc::INVALID_REQUEST, message);
            return Err(Box::new(refusal(StatusCode::BAD_REQUEST, id, &error)));
        };
        let is_theirs =
            |client: &Arc<Client>| client.scope == *scope && client.caller.user.id == user.id;
        let client = match self.gateway.session(&session) {
            Some(client) => Some(client).filter(is_theirs),
            None => self.gateway.adopt_session(user, &session, scope).await,
        };
        let Some(client) = client else {
            let message = "this session has ended; start a new one with `initialize`";
            let error = RpcError::new(rpc::INVALID_REQUEST, message);
            return Err(Box::new(refusal(StatusCode::NOT_FOUND, id, &error)));
        };
        if let Some(session) = &client.session {
            session.touch();
        }
        Ok(client)
    }

    /// A message that is not answered.
    async fn told(
        &self,
        scope: &Scope,
        user: &Arc<User>,
        headers: &HeaderMap,
        kind: Kind,
    ) -> Response {
        if let Kind::Other = kind {
            let error = RpcError::new(rpc::INVALID_REQUEST, "not a JSON-RPC message");
            return refusal(StatusCode::BAD_REQUEST, None, &error);
        }
        if text(headers, SESSION_HEADER).is_none()
            && let Kind::Notification { params, .. } = &kind
            && era_of(text(headers, VERSION_HEADER).as_deref(), params.as_ref())
                == RequestEra::Modern
        {
            // Modern notifications stand alone and ask for nothing.
            return StatusCode::ACCEPTED.into_response();
        }
        let client = match self.session_of(scope, user, headers, None).await {
            Ok(client) => client,
            Err(response) => return *response,
        };
        self.take(&client, kind).await;
        StatusCode::ACCEPTED.into_response()
    }

    async fn take(&self, client: &Arc<Client>, kind: Kind) {
        let Some(session) = &client.session else { return };
        match kind {
            Kind::Notification { method, params } => {
                let id = params.as_ref().and_then(|params| params.get("requestId"));
                match (method.as_str(), id) {
                    ("notifications/cancelled", Some(id)) => session.cancel(&id),
                    (method, _) => {
                        dispatch::notified(&self.gateway, client, method, params.as_ref()).await;
                    }
                }
            }
            Kind::Result { id, result } => {
                session.answered(&id, Ok(result));
            }
            Kind::Error { id: Some(id), error } => {
                session.answered(&id, Err(error));
            }
            Kind::Error { id: None, .. } | Kind::Request { .. } | Kind::Other => {}
        }
    }

    /// A batch, as 2025-03-26 has it: answered by a list.
    async fn many(
        &self,
        scope: &Scope,
        user: &Arc<User>,
        headers: &HeaderMap,
        messages: Vec<Message>,
    ) -> Response {
        let client = match self.session_of(scope, user, headers, None).await {
            Ok(client) => client,
            Err(response) => return *response,
        };
        let mut flows = Vec::new();
        for message in messages {
            match message.kind {
                Kind::Request { id, method, params } => {
                    flows.push(Flow::start(&self.gateway, &client, Asked { id, method, params }));
                }
                kind => self.take(&client, kind).await,
            }
        }
        if flows.is_empty() {
            return StatusCode::ACCEPTED.into_response();
        }
        let mut answers = Vec::new();
        for mut flow in flows {
            while let Some(item) = flow.next().await {
                match item {
                    Item::Message(message) => {
                        if let Some(session) = &client.session {
                            session.tell(message);
                        }
                    }
                    Item::Answer(Answer::Bytes { bytes, .. }) => answers.push(bytes),
                    Item::Answer(Answer::File { id, .. }) => {
                        let message = "the answer is too long for a batch";
                        let error = RpcError::new(rpc::INTERNAL_ERROR, message);
                        answers.push(rpc::error(id.as_text(), &error));
                    }
                    Item::Tick | Item::Answer(Answer::None) => {}
                }
            }
        }
        let mut out = Vec::from(*b"[");
        for (at, answer) in answers.iter().enumerate() {
            if at > 0 {
                out.push(b',');
            }
            out.extend_from_slice(answer);
        }
        out.push(b']');
        json_response(StatusCode::OK, out.into())
    }

    /// The stream for what belongs to no request.
    async fn get(&self, scope: &Scope, user: &Arc<User>, headers: &HeaderMap) -> Response {
        if text(headers, SESSION_HEADER).is_none() {
            return not_allowed();
        }
        let client = match self.session_of(scope, user, headers, None).await {
            Ok(client) => client,
            Err(response) => return *response,
        };
        match &client.session {
            Some(session) => event_stream(&self.gateway, session),
            None => not_allowed(),
        }
    }

    async fn delete(&self, scope: &Scope, user: &Arc<User>, headers: &HeaderMap) -> Response {
        match self.session_of(scope, user, headers, None).await {
            Ok(client) => {
                if let Some(session) = &client.session {
                    self.gateway.close_session(&session.id);
                    self.gateway.forget_session(&client).await;
                }
                StatusCode::NO_CONTENT.into_response()
            }
            Err(response) => *response,
        }
    }
}

fn not_allowed() -> Response {
    let text = "MCP is spoken here: a client sends POST, and GET within a session\n";
    let mut response = (StatusCode::METHOD_NOT_ALLOWED, text).into_response();
    response.headers_mut().insert(header::ALLOW, HeaderValue::from_static("POST"));
    response
}
