//! What secrets look like, and what control tokens and escapes do. Each pattern runs in linear time.

use std::sync::LazyLock;

use regex::Regex;

/// All patterns that are known here.
pub(super) const ALL: &str = "all";

/// By name. Where only a part of what is found is secret, that part is called so.
pub(super) const BUILT_IN: [(&str, &str); 10] = [
    (
        "private_key",
        concat!(
            r"-----BEGIN [A-Z ]*PRIVATE KEY-----",
            // To its end; where that was cut off, as far as it can go.
            r"(?:[A-Za-z0-9+/=\s\\,:-]*?-----END [A-Z ]*PRIVATE KEY-----|[A-Za-z0-9+/=\s\\,:-]*)",
        ),
    ),
    ("aws_key", r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"),
    ("github_token", r"\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{22,})"),
    ("model_key", r"\bsk-[A-Za-z0-9_-]{20,}"),
    ("google_key", r"\bAIza[0-9A-Za-z_-]{35}"),
    ("slack_token", r"\bxox[abeoprs]-[A-Za-z0-9-]{10,}"),
    ("stripe_key", r"\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,}"),
    ("jwt", r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}"),
    ("bearer", r"(?i)\bbearer\s+(?<secret>[A-Za-z0-9._~+/=-]{16,})"),
    ("url_password", r#"\b[a-z][a-z0-9+.-]*://[^\s/:@"'\\<>]*:(?<secret>[^\s/@"'\\<>,?#]+)@"#),
];

/// Escapes of terminals: colours, links, titles.
pub(super) fn escapes() -> &'static Regex {
    static ESCAPES: LazyLock<Regex> = LazyLock::new(|| {
        regex(concat!(
            // Until the bell or the end of the string, at most so many characters.
            r"(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b]{0,4096}(?:\x07|\x1b\\)?",
            r"|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?",
            r"|\x1b[ -/]*[0-~]?",
        ))
    });
    &ESCAPES
}

/// Tokens by which models are told who speaks. The name stays.
pub(super) fn control_tokens() -> &'static Regex {
    static TOKENS: LazyLock<Regex> =
        LazyLock::new(|| regex(r"<[|｜]{1,2}(?<name>[\w ▁./:-]{1,64})[|｜]{1,2}>"));
    &TOKENS
}

#[expect(clippy::expect_used, reason = "the patterns are constants, and a test builds them all")]
fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a pattern")
}
