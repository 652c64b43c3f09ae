//! For an MCP client: a valid `CallToolResult` of its protocol version.
//!
//! A small result passes through: the client gets the bytes the server sent, apart from what its
//! version needs. Everything else is written anew, with the same small text in every lane.

mod blocks;
mod edits;
mod lanes;

use std::collections::HashMap;

pub(in crate::render) use self::edits::Edits;
pub use self::lanes::{BlockTypes, Sees, ShownImage};
use self::{
    blocks::{image_block, name_block, push_artifact_link, push_description, push_text_block},
    lanes::pointer,
};
use super::{
    budget::Budget,
    hide::{Hidden, has_download_link, value_has_download_link},
    model::ModelText,
    preview::preview_text,
    program::push_display,
    valid::{block_for, is_meta_member, link_block},
};
use crate::{
    Protocol, Rule, Sha256Digest,
    artifact::{Artifact, Content, Origin},
    dialect::Dialect,
    json::{Json, Object, ObjectWriter, push_compact},
    outcome::Outcome,
    wire::{Block, BlockKind, Text, read_block_of},
};

/// More images than this are only named.
pub const IMAGE_BLOCKS_MAX: usize = 20;

/// What is known about a client.
///
/// ```
/// use resultant::{ClientOptions, Protocol};
///
/// let outcome = resultant::read(r#"{"content": [], "structuredContent": [1, 2]}"#);
/// let options = ClientOptions { protocol: Protocol::V2025_06_18, ..Default::default() };
/// let client = outcome.to_client(&options);
/// assert_eq!(client.json.get("structuredContent").unwrap().to_string(), r#"{"result":[1,2]}"#);
/// ```
#[derive(Clone, Debug)]
pub struct ClientOptions {
    /// The protocol version of the request.
    pub protocol: Protocol,
    /// The form that results have.
    pub shape: Shape,
    /// What the model may be given.
    pub budget: Budget,
    /// The client takes `resource_link` blocks beside text and images.
    pub takes_links: bool,
    /// The client takes blocks of types that are not known here.
    pub takes_unknown_blocks: bool,
    /// Images, audio and embedded resources that fit into the budget stay the blocks they are.
    pub keeps_small_blocks: bool,
    /// The schema that was advertised to the client allows a digest and a problem report.
    pub is_advertised: bool,
    /// The client shows a view of the tool, which the structured content and `_meta` are for: they
    /// stay as they are, and only the content counts as what the model sees.
    pub has_view: bool,
    /// Which lanes the model sees.
    pub sees: Sees,
    /// The types of blocks that the client takes. Without it small results pass whatever their
    /// blocks are, and what is written here has text and images.
    pub blocks: Option<BlockTypes>,
    /// An image beside structured content does not reach the model.
    pub drops_images: bool,
    /// Bytes of base64 of all images of one result; further images are only named.
    pub image_bytes_max: usize,
    /// Images that are not shown as they came, by their digests.
    pub images: HashMap<Sha256Digest, ShownImage>,
}

impl Default for ClientOptions {
    fn default() -> ClientOptions {
        ClientOptions {
            protocol: Protocol::V2025_11_25,
            shape: Shape::Mcp,
            budget: Budget::default(),
            takes_links: false,
            takes_unknown_blocks: false,
            keeps_small_blocks: false,
            is_advertised: false,
            has_view: false,
            sees: Sees::Either,
            blocks: None,
            drops_images: false,
            image_bytes_max: usize::MAX,
            images: HashMap::new(),
        }
    }
}

/// The form a client gets results in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shape {
    /// As the protocol has it.
    #[default]
    Mcp,
    /// Contract JSON, as text and as structured content.
    Contract,
    /// The response-v2 envelope, as text and as structured content.
    Envelope,
}

/// A result for a client.
#[derive(Clone, Debug)]
pub struct ClientResult {
    /// The `CallToolResult`.
    pub json: Json,
    /// Whether it is what the server sent, apart from what the version needs.
    pub is_passed_through: bool,
    /// Files that hold what did not fit.
    pub offloaded: Vec<Artifact>,
}

/// The texts of the content's blocks.
fn texts(result: &Json) -> String {
    let content = result.get("content");
    let blocks = content.iter().flat_map(Json::items);
    let texts = blocks.filter_map(|block| match read_block_of(block).kind {
        BlockKind::Text(Text::Inline(text)) => Some(text.to_string()),
        _ => None,
    });
    texts.collect::<Vec<_>>().join("\n")
}

