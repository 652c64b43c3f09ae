//! What operations take from a request, each refused with a problem.

use std::sync::Arc;

use axum::{
    extract::{FromRequest, FromRequestParts, Path, Query, Request},
    http::{header, request::Parts},
};
use http_body_util::{BodyExt as _, Limited};
use resultant_store::Id;
use serde::de::DeserializeOwned;
use serde_json::error::Category;

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
        query.map(|Query(query)| Asked(query)).map_err(|error| {
            Problem::bad(match parameter_in(&error.body_text()) {
                Some(name) => format!("the parameter `{name}` is not what it is to be"),
                None => "the query cannot be read".to_owned(),
            })
        })
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
        Err(error) => Err(Problem::broken_off(&*error)),
    }
}

pub(super) fn read_json<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Problem> {
    serde_json::from_slice(bytes).map_err(|error| {
        let (line, column) = (error.line(), error.column());
        let what = match error.classify() {
            Category::Data => misfit(&error.to_string()),
            Category::Eof => "the JSON of the body breaks off".to_owned(),
            Category::Syntax | Category::Io => "the body is no JSON".to_owned(),
        };
        Problem::bad(format!("{what} (line {line}, column {column})"))
    })
}

/// An id in a path. What cannot be one is not there.
pub(super) fn id(text: &str) -> Result<Id, Problem> {
    text.parse().map_err(|_| Problem::not_found())
}

/// The parameter that the reader of queries speaks of, where it names one: `…: NAME: …`.
fn parameter_in(text: &str) -> Option<&str> {
    let name = text.split(": ").nth(1)?;
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    Some(name).filter(|name| !name.is_empty() && name.bytes().all(is_name))
}

/// What does not fit, in words of ours: the reader's own speak of its types.
fn misfit(text: &str) -> String {
    let name = text.split('`').nth(1).unwrap_or_default();
    match text {
        text if text.starts_with("missing field") => format!("`{name}` is missing"),
        text if text.starts_with("unknown field") => format!("`{name}` is not known here"),
        text if text.starts_with("unknown variant") => format!("`{name}` is no value for that"),
        text if text.starts_with("duplicate field") => format!("`{name}` is there twice"),
        _ => "a value in the body is not of the type that is wanted".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::{misfit, parameter_in};

    #[test]
    fn what_readers_say_is_said_in_own_words() {
        #[derive(Debug, serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Wanted {
            #[serde(rename = "tool")]
            _tool: String,
        }
        let cases = [
            ("{}", "`tool` is missing"),
            (r#"{"tool":"a","x":1}"#, "`x` is not known here"),
            (r#"{"tool":"a","tool":"b"}"#, "`tool` is there twice"),
            (r#"{"tool":7}"#, "a value in the body is not of the type that is wanted"),
        ];
        for (text, expected) in cases {
            let error = serde_json::from_str::<Wanted>(text).expect_err("no such form");
            assert_eq!(misfit(&error.to_string()), expected, "{text}");
        }
        let text = "Failed to deserialize query string: count: invalid digit found in string";
        assert_eq!(parameter_in(text), Some("count"));
        assert_eq!(parameter_in("Failed to deserialize query string"), None);
    }
}
