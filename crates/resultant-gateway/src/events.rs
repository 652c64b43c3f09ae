//! What a session's listeners are told: the kinds of events and what is in each.
//!
//! An event is written once, to the store, and read by every listener on every replica. What is in
//! it is for the owner alone, and even so there is no capability in it: no token, no download
//! address. Who wants a file asks for a link to it.

use std::collections::BTreeMap;

use resultant::{Canvas, Display, Json, Object, file_is_showable, file_viewer};
use resultant_store::{Call, Dashboard, Ending, File, Id, NewEvent};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;

use crate::caller::Caller;

/// Longer arguments are left out of `tool_start`; they are in the record of the call.
const ARGUMENTS_BYTES_MAX: usize = 16 << 10;

/// A tool is being called.
pub(crate) const TOOL_START: &str = "tool_start";
/// A call has come further.
pub(crate) const TOOL_PROGRESS: &str = "tool_progress";
/// A call has ended.
pub(crate) const TOOL_COMPLETE: &str = "tool_complete";
/// The session has new files.
pub(crate) const FILES_UPDATE: &str = "files_update";
/// A dashboard wants to be open.
pub(crate) const CANVAS_OPEN: &str = "canvas_open";
/// The tools that can be called are others now.
pub(crate) const TOOLS_CHANGED: &str = "tools_changed";

/// Any JSON, in schemas.
pub(crate) struct AnyJson;

impl JsonSchema for AnyJson {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "AnyJson".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        true.into()
    }
}

/// A tool is being called.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ToolStart {
    /// The call.
    call: String,
    /// The server.
    server: String,
    /// The tool's name on it.
    tool: String,
    /// The arguments as the caller wrote them; left out where they are over 16 KiB.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<AnyJson>")]
    arguments: Option<Json>,
    /// The bytes of the arguments.
    arguments_bytes: u64,
}

/// A call has come further.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ToolProgress {
    /// The call.
    call: String,
    /// How far it has come.
    progress: f64,
    /// Of how much.
    #[serde(skip_serializing_if = "Option::is_none")]
    total: Option<f64>,
    /// What the server says about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
}

/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum EndingWord {
    /// With a result.
    Ok,
    /// With a result that says that the tool failed.
    ToolError,
    /// Without a result: the server was not there, was late, or broke off.
    Failed,
    /// It was not let through: the arguments or the caller were refused.
    Refused,
    /// The caller did not want it any more.
    Cancelled,
}

impl From<Ending> for EndingWord {
    fn from(ending: Ending) -> EndingWord {
        match ending {
            Ending::Ok => EndingWord::Ok,
            Ending::ToolError => EndingWord::ToolError,
            Ending::Failed => EndingWord::Failed,
            Ending::Refused => EndingWord::Refused,
            Ending::Cancelled => EndingWord::Cancelled,
        }
    }
}

/// A call has ended.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ToolComplete {
    /// The call.
    call: String,
    /// The server.
    server: String,
    /// The tool's name on it.
    tool: String,
    /// How it ended.
    ending: EndingWord,
    /// Whether there is no result, or one that says that the tool failed.
    is_error: bool,
    /// What went wrong, if something did.
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    /// Bytes that the server answered with.
    bytes_in: u64,
    /// Bytes that the audience got.
    bytes_out: u64,
    /// Tokens that the server's answer would have been.
    tokens_in: u64,
    /// Tokens that the model got.
    tokens_out: u64,
    /// How long it took, in milliseconds.
    duration_ms: f64,
}

/// Drawers for files, by what they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Category {
    /// Pictures.
    Image,
    /// Pages and texts for reading: PDF, HTML, Markdown, plain text, office files.
    Document,
    /// Tables and JSON.
    Data,
    /// Source text.
    Code,
    /// Sound.
    Audio,
    /// Moving pictures.
    Video,
    /// Everything else.
    Other,
}

impl Category {
    /// Where a file belongs.
    pub(crate) fn of(mime: &str, name: &str) -> Category {
        Category::of_viewer(file_viewer(mime, name), mime)
    }

    /// The same for one whose own viewer is known.
    pub(crate) fn of_viewer(viewer: &str, mime: &str) -> Category {
        match viewer {
            "image" => Category::Image,
            "audio" => Category::Audio,
            "video" => Category::Video,
            "pdf" | "html" | "markdown" | "text" | "log" => Category::Document,
            "table" | "json" => Category::Data,
            "code" | "diff" => Category::Code,
            _ if is_office(mime) => Category::Document,
            _ => Category::Other,
        }
    }
}

