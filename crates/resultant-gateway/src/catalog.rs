//! What servers offer: tool definitions, repaired where they are broken, and written for each
//! protocol version.
//!
//! A definition that cannot be used is left out with a reason; it never takes the others with it.

mod headers;
mod merged;
mod names;

use std::{
    collections::HashMap,
    sync::{Arc, OnceLock},
};

use resultant::{Advertise, Json, Object, Protocol, Schema, SchemaLimits, SchemaPolicy, Shape};

pub(crate) use self::{
    headers::{HeaderParam, header_value, read_header_value},
    merged::{Merged, merge},
    names::{Origin, exposed_names},
};
use crate::{
    arguments::Input,
    client::Client,
    config::ServerConfig,
    host_canvas,
    retrieval::{self, Naming},
    upstream::{ConnectError, Link},
};

/// Checking a result may take this much work at most, so that no schema can hold a thread.
const CHECK_STEPS_MAX: u64 = 2_000_000;

const LIST_STEP: &str = "tools/list";
/// A longer description is cut: it is for a model to read.
const DESCRIPTION_BYTES_MAX: usize = 64 << 10;
/// A definition that is longer still is left out.
const DEFINITION_BYTES_MAX: usize = 1 << 20;

/// A tool of a server.
#[derive(Debug)]
pub(crate) struct Tool {
    /// As its server names it.
    pub(crate) name: String,
    definition: Object,
    pub(crate) schema: Option<Schema>,
    /// Arguments that also go into headers.
    pub(crate) header_params: Vec<HeaderParam>,
    /// What is known of its arguments.
    pub(crate) input: Input,
    advertise: Advertise,
    keeps_schema: bool,
    /// Whether our canvas draws its results.
    is_drawn: bool,
}

/// What one server offers.
#[derive(Debug, Default)]
pub(crate) struct ServerCatalog {
    pub(crate) tools: Vec<Arc<Tool>>,
    by_name: HashMap<String, usize>,
    /// What was wrong with tools.
    pub(crate) oddities: Vec<Oddity>,
    written: WrittenLists,
}

/// A tool that was repaired or left out.
#[derive(Clone, Debug)]
pub(crate) struct Oddity {
    pub(crate) tool: String,
    pub(crate) reason: String,
    pub(crate) is_left_out: bool,
}

impl ServerCatalog {
    fn leave_out(&mut self, tool: &str, reason: impl Into<String>) {
        let (tool, reason) = (tool.to_owned(), reason.into());
        self.oddities.push(Oddity { tool, reason, is_left_out: true });
    }

    pub(crate) fn tool(&self, name: &str) -> Option<&Arc<Tool>> {
        self.by_name.get(name).map(|at| &self.tools[*at])
    }

    /// What our own tools are called beside these.
    pub(crate) fn own_names(&self, tools: &[retrieval::Tool]) -> Option<Naming> {
        Naming::beside(tools, |name| self.by_name.contains_key(name))
    }

    /// The tools as a JSON array for clients of this kind.
    pub(crate) fn write(&self, edition: Edition) -> Arc<str> {
        let write = || {
            let tools = self.tools.iter().filter(|tool| edition.shows(tool));
            let tools = tools.map(|tool| tool.write(edition, &tool.name, None));
            array_of(tools).into()
        };
        edition.place(&self.written).get_or_init(write).clone()
    }
}

/// How many kinds of clients there are in each version.
const KINDS: usize = 16;
/// A list as it is written for each kind of clients in each version.
type WrittenLists = [[OnceLock<Arc<str>>; Protocol::ALL.len()]; KINDS];

/// Who may want to call a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Viewer {
    /// The model.
    Model,
    /// The view that a host shows for a tool of the same server.
    App,
}

