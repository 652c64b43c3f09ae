//! Files: what a result says about them, and what their bytes say.

use super::Builder;
use crate::{
    artifact::{
        Artifact, Content, Decided, Measured, Origin, Sha256Digest, Viewer, clean_name,
        decide_media_type, extension_for, measure_base64, pixels_of,
    },
    base64,
    json::{Json, Object},
    note::{Note, Rule},
    spill::SpillId,
    wire::{Text, short_string},
};

/// A file as a result describes it.
pub(crate) struct Proposal {
    pub(crate) name: Option<String>,
    /// The name of a file that has none.
    pub(crate) fallback: Fallback,
    pub(crate) mime: String,
    pub(crate) bytes: FileBytes,
    pub(crate) details: FileDetails,
    /// All of it as it was sent, for the note where it has to be left out.
    pub(crate) source: Json,
}

/// What else a result says about a file.
#[derive(Default)]
pub(crate) struct FileDetails {
    pub(crate) size: Option<Json>,
    pub(crate) sha256: Option<Json>,
    pub(crate) description: Option<String>,
    pub(crate) viewer: Option<Viewer>,
    pub(crate) url: Option<String>,
    pub(crate) annotations: Option<Json>,
    pub(crate) extra: Object,
    pub(crate) origin: Origin,
}

pub(crate) enum Fallback {
    Exact(String),
    /// The extension comes from the media type.
    Stem(String),
}

pub(crate) enum FileBytes {
    Base64(Json),
    Text(Text),
    Known { size: u64, sha256: Sha256Digest },
}

