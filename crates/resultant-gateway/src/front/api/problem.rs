//! What went wrong, as problem details (RFC 9457) with a hint on what to try.
//!
//! There is one problem for everything that is not there, whoever it would belong to: what is not
//! the caller's and what does not exist are told apart by nothing.

use axum::{
    body::Body,
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use resultant::Json;
use resultant_store::{Id, StoreError};
use schemars::JsonSchema;
use serde::Serialize;

use crate::front::http::Late;

/// When somebody may try again after the store failed.
const RETRY_SECONDS: u32 = 5;

/// The kinds of problems. Their names are the ends of the `type` addresses.
pub(super) const KINDS: [Kind; 17] = [
    BAD_REQUEST,
    UNAUTHENTICATED,
    FORBIDDEN,
    NOT_FOUND,
    METHOD,
    NOT_ACCEPTABLE,
    LATE,
    CONFLICT,
    GONE_AHEAD,
    TOO_LARGE,
    MEDIA_TYPE,
    RANGE,
    QUOTA,
    BUSY,
    CALL_FAILED,
    CANCELLED,
    STORE,
];

/// A kind of problem.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kind {
    pub(super) name: &'static str,
    pub(super) status: StatusCode,
    pub(super) title: &'static str,
    /// What to try.
    pub(super) hint: &'static str,
}

const fn kind(
    name: &'static str,
    status: StatusCode,
    title: &'static str,
    hint: &'static str,
) -> Kind {
    Kind { name, status, title, hint }
}

pub(super) const BAD_REQUEST: Kind = kind(
    "bad-request",
    StatusCode::BAD_REQUEST,
    "The request cannot be read",
    "compare it with the operation at /api/docs",
);
pub(super) const UNAUTHENTICATED: Kind = kind(
    "unauthenticated",
    StatusCode::UNAUTHORIZED,
    "It is not known who is asking",
    "send the credentials that this gateway takes, such as Authorization: Bearer …",
);
pub(super) const FORBIDDEN: Kind = kind(
    "forbidden",
    StatusCode::FORBIDDEN,
    "This may not be asked from there",
    "see `allowed_hosts` and `allowed_origins` in the configuration",
);
pub(super) const LATE: Kind = kind(
    "late",
    StatusCode::REQUEST_TIMEOUT,
    "The rest of the request did not come",
    "send it again; how long it is waited for is `request_idle_seconds` in the configuration",
);
pub(super) const NOT_FOUND: Kind = kind(
    "not-found",
    StatusCode::NOT_FOUND,
    "There is no such thing",
    "list what there is; ids are those of your own things, and may have expired",
);
pub(super) const METHOD: Kind = kind(
    "method",
    StatusCode::METHOD_NOT_ALLOWED,
    "This cannot be done here",
    "the operations of each path are at /api/docs",
);
pub(super) const NOT_ACCEPTABLE: Kind = kind(
    "not-acceptable",
    StatusCode::NOT_ACCEPTABLE,
    "It cannot be given in this form",
    "ask for one of the forms that /api/docs names",
);
pub(super) const CONFLICT: Kind = kind(
    "conflict",
    StatusCode::CONFLICT,
    "This is not possible now",
    "look at its state and try again",
);
pub(super) const GONE_AHEAD: Kind = kind(
    "precondition",
    StatusCode::PRECONDITION_FAILED,
    "It is not what you expect it to be",
    "ask again without the condition",
);
pub(super) const TOO_LARGE: Kind = kind(
    "too-large",
    StatusCode::PAYLOAD_TOO_LARGE,
    "There is too much of it",
    "the limit is named; it can be changed in the configuration",
);
pub(super) const MEDIA_TYPE: Kind = kind(
    "media-type",
    StatusCode::UNSUPPORTED_MEDIA_TYPE,
    "This form is not read here",
    "send the media type that /api/docs names",
);
pub(super) const RANGE: Kind = kind(
    "range",
    StatusCode::RANGE_NOT_SATISFIABLE,
    "There are no such bytes",
    "the size is in the header Content-Range",
);
pub(super) const QUOTA: Kind = kind(
    "quota",
    StatusCode::INSUFFICIENT_STORAGE,
    "There is no room left",
    "delete files or sessions that are not needed any more",
);
pub(super) const BUSY: Kind = kind(
    "busy",
    StatusCode::SERVICE_UNAVAILABLE,
    "There is too much going on",
    "try again in a moment",
);
pub(super) const CALL_FAILED: Kind = kind(
    "call-failed",
    StatusCode::BAD_GATEWAY,
    "The call has no result",
    "GET /api/servers says how the servers are",
);
pub(super) const CANCELLED: Kind = kind(
    "cancelled",
    StatusCode::CONFLICT,
    "The call was cancelled",
    "call again if it is wanted after all",
);
pub(super) const STORE: Kind = kind(
    "store",
    StatusCode::SERVICE_UNAVAILABLE,
    "The store does not answer",
    "try again in a moment; the log says what is wrong",
);