/// What the writing of definitions depends on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edition {
    pub(crate) protocol: Protocol,
    /// Whether the client gets envelopes, which no tool's own schema describes.
    pub(crate) is_envelope: bool,
    /// Whether users authenticate, so that they need not say who they are.
    pub(crate) users_authenticate: bool,
    /// Whether the client shows apps, and so has a use for tools that are theirs alone.
    pub(crate) shows_apps: bool,
    /// Whether it is offered our canvas as the view of tools that have none.
    pub(crate) shows_canvas: bool,
}

impl Edition {
    pub(crate) fn of(client: &Client) -> Edition {
        Edition {
            protocol: client.protocol,
            is_envelope: client.asks_envelope(),
            users_authenticate: client.caller.user.is_authenticated,
            shows_apps: client.shows_apps(),
            shows_canvas: false,
        }
    }

    pub(crate) fn with_canvas(self, shows_canvas: bool) -> Edition {
        Edition { shows_canvas, ..self }
    }

    /// Whether a client of this kind is told of a tool.
    fn shows(self, tool: &Tool) -> bool {
        self.shows_apps || tool.is_for(Viewer::Model)
    }

    /// Where a list is that was written for these.
    fn place(self, written: &WrittenLists) -> &OnceLock<Arc<str>> {
        let version = Protocol::ALL.iter().position(|known| *known == self.protocol);
        let kind = usize::from(self.is_envelope)
            + 2 * usize::from(self.users_authenticate)
            + 4 * usize::from(self.shows_apps)
            + 8 * usize::from(self.shows_canvas);
        &written[kind][version.unwrap_or_default()]
    }
}

fn array_of(items: impl Iterator<Item = String>) -> String {
    let mut out = String::from("[");
    for item in items {
        if out.len() > 1 {
            out.push(',');
        }
        out.push_str(&item);
    }
    out.push(']');
    out
}

impl Tool {
    /// Reads a definition. Returns it and what was wrong with it, or why it cannot be used.
    pub(crate) fn read(json: &Json, config: &ServerConfig) -> Result<(Tool, Vec<String>), String> {
        if !json.is_object() {
            return Err("its definition is no object".to_owned());
        }
        let mut definition = Object::of(json);
        let mut repairs = Vec::new();
        let name = definition.get("name").and_then(Json::as_str).map(|name| name.into_owned());
        let name = name.filter(|name| !name.is_empty()).ok_or("it has no name")?;
        for (key, is_right) in [
            ("title", is_string as fn(&Json) -> bool),
            ("description", is_string),
            ("annotations", Json::is_object),
            ("_meta", Json::is_object),
            ("icons", Json::is_array),
            ("execution", Json::is_object),
        ] {
            if definition.get(key).is_some_and(|value| !is_right(value)) {
                definition.remove(key);
                repairs.push(format!("its `{key}` has the wrong type and is left out"));
            }
        }
        if let Some(repair) = cut_description(&mut definition) {
            repairs.push(repair);
        }
        let len = definition.to_json().as_text().len();
        if len > DEFINITION_BYTES_MAX {
            return Err(format!(
                "its definition has {len} bytes, more than {DEFINITION_BYTES_MAX}"
            ));
        }
        if let Some(repair) = repair_input(&mut definition) {
            repairs.push(repair);
        }
        let header_params = headers::of_schema(definition.get("inputSchema"))?;
        let schema = match definition.get("outputSchema").filter(|schema| !schema.is_null()) {
            Some(json) => {
                let limits =
                    SchemaLimits { check_steps_max: CHECK_STEPS_MAX, ..Default::default() };
                match Schema::compile(json, &limits) {
                    Ok(schema) => Some(schema),
                    Err(error) => {
                        repairs.push(format!("its output schema is left out: {error}"));
                        None
                    }
                }
            }
            None => None,
        };
        let advertise = Advertise {
            may_digest: true,
            may_problem: config.schema_policy == SchemaPolicy::Note,
            may_strip_files: true,
        };
        let keeps_schema = config.shape == Shape::Mcp;
        let open = Json::of(&());
        let input = definition.get("inputSchema").unwrap_or(&open);
        let input = Input::read(input, &config.inject);
        let mut tool = Tool {
            name,
            definition,
            schema,
            header_params,
            input,
            advertise,
            keeps_schema,
            is_drawn: false,
        };
        tool.is_drawn =
            config.tools.draws(&tool.name) && tool.view().is_none() && tool.is_for(Viewer::Model);
        Ok((tool, repairs))
    }

