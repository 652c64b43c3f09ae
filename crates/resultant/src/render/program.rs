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
            true => self.error_and_data(),
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

    /// The message of an error, and its details as data.
    fn error_and_data(&self) -> (Json, Json) {
        let empty = Json::trusted("{}");
        let error = self.results.get("error");
        match error.filter(|error| error.as_str().is_some_and(|text| !text.trim().is_empty())) {
            Some(error) if self.is_plain_error() => {
                (error, self.results.get("details").unwrap_or(empty))
            }
            Some(error) => (error, empty),
            None => (Json::string(FAILED_WITHOUT_MESSAGE), empty),
        }
    }

    /// Whether an envelope can say all of an error: a message, and details that are something.
    fn is_plain_error(&self) -> bool {
        let members = Object::of(&self.results);
        let is_message = |error: &Json| error.as_str().is_some_and(|text| !text.trim().is_empty());
        let is_something =
            |details: &Json| !details.is_null() && details.to_string().as_str() != "{}";
        members.get("error").is_some_and(is_message)
            && members.get("details").is_none_or(is_something)
            && members.iter().all(|(key, _)| matches!(key, "error" | "details"))
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
        self.write_parts(&mut parts);
        if !self.extra.is_empty() {
            parts.json("extra", &self.extra.to_json());
        }
        if self.is_error && !self.is_plain_error() {
            parts.json("results", &self.results);
        }
        let version = self.meta_data.get("version");
        if let Some(version) = version.filter(|version| version.as_text() != "\"response-v2\"") {
            parts.json("version", version);
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
