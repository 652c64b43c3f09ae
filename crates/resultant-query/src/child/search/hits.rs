//! What was found: counts of everything, and the matches of one page.

use super::super::{
    Limits, Stop,
    page::{cut, list, quoted},
};
use crate::Search;

/// Names of files are shown so far.
const NAME_BYTES_MAX: usize = 200;
/// Files whose counts are shown.
const FILES_MAX: usize = 50;

/// What was found so far.
pub(super) struct Hits {
    from: u64,
    /// How many matches are to be shown at most.
    shown_max: u64,
    has_several: bool,
    bytes_max: usize,
    bytes: usize,
    count: u64,
    matches: Vec<Hit>,
    /// How many lines behind the last match are still to be shown with it.
    open: usize,
    file: String,
    file_count: u64,
    /// The counts of files that have any, as members.
    files: Vec<String>,
    files_with_matches: usize,
    skipped: Vec<String>,
    searched: usize,
}

struct Hit {
    file: Option<String>,
    line: u64,
    place: Option<String>,
    text: String,
    before: Vec<String>,
    after: Vec<String>,
}

impl Hits {
    pub(super) fn new(search: &Search, has_several: bool, limits: &Limits) -> Hits {
        Hits {
            from: search.from.max(1),
            shown_max: search.count.unwrap_or(u64::MAX),
            has_several,
            bytes_max: limits.page.bytes,
            bytes: 0,
            count: 0,
            matches: Vec::new(),
            open: 0,
            file: String::new(),
            file_count: 0,
            files: Vec::new(),
            files_with_matches: 0,
            skipped: Vec::new(),
            searched: 0,
        }
    }

    pub(super) fn start_file(&mut self, name: &str) {
        self.file = cut(name, NAME_BYTES_MAX);
        self.file_count = 0;
        self.searched += 1;
    }

    pub(super) fn end_file(&mut self) {
        self.open = 0;
        if self.file_count > 0 {
            self.files_with_matches += 1;
            if self.files.len() < FILES_MAX {
                self.files.push(format!("{}:{}", quoted(&self.file), self.file_count));
            }
        }
    }

    /// A file that has no lines.
    pub(super) fn skip_file(&mut self, name: &str) {
        self.skipped.push(cut(name, NAME_BYTES_MAX));
    }

    /// A line passes by, before it is known to match.
    pub(super) fn line_after(&mut self, line: impl FnOnce() -> String) {
        if self.open > 0 {
            self.open -= 1;
            if let Some(hit) = self.matches.last_mut() {
                let line = line();
                self.bytes += line.len();
                hit.after.push(line);
            }
        }
    }

    /// A line matches. Its text, and the lines before it, are made if it is to be shown.
    pub(super) fn found(
        &mut self,
        line: u64,
        place: Option<&str>,
        context: usize,
        show: impl FnOnce() -> (String, Vec<String>),
    ) {
        self.count += 1;
        self.file_count += 1;
        self.open = 0;
        let is_shown = self.count >= self.from
            && (self.matches.len() as u64) < self.shown_max
            && self.bytes <= self.bytes_max;
        if !is_shown {
            return;
        }
        let (text, before) = show();
        self.open = context;
        self.bytes += text.len() + 20 + before.iter().map(String::len).sum::<usize>();
        self.matches.push(Hit {
            file: self.has_several.then(|| self.file.clone()),
            line,
            place: place.map(|place| cut(place, NAME_BYTES_MAX)),
            text,
            before,
            after: Vec::new(),
        });
    }

    pub(super) fn answer(&self, limits: &Limits) -> Result<String, Stop> {
        if self.searched == 0 && !self.skipped.is_empty() {
            let names = cut(&self.skipped.join(", "), 200);
            return Err(Stop::Refused(format!(
                "{names} is binary and has no lines; files_read by bytes shows a part"
            )));
        }
        if self.shown_max == 0 && !self.has_several {
            // Who only wants the count needs nothing else.
            return Ok(format!("{{\"count\":{}}}", self.count));
        }
        let mut opening = format!("{{\"count\":{},", self.count);
        if self.has_several {
            let (shown, _) =
                limits.page.half().most(self.files.len(), |count| self.files[..count].join(","));
            opening.push_str(&format!("\"files\":{{{}}},", self.files[..shown].join(",")));
            if shown < self.files_with_matches {
                opening.push_str(&format!("\"files_of\":{},", self.files_with_matches));
            }
            if !self.skipped.is_empty() {
                opening.push_str(&format!("\"skipped_binary\":{},", self.skipped.len()));
            }
        }
        let matches: Vec<String> = self.matches.iter().map(Hit::write).collect();
        let (shown, text) = limits.page.most(matches.len(), |count| {
            let next = self.from + count as u64;
            let next = match next <= self.count {
                true => format!(",\"next\":{{\"from\":{next}}}"),
                false => String::new(),
            };
            format!("{opening}\"matches\":{}{next}}}", list(&matches[..count]))
        });
        match self.matches.first() {
            // One match with its context is more than a page: without, it is not.
            Some(first) if shown == 0 => {
                let hit = first.short();
                let next = self.from + 1;
                let next = match next <= self.count {
                    true => format!(",\"next\":{{\"from\":{next}}}"),
                    false => String::new(),
                };
                let short = format!("{{\"count\":{},", self.count);
                Ok(format!("{short}\"matches\":[{}]{next}}}", hit.write()))
            }
            _ => Ok(text),
        }
    }
}

impl Hit {
    fn write(&self) -> String {
        let mut out = String::from("{");
        if let Some(file) = &self.file {
            out.push_str(&format!("\"file\":{},", quoted(file)));
        }
        out.push_str(&format!("\"line\":{},", self.line));
        if let Some(place) = &self.place {
            out.push_str(&format!("\"in\":{},", quoted(place)));
        }
        out.push_str(&format!("\"text\":{}", quoted(&self.text)));
        for (name, lines) in [("before", &self.before), ("after", &self.after)] {
            if !lines.is_empty() {
                let lines: Vec<String> = lines.iter().map(|line| quoted(line)).collect();
                out.push_str(&format!(",\"{name}\":{}", list(&lines)));
            }
        }
        out.push('}');
        out
    }

    /// A form that is on the smallest page.
    fn short(&self) -> Hit {
        let short = |text: &String| cut(text, 40);
        Hit {
            file: self.file.as_ref().map(short),
            line: self.line,
            place: self.place.as_ref().map(short),
            text: short(&self.text),
            before: Vec::new(),
            after: Vec::new(),
        }
    }
}
