//! Reads any message into one outcome. It cannot fail: what is odd becomes a note.

mod input;

pub use self::input::Input;
use self::input::Repairs;
pub(crate) use self::input::decode;
use crate::{
    Limits, Protocol, Schema, SchemaPolicy, Sink, SyntaxError, Upgrade,
    dialect::{
        Chosen, Dialect, Knowledge, Payload, choose_payload, detect, note_other_data, read_blocks,
        read_contract, read_envelope, take_canvas, take_files,
    },
    json::{Json, Object, ScanError, ScanOptions, Scanned, scan},
    note::{Note, Rule},
    outcome::{
        Builder, FAILED_WITHOUT_MESSAGE, Fallback, FileBytes, FileDetails, Outcome, Proposal,
        error_results,
    },
    spill::{Chunks, ChunksEnd, Spilled},
    wire::{Message, Structured, Text, WireResult, read_message, short_string},
};

/// Reads a tool result: a whole JSON-RPC response, a bare result, contract JSON, an envelope.
///
/// It never fails. Text that is no JSON is the result itself, with a note.
///
/// ```
/// let outcome = resultant::read(r#"{"content": [{"type": "text", "text": "hello"}]}"#);
/// assert_eq!(outcome.results.as_str().unwrap(), "hello");
/// assert!(outcome.notes.is_empty());
/// ```
pub fn read(message: impl Into<Input>) -> Outcome {
    ReadOptions::default().read(message)
}

/// What is known about a result before it is read.
///
/// ```
/// use resultant::{Protocol, ReadOptions};
///
/// let options = ReadOptions { server: Some(Protocol::V2026_07_28), ..Default::default() };
/// let outcome = options.read(r#"{"content": [{"type": "text", "text": "none"}], "structuredContent": null}"#);
/// assert!(outcome.results.is_null());
/// ```
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// The caps that apply.
    pub limits: Limits,
    /// The protocol version the server speaks, if it is known.
    pub server: Option<Protocol>,
    /// The tool's output schema.
    pub schema: Option<Schema>,
    /// What to do with a result that the schema refuses.
    pub schema_policy: SchemaPolicy,
    /// What the names of files end with that are made here: `output-k3v9tq.txt`. A host that keeps
    /// the files of many results together gives each result another one. Names that the tool gave
    /// stay as they are.
    pub suffix: Option<String>,
}

impl ReadOptions {
    /// Reads a message.
    pub fn read(&self, message: impl Into<Input>) -> Outcome {
        let Input(bytes) = message.into();
        self.try_read(bytes.clone()).unwrap_or_else(|error| self.read_malformed(&bytes, &error))
    }

    /// Reads a message; an error where it is no JSON at all.
    pub fn try_read(&self, message: impl Into<Input>) -> Result<Outcome, SyntaxError> {
        let (text, repairs) = decode(&message.into().0);
        let scanned =
            scan(&text, &ScanOptions::lenient(&self.limits)).map_err(ScanError::into_syntax)?;
        let (outcome, _) = self.assemble(&scanned, Vec::new(), &repairs);
        Ok(outcome)
    }

    /// A reader for a message that comes in chunks. Strings over the limit go to the sink.
    pub fn reader<'a>(&'a self, sink: &'a mut dyn Sink) -> Reader<'a> {
        Reader { options: self, chunks: Chunks::new(&self.limits, sink) }
    }

