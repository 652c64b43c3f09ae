//! A preview of a JSON value: its members, and of each list what its items have in common, the first
//! and the last.
//!
//! What costs a walk over the whole value is done once; a preview is then made of parts of it, from
//! rich to poor until one fits, so that the same value gives the same preview.

use std::fmt::Write as _;

use super::{
    fitted::{Fitted, quoted},
    text::by_count,
};
use crate::{
    json::{Json, Kind, items, members, unescape},
    render::preview::{self, KEY_BYTES_MAX},
    survey::{Nodes, Outline, Shape, Tally, cut, grouped},
};

/// A smaller value is shown as it is.
const SMALL_BYTES: usize = 160;
const MEMBERS_MAX: usize = 64;
const FIRST_ITEMS: usize = 6;
const LAST_ITEMS: usize = 2;
/// Lists below this are only described.
const DEPTH_MAX: usize = 3;

/// A JSON value and what was learned of it.
pub(super) struct Value {
    pub(super) json: Json,
    pub(super) outline: Outline,
    sketch: Sketch,
}

/// The parts of a value that a preview can have.
enum Sketch {
    Small(Json),
    /// Only described.
    Deep(Json, Option<usize>),
    List(List),
    Members {
        count: u64,
        members: Vec<(String, Sketch)>,
    },
}

struct List {
    count: u64,
    shape: Option<usize>,
    first: Vec<Json>,
    last: Vec<Json>,
}

/// How much of each part is shown.
#[derive(Clone, Copy)]
struct Detail {
    first: usize,
    last: usize,
    keys: usize,
    string_bytes: usize,
    /// Frequent values of a field.
    values: usize,
    fields: usize,
    depth: usize,
}

const DETAILS: &[Detail] = &[
    Detail { first: 6, last: 2, keys: 64, string_bytes: 400, values: 6, fields: 60, depth: 4 },
    Detail { first: 4, last: 2, keys: 64, string_bytes: 200, values: 6, fields: 60, depth: 4 },
    Detail { first: 3, last: 1, keys: 40, string_bytes: 120, values: 6, fields: 40, depth: 3 },
    Detail { first: 2, last: 1, keys: 30, string_bytes: 120, values: 5, fields: 40, depth: 3 },
    Detail { first: 2, last: 1, keys: 24, string_bytes: 60, values: 4, fields: 30, depth: 3 },
    Detail { first: 1, last: 1, keys: 24, string_bytes: 60, values: 4, fields: 24, depth: 2 },
    Detail { first: 1, last: 1, keys: 16, string_bytes: 40, values: 3, fields: 16, depth: 2 },
    Detail { first: 1, last: 0, keys: 12, string_bytes: 30, values: 2, fields: 12, depth: 2 },
    Detail { first: 0, last: 0, keys: 10, string_bytes: 30, values: 2, fields: 10, depth: 1 },
    Detail { first: 0, last: 0, keys: 6, string_bytes: 20, values: 0, fields: 6, depth: 1 },
    Detail { first: 0, last: 0, keys: 3, string_bytes: 12, values: 0, fields: 3, depth: 1 },
    Detail { first: 0, last: 0, keys: 0, string_bytes: 8, values: 0, fields: 0, depth: 0 },
];

impl Value {
    pub(super) fn of(json: Json) -> Value {
        let outline = Outline::of(json.as_text());
        let sketch = sketch(&json, &outline, Some(0), 0);
        Value { json, outline, sketch }
    }

    /// What it is, with counts.
    pub(super) fn describe(&self) -> String {
        if let Some(nodes) = &self.outline.nodes {
            return format!("JSON tree, {} nodes", grouped(nodes.count));
        }
        match &self.sketch {
            Sketch::List(list) => {
                let is_rows = list.shape.and_then(|at| self.outline.shapes[at].items);
                let is_rows =
                    is_rows.is_some_and(|at| self.outline.shapes[at].tally.objects == list.count);
                let what = if is_rows { "objects" } else { "items" };
                format!("JSON array, {} {what}", grouped(list.count))
            }
            Sketch::Members { count, .. } => match self.graph() {
                Some([(points, some), (lines, others)]) => format!(
                    "JSON graph, {} {points}, {} {lines}",
                    grouped(some.count),
                    grouped(others.count)
                ),
                None => format!("JSON object, {} keys", grouped(*count)),
            },
            Sketch::Small(_) | Sketch::Deep(..) => "JSON value".to_owned(),
        }
    }

