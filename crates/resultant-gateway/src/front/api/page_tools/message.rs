//! The messages of a page and those to it.
//!
//! What is not known is passed over, so that a newer page can speak to an older gateway; what a
//! message needs and lacks ends the connection, because both sides were written by us.

use resultant::{Json, Object};

use crate::{
    config::PagesConfig,
    page_tools::{Refusal, Tab},
};

/// The most bytes of a frame.
pub(super) const FRAME_BYTES_MAX: usize = 256 << 10;
/// What stands before the bytes of a binary frame: the stream's number and the flags.
const HEAD_BYTES: usize = 5;
const LAST: u8 = 1;

/// What a page says.
#[derive(Debug)]
pub(super) enum Heard {
    Hello {
        token: Option<String>,
        client: (String, String),
    },
    Token {
        id: Json,
        token: Option<String>,
    },
    Tab {
        tab: String,
        about: Tab,
    },
    TabClosed {
        tab: String,
    },
    Register {
        id: Json,
        tab: String,
        tool: Json,
    },
    Unregister {
        tab: String,
        name: String,
    },
    Progress {
        call: u64,
        progress: Json,
    },
    Result {
        call: u64,
        result: Json,
    },
    Stream {
        call: u64,
        stream: u32,
    },
    Failed {
        call: u64,
        message: String,
    },
    /// A sign of life, or something that a newer page knows.
    Other,
}

impl Heard {
    /// Reads a text frame; an error says what is wrong with it.
    pub(super) fn read(text: &str) -> Result<Heard, String> {
        let json = Json::parse(text.to_owned()).map_err(|error| format!("no JSON: {error}"))?;
        let string = |key: &str| -> Option<String> { Some(json.get(key)?.as_str()?.into_owned()) };
        let kind = string("type").ok_or("a message has a `type`")?;
        let needed = |key: &str| string(key).ok_or_else(|| format!("`{kind}` has a `{key}`"));
        let call = || {
            let call = needed("call")?;
            // One that is no number is none of ours, and so is not under way.
            Ok::<u64, String>(call.parse().unwrap_or(u64::MAX))
        };
        Ok(match kind.as_str() {
            "hello" => {
                let client = json.get("client");
                let part = |key: &str| {
                    let part = client.as_ref().and_then(|client| client.get(key));
                    let part = part.as_ref().and_then(Json::as_str).unwrap_or_default();
                    part.chars().take(100).collect::<String>()
                };
                Heard::Hello { token: string("token"), client: (part("name"), part("version")) }
            }
            "token" => {
                Heard::Token { id: json.get("id").unwrap_or(Json::null()), token: string("token") }
            }
            "tab" => {
                let is = |key: &str| json.get(key).and_then(|value| value.as_bool());
                let about = Tab {
                    title: string("title").unwrap_or_default(),
                    url: string("url").unwrap_or_default(),
                    is_active: is("active").unwrap_or_default(),
                    is_visible: is("visible").unwrap_or_default(),
                };
                Heard::Tab { tab: needed("tab")?, about }
            }
            "tab_closed" => Heard::TabClosed { tab: needed("tab")? },
            "register" => Heard::Register {
                id: json.get("id").unwrap_or(Json::null()),
                tab: string("tab").unwrap_or_default(),
                tool: json.get("tool").filter(Json::is_object).ok_or("`register` has a `tool`")?,
            },
            "unregister" => {
                Heard::Unregister { tab: string("tab").unwrap_or_default(), name: needed("name")? }
            }
            "progress" => Heard::Progress { call: call()?, progress: json.clone() },
            "result" => match json.get("stream") {
                Some(stream) => Heard::Stream {
                    call: call()?,
                    stream: stream
                        .as_u64()
                        .and_then(|stream| u32::try_from(stream).ok())
                        .ok_or("`stream` is a number below 2^32")?,
                },
                None => Heard::Result {
                    call: call()?,
                    result: json.get("result").ok_or("`result` has a `result` or a `stream`")?,
                },
            },
            "failed" => {
                let message = string("message").filter(|message| !message.is_empty());
                let message = message.unwrap_or_else(|| "the page gave no reason".to_owned());
                Heard::Failed { call: call()?, message: message.chars().take(2000).collect() }
            }
            _ => Heard::Other,
        })
    }
}

/// A part of a result.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Piece<'a> {
    pub(super) stream: u32,
    pub(super) is_last: bool,
    pub(super) bytes: &'a [u8],
}

impl Piece<'_> {
    /// Reads a binary frame.
    pub(super) fn read(frame: &[u8]) -> Option<Piece<'_>> {
        let (head, bytes) = frame.split_at_checked(HEAD_BYTES)?;
        let stream = u32::from_be_bytes([head[0], head[1], head[2], head[3]]);
        Some(Piece { stream, is_last: head[4] & LAST != 0, bytes })
    }
}

/// Whom a page is let in as: the name for people, and what tells users apart.
#[derive(Clone, Copy)]
pub(super) struct Named<'a> {
    pub(super) name: &'a str,
    pub(super) id: &'a str,
}