    fn builder(&self, spilled: Vec<Spilled>) -> Builder<'_> {
        let mut builder = Builder::new(&self.limits, spilled);
        builder.source.suffix.clone_from(&self.suffix);
        builder
    }

    fn assemble(
        &self,
        scanned: &Scanned,
        spilled: Vec<Spilled>,
        repairs: &Repairs,
    ) -> (Outcome, Vec<crate::SpillId>) {
        let mut builder = self.builder(spilled);
        repairs.note(&mut builder);
        builder.note_findings(&scanned.findings, "");
        builder.source.is_rewritten |= builder.has_spills();
        let dialect = match read_message(&scanned.json) {
            Message::Result(result) => self.read_result(&mut builder, &result),
            Message::Failure { error, beside } => {
                note_beside(&mut builder, &beside);
                read_failure(&mut builder, &error)
            }
            Message::Payload { payload, beside } => {
                note_beside(&mut builder, &beside);
                self.check_bare(&mut builder, &payload);
                let dialect = read_bare(&mut builder, payload);
                self.fail_by_schema(&mut builder);
                dialect
            }
        };
        builder.finish(dialect)
    }

    fn read_result(&self, builder: &mut Builder<'_>, wire: &WireResult) -> Dialect {
        builder.source.result = wire.source.clone();
        builder.carried.meta = wire.meta.clone();
        builder.carried.fields = wire.carried.clone();
        builder.source.is_rewritten |= wire.is_python;
        for odd in &wire.oddities {
            builder.source.is_rewritten = true;
            let note = Note::remark(Rule::R8, odd.place.clone(), odd.message);
            builder.note(match &odd.left_out {
                Some(value) => note.with_left_out(value.clone()),
                None => note,
            });
        }
        match &wire.structured {
            Structured::Value(value) => builder.source.structured = Some(value.clone()),
            Structured::Null | Structured::Absent => {}
        }
        note_other_data(builder, wire);
        builder.carried.block_count = wire.blocks.len();
        let texts = read_blocks(builder, &wire.blocks);
        if wire.is_error {
            return read_error(builder, wire, &texts.all);
        }
        let is_modern = wire.is_modern || self.server.is_some_and(Protocol::is_modern);
        builder.source.has_null_structured =
            matches!(wire.structured, Structured::Null) && (texts.all.is_empty() || is_modern);
        let schema = self.active_schema();
        let found = schema.and_then(|schema| {
            self.check_schema(builder, schema, &wire.structured, &texts.all, is_modern)
        });
        let structured = found.as_ref().unwrap_or(&wire.structured);
        let schema_wraps = schema.is_some_and(Schema::wraps_result);
        let knowledge = Knowledge { schema_wraps, is_modern };
        let first = texts.all.first().filter(|_| texts.starts_with_block).cloned();
        let dialect =
            match choose_payload(builder, structured, texts.all, first.as_ref(), knowledge) {
                Payload::Value(chosen) => read_payload(builder, chosen),
                Payload::Texts(texts) => {
                    read_texts(builder, &texts);
                    Dialect::Blocks { is_json: false }
                }
            };
        self.fail_by_schema(builder);
        dialect
    }

    /// The schema, where it is to be checked.
    fn active_schema(&self) -> Option<&Schema> {
        self.schema.as_ref().filter(|_| self.schema_policy != SchemaPolicy::Off)
    }

    fn fail_by_schema(&self, builder: &mut Builder<'_>) {
        if builder.source.has_schema_problem && self.schema_policy == SchemaPolicy::Error {
            builder.fail_by_schema();
        }
    }

    /// R12 for a payload that stands alone: it is what structured content would be.
    fn check_bare(&self, builder: &mut Builder<'_>, payload: &Json) {
        let Some(schema) = self.active_schema() else { return };
        builder.source.is_schema_wrapped = !schema.is_object_rooted();
        builder.source.structured = Some(payload.clone());
        builder.note_verdict(&schema.check(payload), payload.as_text().contains('\0'));
    }

    /// R12: checks the structured content, or finds it in a text. Returns what was found.
    fn check_schema(
        &self,
        builder: &mut Builder<'_>,
        schema: &Schema,
        structured: &Structured,
        texts: &[Text],
        is_modern: bool,
    ) -> Option<Structured> {
        builder.source.is_schema_wrapped = !schema.is_object_rooted();
        let sent = match structured {
            Structured::Value(value) => Some(value.clone()),
            Structured::Null if texts.is_empty() || is_modern => Some(Json::null()),
            Structured::Null | Structured::Absent => None,
        };
        if let Some(value) = sent {
            let has_long_strings = value.as_text().contains('\0');
            builder.note_verdict(&schema.check(&value), has_long_strings);
            return None;
        }
        // A long text is checked by its skeleton, where its own long strings are short.
        for text in texts.iter().filter(|text| matches!(text, Text::Spilled(_))) {
            let Some(inner) = builder.json_of_text(text).map(|scanned| scanned.json) else {
                continue;
            };
            if schema.check(&inner).is_valid() {
                builder.source.is_upgraded = true;
                builder.source.structured = Some(inner.clone());
                return Some(Structured::Value(inner));
            }
        }
        let inline = texts.iter().filter_map(|text| match text {
            Text::Inline(text) => Some(&**text),
            Text::Spilled(_) => None,
        });
        match schema.upgrade(inline) {
            Upgrade::Found { index, json } => {
                let inline = texts.iter().filter(|text| matches!(text, Text::Inline(_)));
                if let Some(scanned) =
                    inline.skip(index).find_map(|text| builder.json_of_text(text))
                {
                    builder.note_findings(&scanned.findings, "/content ");
                }
                builder.source.is_upgraded = true;
                builder.source.structured = Some(json.clone());
                Some(Structured::Value(json))
            }
            Upgrade::Failed { note } => {
                builder.source.has_schema_problem = true;
                builder.note(note);
                None
            }
        }
    }

    /// A message that is no JSON: text is the result, other bytes are a file.
    fn read_malformed(&self, bytes: &[u8], error: &SyntaxError) -> Outcome {
        let mut builder = self.builder(Vec::new());
        let message = format!("the message is no JSON: {error}");
        builder.note(Note::changed(Rule::R2, format!("byte {}", error.offset), message));
        if self.active_schema().is_some() {
            let message = "the output schema asks for structured content, and there is none";
            builder.note(Note::changed(Rule::R12, "", message));
            builder.source.has_schema_problem = true;
        }
        match std::str::from_utf8(bytes) {
            Ok("") => {}
            Ok(text) => builder.results = Json::string(text),
            Err(_) => {
                let encoded = Json::string(&crate::base64::encode(bytes));
                builder.add_file(
                    "",
                    Proposal {
                        name: None,
                        fallback: Fallback::Exact("message.bin".to_owned()),
                        mime: String::new(),
                        bytes: FileBytes::Base64(encoded),
                        details: FileDetails::default(),
                        source: Json::null(),
                    },
                );
            }
        }
        self.fail_by_schema(&mut builder);
        builder.finish(Dialect::Blocks { is_json: false }).0
    }

    /// A message in chunks that is no JSON, or too large: an error that shows how it starts.
    fn read_broken_chunks(&self, error: &ScanError, head: &[u8], total: u64) -> Outcome {
        let mut builder = self.builder(Vec::new());
        let message = match error {
            ScanError::Syntax(error) => format!("the message is no JSON: {error}"),
            ScanError::TooLarge { limit } => format!(
                "the message has more than {limit} bytes beside its long strings (message_bytes_max)"
            ),
        };
        let mut details = Object::default();
        details.set("bytes", Json::number(total));
        details.set(
            "starts_with",
            Json::string(&String::from_utf8_lossy(&head[..head.len().min(512)])),
        );
        builder.note(Note::changed(Rule::R2, "", message.clone()));
        builder.is_error = true;
        builder.results = error_results(&message, Some(&details.to_json()));
        builder.source.is_rewritten = true;
        builder.finish(Dialect::Blocks { is_json: false }).0
    }
}