    /// Nodes and edges, whatever they are called.
    fn graph(&self) -> Option<[(&str, &List); 2]> {
        const POINTS: [&str; 3] = ["nodes", "entities", "vertices"];
        const LINES: [&str; 4] = ["edges", "relations", "links", "relationships"];
        let list = |names: &[&str]| {
            let Sketch::Members { members, .. } = &self.sketch else { return None };
            members.iter().find_map(|(key, sketch)| match sketch {
                Sketch::List(list) if names.contains(&key.as_str()) => Some((key.as_str(), list)),
                _ => None,
            })
        };
        Some([list(&POINTS)?, list(&LINES)?])
    }

    /// The points of a graph, else the longest list: the keys that lead to it, its shape and its last item.
    pub(super) fn main_list(&self) -> Option<(Vec<&str>, &Shape, u64, Option<&Json>)> {
        let mut best = None;
        match self.graph() {
            Some([(key, points), _]) => best = Some((vec![key], points)),
            None => longest_list(&self.sketch, &mut Vec::new(), &mut best),
        }
        let (path, list) = best?;
        let shape = &self.outline.shapes[list.shape?];
        Some((path, shape, list.count, list.last.last().or(list.first.last())))
    }

    /// JSON of at most `room` bytes; `null` where not even a word fits.
    pub(super) fn preview(&self, room: usize) -> String {
        if let Some(nodes) = &self.outline.nodes {
            return self.tree_preview(nodes, room);
        }
        self.plain_preview(room)
    }

    fn plain_preview(&self, room: usize) -> String {
        for detail in DETAILS {
            let mut out = String::new();
            if self.push(&mut out, &self.sketch, *detail, room) && out.len() <= room {
                return out;
            }
        }
        "null".to_owned()
    }

    fn tree_preview(&self, nodes: &Nodes, room: usize) -> String {
        let mut out = Fitted::new(room);
        out.json("nodes", &nodes.count.to_string());
        out.json("depth", &nodes.depth.to_string());
        out.counts("types", by_count(&nodes.types).into_iter(), room / 4);
        out.counts("extensions", by_count(&nodes.extensions).into_iter(), room / 3);
        let first = preview::preview(self.json.as_text(), out.left("top").min(room / 3));
        if first != "null" {
            out.json("top", &first);
        }
        out.end()
    }

    /// Appends a part; `false` as soon as there is no more room.
    fn push(&self, out: &mut String, sketch: &Sketch, detail: Detail, room: usize) -> bool {
        match sketch {
            Sketch::Small(json) => push_item(out, json, detail, room),
            Sketch::Deep(json, shape) => {
                match (json.kind(), shape) {
                    (Kind::Array | Kind::Object, Some(shape)) => {
                        self.push_shape(out, *shape, detail, detail.depth.min(1), None);
                    }
                    (Kind::Array | Kind::Object, None) => out.push_str("\"…\""),
                    _ => return push_item(out, json, detail, room),
                }
                out.len() <= room
            }
            Sketch::List(list) => self.push_list(out, list, detail, room),
            Sketch::Members { count, members } => {
                out.push('{');
                for (at, (key, sketch)) in members.iter().take(detail.keys).enumerate() {
                    if at > 0 {
                        out.push(',');
                    }
                    push_key(out, key, at);
                    if !self.push(out, sketch, detail, room) {
                        return false;
                    }
                }
                push_rest(out, *count, members.len().min(detail.keys) as u64, "keys");
                out.push('}');
                out.len() <= room
            }
        }
    }

    fn push_list(&self, out: &mut String, list: &List, detail: Detail, room: usize) -> bool {
        let _ = write!(out, "{{\"array\":{}", list.count);
        let items = list.shape.and_then(|shape| self.outline.shapes[shape].items);
        if let Some(items) = items.filter(|_| detail.fields > 0) {
            out.push_str(",\"each\":");
            self.push_shape(out, items, detail, detail.depth, None);
        }
        for (key, items, count) in
            [("first", &list.first, detail.first), ("last", &list.last, detail.last)]
        {
            let skip = if key == "last" { items.len().saturating_sub(count) } else { 0 };
            let shown = items.iter().skip(skip).take(count);
            if out.len() > room || shown.len() == 0 {
                continue;
            }
            let _ = write!(out, ",\"{key}\":[");
            for (at, item) in shown.enumerate() {
                if at > 0 {
                    out.push(',');
                }
                if !push_item(out, item, detail, room) {
                    return false;
                }
            }
            out.push(']');
        }
        out.push('}');
        out.len() <= room
    }

