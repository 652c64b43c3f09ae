//! jq filters.
//!
//! A filter has the file as its input and nothing else: no further inputs, no environment, no
//! modules, and no file that could be opened.

use bytes::Bytes;
use jaq_core::{
    Compiler, Ctx, Filter, Vars, compile, data,
    load::{self, Arena, File, Loader, lex, parse},
};
use jaq_json::{Val, read};
use resultant::{Json, Kind};

use super::{
    Limits, Stop, form,
    incoming::Incoming,
    page::{cut, list, quoted},
    read::items::keys,
    value,
};

type Compiled = Filter<data::JustLut<Val>>;

/// What jq has and the library does not. Text that a spreadsheet would run as a formula is kept from
/// that.
const PRELUDE: &str = r#"
def csv_text: if test("^[=+@\t\r-]") then "'" + . end | gsub("\""; "\"\"") | "\"" + . + "\"";
def @csv: [.[] | if type == "string" then csv_text elif . == null then "" else tostring end] | join(",");
def @tsv: [.[] | if . == null then "" else tostring end | gsub("\\\\"; "\\\\") | gsub("\t"; "\\t") | gsub("\n"; "\\n") | gsub("\r"; "\\r")] | join("\t");
def leaf_paths: paths(scalars);
"#;

pub(super) fn answer(
    filter: &str,
    incoming: &mut Incoming<'_>,
    limits: &Limits,
) -> Result<String, Stop> {
    // A mistake in the filter is told before the file is read.
    let filter = compile(filter)?;
    let whole = input(incoming)?;
    let mut results =
        Results { bytes_max: limits.page.bytes, bytes: 0, kept: Vec::new(), count: 0 };
    let mut is_stopped = false;
    let mut error = None;
    for result in run(&filter, val(&whole)?) {
        match result {
            Ok(value) => results.push(&value),
            Err(text) => {
                error = Some(text);
                break;
            }
        }
        if limits.is_enough(results.count) {
            is_stopped = true;
            break;
        }
    }
    match error {
        Some(text) if results.count == 0 => Err(failed(&text, &whole)),
        error => Ok(results.page(is_stopped, error.as_deref(), limits)),
    }
}

/// The one value that a filter makes of JSON.
pub(super) fn one(whole: &Json, filter: &str) -> Result<Json, Stop> {
    let filter = compile(filter)?;
    let mut results = run(&filter, val(whole)?);
    let first = match results.next() {
        Some(Ok(first)) => first,
        Some(Err(text)) => return Err(failed(&text, whole)),
        None => return Err(Stop::refused("the path leads to nothing")),
    };
    let mut out = String::new();
    let mut rest = results.peekable();
    match rest.peek() {
        None => {
            value::push(&mut out, &first, usize::MAX);
        }
        // Several values are the items of a list.
        Some(_) => {
            let mut all = vec![first];
            for result in rest {
                all.push(result.map_err(|text| failed(&text, whole))?);
            }
            value::push(&mut out, &all.into_iter().collect(), usize::MAX);
        }
    }
    Json::parse(out).map_err(|error| Stop::Refused(error.to_string()))
}

/// What a filter makes of JSON, to be handed on: a string as its text, several values as a list.
pub(super) fn take(filter: &str, whole: &Json, limits: &Limits) -> Result<Vec<u8>, Stop> {
    let filter = compile(filter)?;
    let mut out = String::new();
    let mut only_text: Option<Bytes> = None;
    let mut count = 0_u64;
    for result in run(&filter, val(whole)?) {
        let result = result.map_err(|text| failed(&text, whole))?;
        count += 1;
        only_text = match &result {
            Val::TStr(bytes) if count == 1 => Some(Bytes::clone(bytes)),
            _ => None,
        };
        out.push(if count == 1 { '[' } else { ',' });
        if !value::push(&mut out, &result, limits.take_bytes) || limits.is_enough(count) {
            return Err(super::take::too_much(limits));
        }
    }
    match (count, only_text) {
        (0, _) => Err(Stop::refused("the filter has no result, so there is nothing to hand over")),
        (1, Some(text)) => Ok(text.to_vec()),
        (1, None) => Ok(out.split_off(1).into_bytes()),
        _ => {
            out.push(']');
            Ok(out.into_bytes())
        }
    }
}

/// The source as JSON; several as a list.
fn input(incoming: &mut Incoming<'_>) -> Result<Json, Stop> {
    if incoming.count() <= 1 {
        return form::json(incoming.only()?);
    }
    let mut all = Vec::new();
    while let Some(source) = incoming.next()? {
        all.push(form::json(source)?);
    }
    Ok(Json::array(&all))
}

fn val(json: &Json) -> Result<Val, Stop> {
    read::parse_single(json.as_text().as_bytes()).map_err(|error| Stop::Refused(error.to_string()))
}

/// The results of a filter, and the error it ended with.
fn run(filter: &Compiled, input: Val) -> impl Iterator<Item = Result<Val, String>> + '_ {
    let ctx = Ctx::<data::JustLut<Val>>::new(&filter.lut, Vars::new([]));
    filter.id.run((ctx, input)).map_while(|result| match result {
        Ok(value) => Some(Ok(value)),
        // `halt` ends the filter, and must not end the process.
        Err(exception) => exception.get_err().ok().map(|error| Err(message(&error.to_string()))),
    })
}

/// What an error says. One that a filter raised with a text is shown in quotes.
fn message(shown: &str) -> String {
    match Json::parse(shown.to_owned()) {
        Ok(json) => json.as_str().map_or_else(|| shown.to_owned(), |text| text.into_owned()),
        Err(_) => shown.to_owned(),
    }
}