/// Reads a message in chunks; see [`ReadOptions::reader`].
pub struct Reader<'a> {
    options: &'a ReadOptions,
    chunks: Chunks<'a>,
}

impl Reader<'_> {
    /// The next bytes.
    pub fn feed(&mut self, chunk: &[u8]) {
        self.chunks.feed(chunk);
    }

    /// The outcome of what came.
    pub fn finish(self) -> Outcome {
        let options = self.options;
        let ChunksEnd { scanned, spilled, sink, repaired_bytes, had_bom, head, total } =
            self.chunks.finish();
        let repairs = Repairs { replaced: repaired_bytes, had_bom };
        match scanned {
            Ok(scanned) => {
                let (outcome, unused) = options.assemble(&scanned, spilled, &repairs);
                unused.into_iter().for_each(|id| sink.discard(id));
                outcome
            }
            Err(error) => {
                spilled.iter().for_each(|spilled| sink.discard(spilled.id));
                options.read_broken_chunks(&error, &head, total)
            }
        }
    }
}

/// A payload that stands alone, without a tool result around it.
fn read_bare(builder: &mut Builder<'_>, payload: Json) -> Dialect {
    builder.source.is_rewritten = true;
    if payload.is_object() && payload.members().next().is_none() {
        // An empty object is an empty result.
        builder.source.is_rewritten = false;
        builder.source.result = Some(payload);
        return Dialect::Blocks { is_json: false };
    }
    if detect(&payload).is_none() {
        let message = "the message is no tool result; it is read as the payload of one";
        builder.note(Note::remark(Rule::R2, "", message));
    }
    read_payload(builder, Chosen::bare(payload))
}

