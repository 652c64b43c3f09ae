//! What Python's `repr` writes of rows: literals, and the few types that databases return.
//!
//! Anything else, like the address of an object, stays the text it is.

use super::{Cell, cell};
use crate::json::{Json, push_string};

/// Lists and dictionaries nest no deeper; deeper ones stay text.
const DEPTH_MAX: usize = 64;

/// A value as Python has it.
#[derive(Debug)]
pub(super) enum Value {
    Cell(Cell),
    List(Vec<Value>),
    Dict(Vec<(String, Value)>),
}

impl Value {
    /// A cell of it; what has parts is JSON.
    pub(super) fn into_cell(self) -> Cell {
        match self {
            Value::Cell(cell) => cell,
            value => {
                let mut out = String::new();
                value.push_json(&mut out);
                Json::parse(out.clone()).map_or(Cell::Text(out), Cell::Json)
            }
        }
    }

    fn push_json(&self, out: &mut String) {
        match self {
            Value::Cell(cell) => cell.push_json(out),
            Value::List(items) => {
                out.push('[');
                for (at, item) in items.iter().enumerate() {
                    if at > 0 {
                        out.push(',');
                    }
                    item.push_json(out);
                }
                out.push(']');
            }
            Value::Dict(members) => {
                out.push('{');
                for (at, (key, value)) in members.iter().enumerate() {
                    if at > 0 {
                        out.push(',');
                    }
                    push_string(out, key);
                    out.push(':');
                    value.push_json(out);
                }
                out.push('}');
            }
        }
    }
}

/// Reads a value that takes up the whole text.
pub(super) fn parse(text: &str) -> Option<Value> {
    let mut parser = Parser { text, at: 0 };
    let value = parser.value(0)?;
    parser.skip_space();
    (parser.at == text.len()).then_some(value)
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Parser<'a> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\r' | b'\n')) {
            self.at += 1;
        }
    }

    fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn value(&mut self, depth: usize) -> Option<Value> {
        self.skip_space();
        match self.peek()? {
            _ if depth > DEPTH_MAX => self.raw(),
            b'\'' | b'"' => Some(Value::Cell(Cell::Text(self.string()?))),
            b'[' => self.list(b']', depth).map(Value::List),
            b'(' => self.list(b')', depth).map(Value::List),
            b'{' => self.dict(depth),
            _ => self.raw(),
        }
    }

    /// The items until the closing bracket.
    fn list(&mut self, close: u8, depth: usize) -> Option<Vec<Value>> {
        self.at += 1;
        let mut items = Vec::new();
        loop {
            self.skip_space();
            if self.eat(close) {
                return Some(items);
            }
            items.push(self.value(depth + 1)?);
            self.skip_space();
            if !self.eat(b',') && self.peek() != Some(close) {
                return None;
            }
        }
    }

    /// A dictionary, or a set.
    fn dict(&mut self, depth: usize) -> Option<Value> {
        self.at += 1;
        let mut members = Vec::new();
        let mut items = Vec::new();
        loop {
            self.skip_space();
            if self.eat(b'}') {
                return Some(if items.is_empty() {
                    Value::Dict(members)
                } else {
                    Value::List(items)
                });
            }
            let key = self.value(depth + 1)?;
            self.skip_space();
            match self.eat(b':') {
                true => members.push((key_text(key), self.value(depth + 1)?)),
                false => items.push(key),
            }
            self.skip_space();
            if !self.eat(b',') && self.peek() != Some(b'}') {
                return None;
            }
        }
    }

    /// A string, or several that follow each other, as `pprint` breaks long ones.
    fn string(&mut self) -> Option<String> {
        let mut out = String::new();
        loop {
            let quote = self.peek()?;
            self.at += 1;
            self.string_part(quote, &mut out)?;
            let end = self.at;
            self.skip_space();
            if !matches!(self.peek(), Some(b'\'' | b'"')) {
                self.at = end;
                return Some(out);
            }
        }
    }

    fn string_part(&mut self, quote: u8, out: &mut String) -> Option<()> {
        loop {
            let rest = self.rest();
            let end = rest.bytes().position(|byte| byte == quote || byte == b'\\')?;
            out.push_str(&rest[..end]);
            self.at += end + 1;
            if rest.as_bytes()[end] == quote {
                return Some(());
            }
            let escape = self.rest().chars().next()?;
            self.at += escape.len_utf8();
            match escape {
                'n' => out.push('\n'),
                'r' => out.push('\r'),
                't' => out.push('\t'),
                'x' => out.push(self.code(2)?),
                'u' => out.push(self.code(4)?),
                'U' => out.push(self.code(8)?),
                '\n' => {}
                '\\' | '\'' | '"' => out.push(escape),
                other => out.extend(['\\', other]),
            }
        }
    }

    /// A character by its number. One half of a pair is no character.
    fn code(&mut self, digits: usize) -> Option<char> {
        let code = u32::from_str_radix(self.rest().get(..digits)?, 16).ok()?;
        self.at += digits;
        Some(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER))
    }

    /// A word, a number or a call, up to the comma or bracket behind it.
    fn raw(&mut self) -> Option<Value> {
        let start = self.at;
        let (mut depth, mut quote, mut is_escaped) = (0_usize, None, false);
        for (at, byte) in self.rest().bytes().enumerate() {
            match (quote, byte) {
                (Some(_), _) if is_escaped => is_escaped = false,
                (Some(_), b'\\') => is_escaped = true,
                (Some(open), _) if byte == open => quote = None,
                (Some(_), _) => {}
                (None, b'\'' | b'"') => quote = Some(byte),
                (None, b'(' | b'[' | b'{' | b'<') => depth += 1,
                (None, b',' | b')' | b']' | b'}' | b':') if depth == 0 => {
                    self.at = start + at;
                    return word(self.text.get(start..self.at)?.trim_end());
                }
                (None, b')' | b']' | b'}' | b'>') => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        self.at = self.text.len();
        word(self.text.get(start..)?.trim_end())
    }
}

fn key_text(key: Value) -> String {
    match key {
        Value::Cell(Cell::Text(text)) => text,
        Value::Cell(Cell::Null) => "None".to_owned(),
        other => {
            let mut out = String::new();
            other.push_json(&mut out);
            out
        }
    }
}

/// What a text without quotes means.
fn word(text: &str) -> Option<Value> {
    let cell = match text {
        "" => return None,
        "None" | "null" | "nan" | "NaN" | "<NA>" | "NaT" => Cell::Null,
        "True" | "true" => Cell::Bool(true),
        "False" | "false" => Cell::Bool(false),
        _ => number(text).or_else(|| call(text)).unwrap_or_else(|| Cell::Text(text.to_owned())),
    };
    Some(Value::Cell(cell))
}

fn number(text: &str) -> Option<Cell> {
    let is_exponent = text.contains('e')
        && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'+' | b'-'));
    cell::number(text).or_else(|| {
        let value = is_exponent.then(|| text.parse::<f64>().ok()).flatten()?;
        value.is_finite().then_some(Cell::Float(value))
    })
}