fn compile(filter: &str) -> Result<Compiled, Stop> {
    let own = parse(PRELUDE, |parser| parser.defs()).unwrap_or_default();
    let defs = jaq_core::defs().chain(jaq_std::defs()).chain(jaq_json::defs()).chain(own);
    let funs = jaq_core::funs().chain(jaq_std::funs()).chain(jaq_json::funs());
    let funs = funs.filter(|(name, ..)| *name != "env");
    let arena = Arena::default();
    let modules = Loader::new(defs)
        .load(&arena, File { code: filter, path: () })
        .map_err(|errors| not_loaded(filter, errors))?;
    // Data that is imported is not asked for by the loader, and would be missed by the run.
    load::import(&modules, |_| Err(String::new())).map_err(|errors| not_loaded(filter, errors))?;
    Compiler::default().with_funs(funs).compile(modules).map_err(|errors| {
        let errors = errors.into_iter().flat_map(|(_, errors)| errors);
        refused(filter, errors.map(|(name, what)| undefined(name, &what)))
    })
}

fn not_loaded(filter: &str, errors: load::Errors<&str, ()>) -> Stop {
    refused(filter, errors.into_iter().map(|(_, error)| load_error(filter, error)))
}

fn refused(filter: &str, mut errors: impl Iterator<Item = String>) -> Stop {
    let first = errors.next().unwrap_or_else(|| "it cannot be compiled".to_owned());
    Stop::Refused(format!("the jq filter {} is wrong: {first}", cut(filter, 120)))
}

fn load_error(filter: &str, error: load::Error<&str>) -> String {
    match error {
        load::Error::Io(errors) => match errors.first() {
            Some((module, _)) => {
                format!("there is no import or include here ({})", cut(module, 40))
            }
            None => "there is no import or include here".to_owned(),
        },
        load::Error::Lex(errors) => errors
            .first()
            .map(|(expected, found): &lex::Error<&str>| place(filter, expected.as_str(), found))
            .unwrap_or_default(),
        load::Error::Parse(errors) => errors
            .first()
            .map(|(expected, found): &parse::Error<&str>| place(filter, expected.as_str(), found))
            .unwrap_or_default(),
    }
}

/// What was expected where. What was found is the rest of the filter, from the place on.
fn place(filter: &str, expected: &str, found: &str) -> String {
    match found.is_empty() {
        true => format!("expected {expected} at its end"),
        false => {
            let at = (found.as_ptr() as usize).checked_sub(filter.as_ptr() as usize);
            let at = at.filter(|at| *at <= filter.len());
            let at = at.map_or(String::new(), |at| format!(" at character {}", at + 1));
            format!("expected {expected}{at}, found {}", cut(found, 40))
        }
    }
}

fn undefined(name: &str, what: &compile::Undefined) -> String {
    let name = cut(name, 60);
    match what {
        compile::Undefined::Filter(arity) => {
            format!("there is no function {name}/{arity}")
        }
        other => format!("undefined {} {name}", other.as_str()),
    }
}

/// A mistake that shows while a filter runs is often one about the shape of the input.
fn failed(error: &str, whole: &Json) -> Stop {
    let shape = match whole.kind() {
        Kind::Object => format!("an object with the keys {}", keys(whole)),
        Kind::Array => match whole.items().next() {
            Some(first) if first.is_object() => format!(
                "a list of {} objects with the keys {}",
                whole.items().count(),
                keys(&first)
            ),
            _ => format!("a list of {} items", whole.items().count()),
        },
        _ => "a scalar".to_owned(),
    };
    Stop::Refused(format!("{}; the input is {shape}", cut(error, 200)))
}

/// The results that a page may show, out of all there are.
struct Results {
    bytes_max: usize,
    bytes: usize,
    kept: Vec<String>,
    count: u64,
}

impl Results {
    fn push(&mut self, value: &Val) {
        self.count += 1;
        if self.bytes <= self.bytes_max {
            let mut text = String::new();
            // What is longer than a page is cut, and need not be written.
            value::push(&mut text, value, self.bytes_max + 64);
            self.bytes += text.len();
            self.kept.push(text);
        }
    }

    fn page(&self, is_stopped: bool, error: Option<&str>, limits: &Limits) -> String {
        let count = self.count;
        let closing = |shown: usize, is_cut: bool| {
            let is_complete = shown as u64 == count && !is_stopped && !is_cut && error.is_none();
            let mut out = format!(",\"count\":{count},\"complete\":{is_complete}");
            if is_stopped {
                out.push_str(",\"stopped\":\"there were more results than are looked at\"");
            }
            if let Some(error) = error {
                out.push_str(&format!(",\"error\":{}", quoted(&cut(error, 120))));
            }
            if !is_complete && error.is_none() {
                out.push_str(",\"hint\":\"narrow the filter: select, a slice like .[0:20], or length to count\"");
            }
            out.push('}');
            out
        };
        // What is as long as a page may have been cut, and is no JSON then.
        let whole = self.kept.iter().take_while(|text| text.len() <= self.bytes_max).count();
        let (shown, text) = limits.page.most(whole, |shown| {
            format!("{{\"results\":{}{}", list(&self.kept[..shown]), closing(shown, false))
        });
        let Some(first) = self.kept.first().filter(|_| shown == 0) else { return text };
        let (_, text) = limits.page.most(first.len(), |shown| {
            let start = quoted(&first[..first.floor_char_boundary(shown)]);
            format!("{{\"results\":[],\"cut\":{{\"start\":{start}}}{}", closing(0, true))
        });
        text
    }
}