/// The payload by its dialect, and the texts beside it.
fn read_payload(builder: &mut Builder<'_>, chosen: Chosen) -> Dialect {
    builder.note_findings(&chosen.findings, "/content/0/text ");
    let dialect = detect(&chosen.json).unwrap_or(match chosen.is_structured {
        true => Dialect::Structured {
            by_schema: builder.source.is_upgraded,
            was_wrapped: chosen.was_wrapped,
        },
        false => Dialect::Blocks { is_json: true },
    });
    match dialect {
        Dialect::ContractV1 { .. } | Dialect::ContractV2 { .. } => {
            read_contract(builder, &chosen.json);
        }
        Dialect::ResponseV2 { .. } => read_envelope(builder, &chosen.json),
        Dialect::Structured { .. } | Dialect::Blocks { .. } => builder.results = chosen.json,
    }
    if !chosen.beside.is_empty() {
        let texts = text_list(builder, &chosen.beside);
        let texts = match builder.meta_data.remove("additional_text") {
            Some(present) => append(&present, &texts),
            None => texts,
        };
        builder.meta_data.set("additional_text", texts);
    }
    dialect
}

/// R2, R10: plain texts only.
fn read_texts(builder: &mut Builder<'_>, texts: &[Text]) {
    builder.results = match texts {
        [] => Json::null(),
        [text] => builder.text_value("/results", text, "output.txt"),
        _ => text_list(builder, texts),
    };
}

fn text_list(builder: &mut Builder<'_>, texts: &[Text]) -> Json {
    let mut out = String::from("[");
    for (at, text) in texts.iter().enumerate() {
        if at > 0 {
            out.push(',');
        }
        out.push_str(builder.text_value("/content", text, "output.txt").as_text());
    }
    out.push(']');
    Json::trusted(out)
}

fn append(list: &Json, more: &Json) -> Json {
    let items = list.items().chain(more.items()).map(|item| item.to_string());
    let single = (!list.is_array()).then(|| list.to_string());
    let items: Vec<String> = single.into_iter().chain(items).collect();
    Json::trusted(format!("[{}]", items.join(",")))
}