impl Outcome {
    /// The result for a client.
    pub fn to_client(&self, options: &ClientOptions) -> ClientResult {
        if options.shape != Shape::Mcp {
            return self.in_shape(options);
        }
        if let Some(result) =
            self.source.result.as_ref().filter(|result| self.passes(result, options))
        {
            let json = self.project(result, options);
            return ClientResult { json, is_passed_through: true, offloaded: Vec::new() };
        }
        self.written_anew(options)
    }

    /// Whether the client may get what the server sent.
    fn passes(&self, result: &Json, options: &ClientOptions) -> bool {
        if options.has_view {
            return !self.source.is_rewritten
                && self.canvas.as_ref().is_none_or(|canvas| canvas.token.is_none())
                && options.budget.fits(&texts(result))
                && !value_has_download_link(result);
        }
        !self.source.is_rewritten
            && (self.artifacts.is_empty()
                || options.keeps_small_blocks && self.has_sound_blocks_only())
            && self.canvas.as_ref().is_none_or(|canvas| canvas.token.is_none())
            && !self.loses_images(options)
            && options.blocks.is_none_or(|types| types.pass(result))
            && (self.fits_as_it_is(result, options) || self.fits_in_sight(result, options))
            && !value_has_download_link(result)
    }

    /// Whether what the model sees of a result is within the budget: the texts themselves, not the
    /// JSON around them, and nothing of what is for the client alone.
    fn fits_in_sight(&self, result: &Json, options: &ClientOptions) -> bool {
        const ESCAPES_MAX: usize = 6;
        let limit = options.budget.bytes_max().saturating_mul(ESCAPES_MAX);
        let content = result.get("content");
        let structured = self.source.structured.as_ref().map(Json::as_text);
        let lanes_len = content.as_ref().map_or(0, |content| content.as_text().len())
            + structured.map_or(0, str::len);
        let is_too_long = options.budget.tokens == 0 || lanes_len > limit.saturating_mul(2);
        if !self.artifacts.is_empty() || is_too_long {
            return false;
        }
        let mut seen = String::new();
        if options.sees != Sees::Structured || structured.is_none() {
            for block in content.iter().flat_map(Json::items) {
                match read_block_of(block.clone()).kind {
                    BlockKind::Text(Text::Inline(text)) => seen.push_str(&text),
                    _ => seen.push_str(block.as_text()),
                }
            }
        }
        if options.sees != Sees::Content {
            seen.push_str(structured.unwrap_or_default());
        }
        options.budget.fits(&seen)
    }

    /// Whether the text is within the budget. An image that a model can take is none of it.
    fn fits_as_it_is(&self, result: &Json, options: &ClientOptions) -> bool {
        let hidden = Hidden::of(&self.artifacts);
        let is_image = |file: &&Artifact| file.is_for_the_eye();
        if self
            .artifacts
            .iter()
            .filter(is_image)
            .any(|file| options.images.contains_key(&file.sha256))
        {
            return false;
        }
        let is_taken = |file: &&Artifact| image_block(file, &hidden, options).is_some();
        let mut text = std::borrow::Cow::Borrowed(result.as_text());
        let mut image_bytes = 0;
        for image in self.artifacts.iter().filter(is_taken).take(IMAGE_BLOCKS_MAX) {
            if let Content::Base64(data) = &image.content {
                image_bytes += data.len();
                text = text.replacen(&**data, "", 1).into();
            }
        }
        image_bytes <= options.image_bytes_max && options.budget.fits(&text)
    }

    /// Whether every file came in a block of the protocol and is what the block says.
    fn has_sound_blocks_only(&self) -> bool {
        self.artifacts.iter().all(|artifact| artifact.origin != Origin::Elsewhere)
            && !self.notes.iter().any(|note| matches!(note.rule, Rule::R6 | Rule::R7))
    }

    /// The server's result with what this version needs: the members that stay are the server's
    /// bytes.
    fn project(&self, result: &Json, options: &ClientOptions) -> Json {
        let protocol = options.protocol;
        let structured = self.structured_for(options);
        let content = result.get("content").filter(Json::is_array);
        let content = self.content_for(content, structured.as_ref(), options);
        let mut edits = Edits::new(result);
        edits.set("content", content);
        edits.set("structuredContent", structured);
        edits.keep("isError", |flag| flag.as_bool().is_some());
        if self.is_error {
            edits.set("isError", Some(Json::bool(true)));
        }
        edits.keep("_meta", Json::is_object);
        if self.carried.meta.iter().any(|(key, value)| !is_meta_member(key, value, protocol)) {
            edits.set("_meta", Some(self.meta_for(protocol).to_json()));
        }
        if protocol.is_modern() {
            if result.get("resultType").is_none() {
                edits.set("resultType", Some(Json::string("complete")));
            }
        } else {
            for key in ["resultType", "ttlMs", "cacheScope"] {
                edits.set(key, None);
            }
        }
        edits.finish()
    }

