//! References to files, and what their bytes become in the arguments.
//!
//! Only a whole string that a client sent is ever a reference. What stands in a result is a text
//! like any other.

use resultant::Json;

use super::{Refused, places::Form, shown};
use crate::file_uri::FileUri;
pub(super) use crate::file_uri::{SCHEME, normalized};

/// Which file is meant, and which part of it.
pub(super) type Reference = FileUri;

/// The file that a string refers to; nothing where it is another string.
pub(super) fn parse(text: &str) -> Option<Result<Reference, Refused>> {
    Some(match FileUri::parse(text)? {
        Ok(uri) if uri.offset.is_some() || uri.length.is_some() => Err(Refused::new(
            "`?offset=` and `?length=` are for reading; a part of a file is handed to a tool by \
             `?bytes=0-4095`",
        )),
        Ok(uri) => Ok(uri),
        Err(message) => Err(Refused::new(message)),
    })
}

/// The JSON that stands for a file's bytes in this form.
pub(super) fn written(
    form: Option<Form>,
    name: &str,
    argument: &str,
    bytes: Vec<u8>,
) -> Result<(Form, String), Refused> {
    match form {
        Some(form @ (Form::Base64 | Form::Base64Url)) => {
            let encoding = match form {
                Form::Base64Url => base64_simd::URL_SAFE_NO_PAD,
                _ => base64_simd::STANDARD,
            };
            let mut out = String::with_capacity(encoding.encoded_length(bytes.len()) + 2);
            out.push('"');
            encoding.encode_append(&bytes, &mut out);
            out.push('"');
            Ok((form, out))
        }
        Some(Form::Json) => value_of(name, argument, bytes).map(|json| (Form::Json, json)),
        // Addresses are not made of bytes.
        Some(Form::Text | Form::Url) | None => match String::from_utf8(bytes) {
            Ok(text) => Ok((Form::Text, Json::string(&text).as_text().to_owned())),
            Err(_) => Err(Refused::new(format!(
                "`{}` is no text, and the argument `{argument}` takes text; a tool takes other \
                 files where its schema says `contentEncoding: base64` or `format: uri`",
                shown(name)
            ))),
        },
    }
}

fn value_of(name: &str, argument: &str, bytes: Vec<u8>) -> Result<String, Refused> {
    let refused = |reason: String| {
        Refused::new(format!(
            "`{}` cannot be the value of the argument `{argument}`, which is no string: {reason}",
            shown(name)
        ))
    };
    let text = String::from_utf8(bytes).map_err(|_| refused("it is no text".to_owned()))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text).trim();
    let json = Json::parse(text.to_owned());
    let json = json.map_err(|error| refused(format!("it is no JSON: {error}")))?;
    // What reading had to repair would reach the tool as something else.
    match json.as_text().trim() == text {
        true => Ok(text.to_owned()),
        false => Err(refused(
            "its JSON is nested too deep, or has a key twice or a broken character".to_owned(),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<(&str, Option<&str>)>) {
        let parsed = parse(text).map(Result::unwrap);
        let expected = expected.map(|(name, sha256)| Reference {
            name: name.to_owned(),
            sha256: sha256.map(str::to_owned),
            ..Reference::default()
        });
        assert_eq!(parsed, expected, "{text}");
    }

    #[test]
    fn references() {
        let digest = "0123456789abcdef".repeat(4);
        check("resultant://files/a.txt", Some(("a.txt", None)));
        check("resultant://files/my%20report.pdf", Some(("my report.pdf", None)));
        check("resultant://files/my report.pdf", Some(("my report.pdf", None)));
        check("resultant://files/100%25.txt", Some(("100%.txt", None)));
        check("resultant://files/100%.txt", Some(("100%.txt", None)));
        check("resultant://files/a+b", Some(("a+b", None)));
        check("resultant://files/what?.txt", Some(("what?.txt", None)));
        check("resultant://files/a#b", Some(("a#b", None)));
        check("resultant://files/%ff.txt", Some(("%ff.txt", None)));
        check("resultant://files/..%2F..%2Fetc%2Fpasswd", Some(("../../etc/passwd", None)));
        check("resultant://files/a%00b", Some(("a\0b", None)));
        check("resultant://files/", Some(("", None)));
        // One composed letter, however it is written.
        check("resultant://files/Gro\u{308}\u{df}e", Some(("Gr\u{f6}\u{df}e", None)));
        check("resultant://files/Gro%CC%88%C3%9Fe", Some(("Gr\u{f6}\u{df}e", None)));
        // Turned around to the eye, it is still another name.
        check("resultant://files/\u{202e}gpj.exe", Some(("\u{202e}gpj.exe", None)));
        let text = format!("resultant://files/a.txt?sha256={}", digest.to_uppercase());
        check(&text, Some(("a.txt", Some(&digest))));
        for other in [
            "",
            "a.txt",
            "resultant:",
            "resultant://",
            "resultant://other/a",
            "Resultant://files/a",
            " resultant://files/a",
            "see resultant://files/a",
            "http://x/resultant://files/a",
        ] {
            check(other, None);
        }
        for wrong in ["?sha256=12", "?sha256=", "?offset=0", "?length=9&offset=1"] {
            assert!(parse(&format!("resultant://files/a{wrong}")).unwrap().is_err(), "{wrong}");
        }
    }

    #[track_caller]
    fn becomes(form: Option<Form>, bytes: &[u8], expected: &str) {
        let (_, text) = written(form, "f", "/a", bytes.to_vec()).unwrap();
        assert_eq!(text, expected);
    }

    #[test]
    fn bytes_become_what_is_wanted() {
        becomes(Some(Form::Text), "a \"q\"\n\u{1}é".as_bytes(), "\"a \\\"q\\\"\\n\\u0001é\"");
        becomes(None, b"x", "\"x\"");
        becomes(None, b"", "\"\"");
        becomes(Some(Form::Text), b"[1]", "\"[1]\"");
        becomes(Some(Form::Base64), b"\xff\xfe", "\"//4=\"");
        becomes(Some(Form::Base64), b"", "\"\"");
        becomes(Some(Form::Base64Url), b"\xff\xfe", "\"__4\"");
        becomes(Some(Form::Json), b" {\"n\": 1.50}\n", "{\"n\": 1.50}");
        becomes(Some(Form::Json), "\u{feff}[]".as_bytes(), "[]");
        becomes(Some(Form::Json), b"\"resultant://files/x\"", "\"resultant://files/x\"");
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        for (form, bytes, reason) in [
            (Some(Form::Text), &b"\xff\xfe"[..], "contentEncoding: base64"),
            (None, b"\x89PNG\r\n\x1a\n\xff", "format: uri"),
            (Some(Form::Json), b"", "no JSON"),
            (Some(Form::Json), b"{\"a\":", "no JSON"),
            (Some(Form::Json), b"NaN", "no JSON"),
            (Some(Form::Json), b"\xff", "no text"),
            (Some(Form::Json), b"{\"a\":1,\"a\":2}", "a key twice"),
            (Some(Form::Json), deep.as_bytes(), "nested too deep"),
        ] {
            let refused = written(form, "f\u{202e}\n", "/a", bytes.to_vec()).unwrap_err();
            let refused = refused.to_string();
            assert!(refused.contains(reason) && refused.contains("`f`"), "{refused}");
        }
    }
}