    /// The definition for clients of this kind, under this name.
    pub(crate) fn write(&self, edition: Edition, name: &str, view: Option<&str>) -> String {
        let protocol = edition.protocol;
        let keeps_schema = self.keeps_schema && !edition.is_envelope;
        let mut definition = self.definition.clone();
        if let Some(view) = view {
            set_view(&mut definition, view);
        }
        if self.is_drawn && edition.shows_canvas {
            host_canvas::attach(&mut definition);
        }
        if name != self.name {
            definition.set("name", Json::string(name));
        }
        if let Some(input) = self.input.shown(edition.users_authenticate) {
            definition.set("inputSchema", input);
        }
        match &self.schema {
            Some(schema) if keeps_schema && protocol.has_structured_content() => {
                definition.set("outputSchema", schema.advertised(protocol, self.advertise));
            }
            _ => {
                definition.remove("outputSchema");
            }
        }
        definition.to_json().to_string()
    }

    /// The definition as its server has it, apart from repairs.
    pub(crate) fn definition(&self) -> Json {
        self.definition.to_json()
    }

    /// Whether the tool may be called by these (`_meta.ui.visibility`); by all where it says nothing.
    pub(crate) fn is_for(&self, viewer: Viewer) -> bool {
        let ui = self.definition.get("_meta").and_then(|meta| meta.get("ui"));
        let Some(listed) = ui.and_then(|ui| ui.get("visibility")).filter(Json::is_array) else {
            return true;
        };
        let word = match viewer {
            Viewer::Model => "model",
            Viewer::App => "app",
        };
        listed.items().any(|entry| entry.as_str().as_deref() == Some(word))
    }

    /// Whether our canvas draws its results, in hosts that show it.
    pub(crate) fn is_drawn(&self) -> bool {
        self.is_drawn
    }

    /// The view that a host may show beside a result, in both spellings.
    pub(crate) fn view(&self) -> Option<String> {
        let meta = self.definition.get("_meta")?;
        let nested = meta.get("ui").and_then(|ui| ui.get("resourceUri"));
        let uri = nested.or_else(|| meta.get("ui/resourceUri"))?;
        uri.as_str().map(|uri| uri.into_owned())
    }
}

/// Changes the URI of a tool's view, in the spellings that are there.
fn set_view(definition: &mut Object, uri: &str) {
    let Some(meta) = definition.get("_meta") else { return };
    let mut meta = Object::of(meta);
    if let Some(ui) = meta.get("ui").filter(|ui| ui.get("resourceUri").is_some()) {
        let mut ui = Object::of(ui);
        ui.set("resourceUri", Json::string(uri));
        meta.set("ui", ui.to_json());
    }
    if meta.get("ui/resourceUri").is_some() {
        meta.set("ui/resourceUri", Json::string(uri));
    }
    definition.set("_meta", meta.to_json());
}

fn is_string(json: &Json) -> bool {
    json.kind() == resultant::Kind::String
}

fn cut_description(definition: &mut Object) -> Option<String> {
    let text = definition.get("description").and_then(Json::as_str)?.into_owned();
    if text.len() <= DESCRIPTION_BYTES_MAX {
        return None;
    }
    let cut = &text[..text.floor_char_boundary(DESCRIPTION_BYTES_MAX)];
    definition.set("description", Json::string(&format!("{cut}…")));
    Some(format!("its description has {} bytes and is cut", text.len()))
}

