//! The codes and types of errors: what is known, and the door to one's own.

use std::{borrow::Cow, fmt};

/// What sort of error it is, for a program that decides what to do next.
///
/// The known ones are constants; any other word is a type as well.
///
/// ```
/// use resultant::envelope::ErrorType;
///
/// assert_eq!(ErrorType::NOT_FOUND.as_str(), "not_found");
/// assert_eq!(ErrorType::from("conflict"), ErrorType::CONFLICT);
/// assert_eq!(ErrorType::from("quota").as_str(), "quota");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ErrorType(Cow<'static, str>);

impl ErrorType {
    /// The input has to be corrected.
    pub const VALIDATION: ErrorType = ErrorType::known("validation");
    /// The caller is not known.
    pub const AUTHENTICATION: ErrorType = ErrorType::known("authentication");
    /// The caller may not do this.
    pub const AUTHORIZATION: ErrorType = ErrorType::known("authorization");
    /// What was asked for does not exist.
    pub const NOT_FOUND: ErrorType = ErrorType::known("not_found");
    /// The present state does not allow it.
    pub const CONFLICT: ErrorType = ErrorType::known("conflict");
    /// Too many calls: try again later.
    pub const RATE_LIMIT: ErrorType = ErrorType::known("rate_limit");
    /// The tool itself failed.
    pub const INTERNAL: ErrorType = ErrorType::known("internal");
    /// Something the tool needs does not answer now: try again later.
    pub const UNAVAILABLE: ErrorType = ErrorType::known("unavailable");
    /// A model or its provider failed.
    pub const AI_PROVIDER: ErrorType = ErrorType::known("ai_provider");

    const fn known(name: &'static str) -> ErrorType {
        ErrorType(Cow::Borrowed(name))
    }

    /// The type as it is written.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<&str> for ErrorType {
    fn from(name: &str) -> ErrorType {
        ErrorType(Cow::Owned(name.to_owned()))
    }
}

impl From<String> for ErrorType {
    fn from(name: String) -> ErrorType {
        ErrorType(Cow::Owned(name))
    }
}

impl fmt::Display for ErrorType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The exact error, and the type it implies.
///
/// The known codes are constants and imply their type. One's own is made with
/// [`ErrorCode::custom`], or from a word, which then implies no type.
///
/// ```
/// use resultant::envelope::{ErrorCode, ErrorType};
///
/// assert_eq!(ErrorCode::NOT_FOUND.kind(), Some(&ErrorType::NOT_FOUND));
/// assert_eq!(ErrorCode::from("NOT_FOUND"), ErrorCode::NOT_FOUND);
///
/// let code = ErrorCode::custom("INVOICE_LOCKED", ErrorType::CONFLICT);
/// assert_eq!((code.as_str(), code.kind()), ("INVOICE_LOCKED", Some(&ErrorType::CONFLICT)));
/// assert_eq!(ErrorCode::from("INVOICE_LOCKED").kind(), None);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ErrorCode {
    name: Cow<'static, str>,
    kind: Option<ErrorType>,
}

impl ErrorCode {
    /// A code of one's own and the type it implies.
    pub fn custom(name: impl Into<String>, kind: impl Into<ErrorType>) -> ErrorCode {
        ErrorCode { name: Cow::Owned(name.into()), kind: Some(kind.into()) }
    }

    /// The code as it is written.
    pub fn as_str(&self) -> &str {
        &self.name
    }

    /// The type that the code implies.
    pub fn kind(&self) -> Option<&ErrorType> {
        self.kind.as_ref()
    }
}

impl From<&str> for ErrorCode {
    fn from(name: &str) -> ErrorCode {
        let known = ErrorCode::ALL.iter().find(|code| code.name == name).cloned();
        known.unwrap_or_else(|| ErrorCode { name: Cow::Owned(name.to_owned()), kind: None })
    }
}

impl From<String> for ErrorCode {
    fn from(name: String) -> ErrorCode {
        ErrorCode::from(name.as_str())
    }
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

/// One constant for each code, and the list of all of them.
macro_rules! codes {
    ($($kind:ident: $($code:ident)*;)*) => {
        impl ErrorCode {
            $($(
                #[doc = concat!("`", stringify!($code), "`; its type is [`ErrorType::", stringify!($kind), "`].")]
                pub const $code: ErrorCode = ErrorCode {
                    name: Cow::Borrowed(stringify!($code)),
                    kind: Some(ErrorType::$kind),
                };
            )*)*

            /// Every known code.
            pub const ALL: &[ErrorCode] = &[$($(ErrorCode::$code,)*)*];
        }
    };
}

// A rule by suffix would be shorter and wrong: a reference to itself is a matter of the input, a
// missing session one of what exists.
codes! {
    VALIDATION:
        VALIDATION_ERROR INVALID_FORMAT MISSING_REQUIRED INVALID_PARENT INVALID_POSITION
        INVALID_REGEX_PATTERN PATTERN_TOO_BROAD SELF_REFERENCE INVALID_CURSOR
        AMBIGUOUS_ACTIVE_SESSION STEP_RESULT_REQUIRED INVALID_GATE_EVIDENCE
        MANUAL_GATE_ACK_REQUIRED INVALID_GATE_ACK INVALID_STATE_TRANSITION
        AUTO_MODE_SPEC_REQUIRED REBASE_COMPLETED_TASKS_REMOVED;
    AUTHENTICATION:
        UNAUTHORIZED;
    AUTHORIZATION:
        FORBIDDEN AUTHORIZATION;
    NOT_FOUND:
        NOT_FOUND SPEC_NOT_FOUND TASK_NOT_FOUND PHASE_NOT_FOUND DEPENDENCY_NOT_FOUND
        BACKUP_NOT_FOUND NO_MATCHES_FOUND AI_PROMPT_NOT_FOUND NO_ACTIVE_SESSION;
    CONFLICT:
        CONFLICT DUPLICATE_ENTRY CIRCULAR_DEPENDENCY VERSION_CONFLICT STEP_MISMATCH
        AUTONOMY_WRITE_LOCK_ACTIVE SPEC_SESSION_EXISTS SPEC_REBASE_REQUIRED
        REBASE_BACKUP_MISSING;
    RATE_LIMIT:
        RATE_LIMIT_EXCEEDED RATE_LIMITED;
    INTERNAL:
        INTERNAL_ERROR BACKUP_CORRUPTED ROLLBACK_FAILED COMPARISON_FAILED OPERATION_FAILED
        SESSION_UNRECOVERABLE;
    UNAVAILABLE:
        UNAVAILABLE RESOURCE_BUSY LOCK_TIMEOUT HEARTBEAT_STALE;
    AI_PROVIDER:
        AI_PROVIDER_ERROR AI_NO_PROVIDER AI_PROVIDER_TIMEOUT AI_CONTEXT_TOO_LARGE AI_CACHE_STALE;
}