    /// The structured content this version takes.
    fn structured_for(&self, options: &ClientOptions) -> Option<Json> {
        let protocol = options.protocol;
        if self.source.has_schema_problem && !self.is_error {
            // A result that its schema refuses is never sent under that schema.
            return options.is_advertised.then(|| self.problem_report(&options.budget));
        }
        let structured = match &self.source.structured {
            Some(value) => value.clone(),
            None if self.source.has_null_structured => Json::null(),
            None => return None,
        };
        let fits_older = structured.is_object() && !self.source.is_schema_wrapped;
        if fits_older || protocol.has_any_structured_content() {
            return Some(structured);
        }
        Some(wrapped(&structured))
    }

    /// What an advertised schema allows in place of a result that it refuses.
    fn problem_report(&self, budget: &Budget) -> Json {
        let note_bytes_max = (budget.bytes_max() / 8).max(160);
        let hidden = Hidden::of(&self.artifacts);
        let problem = self.notes.iter().find(|note| note.rule == Rule::R12);
        let note = problem.map_or_else(String::new, |note| hidden.hide_in(&note.to_string()));
        let note = preview_text(&note, note_bytes_max);
        let text = hidden.hide(&self.results).to_string();
        let report = |room: usize| {
            let mut out = String::new();
            let mut writer = ObjectWriter::new(&mut out);
            writer.bool("complete", false);
            writer.text("note", &note);
            if room > 0 {
                writer.text("text", &preview_text(&text, room));
            }
            writer.end();
            out
        };
        let mut room = budget.bytes_max().saturating_sub(note_bytes_max + 64);
        let mut out = report(room);
        while room > 0 && !budget.fits(&out) {
            room /= 2;
            out = report(room);
        }
        Json::trusted(out)
    }

    /// The content this version takes: the server's, unless a block is unknown to the version or
    /// structured content has no text beside it.
    fn content_for(
        &self,
        content: Option<Json>,
        structured: Option<&Json>,
        options: &ClientOptions,
    ) -> Option<Json> {
        let sent = content.unwrap_or_else(|| Json::trusted("[]"));
        let blocks: Vec<Block> = sent.items().map(read_block_of).collect();
        let protocol = options.protocol;
        let is_taken = |block: &&Block| options.blocks.is_none_or(|types| types.take(block));
        let written: Vec<Option<Json>> =
            blocks.iter().map(|block| block_for(Some(block).filter(is_taken)?, protocol)).collect();
        let is_changed = blocks.iter().zip(&written).any(|(block, written)| {
            written.as_ref().is_none_or(|json| json.as_text() != block.source.as_text())
        });
        let needs_text = structured.is_some() || self.source.has_schema_problem;
        // Where the version changes the structured content, the text beside it says it too.
        let is_projected = structured.map(Json::as_text)
            != self.source.structured.as_ref().map(Json::as_text)
            || self.carried.fields.get("resultType").is_some();
        let lacks_text = needs_text
            && is_projected
            && self.source.structured.is_some()
            && !blocks.iter().any(|block| matches!(block.kind, BlockKind::Text(_)))
            && !protocol.is_modern();
        let loses_structured = self.source.has_schema_problem
            && self.source.structured.as_ref().is_some_and(|value| !has_mirror(&blocks, value));
        if !lacks_text && !loses_structured && !is_changed {
            return Some(sent);
        }
        let mut out = String::from("[");
        for (block, written) in blocks.iter().zip(&written) {
            if out.len() > 1 {
                out.push(',');
            }
            match written {
                Some(json) => out.push_str(json.as_text()),
                None => push_text_block(&mut out, &name_block(block)),
            }
        }
        if (lacks_text || loses_structured)
            && let Some(value) = &self.source.structured
        {
            if out.len() > 1 {
                out.push(',');
            }
            push_text_block(&mut out, &value.to_string());
        }
        out.push(']');
        Some(Json::trusted(out))
    }