/// Every version wants an object schema for the arguments.
fn repair_input(definition: &mut Object) -> Option<String> {
    let empty = || {
        let mut schema = Object::default();
        schema.set("type", Json::string("object"));
        schema
    };
    let (schema, repair) = match definition.get("inputSchema") {
        Some(schema) if schema.is_object() => {
            let kind = schema.get("type");
            if kind.as_ref().and_then(Json::as_str).as_deref() == Some("object") {
                return None;
            }
            let mut repaired = Object::of(schema);
            repaired.set("type", Json::string("object"));
            (repaired, "its input schema does not say `type: object`; it does now")
        }
        Some(_) => (empty(), "its input schema is no object and is replaced by an open one"),
        None => (empty(), "it has no input schema and gets an open one"),
    };
    definition.set("inputSchema", schema.to_json());
    Some(repair.to_owned())
}

/// Asks a server for its tools, page by page.
pub(crate) async fn fetch(
    link: &Arc<Link>,
    config: &ServerConfig,
    tools_max: usize,
) -> Result<ServerCatalog, ConnectError> {
    let mut catalog = ServerCatalog::default();
    if !link.peer().is_some_and(|peer| peer.has("tools")) {
        return Ok(catalog);
    }
    let until = tokio::time::Instant::now() + config.connect_timeout;
    let mut cursor: Option<Json> = None;
    for page in 0.. {
        let fetched = tokio::time::timeout_at(until, fetch_page(link, cursor.as_ref())).await;
        let fetched = fetched
            .unwrap_or_else(|_| Err(ConnectError::timed_out(LIST_STEP, config.connect_timeout)));
        let result = match fetched {
            Ok(result) => result,
            // The tools of the pages before are there.
            Err(error) if page > 0 => {
                catalog.leave_out("…", error.to_string());
                return Ok(catalog);
            }
            Err(error) => return Err(error),
        };
        let tools: Vec<Json> = result.get("tools").iter().flat_map(Json::items).collect();
        for json in &tools {
            if catalog.tools.len() == tools_max {
                catalog
                    .leave_out("…", format!("there are more than {tools_max} tools (tools_max)"));
                return Ok(catalog);
            }
            add(&mut catalog, json, config);
        }
        let next = result.get("nextCursor").filter(|next| !next.is_null());
        // A server that says the same cursor twice would be asked for ever.
        match next {
            Some(next) if cursor.as_ref() != Some(&next) && page < tools_max => {
                cursor = Some(next);
            }
            _ => break,
        }
    }
    Ok(catalog)
}

async fn fetch_page(link: &Arc<Link>, cursor: Option<&Json>) -> Result<Json, ConnectError> {
    let params = crate::bridge::own_params(link, "cursor", cursor);
    match link.request(LIST_STEP, params, Vec::new()).await {
        Ok(Ok(result)) => Ok(result),
        Ok(Err(error)) => Err(ConnectError::new(LIST_STEP, error.message)),
        Err(error) => Err(ConnectError::of(LIST_STEP, &error)),
    }
}

fn add(catalog: &mut ServerCatalog, json: &Json, config: &ServerConfig) {
    let name = json.get("name");
    let name = name.as_ref().and_then(Json::as_str).unwrap_or_default().into_owned();
    let read = match config.tools.allows(&name) {
        true => Tool::read(json, config),
        false => return,
    };
    match read {
        Ok((tool, _)) if catalog.by_name.contains_key(&tool.name) => {
            catalog.leave_out(&name, "another tool has the same name");
        }
        Ok((tool, repairs)) => {
            let odd = |reason| Oddity { tool: name.clone(), reason, is_left_out: false };
            catalog.oddities.extend(repairs.into_iter().map(odd));
            catalog.by_name.insert(tool.name.clone(), catalog.tools.len());
            catalog.tools.push(Arc::new(tool));
        }
        Err(reason) => catalog.leave_out(&name, reason),
    }
}