    /// What is at a place, in words, or as an object of its fields.
    fn push_shape(
        &self,
        out: &mut String,
        at: usize,
        detail: Detail,
        depth: usize,
        of: Option<u64>,
    ) {
        let shape = &self.outline.shapes[at];
        let Tally { count, nulls, objects, lists, .. } = shape.tally;
        let is_everywhere = of.is_none_or(|of| of == count);
        if objects > 0 && objects == count && is_everywhere && depth > 0 && !shape.fields.is_empty()
        {
            out.push('{');
            for (number, (key, field)) in shape.fields.iter().take(detail.fields).enumerate() {
                if number > 0 {
                    out.push(',');
                }
                push_key(out, key, number);
                self.push_shape(out, *field, detail, depth - 1, Some(objects));
            }
            let shown = shape.fields.len().min(detail.fields) as u64;
            push_rest(out, shape.members_max.max(shape.fields.len() as u64), shown, "fields");
            out.push('}');
            return;
        }
        let items = shape.items.filter(|_| lists > 0 && lists + nulls == count);
        let items = items.map(|items| &self.outline.shapes[items]);
        let mut words = match (items, shape.item_counts) {
            (Some(items), Some((low, high))) => {
                let counts = if low == high { low.to_string() } else { format!("{low}…{high}") };
                format!("array of {counts} {}", items.tally.describe(detail.values.min(3)))
            }
            _ => shape.tally.describe(detail.values),
        };
        if let Some(of) = of.filter(|of| *of > count) {
            let _ = write!(words, ", in {count} of {of}");
        }
        out.push_str(&quoted(&cut(&words, 200)));
    }
}

fn sketch(json: &Json, outline: &Outline, shape: Option<usize>, depth: usize) -> Sketch {
    let text = json.as_text();
    if text.len() <= SMALL_BYTES {
        return Sketch::Small(json.clone());
    }
    match json.kind() {
        _ if depth >= DEPTH_MAX => Sketch::Deep(json.clone(), shape),
        Kind::Array => {
            let mut list = List { count: 0, shape, first: Vec::new(), last: Vec::new() };
            let mut last = [""; LAST_ITEMS];
            for item in items(text) {
                match list.first.len() < FIRST_ITEMS {
                    true => list.first.push(json.slice(item)),
                    false => {
                        last.rotate_left(1);
                        last[LAST_ITEMS - 1] = item;
                    }
                }
                list.count += 1;
            }
            let last = last.into_iter().filter(|item| !item.is_empty());
            list.last = last.map(|item| json.slice(item)).collect();
            Sketch::List(list)
        }
        Kind::Object => {
            let mut found = Vec::new();
            let mut count = 0;
            for (key, value) in members(text) {
                count += 1;
                if found.len() == MEMBERS_MAX {
                    continue;
                }
                let key = unescape(key);
                let field = shape.and_then(|shape| field(outline, shape, &key));
                let value = sketch(&json.slice(value), outline, field, depth + 1);
                found.push((key.into_owned(), value));
            }
            Sketch::Members { count, members: found }
        }
        _ => Sketch::Deep(json.clone(), shape),
    }
}

fn field(outline: &Outline, shape: usize, key: &str) -> Option<usize> {
    let fields = &outline.shapes[shape].fields;
    fields.iter().find(|(name, _)| name == key).map(|(_, place)| *place)
}

fn longest_list<'a>(
    sketch: &'a Sketch,
    path: &mut Vec<&'a str>,
    best: &mut Option<(Vec<&'a str>, &'a List)>,
) {
    match sketch {
        Sketch::List(list) if best.as_ref().is_none_or(|(_, other)| other.count < list.count) => {
            *best = Some((path.clone(), list));
        }
        Sketch::Members { members, .. } => {
            for (key, member) in members {
                path.push(key);
                longest_list(member, path, best);
                path.pop();
            }
        }
        _ => {}
    }
}

/// One value, its strings and lists cut.
fn push_item(out: &mut String, json: &Json, detail: Detail, room: usize) -> bool {
    let keys = detail.keys.max(1);
    let detail = preview::Detail {
        items: detail.first.max(1),
        keys,
        string_bytes: detail.string_bytes,
        depth: detail.depth.max(1),
    };
    preview::push_value(out, json.as_text(), detail, 0, room)
}

fn push_key(out: &mut String, key: &str, at: usize) {
    match key.len() > KEY_BYTES_MAX {
        // Two long keys may start alike: the place tells them apart.
        true => out.push_str(&quoted(&format!("{} #{}", cut(key, KEY_BYTES_MAX), at + 1))),
        false => out.push_str(&quoted(key)),
    }
    out.push(':');
}

fn push_rest(out: &mut String, count: u64, shown: u64, what: &str) {
    if count > shown {
        let comma = if shown > 0 { "," } else { "" };
        let _ = write!(out, "{comma}\"…\":\"{} more of {} {what}\"", count - shown, count);
    }
}
