//! What operations take from a request, each refused with a problem.

use std::sync::Arc;

use axum::{
    extract::{FromRequest, FromRequestParts, Path, Query, Request},
    http::{header, request::Parts},
};
use http_body_util::{BodyExt as _, Limited};
use resultant_store::Id;
use serde::de::DeserializeOwned;

use super::{
    Api,
    problem::{MEDIA_TYPE, Problem, TOO_LARGE, UNAUTHENTICATED},
};
use crate::caller::User;

/// The user, as whoever stands at the door has established.
pub(super) struct Who(pub(super) Arc<User>);

impl FromRequestParts<Api> for Who {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &Api) -> Result<Who, Problem> {
        let user = parts.extensions.get::<Arc<User>>().cloned();
        user.map(Who).ok_or_else(|| Problem::new(UNAUTHENTICATED, "the request says nobody"))
    }
}

/// The user, where there is one.
pub(super) struct Maybe(pub(super) Option<Arc<User>>);

impl FromRequestParts<Api> for Maybe {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &Api) -> Result<Maybe, Problem> {
        Ok(Maybe(parts.extensions.get::<Arc<User>>().cloned()))
    }
}

/// The path's variable parts.
pub(super) struct Place<T>(pub(super) T);

impl<T: DeserializeOwned + Send> FromRequestParts<Api> for Place<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, api: &Api) -> Result<Place<T>, Problem> {
        let path = Path::<T>::from_request_parts(parts, api).await;
        path.map(|Path(path)| Place(path)).map_err(|_| Problem::not_found())
    }
}

/// The query's parameters.
pub(super) struct Asked<T>(pub(super) T);

impl<T: DeserializeOwned> FromRequestParts<Api> for Asked<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, api: &Api) -> Result<Asked<T>, Problem> {
        let query = Query::<T>::from_request_parts(parts, api).await;
        query.map(|Query(query)| Asked(query)).map_err(|error| Problem::bad(error.body_text()))
    }
}

/// A JSON document in the body; nothing at all is an empty object.
pub(super) struct Said<T>(pub(super) T);

impl<T: DeserializeOwned> FromRequest<Api> for Said<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, api: &Api) -> Result<Said<T>, Problem> {
        let kind = media_type(&request);
        let bytes = body_bytes(request, api).await?;
        if bytes.is_empty() {
            return read_json(b"{}").map(Said);
        }
        match kind.as_deref() {
            Some("application/json") => read_json(&bytes).map(Said),
            _ => Err(Problem::new(MEDIA_TYPE, "the body is to be application/json")),
        }
    }
}

/// The media type of a request's body, without its parameters.
pub(super) fn media_type(request: &Request) -> Option<String> {
    let kind = request.headers().get(header::CONTENT_TYPE)?.to_str().ok()?;
    Some(kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase())
}

/// A body that is short enough for memory.
pub(super) async fn body_bytes(request: Request, api: &Api) -> Result<bytes::Bytes, Problem> {
    let bytes_max = api.gateway.config().limits.request_bytes_max;
    match Limited::new(request.into_body(), bytes_max).collect().await {
        Ok(body) => Ok(body.to_bytes()),
        Err(error) if error.is::<http_body_util::LengthLimitError>() => {
            let detail = format!("the request has more than {bytes_max} bytes (request_bytes_max)");
            Err(Problem::new(TOO_LARGE, detail))
        }
        Err(_) => Err(Problem::bad("the body broke off")),
    }
}

pub(super) fn read_json<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Problem> {
    serde_json::from_slice(bytes).map_err(|error| Problem::bad(format!("the body: {error}")))
}

/// An id in a path. What cannot be one is not there.
pub(super) fn id(text: &str) -> Result<Id, Problem> {
    text.parse().map_err(|_| Problem::not_found())
}