fn is_office(mime: &str) -> bool {
    ["application/vnd.openxmlformats-", "application/vnd.oasis.", "application/msword"]
        .iter()
        .any(|start| mime.starts_with(start))
}

/// A file as listeners see it.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct EventFile {
    /// What it is asked for by.
    key: String,
    /// Its name.
    name: String,
    /// Its media type.
    mime: String,
    /// Its bytes.
    size: u64,
    /// Their digest.
    sha256: String,
    /// Its drawer.
    category: Category,
    /// Whether a canvas can show it.
    showable: bool,
    /// The viewer that shows it best.
    viewer: String,
    /// What it is, for a person.
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
}

/// How new files would like to be shown.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct EventDisplay {
    /// Whether the canvas opens: there is something to show, and the result does not say no.
    open_canvas: bool,
    /// The name of the file to show first.
    #[serde(skip_serializing_if = "Option::is_none")]
    primary_file: Option<String>,
    /// `replace`, `append` or `split`.
    mode: String,
    /// The viewer that the result asks for: `auto`, `image`, `pdf`, `html` or `code`.
    #[serde(skip_serializing_if = "Option::is_none")]
    viewer_hint: Option<String>,
}

/// The session has new files.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct FilesUpdate {
    /// The call that left them; absent for uploads.
    #[serde(skip_serializing_if = "Option::is_none")]
    call: Option<String>,
    /// The new files.
    files: Vec<EventFile>,
    /// Their names by category.
    categories: BTreeMap<Category, Vec<String>>,
    /// How they would like to be shown.
    display: EventDisplay,
}

/// A dashboard wants to be open, or was closed (`"open": false`).
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CanvasOpen {
    /// The call whose result says so; absent where a person closed it.
    #[serde(skip_serializing_if = "Option::is_none")]
    call: Option<String>,
    /// The server whose dashboard it is: ids of two servers are not the same.
    server: String,
    /// `open`, `id`, `persistence`, `type`, `url`, `title`, `mode` and what else the result had,
    /// without its token.
    #[schemars(with = "BTreeMap<String, AnyJson>")]
    canvas: Json,
    /// Whether the result had a token for the frame.
    has_token: bool,
}

/// The tools that can be called are others now.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ToolsChanged {
    /// The server whose tools changed; absent where it may be any.
    #[serde(skip_serializing_if = "Option::is_none")]
    server: Option<String>,
}

fn event(caller: &Caller, kind: &str, data: &impl Serialize) -> NewEvent {
    NewEvent {
        owner: caller.owner().to_owned(),
        session: caller.session.to_string(),
        kind: kind.to_owned(),
        data: Json::of(data).as_text().to_owned(),
    }
}

/// A tool is being called with these arguments, as the caller wrote them.
pub(crate) fn tool_start(
    caller: &Caller,
    call: Id,
    server: &str,
    tool: &str,
    arguments: &Json,
) -> NewEvent {
    let bytes = arguments.as_text().len();
    let data = ToolStart {
        call: call.to_string(),
        server: server.to_owned(),
        tool: tool.to_owned(),
        arguments: (bytes <= ARGUMENTS_BYTES_MAX).then(|| arguments.clone()),
        arguments_bytes: bytes as u64,
    };
    event(caller, TOOL_START, &data)
}

/// A call has come so far.
pub(crate) fn tool_progress(
    caller: &Caller,
    call: Id,
    progress: f64,
    total: Option<f64>,
    message: Option<&str>,
) -> NewEvent {
    let message = message.map(str::to_owned);
    event(caller, TOOL_PROGRESS, &ToolProgress { call: call.to_string(), progress, total, message })
}

/// A call has ended as its record says.
pub(crate) fn tool_complete(caller: &Caller, call: &Call) -> NewEvent {
    let data = ToolComplete {
        call: call.id.to_string(),
        server: call.server.clone(),
        tool: call.tool.clone(),
        ending: call.ending.into(),
        is_error: call.ending != Ending::Ok,
        message: call.message.clone(),
        bytes_in: call.bytes_in,
        bytes_out: call.bytes_out,
        tokens_in: call.tokens_in,
        tokens_out: call.tokens_out,
        duration_ms: call.duration_us as f64 / 1000.0,
    };
    event(caller, TOOL_COMPLETE, &data)
}