/// Something that went wrong.
#[derive(Clone, Debug)]
pub(super) struct Problem(Box<Details>);

#[derive(Clone, Debug)]
struct Details {
    kind: Kind,
    detail: String,
    hint: Option<String>,
    retry_seconds: Option<u32>,
    call: Option<String>,
}

/// What went wrong, as RFC 9457 has it.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Problem")]
pub(super) struct ProblemDocument {
    /// The kind of problem: an address at which it is described.
    r#type: String,
    /// The kind of problem in words.
    title: String,
    /// The HTTP status.
    status: u16,
    /// What is wrong here.
    detail: String,
    /// What to try.
    hint: String,
    /// The call that it is about, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    call: Option<String>,
    /// How a person signs in, where nobody is known: with a `code`, a `key`, at a `proxy` or an
    /// `issuer`, or with a `token`.
    #[serde(skip_serializing_if = "Option::is_none")]
    sign_in: Option<String>,
}

impl Problem {
    pub(super) fn new(kind: Kind, detail: impl Into<String>) -> Problem {
        let retry_seconds =
            (kind.status == StatusCode::SERVICE_UNAVAILABLE).then_some(RETRY_SECONDS);
        let detail = detail.into();
        Problem(Box::new(Details { kind, detail, hint: None, retry_seconds, call: None }))
    }

    /// Nothing is there, for this caller.
    pub(super) fn not_found() -> Problem {
        Problem::new(NOT_FOUND, "there is nothing here, or nothing that is yours")
    }

    pub(super) fn bad(detail: impl Into<String>) -> Problem {
        Problem::new(BAD_REQUEST, detail)
    }

    /// The body of a request could not be read to its end.
    pub(super) fn broken_off(error: &(dyn std::error::Error + 'static)) -> Problem {
        match Late::of(error) {
            Some(late) => Problem::late(&late),
            None => Problem::bad("the body broke off"),
        }
    }

    pub(super) fn late(late: &Late) -> Problem {
        Problem::new(LATE, late.to_string())
    }

    #[must_use]
    pub(super) fn hint(mut self, hint: impl Into<String>) -> Problem {
        self.0.hint = Some(hint.into());
        self
    }

    /// Names the call that it is about.
    #[must_use]
    pub(super) fn of_call(mut self, call: Id) -> Problem {
        self.0.call = Some(call.to_string());
        self
    }

    pub(super) fn document(&self) -> ProblemDocument {
        let Details { kind, detail, hint, call, .. } = &*self.0;
        ProblemDocument {
            r#type: format!("/api/docs#problem-{}", kind.name),
            title: kind.title.to_owned(),
            status: kind.status.as_u16(),
            detail: detail.clone(),
            hint: hint.clone().unwrap_or_else(|| kind.hint.to_owned()),
            call: call.clone(),
            sign_in: None,
        }
    }
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Problem {
        match &error {
            StoreError::Quota { .. } => Problem::new(QUOTA, error.to_string()),
            StoreError::NoSession => Problem::not_found(),
            _ => {
                // What exactly failed is for the log; it may name paths and addresses.
                tracing::error!(%error, "the store failed");
                let detail = match error {
                    StoreError::Late { .. } => error.to_string(),
                    StoreError::Damaged { .. } => "the stored bytes are damaged".to_owned(),
                    _ => "the store failed".to_owned(),
                };
                Problem::new(STORE, detail)
            }
        }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut response = Response::new(Body::from(Json::of(&self.document()).to_bytes()));
        *response.status_mut() = self.0.kind.status;
        let headers = response.headers_mut();
        let json = HeaderValue::from_static("application/problem+json");
        headers.insert(header::CONTENT_TYPE, json);
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        if let Some(seconds) = self.0.retry_seconds {
            headers.insert(header::RETRY_AFTER, seconds.into());
        }
        response
    }
}