/// What is meant by the call that `repr` writes for a value of some type.
fn call(text: &str) -> Option<Cell> {
    let (name, arguments) = text.strip_suffix(')')?.split_once('(')?;
    let name = name.rsplit('.').next()?;
    match name {
        "Decimal" | "UUID" | "ObjectId" | "PosixPath" | "Timestamp" | "str_" => {
            let content = quoted(arguments)?;
            match name {
                "Decimal" => Some(number(&content).unwrap_or(Cell::Text(content))),
                _ => Some(Cell::Text(content)),
            }
        }
        "int64" | "int32" | "float64" | "float32" => number(arguments),
        "bool_" | "bool" => match arguments {
            "True" => Some(Cell::Bool(true)),
            "False" => Some(Cell::Bool(false)),
            _ => None,
        },
        "datetime" | "date" | "time" => moment(name, arguments).map(Cell::Text),
        _ => None,
    }
}

fn quoted(text: &str) -> Option<String> {
    match parse(text)? {
        Value::Cell(Cell::Text(content)) if text.starts_with(['\'', '"']) => Some(content),
        _ => None,
    }
}

/// A day or a time as databases write it.
fn moment(name: &str, arguments: &str) -> Option<String> {
    let (numbers, zone) = match arguments.split_once(", tzinfo=") {
        Some((numbers, "datetime.timezone.utc" | "timezone.utc")) => (numbers, "+00:00"),
        Some(_) => return None,
        None => (arguments, ""),
    };
    let numbers: Vec<u32> =
        numbers.split(',').map(|number| number.trim().parse().ok()).collect::<Option<_>>()?;
    let clock = |numbers: &[u32]| -> Option<String> {
        let part = |at: usize| numbers.get(at).copied().unwrap_or(0);
        let micros = match part(3) {
            0 => String::new(),
            micros => format!(".{micros:06}"),
        };
        (numbers.len() <= 4)
            .then(|| format!("{:02}:{:02}:{:02}{micros}{zone}", part(0), part(1), part(2)))
    };
    match (name, numbers.as_slice()) {
        ("date", [year, month, day]) => Some(format!("{year:04}-{month:02}-{day:02}")),
        ("time", times) => clock(times),
        ("datetime", [year, month, day, times @ ..]) => {
            Some(format!("{year:04}-{month:02}-{day:02} {}", clock(times)?))
        }
        _ => None,
    }
}