/// R9: the texts are the message, never parsed; structured content is among the details.
fn read_error(builder: &mut Builder<'_>, wire: &WireResult, texts: &[Text]) -> Dialect {
    builder.is_error = true;
    let mut message = String::new();
    for text in texts {
        if !message.is_empty() {
            message.push('\n');
        }
        let value = builder.text_value("/content", text, "error.txt");
        message.push_str(&value.as_str().unwrap_or_default());
    }
    let structured = match &wire.structured {
        Structured::Value(value) => Some(value.clone()),
        // An error that has neither: what it does have is all there is to say.
        Structured::Absent if wire.is_bare && !wire.carried.is_empty() => {
            Some(std::mem::take(&mut builder.carried.fields).to_json())
        }
        Structured::Absent | Structured::Null => None,
    };
    let envelope = structured.as_ref().and_then(|value| Some((value, detect(value)?)));
    if let Some((value, dialect @ Dialect::ResponseV2 { .. })) = envelope {
        builder.is_error = false;
        read_envelope(builder, value);
        // The texts are the message, the envelope's data the details.
        if !builder.is_error || !message.trim().is_empty() {
            let details = match builder.is_error {
                true => builder.results.get("details"),
                false => Some(builder.results.clone()),
            };
            let message = if message.trim().is_empty() { FAILED_WITHOUT_MESSAGE } else { &message };
            let other = builder.results.get("error").filter(|_| builder.is_error);
            if let Some(other) = other.filter(|other| other.as_str().as_deref() != Some(message)) {
                let note = "the texts are the message of the error, not the envelope's own";
                let note = Note::remark(Rule::R9, "/structuredContent/error", note);
                builder.note(note.with_left_out(other));
            }
            builder.results = error_results(message, details.as_ref());
        }
        builder.is_error = true;
        return dialect;
    }
    let details = structured.map(|value| without_files(builder, value));
    let message = if message.trim().is_empty() { FAILED_WITHOUT_MESSAGE } else { &message };
    builder.results = error_results(message, details.as_ref());
    match details {
        Some(_) => Dialect::Structured { by_schema: false, was_wrapped: false },
        None => Dialect::Blocks { is_json: false },
    }
}

/// Files and tokens are taken out of an error's details too: no base64 in the prompt.
fn without_files(builder: &mut Builder<'_>, value: Json) -> Json {
    match detect(&value) {
        Some(Dialect::ContractV1 { .. } | Dialect::ContractV2 { .. }) => {
            let mut members = Object::of(&value);
            take_files(builder, &mut members, "/structuredContent");
            take_canvas(builder, &mut members);
            members.to_json()
        }
        Some(Dialect::ResponseV2 { .. }) => {
            let mut members = Object::of(&value);
            if let Some(data) = members.get("data").filter(|data| detect(data).is_some()) {
                let mut data = Object::of(data);
                take_files(builder, &mut data, "/structuredContent/data");
                members.set("data", data.to_json());
            }
            members.to_json()
        }
        _ => value,
    }
}

/// What a JSON-RPC message has beside its answer.
fn note_beside(builder: &mut Builder<'_>, beside: &Object) {
    if !beside.is_empty() {
        let message = match beside.get("result") {
            Some(_) => "the message has an error and a result; the error counts",
            None => "the message has members that a response does not have",
        };
        builder.note(Note::changed(Rule::R14, "", message).with_left_out(beside.to_json()));
    }
}

/// A JSON-RPC error.
fn read_failure(builder: &mut Builder<'_>, error: &Json) -> Dialect {
    builder.is_error = true;
    builder.source.is_rewritten = true;
    let error = builder.resolve_handles(error, "/error");
    let mut members = Object::of(&error);
    let message = members.get("message").and_then(short_string);
    let message = message.filter(|message| !message.trim().is_empty());
    if message.is_some() {
        members.remove("message");
    }
    let message = message.unwrap_or_else(|| FAILED_WITHOUT_MESSAGE.to_owned());
    let details = match error.is_object() {
        true if members.is_empty() => None,
        true => Some(members.to_json()),
        false => Some(error),
    };
    builder.results = error_results(&message, details.as_ref());
    Dialect::Blocks { is_json: false }
}
