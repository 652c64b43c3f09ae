//! The canvas token belongs to the frame alone.

use super::Builder;
use crate::{
    json::{Json, Object, push_string, rewrite_strings, unescape},
    note::{Note, Rule},
};

impl Builder<'_> {
    /// Takes the canvas token out of everything that is written for somebody else.
    pub(super) fn hide_token(&mut self) {
        const TOKEN_BYTES_MIN: usize = 4;
        let token = self.canvas.as_ref().and_then(|canvas| canvas.token.clone());
        let Some(token) = token.filter(|token| token.len() >= TOKEN_BYTES_MIN) else { return };
        let mut hiding = Hiding { token: &token, is_found: false };
        hiding.json(&mut self.results);
        hiding.object(&mut self.meta_data);
        hiding.object(&mut self.extra);
        hiding.object(&mut self.carried.meta);
        hiding.object(&mut self.carried.fields);
        self.carried.blocks.iter_mut().for_each(|(_, block)| hiding.json(block));
        self.canvas.iter_mut().for_each(|canvas| hiding.object(&mut canvas.members));
        self.display.iter_mut().for_each(|display| hiding.object(&mut display.extra));
        for artifact in &mut self.artifacts {
            if artifact.name.contains(&token) {
                let name = artifact.name.replace(&token, "token");
                let name = self.names.take(&name, self.limits.name_bytes_max);
                let old = std::mem::replace(&mut artifact.name, name);
                let primary = self.display.as_mut().and_then(|it| it.primary_file.as_mut());
                primary.filter(|primary| **primary == old).into_iter().for_each(|primary| {
                    primary.clone_from(&artifact.name);
                });
                hiding.is_found = true;
            }
            hiding.text(&mut artifact.mime);
            artifact.description.iter_mut().for_each(|text| hiding.text(text));
            artifact.url.iter_mut().for_each(|text| hiding.text(text));
            artifact.annotations.iter_mut().for_each(|value| hiding.json(value));
            hiding.object(&mut artifact.extra);
        }
        for link in &mut self.links {
            hiding.text(&mut link.uri);
            hiding.text(&mut link.name);
            hiding.json(&mut link.json);
        }
        for note in &mut self.notes {
            hiding.text(&mut note.message);
            note.left_out.iter_mut().for_each(|value| hiding.json(value));
        }
        let is_echoed = hiding.is_found;
        // The structured content is where the canvas came from: finding its token there is not odd,
        // and an echo beside the canvas was found above.
        self.source.structured.iter_mut().for_each(|value| hiding.json(value));
        if is_echoed {
            let message = "the canvas token was taken out of the rest of the result";
            self.note(Note::remark(Rule::R13, "/canvas/token", message));
        }
    }
}

/// Replaces a token wherever it occurs.
struct Hiding<'a> {
    token: &'a str,
    is_found: bool,
}

impl Hiding<'_> {
    fn text(&mut self, text: &mut String) {
        if text.contains(self.token) {
            self.is_found = true;
            *text = text.replace(self.token, "[token]");
        }
    }

    fn json(&mut self, json: &mut Json) {
        let mut is_found = false;
        let mut out = String::new();
        rewrite_strings(
            json.as_text(),
            |string, out| {
                let content = unescape(string);
                if !content.contains(self.token) {
                    return false;
                }
                is_found = true;
                push_string(out, &content.replace(self.token, "[token]"));
                true
            },
            &mut out,
        );
        if is_found {
            self.is_found = true;
            *json = Json::trusted(out);
        }
    }

    fn object(&mut self, object: &mut Object) {
        for (key, value) in object.members_mut() {
            self.text(key);
            self.json(value);
        }
    }
}