    /// A result with the model's text in every lane, and the files out of it.
    fn written_anew(&self, options: &ClientOptions) -> ClientResult {
        let model = self.to_model(&options.budget);
        let structured = self.small_structured(&model, options);
        let mut out = String::with_capacity(model.text.len() * 2 + 256);
        let mut writer = ObjectWriter::new(&mut out);
        if options.protocol.is_modern() {
            let complete = Json::string("complete");
            writer.json("resultType", self.carried.fields.get("resultType").unwrap_or(&complete));
        }
        self.write_content(&mut writer, &model, options);
        if let Some(structured) = structured {
            writer.json("structuredContent", &structured);
        }
        if self.is_error {
            writer.bool("isError", true);
        }
        self.write_carried(&mut writer, options.protocol);
        writer.end();
        ClientResult {
            json: Json::trusted(out),
            is_passed_through: false,
            offloaded: model.offloaded,
        }
    }

    fn write_content(
        &self,
        writer: &mut ObjectWriter<'_>,
        model: &ModelText,
        options: &ClientOptions,
    ) {
        let out = writer.key("content");
        out.push('[');
        push_text_block(out, &model.text);
        let hidden = Hidden::of(&self.artifacts);
        let takes_images = options.blocks.is_none_or(|types| types.image);
        let files = self.artifacts.iter().filter(|_| takes_images);
        let images = files.filter_map(|file| image_block(file, &hidden, options));
        let mut room = options.image_bytes_max;
        for image in images.take(IMAGE_BLOCKS_MAX) {
            let Some(left) = room.checked_sub(image.len()) else { continue };
            room = left;
            out.push(',');
            out.push_str(&image);
        }
        if options.takes_unknown_blocks {
            self.push_unknown_blocks(out);
        }
        if options.takes_links && options.protocol.has_resource_links() {
            for link in self.links.iter().filter(|link| !has_download_link(&link.uri)) {
                out.push(',');
                let block = link_block(&link.uri, &link.name, &link.json, options.protocol);
                push_compact(out, hidden.hide(&block).as_text());
            }
            for artifact in &self.artifacts {
                out.push(',');
                push_artifact_link(out, artifact, &hidden);
            }
        }
        out.push(']');
    }

    /// The blocks of types that are not known here, as they were sent.
    fn push_unknown_blocks(&self, out: &mut String) {
        let content = self.source.result.as_ref().and_then(|result| result.get("content"));
        let token = self.canvas.as_ref().and_then(|canvas| canvas.token.as_deref());
        let is_unknown = |block: &Json| {
            let text = block.as_text();
            let may_be_sent =
                !text.contains('\0') && !token.is_some_and(|token| text.contains(token));
            let kind = read_block_of(block.clone()).kind;
            block.is_object() && may_be_sent && matches!(kind, BlockKind::Unknown)
        };
        for block in content.iter().flat_map(Json::items).filter(is_unknown) {
            out.push(',');
            push_compact(out, block.as_text());
        }
    }

