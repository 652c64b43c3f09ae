//! Variables in texts of the configuration: `${NAME}`, `${NAME:-default}`, `${env:NAME}`.
//!
//! As in a shell, a default also stands for a variable that is empty. Other uses of `${` are kept as
//! they are, because arguments may be shell scripts; `$${` is a plain `${`.

/// Looks a variable up.
pub type Env<'a> = &'a dyn Fn(&str) -> Option<String>;

/// A part of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Piece<'a> {
    Text(&'a str),
    Variable {
        name: &'a str,
        default: Option<&'a str>,
    },
    /// `${input:NAME}`, which VS Code asks the person for.
    Input(&'a str),
    /// Something else between the braces; with them.
    Other(&'a str),
}

/// Takes a text apart.
pub(super) fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find("${") {
        if rest[..at].ends_with('$') {
            pieces.push(Piece::Text(&rest[..at - 1]));
            pieces.push(Piece::Text("${"));
            rest = &rest[at + 2..];
            continue;
        }
        pieces.push(Piece::Text(&rest[..at]));
        let Some(length) = rest[at..].find('}') else {
            pieces.push(Piece::Other(&rest[at..]));
            rest = "";
            break;
        };
        let whole = &rest[at..=at + length];
        pieces.push(piece(&whole[2..length]).unwrap_or(Piece::Other(whole)));
        rest = &rest[at + length + 1..];
    }
    pieces.push(Piece::Text(rest));
    pieces.retain(|piece| *piece != Piece::Text(""));
    pieces
}

fn piece(inner: &str) -> Option<Piece<'_>> {
    if let Some(name) = inner.strip_prefix("input:") {
        return Some(Piece::Input(name));
    }
    let inner = inner.strip_prefix("env:").unwrap_or(inner);
    let (name, default) = match inner.split_once(":-") {
        Some((name, default)) => (name, Some(default)),
        None => (inner, None),
    };
    let starts_well = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let is_name = starts_well && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    is_name.then_some(Piece::Variable { name, default })
}

/// What came of a text.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Expanded {
    pub(super) text: String,
    /// Variables that are not set; they are empty in the text.
    pub(super) missing: Vec<String>,
    /// Inputs, which only VS Code has.
    pub(super) inputs: Vec<String>,
    /// What looks like a variable and is none.
    pub(super) kept: Vec<String>,
}

pub(super) fn expand(text: &str, env: Env<'_>) -> Expanded {
    let mut out = Expanded::default();
    for piece in pieces(text) {
        match piece {
            Piece::Text(text) => out.text.push_str(text),
            Piece::Variable { name, default } => match (env(name), default) {
                (Some(value), Some(default)) if value.is_empty() => out.text.push_str(default),
                (Some(value), _) => out.text.push_str(&value),
                (None, Some(default)) => out.text.push_str(default),
                (None, None) => out.missing.push(name.to_owned()),
            },
            Piece::Input(name) => out.inputs.push(name.to_owned()),
            Piece::Other(text) => {
                out.kept.push(text.to_owned());
                out.text.push_str(text);
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{Expanded, expand};

    #[test]
    fn variables() {
        let env = |name: &str| match name {
            "A" => Some("a".to_owned()),
            "EMPTY" => Some(String::new()),
            _ => None,
        };
        for (text, expected) in [
            ("", ""),
            ("plain $A $ {A}", "plain $A $ {A}"),
            ("${A}", "a"),
            ("x${A}y${env:A}z", "xayaz"),
            ("${B:-b c}", "b c"),
            ("${env:B:-b}", "b"),
            ("${A:-b}", "a"),
            ("${EMPTY:-b}", "b"),
            ("[${EMPTY}]", "[]"),
            ("${B:-}", ""),
            ("$${A}", "${A}"),
            ("$$${A}", "$${A}"),
            ("ä${A}ö", "äaö"),
        ] {
            let expanded = Expanded { text: expected.to_owned(), ..Expanded::default() };
            assert_eq!(expand(text, &env), expanded, "{text}");
        }
        let odd = expand("${B}${input:key}${x%.*}${A", &env);
        assert_eq!(odd.missing, ["B"]);
        assert_eq!(odd.inputs, ["key"]);
        assert_eq!(odd.kept, ["${x%.*}", "${A"]);
        assert_eq!(odd.text, "${x%.*}${A");
    }
}
