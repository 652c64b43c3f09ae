//! What hosts do today with a result that is too large, without a gateway.
//!
//! Three ways, each with the numbers that hosts document: an error, a cut, a file of the client's.

use crate::{tokens, views::View};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Host {
    /// Above 25,000 tokens there is an error instead of the result.
    Error,
    /// Above 10,000 tokens the middle is cut out.
    Cut,
    /// Above 8 KB the result goes to a file, and a preview of 2 KB is shown. The client has a tool
    /// that reads 8 KB of the file at a time.
    File,
}

const ERROR_TOKENS: usize = 25_000;
const CUT_TOKENS: usize = 10_000;
const FILE_BYTES: usize = 8 * 1024;
const PREVIEW_BYTES: usize = 2 * 1024;

/// What a client's own tool reads at a time.
pub(crate) const PAGE_BYTES: usize = 8 * 1024;
/// The file that a client keeps a result in, and its own tool that reads it.
pub(crate) const FILE: &str = "tool-results/1.txt";
pub(crate) const READ_FILE: &str = "read_file";

/// What is left to be seen, and the file behind it where there is one.
pub(crate) struct Shown {
    pub(crate) view: View,
    pub(crate) file: Option<String>,
}

impl Host {
    pub(crate) const ALL: [Self; 3] = [Self::Error, Self::Cut, Self::File];

    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Error => "error above 25k",
            Self::Cut => "middle cut to 10k",
            Self::File => "file above 8 KB",
        }
    }

    pub(crate) fn show(self, whole: &View) -> Shown {
        let text = whole.lanes.join("\n");
        let images = whole.images;
        let shown = |text: String| View::of_text(text, images);
        let view = match self {
            Self::Error => {
                let count = whole.tokens();
                (count > ERROR_TOKENS).then(|| {
                    let said = "exceeds maximum allowed tokens";
                    shown(format!("Error: the result ({count} tokens) {said} ({ERROR_TOKENS})."))
                })
            }
            Self::Cut => tokens::ends(&text, CUT_TOKENS / 2, CUT_TOKENS / 2).map(|parts| {
                let (head, missing, tail) = parts;
                shown(format!("{head}\n[{missing} tokens truncated]\n{tail}"))
            }),
            Self::File if text.len() > FILE_BYTES => {
                let preview = &text[..text.floor_char_boundary(PREVIEW_BYTES)];
                let view = shown(format!(
                    "Output too large ({} bytes). Full output saved to: {FILE}\n\
                     Preview (first {} bytes):\n{preview}",
                    text.len(),
                    preview.len()
                ));
                return Shown { view, file: Some(text) };
            }
            Self::File => None,
        };
        Shown { view: view.unwrap_or_else(|| whole.clone()), file: None }
    }
}
