//! Simple jq paths, followed in the text itself, so that numbers keep their digits.

use resultant::{Json, Kind};

use super::{Stop, jq, page::cut, read::items::keys};

/// The value at a path; what is not a simple path is asked as a filter.
pub(super) fn find(whole: &Json, path: &str) -> Result<Json, Stop> {
    let Some(steps) = steps(path) else { return jq::one(whole, path) };
    let mut value = whole.clone();
    for step in steps {
        let next = match &step {
            Step::Key(key) => value.get(key),
            Step::Index(at) if *at >= 0 => value.items().nth(*at as usize),
            Step::Index(at) => {
                let count = value.items().count();
                count.checked_sub(at.unsigned_abs()).and_then(|at| value.items().nth(at))
            }
        };
        value = next.ok_or_else(|| missing(&value, &step, path))?;
    }
    Ok(value)
}

#[derive(Debug, PartialEq, Eq)]
enum Step {
    Key(String),
    Index(isize),
}

fn missing(value: &Json, step: &Step, path: &str) -> Stop {
    let path = cut(path, 100);
    let what = match value.kind() {
        Kind::Object => format!("there the keys are {}", keys(value)),
        Kind::Array => format!("there is a list of {} items", value.items().count()),
        _ => "there is neither an object nor a list".to_owned(),
    };
    let step = match step {
        Step::Key(key) => cut(key, 60),
        Step::Index(at) => at.to_string(),
    };
    Stop::Refused(format!("the path {path} leads nowhere at {step}: {what}"))
}

/// The steps of `.a.b[3]["c d"]`, or nothing.
fn steps(path: &str) -> Option<Vec<Step>> {
    let mut steps = Vec::new();
    let mut rest = path.trim();
    // A jq path may end in `[]`, which means the items.
    rest = rest.strip_suffix("[]").unwrap_or(rest);
    if !rest.starts_with('.') {
        return None;
    }
    while !rest.is_empty() {
        rest = match rest.strip_prefix('.') {
            Some("") if steps.is_empty() => return Some(steps),
            Some(after) if after.starts_with('[') => after,
            Some(after) if after.starts_with('"') => {
                let end = string_end(after)?;
                steps.push(Step::Key(Json::parse(after[..end].to_owned()).ok()?.as_str()?.into()));
                &after[end..]
            }
            Some(after) => {
                let end = after
                    .find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
                    .unwrap_or(after.len());
                let key = &after[..end];
                if key.is_empty() || key.starts_with(|c: char| c.is_ascii_digit()) {
                    return None;
                }
                steps.push(Step::Key(key.to_owned()));
                &after[end..]
            }
            None => {
                let inner = rest.strip_prefix('[')?;
                if inner.starts_with('"') {
                    let end = string_end(inner)?;
                    steps.push(Step::Key(
                        Json::parse(inner[..end].to_owned()).ok()?.as_str()?.into(),
                    ));
                    inner[end..].strip_prefix(']')?
                } else {
                    let (number, after) = inner.split_once(']')?;
                    steps.push(Step::Index(number.trim().parse().ok()?));
                    after
                }
            }
        };
    }
    Some(steps)
}

fn string_end(text: &str) -> Option<usize> {
    let mut is_escaped = false;
    text.bytes().enumerate().skip(1).find_map(|(at, byte)| {
        let is_end = byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        is_end.then_some(at + 1)
    })
}

#[cfg(test)]
mod tests {
    use super::{Step::*, *};

    #[test]
    fn simple_paths_are_followed_and_others_are_not() {
        let key = |key: &str| Key(key.to_owned());
        assert_eq!(steps(".a.b[3][\"c d\"]"), Some(vec![key("a"), key("b"), Index(3), key("c d")]));
        assert_eq!(steps(".[-1]"), Some(vec![Index(-1)]));
        assert_eq!(steps(".\"x.y\".z[]"), Some(vec![key("x.y"), key("z")]));
        assert_eq!(steps("."), Some(vec![]));
        for other in [".a | .b", "map(.a)", ".a[1:2]", ".a..b", ".[", ".a[\"b", "..", ".a?"] {
            assert_eq!(steps(other), None, "{other}");
        }
    }
}
