//! The tokens of checked JSON text, one after the other, without recursion.

use crate::json::value_end;

/// What comes next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Token<'a> {
    Object,
    Array,
    End,
    /// With its quotes.
    Key(&'a str),
    /// Anything that holds nothing else.
    Scalar(&'a str),
}

pub(super) struct Tokens<'a> {
    text: &'a str,
    at: usize,
    /// Whether each open container is an object.
    open: Vec<bool>,
    is_key_next: bool,
}

impl<'a> Tokens<'a> {
    pub(super) fn of(text: &'a str) -> Tokens<'a> {
        Tokens { text, at: 0, open: Vec::new(), is_key_next: false }
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        let bytes = self.text.as_bytes();
        loop {
            match bytes.get(self.at)? {
                b' ' | b'\t' | b'\n' | b'\r' | b':' => self.at += 1,
                b',' => {
                    self.at += 1;
                    self.is_key_next = self.open.last() == Some(&true);
                }
                b'{' => {
                    self.at += 1;
                    self.open.push(true);
                    self.is_key_next = true;
                    return Some(Token::Object);
                }
                b'[' => {
                    self.at += 1;
                    self.open.push(false);
                    self.is_key_next = false;
                    return Some(Token::Array);
                }
                b'}' | b']' => {
                    self.at += 1;
                    self.open.pop();
                    self.is_key_next = false;
                    return Some(Token::End);
                }
                _ => {
                    let start = self.at;
                    self.at = value_end(bytes, start);
                    let text = &self.text[start..self.at];
                    let is_key = std::mem::take(&mut self.is_key_next);
                    return Some(if is_key { Token::Key(text) } else { Token::Scalar(text) });
                }
            }
        }
    }
}
