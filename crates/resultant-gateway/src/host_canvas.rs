//! The canvas as an MCP App: a document that a client's host shows in its own chat.
//!
//! A host that announces MCP Apps can show a file to a person without a page of ours being open. The
//! document is static and holds nothing of anybody's; what it shows it reads over the host's own
//! connection, as the user whose connection that is. It is inside the program where the page is
//! (`web/hostapp` is its source); without it nothing here is offered.

use std::{path::PathBuf, sync::OnceLock};

use resultant::{Json, Object};
use resultant_store::File;

use crate::{dispatch::own_files::uri_of, gateway::Gateway};

/// The address of the document.
pub(crate) const URI: &str = "ui://resultant/canvas";
/// What clients call documents of this kind.
pub(crate) const MIME: &str = "text/html;profile=mcp-app";

/// What of a result's `_meta` says to the document which files it is to show.
const FILES: &str = "resultant/files";
/// Of one result so many files are named; a host shows the first of them.
const FILES_MAX: usize = 50;

/// The text of the document, where it was built.
static EMBEDDED: Option<&str> = include!(concat!(env!("OUT_DIR"), "/host_canvas.rs"));

/// Where it is read from instead: whoever works on the page says so.
fn folder() -> Option<&'static PathBuf> {
    static FOLDER: OnceLock<Option<PathBuf>> = OnceLock::new();
    let found = FOLDER.get_or_init(|| std::env::var_os("RESULTANT_WEB_DIST").map(PathBuf::from));
    found.as_ref()
}

/// Whether there is a document to show.
pub(crate) fn is_built() -> bool {
    static IS_BUILT: OnceLock<bool> = OnceLock::new();
    *IS_BUILT.get_or_init(|| match folder() {
        Some(folder) => folder.join("hostapp/canvas.html").is_file(),
        None => EMBEDDED.is_some(),
    })
}

async fn document() -> Option<String> {
    match folder() {
        Some(folder) => tokio::fs::read_to_string(folder.join("hostapp/canvas.html")).await.ok(),
        None => EMBEDDED.map(str::to_owned),
    }
}

/// The document as a resource in a list.
fn resource() -> Object {
    let mut resource = Object::default();
    resource.set("uri", Json::string(URI));
    resource.set("name", Json::string("canvas"));
    resource.set("title", Json::string("Canvas"));
    resource.set("description", Json::string("Shows files and results to a person"));
    resource.set("mimeType", Json::string(MIME));
    resource
}

/// A list of resources with the document at its end, once the list has come to it.
pub(crate) fn add_to(list: &Json) -> Json {
    if list.get("nextCursor").is_some_and(|next| !next.is_null()) {
        return list.clone();
    }
    let mut resources: Vec<Json> = list.get("resources").iter().flat_map(Json::items).collect();
    resources.push(resource().to_json());
    let mut result = Object::of(list);
    result.set("resources", Json::array(&resources));
    result.to_json()
}

/// The result of reading the document. It asks its host for no network at all.
pub(crate) async fn read() -> Option<Json> {
    let text = document().await?;
    let mut csp = Object::default();
    for key in ["connectDomains", "resourceDomains", "frameDomains", "baseUriDomains"] {
        csp.set(key, Json::array([]));
    }
    let mut ui = Object::default();
    ui.set("csp", csp.to_json());
    ui.set("prefersBorder", Json::bool(true));
    let mut meta = Object::default();
    meta.set("ui", ui.to_json());
    let mut content = Object::default();
    content.set("uri", Json::string(URI));
    content.set("mimeType", Json::string(MIME));
    content.set("text", Json::string(&text));
    content.set("_meta", meta.to_json());
    let mut result = Object::default();
    result.set("contents", Json::array([&content.to_json()]));
    Some(result.to_json())
}

/// A tool's definition with the document as its view, in both spellings that hosts know.
pub(crate) fn attach(definition: &mut Object) {
    let mut meta = definition.get("_meta").map(Object::of).unwrap_or_default();
    let mut ui = meta.get("ui").filter(|ui| ui.is_object()).map(Object::of).unwrap_or_default();
    ui.set("resourceUri", Json::string(URI));
    meta.set("ui", ui.to_json());
    meta.set("ui/resourceUri", Json::string(URI));
    definition.set("_meta", meta.to_json());
}

/// A result that says to the document, and to nobody else, which files are meant, whatever the server
/// said of that. A model sees no `_meta`, and nothing in it opens anything.
pub(crate) fn with_files(gateway: &Gateway, result: &Json, files: &[File]) -> Json {
    let said = result.get("_meta").and_then(|meta| meta.get(FILES));
    if !result.is_object() || (files.is_empty() && said.is_none()) {
        return result.clone();
    }
    let page = gateway.page_url();
    let named: Vec<Json> = files
        .iter()
        .take(FILES_MAX)
        .map(|file| {
            let mut named = Object::default();
            // The digest keeps meaning these bytes when a newer file has the name.
            let uri = format!("{}?sha256={}", uri_of(&file.name), file.sha256);
            named.set("uri", Json::string(&uri));
            named.set("name", Json::string(&file.name));
            named.set("mimeType", Json::string(&file.mime));
            named.set("size", Json::number(file.size));
            if let Some(page) = &page {
                named.set("page", Json::string(&format!("{page}/#/file/{}", file.key)));
            }
            named.to_json()
        })
        .collect();
    let mut result = Object::of(result);
    let mut meta = result.get("_meta").map(Object::of).unwrap_or_default();
    meta.set(FILES, Json::array(&named));
    result.set("_meta", meta.to_json());
    result.to_json()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_view_is_attached_beside_what_is_there() {
        let tool = r#"{"name":"a","_meta":{"x":1,"ui":{"visibility":["model"]}}}"#;
        let mut definition = Object::of(&Json::parse(tool).unwrap());
        attach(&mut definition);
        let written = definition.to_json().to_string();
        let ui = r#""ui":{"visibility":["model"],"resourceUri":"ui://resultant/canvas"}"#;
        assert!(written.contains(ui) && written.contains(r#""x":1"#), "{written}");
    }

    #[test]
    fn the_document_is_at_the_end_of_a_list() {
        let list = |text: &str| add_to(&Json::parse(text).unwrap()).to_string();
        assert!(list(r#"{"resources":[{"uri":"a:b"}]}"#).contains(URI));
        assert!(!list(r#"{"resources":[],"nextCursor":"x"}"#).contains(URI));
    }
}
