//! The contract's rules for files that did not come in a result: uploads, and what a store keeps.

use super::{clean_name, decide_media_type, essence, is_showable};
use crate::limits::Limits;

/// A file's name as rule R6 has it: one path segment, NFC, without control or bidirectional
/// characters, at most 255 bytes with its extension kept. `None` where nothing is left of it.
///
/// ```
/// assert_eq!(resultant::clean_file_name("../../etc/passwd").as_deref(), Some("passwd"));
/// assert_eq!(resultant::clean_file_name(".."), None);
/// ```
pub fn clean_file_name(name: &str) -> Option<String> {
    clean_name(name, Limits::default().name_bytes_max)
}

/// A file's media type as rule R7 has it: declared, unless empty or proven wrong by the first
/// bytes; else by signature; else by extension; else `application/octet-stream`.
///
/// ```
/// assert_eq!(resultant::file_media_type("", b"%PDF-1.7", "a.bin"), "application/pdf");
/// assert_eq!(resultant::file_media_type("text/csv", b"a,b", "a.txt"), "text/csv");
/// ```
pub fn file_media_type(declared: &str, head: &[u8], name: &str) -> String {
    decide_media_type(declared, head, name).0
}

/// Whether a canvas can show a file (rule R13).
pub fn file_is_showable(mime: &str, name: &str) -> bool {
    is_showable(mime, name)
}

/// The viewer that a file gets by its media type, else by its extension: `pdf`, `html`, `markdown`,
/// `table`, `diff`, `text`, `log`, `json`, `image`, `audio`, `video`, `code` or `hex`.
pub fn file_viewer(mime: &str, name: &str) -> &'static str {
    let mime = essence(mime);
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    match mime.as_str() {
        "application/pdf" => "pdf",
        "text/html" => "html",
        "text/markdown" => "markdown",
        "text/csv" | "text/tab-separated-values" => "table",
        "text/x-diff" => "diff",
        "application/octet-stream" => match extension {
            "md" => "markdown",
            "txt" | "log" => "text",
            _ => "hex",
        },
        "text/plain" => {
            if extension == "log" {
                "log"
            } else {
                "text"
            }
        }
        _ if mime == "application/json" || mime.ends_with("+json") => "json",
        _ if mime.starts_with("image/") => "image",
        _ if mime.starts_with("audio/") => "audio",
        _ if mime.starts_with("video/") => "video",
        _ if mime.starts_with("text/") || mime.ends_with("xml") || mime.ends_with("yaml") => "code",
        _ => "hex",
    }
}
