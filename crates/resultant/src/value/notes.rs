//! The notes that writing a value leaves, within their cap.

use crate::{Limits, Note, Rule};

/// Notes in the order they came. More than `notes_max` are counted.
#[derive(Debug, Default)]
pub(super) struct Notes {
    kept: Vec<Note>,
    more: usize,
    muted: bool,
}

impl Notes {
    pub(super) fn add(&mut self, note: Note) {
        if self.muted {
            return;
        }
        if self.kept.len() < Limits::default().notes_max {
            self.kept.push(note);
        } else {
            self.more += 1;
        }
    }

    /// Whether notes are thrown away from here on: a value that is written twice is noted once.
    pub(super) fn mute(&mut self, muted: bool) -> bool {
        std::mem::replace(&mut self.muted, muted)
    }

    pub(super) fn into_vec(mut self) -> Vec<Note> {
        if self.more > 0 {
            let message = format!("{} more notes were not kept", self.more);
            self.kept.push(Note::remark(Rule::R14, "", message));
        }
        self.kept
    }
}
