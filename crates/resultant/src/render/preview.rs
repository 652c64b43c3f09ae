//! A preview that keeps the shape of a value and never exceeds the room it is given.

use std::fmt::Write as _;

use crate::json::{Kind, items, kind_of, members, push_string, unescape};

/// How much of each level is shown.
#[derive(Clone, Copy)]
pub(super) struct Detail {
    pub(super) items: usize,
    pub(super) keys: usize,
    pub(super) string_bytes: usize,
    pub(super) depth: usize,
}

/// From rich to poor. The first that fits is taken, so the same value gives the same preview.
const DETAILS: &[Detail] = &[
    Detail { items: 500, keys: 1000, string_bytes: 4000, depth: 10 },
    Detail { items: 200, keys: 500, string_bytes: 2000, depth: 9 },
    Detail { items: 60, keys: 200, string_bytes: 2000, depth: 8 },
    Detail { items: 40, keys: 100, string_bytes: 1000, depth: 7 },
    Detail { items: 25, keys: 60, string_bytes: 400, depth: 6 },
    Detail { items: 15, keys: 40, string_bytes: 200, depth: 6 },
    Detail { items: 10, keys: 30, string_bytes: 120, depth: 5 },
    Detail { items: 6, keys: 20, string_bytes: 80, depth: 4 },
    Detail { items: 4, keys: 14, string_bytes: 60, depth: 4 },
    Detail { items: 3, keys: 10, string_bytes: 40, depth: 3 },
    Detail { items: 2, keys: 6, string_bytes: 30, depth: 3 },
    Detail { items: 1, keys: 4, string_bytes: 20, depth: 2 },
    Detail { items: 1, keys: 2, string_bytes: 12, depth: 1 },
    Detail { items: 0, keys: 0, string_bytes: 8, depth: 1 },
];

pub(super) const KEY_BYTES_MAX: usize = 64;

/// A JSON value of at most `room` bytes that stands for a larger one; `null` where not even a word
/// fits.
pub(super) fn preview(text: &str, room: usize) -> String {
    if kind_of(text) == Kind::String {
        let mut out = String::new();
        push_string(&mut out, &preview_text(&unescape(text), room.saturating_sub(2)));
        return out;
    }
    for &detail in DETAILS {
        let mut out = String::new();
        if push_value(&mut out, text, detail, 0, room) && out.len() <= room {
            return out;
        }
    }
    "null".to_owned()
}

/// Appends the preview of a value; `false` as soon as there is no more room.
pub(super) fn push_value(
    out: &mut String,
    text: &str,
    detail: Detail,
    depth: usize,
    room: usize,
) -> bool {
    match kind_of(text) {
        Kind::Array => push_array(out, text, detail, depth, room),
        Kind::Object => push_object(out, text, detail, depth, room),
        Kind::String => {
            push_string(out, &cut(&unescape(text), detail.string_bytes));
            out.len() <= room
        }
        Kind::Number if text.len() > detail.string_bytes => {
            push_string(out, &cut(text, detail.string_bytes));
            out.len() <= room
        }
        _ => {
            out.push_str(text);
            out.len() <= room
        }
    }
}

fn push_array(out: &mut String, text: &str, detail: Detail, depth: usize, room: usize) -> bool {
    let count = items(text).count();
    if depth >= detail.depth && count > 0 {
        let _ = write!(out, "\"[… {count} items]\"");
        return out.len() <= room;
    }
    out.push('[');
    for (at, item) in items(text).take(detail.items).enumerate() {
        if at > 0 {
            out.push(',');
        }
        if !push_value(out, item, detail, depth + 1, room) {
            return false;
        }
    }
    let rest = count.saturating_sub(detail.items);
    if rest > 0 {
        let comma = if detail.items > 0 { "," } else { "" };
        let _ = write!(out, "{comma}\"… {rest} more of {count} items\"");
    }
    out.push(']');
    out.len() <= room
}

fn push_object(out: &mut String, text: &str, detail: Detail, depth: usize, room: usize) -> bool {
    let count = members(text).count();
    if depth >= detail.depth && count > 0 {
        let _ = write!(out, "\"{{… {count} keys}}\"");
        return out.len() <= room;
    }
    out.push('{');
    for (at, (key, value)) in members(text).take(detail.keys).enumerate() {
        if at > 0 {
            out.push(',');
        }
        let key = unescape(key);
        let shown = cut(&key, KEY_BYTES_MAX.min(detail.string_bytes * 2));
        match shown.len() < key.len() {
            // Two long keys may start alike: the place tells them apart.
            true => push_string(out, &format!("{shown} #{}", at + 1)),
            false => push_string(out, &shown),
        }
        out.push(':');
        if !push_value(out, value, detail, depth + 1, room) {
            return false;
        }
    }
    let rest = count.saturating_sub(detail.keys);
    if rest > 0 {
        let comma = if detail.keys > 0 { "," } else { "" };
        let _ = write!(out, "{comma}\"…\":\"{rest} more of {count} keys\"");
    }
    out.push('}');
    out.len() <= room
}

