//! Which file of a diff a line belongs to.

/// Where in a diff we are, by the lines that have passed.
#[derive(Debug, Default)]
pub(super) struct DiffPlace {
    file: Option<String>,
    /// The old name, which counts where the file is deleted.
    old: Option<String>,
    /// The line before named the old file, also where there is none.
    is_old_named: bool,
    is_header: bool,
}

impl DiffPlace {
    pub(super) fn file(&self) -> Option<&str> {
        self.file.as_deref()
    }

    pub(super) fn pass(&mut self, line: &[u8]) {
        let is_old_named = std::mem::take(&mut self.is_old_named);
        // Most lines start with none of these.
        match line.first() {
            Some(b'd') if line.starts_with(b"diff --git ") => {
                self.file = git_name(&String::from_utf8_lossy(&line[11..]));
                self.is_header = true;
            }
            Some(b'c') if line.starts_with(b"commit ") => *self = DiffPlace::default(),
            Some(b'-') if line.starts_with(b"--- ") => {
                self.old = name(&line[4..], b"a/");
                self.is_old_named = true;
            }
            Some(b'+') if line.starts_with(b"+++ ") && (self.is_header || is_old_named) => {
                if let Some(file) = name(&line[4..], b"b/").or(self.old.take()) {
                    self.file = Some(file);
                }
                self.is_header = false;
            }
            Some(b'r') if self.is_header && line.starts_with(b"rename to ") => {
                self.file = Some(String::from_utf8_lossy(&line[10..]).into_owned());
            }
            Some(b'@') if line.starts_with(b"@@ ") => (self.is_header, self.old) = (false, None),
            _ => {}
        }
    }
}

/// The name in `a/NAME b/NAME`. Both are the same but for renames, where another line says it.
fn git_name(names: &str) -> Option<String> {
    let length = names.len().checked_sub(5)? / 2;
    let (old, new) = (names.get(2..2 + length)?, names.get(length + 5..)?);
    match old == new {
        true => Some(new.to_owned()),
        false => names.rsplit_once(" b/").map(|(_, new)| new.to_owned()),
    }
}

/// A name in a header, without its prefix and what may follow a tab. No file is none.
fn name(text: &[u8], prefix: &[u8]) -> Option<String> {
    let text = text.split(|&byte| byte == b'\t').next()?.trim_ascii();
    let text = text.strip_prefix(prefix).unwrap_or(text);
    (text != b"/dev/null" && !text.is_empty()).then(|| String::from_utf8_lossy(text).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_of_the_file_whose_header_came_last() {
        let mut place = DiffPlace::default();
        let mut after = |line: &str| {
            place.pass(line.as_bytes());
            place.file().map(str::to_owned)
        };
        let some = |name: &str| Some(name.to_owned());
        assert_eq!(after("commit 1234"), None);
        assert_eq!(after("diff --git a/src/a b.rs b/src/a b.rs"), some("src/a b.rs"));
        assert_eq!(after("--- a/src/a b.rs"), some("src/a b.rs"));
        assert_eq!(after("+++ b/src/a b.rs"), some("src/a b.rs"));
        assert_eq!(after("@@ -1 +1 @@"), some("src/a b.rs"));
        // Lines that were taken out or put in may look like headers.
        assert_eq!(after("--- x"), some("src/a b.rs"));
        assert_eq!(after("diff --git a/old.rs b/new.rs"), some("new.rs"));
        assert_eq!(after("rename to new.rs"), some("new.rs"));
        assert_eq!(after("diff --git a/gone b/gone"), some("gone"));
        assert_eq!(after("--- a/gone"), some("gone"));
        assert_eq!(after("+++ /dev/null"), some("gone"));
        assert_eq!(after("commit 5678"), None);
        assert_eq!(after("--- plain.txt\t2024-01-01"), None);
        assert_eq!(after("+++ plain.txt\t2024-01-02"), some("plain.txt"));
        // Not every tool writes more than these two lines, and a new file has no old one.
        assert_eq!(after("@@ -0,0 +1 @@"), some("plain.txt"));
        assert_eq!(after("+one"), some("plain.txt"));
        assert_eq!(after("--- /dev/null"), some("plain.txt"));
        assert_eq!(after("+++ b/new.py"), some("new.py"));
        assert_eq!(after("+++ x"), some("new.py"));
    }
}
