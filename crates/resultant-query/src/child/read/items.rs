//! Pages of items and of rows.

use resultant::{Json, Kind, Row, RowReader, TableKind, TableLosses};

use super::super::{
    Limits, Stop,
    form::{self, Form},
    incoming::Source,
    page::{cut, list, quoted},
    path,
};
use crate::Part;

pub(super) fn answer_items(
    part: &Part,
    source: Source<'_>,
    limits: &Limits,
) -> Result<String, Stop> {
    let mut kept = Kept::new(part.from, part.count, limits.page.bytes);
    each_item(source, part.path.as_deref(), |item| kept.push(|| item.to_string()))?;
    Ok(kept.page("items", "", limits))
}

pub(super) fn answer_rows(
    part: &Part,
    source: Source<'_>,
    limits: &Limits,
) -> Result<String, Stop> {
    let mut kept = Kept::new(part.from, part.count, limits.page.bytes);
    let (columns, losses) = each_row(source, |row| {
        kept.push(|| {
            let mut out = String::from("[");
            for (at, cell) in row.cells.iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                cell.push_json(&mut out);
            }
            out.push(']');
            out
        });
    })?;
    // Names that would fill the page are left away before the rows are.
    let names: Vec<String> = columns.iter().map(|name| quoted(name)).collect();
    let (shown, _) = limits.page.half().most(names.len(), |count| list(&names[..count]));
    let mut members = format!("\"columns\":{},", list(&names[..shown]));
    if shown < names.len() {
        members.push_str(&format!("\"columns_of\":{},", names.len()));
    }
    members.push_str(&lost(losses));
    Ok(kept.page("rows", &members, limits))
}

/// The items of the list that is meant, each as JSON.
pub(in crate::child) fn each_item(
    source: Source<'_>,
    path: Option<&str>,
    mut take: impl FnMut(&Json),
) -> Result<(), Stop> {
    let whole = form::json(source)?;
    let found = match path.map(str::trim).filter(|path| !path.is_empty() && *path != ".") {
        Some(path) => path::find(&whole, path)?,
        None => whole,
    };
    match found.kind() {
        Kind::Array => found.items().for_each(|item| take(&item)),
        Kind::Object => match lists_of(&found).as_slice() {
            [(_, only)] => only.items().for_each(|item| take(&item)),
            lists => {
                let names: Vec<&str> = lists.iter().map(|(name, _)| name.as_str()).collect();
                let names = match names.as_slice() {
                    [] => format!("it has the keys {}", keys(&found)),
                    names => format!("its lists are {}", cut(&names.join(", "), 300)),
                };
                return Err(Stop::Refused(format!(
                    "this is an object, not a list; say which list with `path`, like .key ({names})"
                )));
            }
        },
        _ => return Err(Stop::refused("there is no list here; read it by lines")),
    }
    Ok(())
}

/// The rows of a table; the names of its columns, and what of it could not be read.
pub(in crate::child) fn each_row(
    source: Source<'_>,
    mut take: impl FnMut(&Row<'_>),
) -> Result<(Vec<String>, TableLosses), Stop> {
    let kind = match source.form {
        Form::Rows(kind) => kind,
        Form::Json => {
            let json = form::json(source)?;
            let lists = match json.kind() {
                Kind::Array => vec![(String::new(), json)],
                _ => lists_of(&json),
            };
            let Some((_, rows)) = lists.first() else { return Err(no_rows()) };
            let mut reader = RowReader::new(TableKind::JsonRows);
            reader.feed(rows.as_text().as_bytes(), &mut take);
            reader.finish(&mut take);
            return Ok((reader.columns().to_vec(), reader.losses()));
        }
        Form::Text | Form::Binary => return Err(no_rows()),
    };
    let mut reader = RowReader::new(kind);
    source.every(|bytes| reader.feed(bytes, &mut take))?;
    reader.finish(&mut take);
    Ok((reader.columns().to_vec(), reader.losses()))
}

/// What of a table could not be read or kept, as members.
pub(in crate::child) fn lost(losses: TableLosses) -> String {
    let counts = [
        ("cells_left_out", losses.cells_left_out),
        ("cells_cut", losses.cells_cut),
        ("rows_left_out", losses.rows_left_out),
    ];
    let counts = counts.iter().filter(|(_, count)| *count > 0);
    counts.map(|(name, count)| format!("\"{name}\":{count},")).collect()
}

pub(in crate::child) fn no_rows() -> Stop {
    Stop::refused(
        "this has no rows: it is neither a table nor JSON with a list of objects; try files_search, or files_read by lines",
    )
}

/// The members that are lists of objects.
pub(in crate::child) fn lists_of(json: &Json) -> Vec<(String, Json)> {
    let is_list = |value: &Json| value.items().next().is_some_and(|first| first.is_object());
    json.members()
        .filter(|(_, value)| is_list(value))
        .map(|(key, value)| (key.into_owned(), value))
        .collect()
}

/// The keys of an object, for a sentence.
pub(in crate::child) fn keys(json: &Json) -> String {
    const KEYS_MAX: usize = 12;
    let names: Vec<String> = json.members().take(KEYS_MAX).map(|(key, _)| cut(&key, 40)).collect();
    let count = json.members().count();
    match count > KEYS_MAX {
        true => format!("{} and {} more", names.join(", "), count - KEYS_MAX),
        false => names.join(", "),
    }
}

/// The items that a page may show, out of all that pass by.
struct Kept {
    from: u64,
    until: u64,
    bytes_max: usize,
    bytes: usize,
    items: Vec<String>,
    of: u64,
}

impl Kept {
    fn new(from: u64, count: Option<u64>, bytes_max: usize) -> Kept {
        let from = from.max(1);
        let until = from.saturating_add(count.unwrap_or(u64::MAX).max(1));
        Kept { from, until, bytes_max, bytes: 0, items: Vec::new(), of: 0 }
    }

    fn push(&mut self, item: impl FnOnce() -> String) {
        self.of += 1;
        if self.of >= self.from && self.of < self.until && self.bytes <= self.bytes_max {
            let item = item();
            self.bytes += item.len();
            self.items.push(item);
        }
    }

    fn page(&self, by: &str, members: &str, limits: &Limits) -> String {
        // Whoever asks beyond the end is told where it is.
        let (from, of) = (self.from.min(self.of + 1), self.of);
        let opening = |count: u64| {
            let next = from + count;
            let next_member = match next <= of {
                true => format!("\"next\":{{\"from\":{next}}},"),
                false => String::new(),
            };
            format!(
                "{{\"by\":\"{by}\",\"from\":{from},\"to\":{},\"of\":{of},{next_member}{members}",
                next - 1
            )
        };
        let (count, text) = limits.page.most(self.items.len(), |count| {
            format!("{}\"{by}\":{}}}", opening(count as u64), list(&self.items[..count]))
        });
        let Some(first) = self.items.first().filter(|_| count == 0) else { return text };
        // One item is longer than a page: its start, and how to get inside.
        let (_, text) = limits.page.most(first.len(), |count| {
            let start = &first[..first.floor_char_boundary(count)];
            format!(
                "{}\"cut\":{{\"bytes\":{},\"start\":{}}},\"hint\":\"one of them is longer than a \
                 page; get parts of it with files_query and jq\"}}",
                opening(1),
                first.len(),
                quoted(start)
            )
        });
        text
    }
}
