//! Writing an envelope: what must hold of the whole is seen to here.

use serde::{Serialize, Serializer};

use super::{Envelope, ErrorCode, VERSION, meta, single};
use crate::{
    Protocol,
    json::{Json, Object, ObjectWriter, push_string},
};

impl Envelope {
    /// The envelope.
    pub fn to_json(&self) -> Json {
        let mut out = String::new();
        let mut writer = ObjectWriter::new(&mut out);
        writer.bool("success", self.is_success());
        writer.json("data", &self.whole_data().to_json());
        match &self.error {
            Some(message) => writer.text("error", message),
            None => writer.json("error", &Json::null()),
        }
        self.push_meta(writer.key("meta"));
        writer.end();
        Json::trusted(out)
    }

    /// The envelope as a `CallToolResult` for a client of this protocol version: as text, and as
    /// structured content where that exists. An error is an error to the protocol too.
    ///
    /// ```
    /// use resultant::{Protocol, envelope::Envelope};
    ///
    /// let result = Envelope::error("no").to_result(Protocol::LATEST);
    /// assert_eq!(result.get("isError").unwrap().as_bool(), Some(true));
    /// assert_eq!(result.get("resultType").unwrap().as_str().unwrap(), "complete");
    /// assert_eq!(result.get("structuredContent").unwrap(), Envelope::error("no").to_json());
    /// ```
    pub fn to_result(&self, protocol: Protocol) -> Json {
        let envelope = self.to_json();
        let mut out = String::with_capacity(envelope.as_text().len() * 2 + 128);
        let mut writer = ObjectWriter::new(&mut out);
        writer.array("content", [&envelope], |out, envelope| {
            let mut block = ObjectWriter::new(out);
            block.text("type", "text");
            block.text("text", envelope.as_text());
            block.end();
        });
        if protocol.has_structured_content() {
            writer.json("structuredContent", &envelope);
        }
        if !self.is_success() {
            writer.bool("isError", true);
        }
        if protocol.is_modern() {
            writer.text("resultType", "complete");
        }
        writer.end();
        Json::trusted(out)
    }

    /// `data` with everything that belongs into it.
    fn whole_data(&self) -> Object {
        let mut data = self.data.clone();
        for (name, value) in self.fields.iter() {
            data.set(name, value.clone());
        }
        if !self.is_success() {
            self.set_error_members(&mut data);
        }
        self.set_reserved_members(&mut data);
        data
    }

    /// What is said about the error, where the payload does not say it already. The type follows
    /// the code that is written in the end.
    fn set_error_members(&self, data: &mut Object) {
        meta::set_misfits_aside(data, meta::ERROR_MEMBERS);
        let code = match data.get("error_code") {
            None => self.code.clone(),
            Some(given) => given.as_str().map(|name| match &self.code {
                Some(code) if code.as_str() == name => code.clone(),
                _ => ErrorCode::from(name.as_ref()),
            }),
        };
        let kind = self.kind.as_ref().or(code.as_ref().and_then(ErrorCode::kind));
        let members = [
            ("error_code", code.as_ref().map(|code| Json::string(code.as_str()))),
            ("error_type", kind.map(|kind| Json::string(kind.as_str()))),
            ("remediation", self.remediation.as_deref().map(Json::string)),
            ("details", self.details.clone()),
        ];
        for (name, value) in members {
            if let (Some(value), None) = (value, data.get(name)) {
                data.set(name, value);
            }
        }
    }

    /// `_meta` is an object and `_warnings` an array, whatever the payload has there.
    fn set_reserved_members(&self, data: &mut Object) {
        let given = data.get("_meta").cloned();
        let mut members = match &given {
            Some(value) if value.is_object() => Object::of(value),
            Some(value) if !value.is_null() => single("value", value.clone()),
            _ => Object::default(),
        };
        for (name, value) in self.data_meta.iter() {
            members.set(name, value.clone());
        }
        match members.is_empty() && !given.is_some_and(|value| value.is_object()) {
            true => drop(data.remove("_meta")),
            false => data.set("_meta", members.to_json()),
        }

        let given = data.get("_warnings").cloned();
        let mut items: Vec<Json> = match &given {
            Some(value) if value.is_array() => value.items().collect(),
            Some(value) if !value.is_null() => vec![value.clone()],
            _ => Vec::new(),
        };
        items.extend(self.data_warnings.iter().map(|warning| Json::string(warning)));
        match items.is_empty() && !given.is_some_and(|value| value.is_array()) {
            true => drop(data.remove("_warnings")),
            false => data.set("_warnings", Json::array(&items)),
        }
    }

    fn push_meta(&self, out: &mut String) {
        let mut writer = ObjectWriter::new(out);
        writer.text("version", VERSION);
        let request_id = self.request_id.as_ref().or(self.context.request_id.as_ref());
        if let Some(request_id) = request_id.filter(|id| !id.is_empty()) {
            writer.text("request_id", request_id);
        }
        if !self.warnings.is_empty() {
            writer.array("warnings", &self.warnings, |out, warning| push_string(out, warning));
        }
        for (name, part) in [
            ("pagination", self.pagination.to_json()),
            ("rate_limit", self.rate_limit.to_json()),
            ("telemetry", self.telemetry.to_json()),
        ] {
            if part.members().next().is_some() {
                writer.json(name, &part);
            }
        }
        for (name, value) in self.meta.iter() {
            writer.json(name, value);
        }
        writer.end();
    }
}

/// As [`Envelope::to_json`] writes it, to the byte. Made for `serde_json`: other formats cannot hold
/// JSON text.
impl Serialize for Envelope {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.to_json().serialize(serializer)
    }
}
