//! The lines of a JSON value: one for each scalar, with the way to it in front.
//!
//! A value in one line of megabytes cannot be paged or searched; these lines can, and what is found
//! in them says where it was. The way is a jq path, so it can be asked for.

use std::fmt::Write as _;

use resultant::{Json, Kind};

/// Hands out the lines. The depth of checked JSON is bounded, and so is this recursion.
pub(in crate::child) fn each_line(json: &Json, take: &mut dyn FnMut(&str)) {
    let mut line = String::new();
    walk(json, &mut line, take);
}

fn walk(json: &Json, line: &mut String, take: &mut dyn FnMut(&str)) {
    let length = line.len();
    let mut is_empty = true;
    match json.kind() {
        Kind::Object => {
            for (key, value) in json.members() {
                is_empty = false;
                push_key(line, &key);
                walk(&value, line, take);
                line.truncate(length);
            }
        }
        Kind::Array => {
            for (at, item) in json.items().enumerate() {
                is_empty = false;
                // The path to an item of the whole is `.[0]`.
                let dot = if line.is_empty() { "." } else { "" };
                let _ = write!(line, "{dot}[{at}]");
                walk(&item, line, take);
                line.truncate(length);
            }
        }
        _ => {}
    }
    if is_empty {
        let dot = if line.is_empty() { "." } else { "" };
        let _ = write!(line, "{dot} = {json}");
        take(line);
        line.truncate(length);
    }
}

fn push_key(line: &mut String, key: &str) {
    let is_plain = key.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    match is_plain {
        true => {
            line.push('.');
            line.push_str(key);
        }
        false => {
            let dot = if line.is_empty() { "." } else { "" };
            let _ = write!(line, "{dot}[{}]", Json::string(key));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_a_path_and_a_scalar() {
        let lines = |text: &str| {
            let mut lines = Vec::new();
            each_line(&Json::parse(text.to_owned()).unwrap(), &mut |line| {
                lines.push(line.to_owned());
            });
            lines
        };
        assert_eq!(
            lines(r#"{"entities": [{"name": "x\ny", "a b": []}, 1.50], "o": {}}"#),
            [
                r#".entities[0].name = "x\ny""#,
                r#".entities[0]["a b"] = []"#,
                ".entities[1] = 1.50",
                ".o = {}",
            ]
        );
        assert_eq!(lines(r#"[[true]]"#), [".[0][0] = true"]);
        assert_eq!(lines(r#"{"1": null}"#), [r#".["1"] = null"#]);
        assert_eq!(lines("5"), [". = 5"]);
    }
}