/// The session has these files now: of a call, or uploaded.
pub(crate) fn files_update(
    caller: &Caller,
    call: Option<Id>,
    files: &[File],
    display: Option<&Display>,
) -> NewEvent {
    let mut categories: BTreeMap<Category, Vec<String>> = BTreeMap::new();
    let mut seen = Vec::with_capacity(files.len());
    for file in files {
        let category = Category::of(&file.mime, &file.name);
        categories.entry(category).or_default().push(file.name.clone());
        let viewer = file.viewer.as_deref().filter(|viewer| *viewer != "auto");
        seen.push(EventFile {
            key: file.key.to_string(),
            name: file.name.clone(),
            mime: file.mime.clone(),
            size: file.size,
            sha256: file.sha256.clone(),
            category,
            showable: file_is_showable(&file.mime, &file.name),
            viewer: viewer.unwrap_or_else(|| file_viewer(&file.mime, &file.name)).to_owned(),
            description: file.description.clone(),
        });
    }
    let display = display.cloned().unwrap_or_default();
    let first = seen.iter().find(|file| file.showable).map(|file| file.name.clone());
    let primary_file = display.primary_file.or(first);
    let display = EventDisplay {
        // An upload is something the person has already.
        open_canvas: call.is_some() && primary_file.is_some() && display.open_canvas != Some(false),
        primary_file,
        mode: display.mode.map_or("replace", |mode| mode.as_str()).to_owned(),
        viewer_hint: display.viewer_hint.map(|viewer| viewer.as_str().to_owned()),
    };
    let call = call.map(|call| call.to_string());
    event(caller, FILES_UPDATE, &FilesUpdate { call, files: seen, categories, display })
}

/// A result wants a dashboard open. Its token stays here.
pub(crate) fn canvas_open(caller: &Caller, call: Id, server: &str, canvas: &Canvas) -> NewEvent {
    let data = CanvasOpen {
        call: Some(call.to_string()),
        server: server.to_owned(),
        canvas: canvas.members.to_json(),
        has_token: canvas.token.is_some(),
    };
    event(caller, CANVAS_OPEN, &data)
}

/// A person closed a dashboard, for all who look at the session.
pub(crate) fn canvas_closed(dashboard: &Dashboard) -> NewEvent {
    let mut canvas = Object::default();
    canvas.set("open", Json::of(&false));
    canvas.set("id", Json::string(&dashboard.id));
    let server = dashboard.server.clone();
    let data = CanvasOpen { call: None, server, canvas: canvas.to_json(), has_token: false };
    NewEvent {
        owner: dashboard.owner.clone(),
        session: dashboard.session.clone(),
        kind: CANVAS_OPEN.to_owned(),
        data: Json::of(&data).as_text().to_owned(),
    }
}

/// What listeners are told when the tools of a server changed. It is no session's, is not kept and
/// has no number: who was not there when it happened lists the tools anyway.
pub(crate) fn tools_changed(server: Option<&str>) -> String {
    Json::of(&ToolsChanged { server: server.map(str::to_owned) }).as_text().to_owned()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use resultant::Json;
    use resultant_store::Id;

    use super::{Category, canvas_open, files_update, tool_start};
    use crate::caller::{Caller, User};

    #[test]
    fn files_have_a_drawer() {
        let cases = [
            ("image/png", "a.png", Category::Image),
            ("text/html", "a.html", Category::Document),
            ("text/csv", "a.csv", Category::Data),
            ("application/json", "a.json", Category::Data),
            ("text/x-python", "a.py", Category::Code),
            ("application/zip", "a.zip", Category::Other),
            (
                "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
                "a.docx",
                Category::Document,
            ),
        ];
        for (mime, name, category) in cases {
            assert_eq!(Category::of(mime, name), category, "{mime}");
        }
    }

    #[test]
    fn what_is_told_has_no_token_and_no_long_arguments() {
        let caller = Caller::of(Arc::new(User::local()));
        let outcome = resultant::read(
            r#"{"results": 1, "canvas": {"open": true, "id": "m", "url": "https://h.example/", "token": "s3cret"}}"#,
        );
        let canvas = outcome.canvas.expect("a canvas");
        let told = canvas_open(&caller, Id::new(), "s", &canvas);
        assert!(!told.data.contains("s3cret"), "{}", told.data);
        assert!(told.data.contains(r#""has_token":true"#), "{}", told.data);
        let long = Json::string(&"x".repeat(20_000));
        let told = tool_start(&caller, Id::new(), "s", "t", &long);
        assert!(told.data.contains(r#""arguments_bytes":20002"#), "{}", told.data);
        assert!(told.data.len() < 200, "{}", told.data);
        let told = files_update(&caller, None, &[], None);
        assert!(told.data.contains(r#""open_canvas":false"#), "{}", told.data);
    }
}