/// What a page is told when it is let in, and when another credential of the same user came: that
/// has an `id`.
pub(super) fn welcome(
    id: Option<&Json>,
    connection: &str,
    user: Named<'_>,
    pages: &PagesConfig,
) -> String {
    let mut limits = Object::default();
    for (key, value) in [
        ("message_bytes_max", pages.server.message_bytes_max),
        ("result_bytes_max", pages.server.message_bytes_max),
        ("frame_bytes_max", FRAME_BYTES_MAX as u64),
        ("tools_max", pages.tools_max as u64),
        ("calls_max", pages.calls_at_once_max as u64),
    ] {
        limits.set(key, Json::number(value));
    }
    let heartbeat = u64::try_from(pages.heartbeat.as_millis()).unwrap_or(u64::MAX);
    let mut members = vec![
        ("type", Json::string("welcome")),
        ("connection", Json::string(connection)),
        ("user", Json::string(user.name)),
        ("user_id", Json::string(user.id)),
        ("server", Json::string(pages.server.name.as_str())),
        ("limits", limits.to_json()),
        ("heartbeat_ms", Json::number(heartbeat)),
    ];
    members.extend(id.map(|id| ("id", id.clone())));
    written(&members)
}

/// What a page is told that is not let in, or not any more.
pub(super) fn refused(code: &str, refusal: &Refusal) -> String {
    written(&[
        ("type", Json::string("refused")),
        ("code", Json::string(code)),
        ("reason", Json::string(&refusal.reason)),
        ("hint", Json::string(&refusal.hint)),
    ])
}

/// The same of one thing alone, which `about` names; the connection goes on.
pub(super) fn refused_alone(about: (&str, Json), code: &str, refusal: &Refusal) -> String {
    written(&[
        ("type", Json::string("refused")),
        about,
        ("code", Json::string(code)),
        ("reason", Json::string(&refusal.reason)),
        ("hint", Json::string(&refusal.hint)),
    ])
}

pub(super) fn registered(id: &Json) -> String {
    written(&[("type", Json::string("registered")), ("id", id.clone())])
}

pub(super) fn ack(stream: u32, bytes: u64) -> String {
    written(&[
        ("type", Json::string("ack")),
        ("stream", Json::number(stream.into())),
        ("bytes", Json::number(bytes)),
    ])
}

pub(super) fn cancel(call: u64, reason: &str) -> String {
    written(&[
        ("type", Json::string("cancel")),
        ("call", Json::string(&call.to_string())),
        ("reason", Json::string(reason)),
    ])
}

pub(super) const PING: &str = r#"{"type":"ping"}"#;

fn written(members: &[(&str, Json)]) -> String {
    let mut object = Object::default();
    for (key, value) in members {
        object.set(key, value.clone());
    }
    object.to_json().to_string()
}

#[cfg(test)]
mod tests {
    use super::{Heard, Piece};

    #[test]
    fn messages_are_read_and_what_they_lack_is_told() {
        let fine = [
            r#"{"type":"hello"}"#,
            r#"{"type":"hello","token":"t","client":{"name":"n","version":"1"}}"#,
            r#"{"type":"tab","tab":"a","active":true}"#,
            r#"{"type":"register","id":1,"tab":"a","tool":{"name":"x"}}"#,
            r#"{"type":"result","call":"1","result":{}}"#,
            r#"{"type":"result","call":"1","stream":0}"#,
            r#"{"type":"pong"}"#,
            r#"{"type":"from the future"}"#,
        ];
        for text in fine {
            assert!(Heard::read(text).is_ok(), "{text}");
        }
        for (text, lack) in [
            ("hello", "no JSON"),
            ("[]", "type"),
            (r#"{"type":"tab"}"#, "`tab`"),
            (r#"{"type":"register","id":1,"tool":[]}"#, "`tool`"),
            (r#"{"type":"result","call":"1"}"#, "`result`"),
            (r#"{"type":"result","call":"1","stream":-1}"#, "stream"),
            (r#"{"type":"result","call":"1","stream":4294967296}"#, "stream"),
            (r#"{"type":"failed","call":1}"#, "`call`"),
        ] {
            let error = Heard::read(text).expect_err(text);
            assert!(error.contains(lack), "{text}: {error}");
        }
        let numbers = r#"{"type":"result","call":"1","result":{"n":12345678901234567890.10}}"#;
        let Ok(Heard::Result { call: 1, result }) = Heard::read(numbers) else {
            unreachable!("a result")
        };
        assert_eq!(result.as_text(), r#"{"n":12345678901234567890.10}"#, "digits stay");
        let Ok(Heard::Failed { call, .. }) = Heard::read(r#"{"type":"failed","call":"x"}"#) else {
            unreachable!("a failure")
        };
        assert_eq!(call, u64::MAX, "of no call of ours");
    }

    #[test]
    fn a_binary_frame_has_a_head() {
        let piece = Piece { stream: 0x0102_0304, is_last: true, bytes: b"x" };
        assert_eq!(Piece::read(&[1, 2, 3, 4, 1, b'x']), Some(piece));
        let empty = Piece { stream: 7, is_last: false, bytes: b"" };
        assert_eq!(Piece::read(&[0, 0, 0, 7, 0]), Some(empty));
        assert_eq!(Piece::read(&[0, 0, 0, 7]), None);
    }
}
