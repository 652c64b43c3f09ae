//! What a model sees of a tool's result: it depends on the client it sits in.
//!
//! There are three kinds of client. A few pass on `content`, some pass on `structuredContent` alone
//! when there is any, some pass on both. Pictures are counted as pictures: what they cost differs
//! from model to model, and it is not text.

use std::sync::OnceLock;

use serde_json::Value;

use crate::tokens;

/// Which lanes of a result reach the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Content,
    Structured,
    Both,
}

impl Kind {
    pub(crate) const ALL: [Self; 3] = [Self::Content, Self::Structured, Self::Both];

    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Content => "content",
            Self::Structured => "structured",
            Self::Both => "both",
        }
    }

    /// The name that a real client of this kind gives in `clientInfo`.
    pub(crate) fn client(self) -> &'static str {
        match self {
            Self::Content => "claude-ai",
            Self::Structured => "claude-code",
            Self::Both => "Visual Studio Code",
        }
    }

    /// What the model gets of a `CallToolResult`.
    pub(crate) fn view(self, result: &Value) -> View {
        let structured = result.get("structuredContent").filter(|value| !value.is_null());
        let mut view = View::default();
        if self != Self::Structured || structured.is_none() {
            view.add_content(result);
        }
        if self != Self::Content
            && let Some(structured) = structured
        {
            view.lanes.push(structured.to_string());
        }
        view
    }
}

/// What a model sees: texts, and pictures.
#[derive(Clone, Debug, Default)]
pub(crate) struct View {
    /// One text for each lane.
    pub(crate) lanes: Vec<String>,
    pub(crate) images: usize,
    /// Counted once: counting megabytes takes a while.
    tokens: OnceLock<usize>,
}

impl View {
    pub(crate) fn of_text(text: String, images: usize) -> Self {
        Self { lanes: vec![text], images, tokens: OnceLock::new() }
    }

    pub(crate) fn tokens(&self) -> usize {
        *self.tokens.get_or_init(|| self.lanes.iter().map(|lane| tokens::count(lane)).sum())
    }

    fn add_content(&mut self, result: &Value) {
        let mut texts = Vec::new();
        for block in result["content"].as_array().into_iter().flatten() {
            let text = match block["type"].as_str() {
                Some("image" | "audio") => {
                    self.images += 1;
                    continue;
                }
                Some("text") => block["text"].as_str(),
                _ => block["resource"]["text"].as_str(),
            };
            // What a client has no form for, it passes on as it is.
            texts.push(text.map_or_else(|| block.to_string(), str::to_owned));
        }
        if !texts.is_empty() {
            self.lanes.push(texts.join("\n"));
        }
    }
}