impl Builder<'_> {
    /// The name that an artifact has now, by the one it was sent with or has.
    pub(crate) fn current_name(&self, name: &str) -> Option<&str> {
        let by_sent =
            self.renamed.iter().find(|(sent, _)| sent == name).map(|(_, now)| now.as_str());
        by_sent.or_else(|| self.names.get(name))
    }

    /// Adds a file and returns its name; a file whose bytes are not what they say is left out.
    pub(crate) fn add_file(&mut self, place: &str, proposal: Proposal) -> Option<String> {
        let Proposal { name, fallback, mime: declared, bytes, details, source } = proposal;
        let spill = match &bytes {
            FileBytes::Base64(json) => Text::of(json),
            FileBytes::Text(text) => Some(text.clone()),
            FileBytes::Known { .. } => None,
        };
        let cleaned = name.as_deref().and_then(|name| clean_name(name, self.limits.name_bytes_max));
        let shown_name = cleaned.clone().unwrap_or_else(|| match &fallback {
            Fallback::Exact(name) | Fallback::Stem(name) => name.clone(),
        });
        let (measured, content) = match self.measure(&shown_name, bytes) {
            Ok(measured) => measured,
            Err(message) => {
                self.note(Note::changed(Rule::R6, place, message).with_left_out(source));
                // A client gets no file that is none.
                self.source.is_rewritten = true;
                return None;
            }
        };
        let (mime, decided) = match content {
            // Nothing is known of bytes that are elsewhere, so their type is what was declared.
            Content::Elsewhere if !declared.is_empty() => (declared.clone(), Decided::Declared),
            _ => decide_media_type(&declared, &measured.head, &shown_name),
        };
        let wanted = cleaned.clone().unwrap_or_else(|| match fallback {
            Fallback::Exact(name) => self.own_name(&name),
            Fallback::Stem(stem) => self.own_name(&(stem + extension_for(&mime))),
        });
        let final_name = self.names.take(&wanted, self.limits.name_bytes_max);
        self.note_media_type(place, &declared, &mime, decided, &final_name);
        self.note_name(place, name.as_deref(), cleaned.as_deref(), &final_name);
        self.note_size(place, details.size.as_ref(), measured.size, &final_name);
        self.note_digest(place, details.sha256.as_ref(), measured.sha256, &final_name);
        let pixels = mime.starts_with("image/").then(|| pixels(&content, &measured.head)).flatten();
        if let Some(Text::Spilled(id)) = spill {
            self.stand_ins.insert(id, format!("[the file {final_name}]"));
        }
        if let Some(sent) = name {
            self.renamed.push((sent, final_name.clone()));
        }
        self.artifacts.push(Artifact {
            name: final_name.clone(),
            mime,
            size: measured.size,
            sha256: measured.sha256,
            description: details.description,
            viewer: details.viewer,
            url: details.url,
            annotations: details.annotations,
            extra: details.extra,
            pixels,
            content,
            origin: details.origin,
            cut: None,
        });
        Some(final_name)
    }

    fn note_media_type(
        &mut self,
        place: &str,
        declared: &str,
        mime: &str,
        decided: Decided,
        name: &str,
    ) {
        if declared == mime || declared.is_empty() {
            return;
        }
        let message = match decided {
            Decided::DeclaredWrong => {
                format!("the declared media type is impossible for `{name}`; it is {mime}")
            }
            Decided::Declared => format!("the media type of `{name}` is written {mime}"),
            Decided::Found => format!("the declared type of `{name}` is none; it is {mime}"),
        };
        let note = Note::remark(Rule::R7, place, message);
        self.note(note.with_left_out(Json::string(declared)));
    }

    fn note_digest(
        &mut self,
        place: &str,
        declared: Option<&Json>,
        sha256: Sha256Digest,
        name: &str,
    ) {
        let Some(declared) = declared.filter(|declared| !declared.is_null()) else { return };
        if declared.as_str().and_then(|text| Sha256Digest::parse(&text)) != Some(sha256) {
            let message = format!("the declared digest of `{name}` is wrong");
            self.note(Note::changed(Rule::R6, place, message).with_left_out(declared.clone()));
        }
    }

    fn note_name(&mut self, place: &str, sent: Option<&str>, cleaned: Option<&str>, now: &str) {
        let message = match (sent, cleaned) {
            (None, _) => return,
            (Some(sent), _) if sent == now => return,
            (Some(_), None) => format!("the name cannot be used; the file is called `{now}`"),
            (Some(sent), Some(cleaned)) if sent != cleaned => {
                format!("the name was cleaned; the file is called `{now}`")
            }
            (Some(_), Some(_)) => format!("the name was taken; the file is called `{now}`"),
        };
        let note = Note::changed(Rule::R6, place, message);
        self.note(match sent {
            Some(sent) => note.with_left_out(Json::string(sent)),
            None => note,
        });
    }

    fn note_size(&mut self, place: &str, declared: Option<&Json>, size: u64, name: &str) {
        let Some(declared) = declared.filter(|declared| !declared.is_null()) else { return };
        if !crate::json::same_value(declared.as_text(), &size.to_string()) {
            let message = format!("the declared size of `{name}` is wrong; it has {size} bytes");
            self.note(Note::changed(Rule::R6, place, message).with_left_out(declared.clone()));
        }
    }

    /// Size, digest, first bytes and place of a file's content. A sentence where it is not valid.
    fn measure(&mut self, name: &str, bytes: FileBytes) -> Result<(Measured, Content), String> {
        match bytes {
            FileBytes::Known { size, sha256 } => {
                Ok((Measured { size, sha256, head: Vec::new() }, Content::Elsewhere))
            }
            FileBytes::Text(Text::Inline(text)) => {
                let head = text.as_bytes()[..text.len().min(512)].to_vec();
                let sha256 = Sha256Digest::of(text.as_bytes());
                let measured = Measured { size: text.len() as u64, sha256, head };
                Ok((measured, Content::Text(text)))
            }
            FileBytes::Text(Text::Spilled(id)) => self.measure_spilled(name, id, false),
            FileBytes::Base64(json) => match Text::of(&json) {
                Some(Text::Spilled(id)) => self.measure_spilled(name, id, true),
                Some(Text::Inline(text)) => match measure_base64(&text) {
                    Ok(measured) => Ok((measured, Content::Base64(text))),
                    Err(invalid) => Err(format!(
                        "`{name}` is left out: its base64 is not valid from character {}",
                        invalid.at
                    )),
                },
                None => Err(format!("`{name}` is left out: it has no base64")),
            },
        }
    }

    fn measure_spilled(
        &mut self,
        name: &str,
        id: SpillId,
        is_base64: bool,
    ) -> Result<(Measured, Content), String> {
        let spilled = self.spills.get(&id).cloned();
        let spilled = spilled.ok_or_else(|| format!("`{name}` is left out: it was not kept"))?;
        if spilled.undecodable_rest.is_some() || is_base64 && !spilled.is_decoded {
            return Err(format!(
                "`{name}` is left out: its base64 is not valid; what it is instead is kept"
            ));
        }
        if let Some(failure) = &spilled.failure {
            let message = format!("`{name}` could not be kept whole: {failure}");
            self.note(Note::changed(Rule::R14, "", message));
        }
        self.used.insert(id);
        let sha256 = Sha256Digest(spilled.sha256);
        let measured = Measured { size: spilled.size, sha256, head: spilled.head };
        Ok((measured, Content::Spilled(id)))
    }

    /// The digest of what a base64 string, or the `b64` of an object, decodes to.
    pub(crate) fn digest_of_base64(&self, content: &Json) -> Option<Sha256Digest> {
        let inner = content.get("b64");
        match Text::of(inner.as_ref().unwrap_or(content))? {
            Text::Inline(text) => measure_base64(&text).ok().map(|measured| measured.sha256),
            Text::Spilled(id) => {
                let spilled = self.spills.get(&id).filter(|spilled| spilled.is_decoded)?;
                spilled.undecodable_rest.is_none().then_some(Sha256Digest(spilled.sha256))
            }
        }
    }

    /// The members that every description of a file may have beside its name, type and bytes.
    pub(crate) fn file_details(&mut self, place: &str, members: &mut Object) -> FileDetails {
        let mut string = |key: &str| {
            let found = members.get(key).and_then(short_string)?;
            members.remove(key);
            Some(found)
        };
        let (description, url) = (string("description"), string("url"));
        let viewer = members.remove("viewer").filter(|viewer| !viewer.is_null());
        let known = viewer.as_ref().and_then(|viewer| Viewer::of(&viewer.as_str()?));
        if let (Some(word), None) = (viewer, known) {
            let message = "the value of `viewer` is not known and was removed";
            let note = Note::remark(Rule::R13, format!("{place}/viewer"), message);
            self.note(note.with_left_out(word));
        }
        let size = members.remove("size");
        let sha256 = members.remove("sha256");
        let annotations = members.remove("annotations");
        // Names that an artifact has of its own cannot be used for something else.
        for key in ["name", "mime"] {
            if let Some(value) = members.remove(key) {
                let note = Note::changed(
                    Rule::R6,
                    format!("{place}/{key}"),
                    format!("`{key}` is given twice"),
                );
                self.note(note.with_left_out(value));
            }
        }
        let extra = self.resolve_members(members, place);
        FileDetails {
            size,
            sha256,
            description,
            viewer: known,
            url,
            annotations,
            extra,
            origin: Origin::Elsewhere,
        }
    }
}

/// Width and height of a picture, where its first bytes say them.
fn pixels(content: &Content, head: &[u8]) -> Option<(usize, usize)> {
    // Four characters are three bytes; what a camera says of a picture comes before its size.
    const LOOKED_AT_CHARACTERS: usize = 256 << 10;
    pixels_of(head).or_else(|| match content {
        Content::Base64(text) => {
            let start = text.get(..text.len().min(LOOKED_AT_CHARACTERS))?;
            let mut bytes = Vec::new();
            base64::decode_in_parts(start, |part| bytes.extend_from_slice(part)).ok()?;
            pixels_of(&bytes)
        }
        _ => None,
    })
}
