//! The list of a session's files, a page at a time.

use std::collections::HashSet;

use resultant::{Budget, Json, Object};
use resultant_store::{File, Origin, Page};

use super::Answer;
use crate::{caller::Caller, gateway::Gateway};

/// So many files of a session are listed.
const LISTED_MAX: usize = 10_000;
/// So many are asked for at once.
const PAGE_FILES: u32 = 1000;

/// The files whose name matches, from this one on, as many as the budget holds.
pub(super) async fn list(
    gateway: &Gateway,
    caller: &Caller,
    budget: &Budget,
    pattern: Option<&str>,
    from: u64,
) -> Result<String, Answer> {
    let files = all(gateway, caller).await?;
    let pattern = pattern.map(Pattern::new);
    let is_meant = |file: &&File| pattern.as_ref().is_none_or(|pattern| pattern.fits(&file.name));
    let files: Vec<&File> = files.iter().filter(is_meant).collect();
    let first = usize::try_from(from.max(1)).unwrap_or(usize::MAX).min(files.len() + 1);
    let mut seen: HashSet<&str> = files[..first - 1].iter().map(|file| &*file.name).collect();
    let mut entries = Vec::new();
    let mut text = page(&entries, files.len(), None);
    for (at, file) in files.iter().enumerate().skip(first - 1) {
        entries.push(entry(file, !seen.insert(&file.name)));
        let next = (at + 1 < files.len()).then_some(at + 2);
        let longer = page(&entries, files.len(), next);
        if !budget.fits(&longer) && entries.len() > 1 {
            entries.pop();
            return Ok(page(&entries, files.len(), Some(at + 1)));
        }
        text = longer;
    }
    Ok(text)
}

async fn all(gateway: &Gateway, caller: &Caller) -> Result<Vec<File>, Answer> {
    let mut files: Vec<File> = Vec::new();
    loop {
        let after = files.last().map(|file| (file.created_ms, file.key.to_string()));
        let page = Page { count: PAGE_FILES, after };
        let found = gateway.store.files(caller.owner(), Some(&caller.session), &page).await;
        let found = found.map_err(|error| {
            tracing::error!(%error, "the files of a session could not be listed");
            Answer::refusal("the files could not be listed; try again", &[], None)
        })?;
        let is_last = found.len() < PAGE_FILES as usize;
        files.extend(found);
        if is_last || files.len() >= LISTED_MAX {
            return Ok(files);
        }
    }
}

fn page(entries: &[Json], count: usize, next: Option<usize>) -> String {
    let mut page = Object::default();
    page.set("of", Json::number(count as u64));
    if let Some(next) = next {
        let mut from = Object::default();
        from.set("from", Json::number(next as u64));
        page.set("next", from.to_json());
    }
    page.set("files", Json::array(entries));
    page.to_json().to_string()
}

/// The name alone leads to the newest file of it; an older one has its key.
fn entry(file: &File, is_older: bool) -> Json {
    let mut entry = Object::default();
    entry.set("name", Json::string(&file.name));
    if is_older {
        entry.set("key", Json::string(&file.key.to_string()));
    }
    entry.set("type", Json::string(&file.mime));
    entry.set("size", Json::number(file.size));
    if let Origin::Tool { server, tool, .. } = &file.origin {
        entry.set("made_by", Json::string(&format!("{server}.{tool}")));
    }
    entry.to_json()
}

/// Part of a name in any case, with `*` for anything.
struct Pattern {
    parts: Vec<String>,
}

impl Pattern {
    fn new(text: &str) -> Pattern {
        Pattern { parts: text.to_lowercase().split('*').map(str::to_owned).collect() }
    }

    fn fits(&self, name: &str) -> bool {
        let name = name.to_lowercase();
        let mut rest = name.as_str();
        for part in &self.parts {
            match rest.find(part.as_str()) {
                Some(at) => rest = &rest[at + part.len()..],
                None => return false,
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::Pattern;

    #[test]
    fn patterns() {
        for (pattern, name, expected) in [
            ("", "a.txt", true),
            ("txt", "a.TXT", true),
            ("*.csv", "sales.csv", true),
            ("sa*es*csv", "Sales.csv", true),
            ("csv*sales", "sales.csv", false),
            ("b", "a.txt", false),
        ] {
            assert_eq!(Pattern::new(pattern).fits(name), expected, "{pattern} {name}");
        }
    }
}
