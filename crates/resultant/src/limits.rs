//! The caps on reading: the name, the default, and what happens at each. Schemas have theirs in
//! [`SchemaLimits`](crate::SchemaLimits), the prompt in [`Budget`](crate::Budget).
//!
//! A limit is never an error for the caller. What is over it is kept in another form (raw, as an
//! artifact, or outside the message) and a [`Note`](crate::Note) says so.

/// The caps that apply while a result is read.
///
/// ```
/// let limits = resultant::Limits { depth_max: 32, ..Default::default() };
/// assert_eq!(limits.string_bytes_max, 1 << 20);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Nesting below this depth is kept as text: the value becomes a string that holds its JSON.
    /// The default, 128, is what common JSON parsers accept.
    pub depth_max: usize,
    /// In a message that is read in chunks, a longer string is handed to the sink.
    pub string_bytes_max: usize,
    /// A message read in chunks may have at most this many bytes beside its long strings; what
    /// comes after is not read, and the outcome is an error that names this limit.
    pub message_bytes_max: usize,
    /// A larger `meta_data` becomes the artifact `meta_data.json`, and its keys are listed.
    pub meta_bytes_max: usize,
    /// More notes than this are counted; what they say was left out is kept in the artifact
    /// `notes.jsonl`.
    pub notes_max: usize,
    /// A longer file name is shortened; its extension is kept.
    pub name_bytes_max: usize,
    /// A longer text inside an embedded resource becomes an artifact.
    pub embedded_text_bytes_max: usize,
    /// Longer base64 inside of a string is taken out as a file, where its bytes are of a kind that
    /// is known or a `data:` URI says their type. The default, 4 KiB, is more than fits into the
    /// default budget.
    pub inline_base64_bytes_max: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            depth_max: 128,
            string_bytes_max: 1 << 20,
            message_bytes_max: 64 << 20,
            meta_bytes_max: 4 << 10,
            notes_max: 64,
            name_bytes_max: 255,
            embedded_text_bytes_max: 8 << 10,
            inline_base64_bytes_max: 4 << 10,
        }
    }
}