/// The start of a string, with the length of the whole.
fn cut(content: &str, bytes_max: usize) -> String {
    // A little more is shown rather than cut for the sake of the remark.
    if content.len() <= bytes_max + 24 {
        return content.to_owned();
    }
    if is_like_base64(content) {
        return format!("[{} characters of base64]", content.len());
    }
    format!("{}… [{} bytes]", &content[..floor_boundary(content, bytes_max)], content.len())
}

/// Whether a long string is bytes rather than words: its start tells a reader nothing.
fn is_like_base64(content: &str) -> bool {
    const LOOKED_AT_BYTES: usize = 128;
    let content = content
        .strip_prefix("data:")
        .map_or(content, |rest| rest.split_once(";base64,").map_or(rest, |(_, bytes)| bytes));
    let Some(start) = content.as_bytes().get(..LOOKED_AT_BYTES) else { return false };
    let all = start.iter().all(|byte| byte.is_ascii_alphanumeric() || b"+/-_".contains(byte));
    all && start.iter().any(u8::is_ascii_uppercase)
        && start.iter().any(u8::is_ascii_lowercase)
        && start.iter().any(u8::is_ascii_digit)
}

/// The head and tail of a text, cut at lines where lines are short, whose JSON form has at most
/// `room` bytes.
pub(super) fn preview_text(text: &str, room: usize) -> String {
    if escaped_len(text) <= room {
        return text.to_owned();
    }
    const REMARK_BYTES: usize = 64;
    let Some(room) = room.checked_sub(REMARK_BYTES) else { return String::new() };
    let head = cut_line_end(text, escaped_prefix(text.chars(), room * 3 / 5));
    let tail_len = escaped_prefix(text.chars().rev(), room * 2 / 5);
    let tail_at = cut_line_start(text, text.len() - tail_len.min(text.len() - head));
    let left = &text[head..tail_at];
    let lines = left.bytes().filter(|&byte| byte == b'\n').count();
    let remark = match lines {
        0..=1 => format!("… [{} bytes left out] …", left.len()),
        _ => format!("… [{lines} lines, {} bytes left out] …", left.len()),
    };
    let separator = if lines > 1 { "\n" } else { "" };
    format!("{}{remark}{separator}{}", &text[..head], &text[tail_at..])
}

/// How many bytes of these characters fit when they are escaped.
pub(super) fn escaped_prefix(chars: impl Iterator<Item = char>, room: usize) -> usize {
    let (mut used, mut len) = (0, 0);
    for char in chars {
        used += escaped_char_len(char);
        if used > room {
            break;
        }
        len += char.len_utf8();
    }
    len
}

fn escaped_len(text: &str) -> usize {
    text.chars().map(escaped_char_len).sum()
}

fn escaped_char_len(char: char) -> usize {
    match char {
        '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2,
        '\0'..='\u{1f}' => 6,
        _ => char.len_utf8(),
    }
}

/// Back to the end of a line, if that costs at most a quarter.
pub(super) fn cut_line_end(text: &str, end: usize) -> usize {
    match text[..end].rfind('\n') {
        Some(at) if at + 1 >= end - end / 4 => at + 1,
        _ => end,
    }
}

/// On to the start of a line, if that costs at most a quarter.
fn cut_line_start(text: &str, start: usize) -> usize {
    let room = (text.len() - start) / 4;
    match text[start..].find('\n') {
        Some(at) if at < room => start + at + 1,
        _ => start,
    }
}

fn floor_boundary(text: &str, mut end: usize) -> usize {
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Json;

    #[test]
    fn never_exceeds_the_room_and_is_json() {
        let wide = format!(
            "{{{}}}",
            (0..5000).map(|n| format!("\"column {n}\":{n}")).collect::<Vec<_>>().join(",")
        );
        let long_key = format!("{{\"{}\":1}}", "k".repeat(1 << 20));
        let rows =
            format!("[{}]", vec!["{\"id\":1,\"name\":\"abc\",\"tags\":[1,2,3]}"; 5000].join(","));
        let text = format!("\"{}\"", "line of text\\n".repeat(10_000));
        let number = "1".repeat(100_000);
        for value in [&wide, &long_key, &rows, &text, &number] {
            for room in [64, 100, 500, 2000, 8000] {
                let shown = preview(value, room);
                assert!(shown.len() <= room.max(4), "{} > {room}: {shown}", shown.len());
                assert!(Json::parse(shown.clone()).is_ok(), "{shown}");
            }
        }
    }

    #[test]
    fn keeps_the_shape_and_counts_the_rest() {
        let rows = format!("[{}]", vec!["{\"id\":1}"; 500].join(","));
        assert_eq!(
            preview(&rows, 80),
            r#"[{"id":1},{"id":1},{"id":1},{"id":1},"… 496 more of 500 items"]"#
        );
        let text = preview_text(&"one line\n".repeat(1000), 200);
        assert!(text.starts_with("one line\none line\n"));
        assert!(text.contains("lines,") && text.ends_with("one line\n"), "{text}");
    }
}
