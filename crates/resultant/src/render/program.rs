//! For programs: contract JSON, and the response-v2 envelope. Bytes are never in either.

use crate::{
    dialect::EXTENSION_KEY,
    json::{Json, Object, ObjectWriter, push_compact},
    outcome::{Display, FAILED_WITHOUT_MESSAGE, Outcome},
};

impl Outcome {
    /// Contract JSON.
    ///
    /// ```
    /// let outcome = resultant::read(r#"{"content": [{"type": "text", "text": "no such city"}], "isError": true}"#);
    /// assert_eq!(
    ///     outcome.to_contract().to_string(),
    ///     r#"{"results":{"error":"no such city"},"meta_data":{"is_error":true}}"#,
    /// );
    /// ```
    pub fn to_contract(&self) -> Json {
        let mut out = String::with_capacity(self.results.as_text().len() + 64);
        let mut writer = ObjectWriter::new(&mut out);
        writer.json("results", &self.results);
        if self.is_error || !self.meta_data.is_empty() {
            let mut meta = ObjectWriter::new(writer.key("meta_data"));
            for (key, value) in self.meta_data.iter() {
                meta.json(key, value);
            }
            if self.is_error {
                meta.bool("is_error", true);
            }
            meta.end();
        }
        self.write_parts(&mut writer);
        for (key, value) in self.extra.iter() {
            writer.json(key, value);
        }
        writer.end();
        Json::trusted(out)
    }

    /// The parts that contract and envelope share: files, links, display and canvas.
    fn write_parts(&self, writer: &mut ObjectWriter<'_>) {
        if !self.artifacts.is_empty() {
            writer.array("artifacts", &self.artifacts, |out, artifact| artifact.push_json(out));
        }
        if !self.links.is_empty() {
            writer.array("links", &self.links, |out, link| push_compact(out, link.json.as_text()));
        }
        if let Some(display) = &self.display {
            push_display(writer.key("display"), display);
        }
        if let Some(canvas) = &self.canvas {
            writer.json("canvas", &canvas.members.to_json());
        }
    }

    /// The response-v2 envelope.
    ///
    /// A result that is no object is `{"result": value}`; artifacts, links, display and canvas are
    /// under `data._meta.resultant`, where reading the envelope finds them again.
    ///
    /// ```
    /// let outcome = resultant::read(r#"{"results": [1, 2]}"#);
    /// assert_eq!(outcome.to_envelope().get("data").unwrap().get("result").unwrap().to_string(), "[1,2]");
    /// ```
    pub fn to_envelope(&self) -> Json {
        let (error, data) = match self.is_error {
            true => self.error_parts(),
            false => (Json::null(), self.results.clone()),
        };
        let mut out = String::with_capacity(data.as_text().len() + 128);
        let mut writer = ObjectWriter::new(&mut out);
        writer.bool("success", !self.is_error);
        self.write_data(writer.key("data"), &data);
        writer.json("error", &error);
        let mut meta = ObjectWriter::new(writer.key("meta"));
        meta.text("version", "response-v2");
        for (key, value) in self.meta_data.iter().filter(|(key, _)| *key != "version") {
            meta.json(key, value);
        }
        meta.end();
        writer.end();
        Json::trusted(out)
    }

    /// The message of an error as a string, and its details.
    fn error_parts(&self) -> (Json, Json) {
        let error = self.results.get("error").unwrap_or_else(|| self.results.clone());
        let error = match error.as_str() {
            Some(text) if !text.trim().is_empty() => error,
            Some(_) => Json::string(FAILED_WITHOUT_MESSAGE),
            None => Json::string(&error.to_string()),
        };
        let details = self.results.get("details").unwrap_or_else(|| Json::trusted("{}"));
        (error, details)
    }

    /// Whether an error's results cannot be told from the envelope's `error` and `data` alone.
    fn needs_whole_error(&self) -> bool {
        let mut members = self.results.members();
        let is_message = |value: &Json| value.as_str().is_some_and(|text| !text.trim().is_empty());
        let is_detail = |value: &Json| !value.is_null() && value.members().next().is_some();
        let is_plain =
            members.next().is_some_and(|(key, value)| key == "error" && is_message(&value))
                && members.next().is_none_or(|(key, value)| key == "details" && is_detail(&value))
                && members.next().is_none();
        self.is_error && !is_plain
    }

    fn write_data(&self, out: &mut String, data: &Json) {
        let members = Object::of(data);
        // An object that uses a reserved name, or that reading would take apart, is wrapped as well.
        let reserved = ["_meta", "_warnings", "artifacts", "returned_file_contents"];
        let must_wrap = !data.is_object() || reserved.iter().any(|key| members.get(key).is_some());
        let mut writer = ObjectWriter::new(out);
        if must_wrap {
            writer.json("result", data);
        } else {
            for (key, value) in members.iter() {
                writer.json(key, value);
            }
        }
        let mut extension = String::new();
        let mut parts = ObjectWriter::new(&mut extension);
        if must_wrap {
            parts.bool("wrapped", true);
        }
        if self.needs_whole_error() {
            parts.json("results", &self.results);
        }
        self.write_parts(&mut parts);
        if !self.extra.is_empty() {
            parts.json("extra", &self.extra.to_json());
        }
        parts.end();
        if extension != "{}" {
            let mut meta = ObjectWriter::new(writer.key("_meta"));
            meta.key(EXTENSION_KEY).push_str(&extension);
            meta.end();
        }
        writer.end();
    }
}

pub(super) fn push_display(out: &mut String, display: &Display) {
    let mut writer = ObjectWriter::new(out);
    if let Some(open) = display.open_canvas {
        writer.bool("open_canvas", open);
    }
    if let Some(name) = &display.primary_file {
        writer.text("primary_file", name);
    }
    if let Some(mode) = display.mode {
        writer.text("mode", mode.as_str());
    }
    if let Some(viewer) = display.viewer_hint {
        writer.text("viewer_hint", viewer.as_str());
    }
    for (key, value) in display.extra.iter() {
        writer.json(key, value);
    }
    writer.end();
}
