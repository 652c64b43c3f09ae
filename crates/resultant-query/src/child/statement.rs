//! Whether a text is one statement that reads.
//!
//! SQLite is told to refuse writing, and the process can open no file. This is for a clear answer
//! before that.

use super::{Stop, page::cut};

/// The statement without what stands behind its end.
pub(super) fn check(query: &str) -> Result<&str, Stop> {
    let mut scan = Scan { text: query, at: 0 };
    let mut first = None;
    let mut end = None;
    while let Some(token) = scan.next() {
        match token {
            Token::Semicolon => {
                end.get_or_insert(scan.at - 1);
            }
            _ if end.is_some() => {
                return Err(Stop::refused("only one statement can be asked at a time"));
            }
            Token::Word(word) => {
                first.get_or_insert(word);
            }
            Token::Other => {}
        }
    }
    let word = first.unwrap_or_default();
    let is_reading =
        ["select", "with", "values"].iter().any(|known| word.eq_ignore_ascii_case(known));
    match is_reading {
        true => Ok(&query[..end.unwrap_or(query.len())]),
        false => Err(Stop::Refused(format!(
            "only reading is possible: a query starts with SELECT, WITH or VALUES, not with '{}'",
            cut(word, 40)
        ))),
    }
}

enum Token<'a> {
    Word(&'a str),
    Semicolon,
    Other,
}

struct Scan<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Scan<'a> {
    /// The next token; comments and white space are none.
    fn next(&mut self) -> Option<Token<'a>> {
        loop {
            let rest = self.text.get(self.at..)?;
            let first = rest.chars().next()?;
            let until = |end: Option<usize>, more: usize| end.map_or(rest.len(), |end| end + more);
            let (length, token) = match first {
                c if c.is_whitespace() => (c.len_utf8(), None),
                '-' if rest.starts_with("--") => (until(rest.find('\n'), 1), None),
                '/' if rest.starts_with("/*") => {
                    (until(rest[2..].find("*/").map(|end| end + 2), 2), None)
                }
                ';' => (1, Some(Token::Semicolon)),
                // A quote that is doubled ends one string and starts another, which is the same.
                '\'' | '"' | '`' => (until(rest[1..].find(first), 2), Some(Token::Other)),
                '[' => (until(rest.find(']'), 1), Some(Token::Other)),
                c if c.is_alphabetic() || c == '_' => {
                    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
                    let length = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
                    (length, Some(Token::Word(&rest[..length])))
                }
                c => (c.len_utf8(), Some(Token::Other)),
            };
            self.at += length;
            if let Some(token) = token {
                return Some(token);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_statement_that_reads() {
        for (query, statement) in [
            ("select 1", "select 1"),
            ("SELECT 1;", "SELECT 1"),
            (" -- a; b\n /* c; */ with x as (select ';') select * from x ; -- end", ""),
            ("values (1)", "values (1)"),
            ("(select 1)", "(select 1)"),
            ("select \"a;b\", [c;d], `e;f`, 'it''s;'", ""),
        ] {
            let found = check(query).unwrap();
            assert!(statement.is_empty() || found == statement, "{found}");
        }
        for query in [
            "",
            ";",
            "drop table t",
            "ATTACH '/etc/passwd' AS x",
            "pragma database_list",
            "/* select */ delete from t",
            "select 1; select 2",
            "select 1; drop table t",
            "explain select 1",
            "vacuum into '/tmp/x'",
        ] {
            assert!(check(query).is_err(), "{query}");
        }
    }
}
