//! Diffs: which files, and how much of each.

use super::cut;

/// Files beyond these are only counted.
const FILES_MAX: usize = 1000;
const PATH_BYTES_MAX: usize = 160;

#[derive(Clone, Debug, Default)]
pub(crate) struct DiffFile {
    pub(crate) path: String,
    pub(crate) added: u64,
    pub(crate) removed: u64,
    pub(crate) hunks: u64,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Diff {
    pub(crate) files: Vec<DiffFile>,
    pub(crate) file_count: u64,
    pub(crate) added: u64,
    pub(crate) removed: u64,
    pub(crate) hunks: u64,
    /// Lines of the open hunk that are still to come, of the old file and of the new.
    left: (u64, u64),
    /// The old path, where the line before said it.
    old_path: Option<String>,
    /// The file was named by a `diff` line and has no path of its own yet.
    is_announced: bool,
}

impl Diff {
    pub(super) fn line(&mut self, line: &str) {
        if self.left != (0, 0) {
            self.hunk_line(line);
            return;
        }
        let old_path = self.old_path.take();
        if let Some(rest) = line.strip_prefix("diff --git ") {
            let path = rest.rsplit_once(" b/").map_or(rest, |(_, path)| path);
            self.start_file(path);
            self.is_announced = true;
        } else if let Some(path) = line.strip_prefix("--- ") {
            self.old_path = Some(path_of(path));
        } else if let (Some(path), Some(old_path)) = (line.strip_prefix("+++ "), old_path) {
            if !std::mem::take(&mut self.is_announced) {
                let path = path_of(path);
                let is_gone = matches!(path.as_str(), "/dev/null" | "None");
                self.start_file(if is_gone { &old_path } else { &path });
            }
        } else if let Some(rest) = line.strip_prefix("@@ ") {
            self.left = sizes_of(rest).unwrap_or_default();
            self.hunks += 1;
            if let Some(file) = self.open_file() {
                file.hunks += 1;
            }
        }
    }

    fn hunk_line(&mut self, line: &str) {
        let (old, new) = &mut self.left;
        match line.as_bytes().first() {
            Some(b'+') => {
                *new = new.saturating_sub(1);
                self.added += 1;
                if let Some(file) = self.open_file() {
                    file.added += 1;
                }
            }
            Some(b'-') => {
                *old = old.saturating_sub(1);
                self.removed += 1;
                if let Some(file) = self.open_file() {
                    file.removed += 1;
                }
            }
            Some(b'\\') => {}
            // A hunk that is shorter than it says.
            Some(b'd' | b'@') => {
                self.left = (0, 0);
                self.line(line);
            }
            _ => {
                *old = old.saturating_sub(1);
                *new = new.saturating_sub(1);
            }
        }
    }

    fn start_file(&mut self, path: &str) {
        self.file_count += 1;
        self.is_announced = false;
        if self.files.len() < FILES_MAX {
            let path = cut(path, PATH_BYTES_MAX);
            self.files.push(DiffFile { path, ..DiffFile::default() });
        }
    }

    /// The file that lines belong to, where it is among the first.
    fn open_file(&mut self) -> Option<&mut DiffFile> {
        let is_known = self.files.len() as u64 == self.file_count;
        self.files.last_mut().filter(|_| is_known)
    }
}

/// A path without the letter in front of it and the time behind it.
fn path_of(text: &str) -> String {
    let path = text.split('\t').next().unwrap_or_default().trim();
    let path = path.strip_prefix("a/").or_else(|| path.strip_prefix("b/")).unwrap_or(path);
    path.to_owned()
}

/// `-1,7 +1,9 @@`: how many lines a hunk has of the old file and of the new.
fn sizes_of(text: &str) -> Option<(u64, u64)> {
    let mut ranges = text.split(' ');
    let size = |range: Option<&str>, sign: char| {
        let range = range?.strip_prefix(sign)?;
        range.split_once(',').map_or(Some(1), |(_, size)| size.parse().ok())
    };
    Some((size(ranges.next(), '-')?, size(ranges.next(), '+')?))
}
