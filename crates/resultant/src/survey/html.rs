//! Pages: title, headings and the words, without the tags.

use super::cut;

const TAG_BYTES_MAX: usize = 32;
const TEXT_BYTES_MAX: usize = 6 << 10;
const HEADINGS_MAX: usize = 60;
const HEADING_BYTES_MAX: usize = 200;

#[derive(Clone, Debug, Default)]
pub(crate) struct Html {
    pub(crate) title: String,
    /// The level, and the words.
    pub(crate) headings: Vec<(u8, String)>,
    pub(crate) heading_count: u64,
    pub(crate) text: String,
    pub(crate) links: u64,
    pub(crate) tables: u64,
    is_tag: bool,
    /// The start of the open tag.
    tag: String,
    /// The element whose text goes elsewhere or nowhere.
    inside: Inside,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Inside {
    #[default]
    Text,
    Title,
    Heading,
    Script,
    Style,
}

impl Html {
    pub(super) fn feed(&mut self, text: &str) {
        let mut rest = text;
        while !rest.is_empty() {
            let mark = if self.is_tag { '>' } else { '<' };
            let end = rest.find(mark).unwrap_or(rest.len());
            let (part, behind) = rest.split_at(end);
            match self.is_tag {
                true => {
                    let room = TAG_BYTES_MAX.saturating_sub(self.tag.len());
                    self.tag.push_str(&part[..part.floor_char_boundary(room)]);
                }
                false => self.words(part),
            }
            if behind.is_empty() {
                return;
            }
            if self.is_tag {
                let tag = std::mem::take(&mut self.tag);
                self.end_tag(&tag);
            }
            self.is_tag = !self.is_tag;
            rest = &behind[1..];
        }
    }

    fn end_tag(&mut self, tag: &str) {
        let len = tag.find(|char: char| char.is_whitespace()).unwrap_or(tag.len());
        let name = tag[..len].to_ascii_lowercase();
        // Nothing ends a script but its own end.
        match self.inside {
            Inside::Script if name != "/script" => return,
            Inside::Style if name != "/style" => return,
            _ => {}
        }
        self.inside = match name.as_str() {
            "script" => Inside::Script,
            "style" => Inside::Style,
            "title" if self.title.is_empty() => Inside::Title,
            "h1" | "h2" | "h3" | "h4" if self.headings.len() < HEADINGS_MAX => {
                self.heading_count += 1;
                self.headings.push((name.as_bytes()[1] - b'0', String::new()));
                Inside::Heading
            }
            "h1" | "h2" | "h3" | "h4" => {
                self.heading_count += 1;
                self.inside
            }
            "/script" | "/style" | "/title" | "/h1" | "/h2" | "/h3" | "/h4" => Inside::Text,
            _ => self.inside,
        };
        self.links += u64::from(name == "a");
        self.tables += u64::from(name == "table");
        let is_inline = matches!(
            name.trim_start_matches('/'),
            "a" | "b" | "i" | "em" | "strong" | "span" | "code" | "small" | "sup" | "sub"
        );
        if !is_inline && !self.text.ends_with(['\n', ' ']) && !self.text.is_empty() {
            self.text.push('\n');
        }
    }

    fn words(&mut self, part: &str) {
        let (out, bytes_max) = match self.inside {
            Inside::Script | Inside::Style => return,
            Inside::Title => (&mut self.title, HEADING_BYTES_MAX),
            Inside::Heading => match self.headings.last_mut() {
                Some((_, heading)) => (heading, HEADING_BYTES_MAX),
                None => return,
            },
            Inside::Text => (&mut self.text, TEXT_BYTES_MAX),
        };
        if out.len() >= bytes_max {
            return;
        }
        let part = &part[..part.floor_char_boundary(bytes_max)];
        let starts_apart = part.starts_with(char::is_whitespace);
        for (at, word) in part.split_whitespace().enumerate() {
            let is_apart = at > 0 || starts_apart;
            if is_apart && !out.is_empty() && !out.ends_with(['\n', ' ']) {
                out.push(' ');
            }
            out.push_str(&unescaped(&cut(word, bytes_max)));
        }
        if part.ends_with(char::is_whitespace) && !out.is_empty() && !out.ends_with(['\n', ' ']) {
            out.push(' ');
        }
    }
}

/// The signs that every page has to escape.
fn unescaped(word: &str) -> String {
    if !word.contains('&') {
        return word.to_owned();
    }
    [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&#39;", "'"),
        ("&nbsp;", " "),
        ("&amp;", "&"),
    ]
    .iter()
    .fold(word.to_owned(), |word, (escape, sign)| word.replace(escape, sign))
}
