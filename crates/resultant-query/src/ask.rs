//! What can be asked, and the caps on it.

use serde::{Deserialize, Serialize};

/// What is asked of one file or of several.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Ask {
    /// A page.
    Read(Part),
    /// Lines that match.
    Search(Search),
    /// What a jq filter makes of JSON. Rows of other kinds are a list of objects to it.
    Jq {
        /// The filter.
        filter: String,
    },
    /// What a query makes of tables; the first file is `t`, also `t1`, the second `t2`. The lists of
    /// objects in a JSON object are tables by their keys, the first of them also `t`.
    Sql {
        /// One statement that reads.
        query: String,
    },
    /// A part as it is, not paged and not wrapped, to be handed on.
    Take(Take),
}

/// Which part of a file a page is to show.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// What is counted; by the kind of the file when absent.
    pub by: Option<By>,
    /// The first, counted from 1; of bytes from 0. The start is also 0, whatever is counted.
    pub from: u64,
    /// So many; as many as the page holds when absent.
    pub count: Option<u64>,
    /// The byte inside the first line to go on at.
    pub at: u64,
    /// A jq path to the list whose items are meant.
    pub path: Option<String>,
}

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the names say it")]
pub enum By {
    Lines,
    Bytes,
    Items,
    Rows,
}

/// What is looked for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Search {
    /// A regular expression, or words.
    pub pattern: String,
    /// The pattern is words: lines that have all of them, in any order and case.
    pub words: bool,
    /// Lines to show before and after each match; not more than 5.
    pub context: usize,
    /// The first match to show, counted from 1.
    pub from: u64,
    /// So many at most are shown, none with 0; as many as the page holds when absent.
    pub count: Option<u64>,
}

/// A part to be handed on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Take {
    /// A range of lines, bytes, items or rows; both ends belong to it. Items and rows are handed on
    /// as a JSON list.
    Range {
        /// What is counted.
        by: By,
        /// The first.
        from: u64,
        /// The last.
        to: u64,
    },
    /// What a jq filter makes of it: a string as the text it is, another value as JSON, several as a
    /// JSON list.
    Jq(String),
}

/// The caps on a question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueryLimits {
    /// Seconds until the process is ended; the question is an error then. Filters and queries that
    /// have many results stop a little earlier and answer with those they have.
    pub seconds: u64,
    /// Bytes of memory that the process can have, its own code included; a question that needs more
    /// is an error.
    pub memory_bytes: u64,
    /// Rows of a table, or results of a filter or query, that are looked at; an answer says when
    /// there were more.
    pub rows: u64,
    /// Bytes of an answer; what is more is on the next page. Less than [`QueryLimits::PAGE_BYTES_MIN`]
    /// counts as that.
    pub page_bytes: usize,
    /// Tokens of an answer, estimated. Less than [`QueryLimits::PAGE_TOKENS_MIN`] counts as that.
    pub page_tokens: usize,
    /// Bytes of what is taken to be handed on; more is an error.
    pub take_bytes: u64,
}

impl QueryLimits {
    /// A smaller page would have no room for what it says about itself.
    pub const PAGE_BYTES_MIN: usize = 512;
    /// A smaller page would have no room for what it says about itself.
    pub const PAGE_TOKENS_MIN: usize = 256;
}

impl Default for QueryLimits {
    fn default() -> QueryLimits {
        QueryLimits {
            seconds: 10,
            memory_bytes: 512 << 20,
            rows: 5_000_000,
            page_bytes: 8 << 10,
            page_tokens: 2_000,
            take_bytes: 64 << 20,
        }
    }
}