    /// The structured content where the server sent one: without the bytes of files, or a digest.
    fn small_structured(&self, model: &ModelText, options: &ClientOptions) -> Option<Json> {
        if self.loses_images(options) {
            return None;
        }
        let structured = self.structured_for(options)?;
        if self.source.has_schema_problem {
            return Some(structured);
        }
        let hidden = Hidden::described(&self.artifacts);
        let stripped = hidden.hide(&self.without_bytes(&structured));
        if model.is_complete && options.budget.fits(stripped.as_text()) {
            return Some(stripped);
        }
        if options.sees == Sees::Both {
            return Some(pointer(model));
        }
        if !model.is_complete {
            return Some(Json::trusted(model.text.clone()));
        }
        // The model has all of it, but this is not what the server sent: it says so.
        let digest = format!("{{\"complete\":false,{}", &model.text[1..]);
        let fits = options.budget.fits(&digest);
        Some(Json::trusted(if fits { digest } else { r#"{"complete":false}"#.to_owned() }))
    }

    /// The value with each file replaced by its description, and with nothing in it that only the
    /// canvas may have.
    fn without_bytes(&self, structured: &Json) -> Json {
        match self.dialect {
            Dialect::ResponseV2 { .. } => {
                let mut members = Object::of(structured);
                if let Some(data) = members.get("data") {
                    let data = self.strip_files(data);
                    members.set("data", data);
                }
                members.to_json()
            }
            _ => self.strip_files(structured),
        }
    }

    fn strip_files(&self, value: &Json) -> Json {
        if !value.is_object() {
            return value.clone();
        }
        let mut members = Object::of(value);
        let has =
            |members: &Object, key: &str| members.get(key).is_some_and(|list| !list.is_null());
        let holder =
            ["artifacts", "returned_file_contents"].into_iter().find(|key| has(&members, key));
        if let Some(holder) = holder.filter(|_| !self.artifacts.is_empty()) {
            let mut described = String::from("[");
            for artifact in &self.artifacts {
                if described.len() > 1 {
                    described.push(',');
                }
                push_description(&mut described, artifact);
            }
            described.push(']');
            members.remove("returned_file_contents");
            members.set(holder, Json::trusted(described));
        }
        if self.canvas.is_some()
            && let Some(canvas) = members.get("canvas")
        {
            let mut canvas = Object::of(canvas);
            canvas.remove("token");
            members.set("canvas", canvas.to_json());
        }
        members.to_json()
    }

    /// The server's `_meta`, without what the version would refuse.
    fn meta_for(&self, protocol: Protocol) -> Object {
        let members = self.carried.meta.iter();
        let valid = members.filter(|(key, value)| is_meta_member(key, value, protocol));
        let hidden = Hidden::of(&self.artifacts);
        valid.map(|(key, value)| (key.to_owned(), hidden.hide(value))).collect()
    }

    /// `_meta` with our hints, and every member that is not understood.
    fn write_carried(&self, writer: &mut ObjectWriter<'_>, protocol: Protocol) {
        let mut meta = self.meta_for(protocol);
        if let Some(display) = &self.display {
            let mut out = String::new();
            push_display(&mut out, display);
            meta.set("resultant/display", Json::trusted(out));
        }
        if let Some(canvas) = &self.canvas {
            meta.set("resultant/canvas", canvas.members.to_json());
        }
        if !self.carried.blocks.is_empty() {
            let mut out = String::from("[");
            for (at, block) in &self.carried.blocks {
                if out.len() > 1 {
                    out.push(',');
                }
                let mut writer = ObjectWriter::new(&mut out);
                writer.number("index", *at as u64);
                writer.json("block", block);
                writer.end();
            }
            out.push(']');
            meta.set("resultant/blocks", Json::trusted(out));
        }
        if !meta.is_empty() {
            writer.json("_meta", &meta.to_json());
        }
        for (key, value) in self.carried.fields.iter() {
            let is_modern_only = matches!(key, "ttlMs" | "cacheScope");
            if key != "resultType" && (protocol.is_modern() || !is_modern_only) {
                writer.json(key, value);
            }
        }
    }

    /// The whole outcome as contract JSON or as an envelope.
    fn in_shape(&self, options: &ClientOptions) -> ClientResult {
        let program = match options.shape {
            Shape::Envelope => self.to_envelope(),
            Shape::Mcp | Shape::Contract => self.to_contract(),
        };
        let fits = options.budget.fits(program.as_text()) && !value_has_download_link(&program);
        let (value, structured, offloaded) = match fits {
            true => (program.clone(), program, Vec::new()),
            false => {
                let model = self.to_model(&options.budget);
                let pointer = (options.sees == Sees::Both).then(|| pointer(&model));
                let value = Json::trusted(model.text);
                (value.clone(), pointer.unwrap_or(value), model.offloaded)
            }
        };
        let mut out = String::with_capacity(value.as_text().len() * 2 + 64);
        let mut writer = ObjectWriter::new(&mut out);
        if options.protocol.is_modern() {
            writer.text("resultType", "complete");
        }
        let content = writer.key("content");
        content.push('[');
        push_text_block(content, value.as_text());
        content.push(']');
        if options.protocol.has_structured_content() {
            writer.json("structuredContent", &structured);
        }
        if self.is_error {
            writer.bool("isError", true);
        }
        writer.end();
        ClientResult { json: Json::trusted(out), is_passed_through: false, offloaded }
    }
}

/// Whether a text block says the value once more.
fn has_mirror(blocks: &[Block], value: &Json) -> bool {
    blocks.iter().any(|block| match &block.kind {
        BlockKind::Text(Text::Inline(text)) => {
            Json::parse(text.clone()).is_ok_and(|json| json.same_value(value))
        }
        _ => false,
    })
}

/// `{"result": value}`.
fn wrapped(value: &Json) -> Json {
    let mut out = String::new();
    let mut writer = ObjectWriter::new(&mut out);
    writer.json("result", value);
    writer.end();
    Json::trusted(out)
}
