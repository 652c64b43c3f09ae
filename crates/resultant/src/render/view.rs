//! For the person: what a canvas needs to show an outcome.

use super::budget::Budget;
use crate::{
    artifact::{Artifact, Viewer, foreign::file_viewer},
    json::{Json, ObjectWriter, push_compact, push_string},
    outcome::Outcome,
};

impl Outcome {
    /// The view: files with the viewer each gets, whether and with which file the canvas opens,
    /// the dashboard, the notes, and what the model was given.
    ///
    /// A dashboard's token is not in it; the page asks for it when it opens the frame.
    ///
    /// ```
    /// let outcome = resultant::read(r#"{"results": 1, "artifacts": [{"name": "a.md", "b64": "IyBh"}]}"#);
    /// let view = outcome.to_view(&Default::default());
    /// let canvas = view.get("canvas").unwrap();
    /// assert_eq!(canvas.to_string(), r#"{"open":true,"primary_file":"a.md","mode":"replace"}"#);
    /// ```
    pub fn to_view(&self, budget: &Budget) -> Json {
        let mut out = String::with_capacity(self.results.as_text().len() + 512);
        let mut writer = ObjectWriter::new(&mut out);
        writer.text("dialect", self.dialect.name());
        writer.bool("is_error", self.is_error);
        writer.json("results", &self.results);
        if !self.meta_data.is_empty() {
            writer.json("meta_data", &self.meta_data.to_json());
        }
        if !self.extra.is_empty() {
            writer.json("extra", &self.extra.to_json());
        }
        writer.array("files", &self.artifacts, |out, artifact| self.push_view_file(out, artifact));
        writer.array("links", &self.links, |out, link| push_compact(out, link.json.as_text()));
        self.write_canvas(&mut writer);
        if let Some(canvas) = &self.canvas {
            let mut dashboard = ObjectWriter::new(writer.key("dashboard"));
            for (key, value) in canvas.members.iter() {
                dashboard.json(key, value);
            }
            dashboard.bool("has_token", canvas.token.is_some());
            dashboard.end();
        }
        writer.array("notes", &self.notes, |out, note| out.push_str(note.to_json().as_text()));
        let model = self.to_model(budget);
        let mut seen = ObjectWriter::new(writer.key("model"));
        seen.text("text", &model.text);
        seen.number("bytes", model.text.len() as u64);
        seen.number("tokens", (budget.count_tokens)(&model.text) as u64);
        seen.bool("complete", model.is_complete);
        seen.end();
        writer.end();
        Json::trusted(out)
    }

    /// The canvas opens when there is something to show, unless the result says no.
    fn write_canvas(&self, writer: &mut ObjectWriter<'_>) {
        let display = self.display.clone().unwrap_or_default();
        let first = self.artifacts.iter().find(|artifact| artifact.is_showable());
        let primary = display.primary_file.or_else(|| first.map(|artifact| artifact.name.clone()));
        let mut canvas = ObjectWriter::new(writer.key("canvas"));
        canvas.bool("open", primary.is_some() && display.open_canvas != Some(false));
        if let Some(primary) = &primary {
            canvas.text("primary_file", primary);
        }
        canvas.text("mode", display.mode.map_or("replace", |mode| mode.as_str()));
        canvas.end();
    }

    fn push_view_file(&self, out: &mut String, artifact: &Artifact) {
        let mut file = String::new();
        artifact.push_json(&mut file);
        file.pop();
        out.push_str(&file);
        let is_primary = self.display.as_ref().and_then(|display| display.primary_file.as_ref())
            == Some(&artifact.name);
        let hint =
            self.display.as_ref().and_then(|display| display.viewer_hint).filter(|_| is_primary);
        let hint = artifact.viewer.or(hint).filter(|viewer| *viewer != Viewer::Auto);
        let shown_as =
            hint.map_or_else(|| file_viewer(&artifact.mime, &artifact.name), Viewer::as_str);
        out.push_str(",\"shown_as\":");
        push_string(out, shown_as);
        out.push_str(if artifact.is_showable() {
            ",\"showable\":true}"
        } else {
            ",\"showable\":false}"
        });
    }
}
