//! A file that belongs to a result: its name, its media type, its digest, and where its bytes are.
//!
//! An artifact never holds a decoded copy. Its bytes stay in the message they came in, as base64,
//! until somebody asks for them, and then they come in parts of fixed size.

pub(crate) mod foreign;
mod media;
mod name;

use std::{
    fmt::{self, Write as _},
    sync::Arc,
};

use bytestring::ByteString;
use sha2::{Digest as _, Sha256};

pub(crate) use self::{
    media::{
        Decided, decide_media_type, essence, extension_for, is_showable, signature, sniff_image,
    },
    name::{Names, clean_name, is_unseen, last_segment},
};
use crate::{
    base64,
    json::{Json, Object, ObjectWriter},
    spill::SpillId,
    survey::Survey,
};

/// A file that belongs to a result.
///
/// ```
/// let outcome = resultant::read(r#"{"content": [], "structuredContent":
///     {"results": "one file", "artifacts": [{"name": "a.txt", "b64": "aGVsbG8="}]}}"#);
/// let file = &outcome.artifacts[0];
/// assert_eq!((file.name.as_str(), file.mime.as_str(), file.size), ("a.txt", "text/plain", 5));
/// assert_eq!(file.to_bytes().unwrap(), b"hello");
/// ```
#[derive(Clone, Debug)]
pub struct Artifact {
    /// One path segment, unique in its result.
    pub name: String,
    /// The media type.
    pub mime: String,
    /// Bytes.
    pub size: u64,
    /// The digest of the bytes.
    pub sha256: Sha256Digest,
    /// A short label for people.
    pub description: Option<String>,
    /// How the author would like it to be shown.
    pub viewer: Option<Viewer>,
    /// Where the author, or a store, says that it can be fetched.
    pub url: Option<String>,
    /// The protocol's annotations of the block it came in.
    pub annotations: Option<Json>,
    /// Members that the contract does not know.
    pub extra: Object,
    /// Where the bytes are.
    pub content: Content,
    /// The block it came in, where it came in one.
    pub(crate) origin: Origin,
    /// Width and height of a picture.
    pub(crate) pixels: Option<(usize, usize)>,
    /// It is a text that was cut out of the result.
    pub(crate) cut: Option<Arc<Cut>>,
}

/// A text that was too long to stay in the result while it was read.
#[derive(Debug)]
pub(crate) struct Cut {
    /// What stands for it.
    pub(crate) stand_in: String,
    /// What it is.
    pub(crate) survey: Arc<Survey>,
    /// The JSON that it is, its own long strings cut out.
    pub(crate) json: Option<Json>,
}

/// Width and height of a picture, where these first bytes of it say them.
pub(crate) fn pixels_of(head: &[u8]) -> Option<(usize, usize)> {
    sniff_image(head)?;
    imagesize::blob_size(head).ok().map(|size| (size.width, size.height))
}

/// A name of ours with what tells it from the same name of other results.
pub(crate) fn own_name(name: &str, suffix: Option<&str>) -> String {
    match (suffix, name.rsplit_once('.')) {
        (None, _) => name.to_owned(),
        (Some(suffix), Some((stem, extension))) => format!("{stem}-{suffix}.{extension}"),
        (Some(suffix), None) => format!("{name}-{suffix}"),
    }
}

/// How a file came.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Origin {
    /// As an image block: the model should see it.
    ImageBlock,
    /// As audio or as an embedded resource.
    OtherBlock,
    /// In a contract, or cut out of something else.
    #[default]
    Elsewhere,
}

/// Where the bytes of an artifact are.
#[derive(Clone, Debug)]
pub enum Content {
    /// In the message, as valid base64.
    Base64(ByteString),
    /// In memory, as text.
    Text(ByteString),
    /// In the sink that the reader was given.
    Spilled(SpillId),
    /// Not here: only the digest is known.
    Elsewhere,
}

/// How an artifact would like to be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are the contract's words")]
pub enum Viewer {
    Auto,
    Image,
    Pdf,
    Html,
    Code,
}

impl Viewer {
    /// The contract's word.
    pub fn as_str(self) -> &'static str {
        match self {
            Viewer::Auto => "auto",
            Viewer::Image => "image",
            Viewer::Pdf => "pdf",
            Viewer::Html => "html",
            Viewer::Code => "code",
        }
    }

    pub(crate) fn of(word: &str) -> Option<Viewer> {
        [Viewer::Auto, Viewer::Image, Viewer::Pdf, Viewer::Html, Viewer::Code]
            .into_iter()
            .find(|viewer| viewer.as_str() == word)
    }
}

/// A SHA-256 digest; written as 64 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Sha256Digest(pub [u8; 32]);

impl Sha256Digest {
    /// The digest of these bytes.
    pub fn of(bytes: &[u8]) -> Sha256Digest {
        Sha256Digest(Sha256::digest(bytes).into())
    }

    /// Reads 64 hexadecimal digits.
    pub fn parse(text: &str) -> Option<Sha256Digest> {
        let mut digest = [0; 32];
        if text.len() != 64 || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        for (at, byte) in digest.iter_mut().enumerate() {
            *byte = u8::from_str_radix(&text[at * 2..at * 2 + 2], 16).ok()?;
        }
        Some(Sha256Digest(digest))
    }
}

impl fmt::Display for Sha256Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Sha256Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Artifact {
    /// A text of ours as a file.
    pub(crate) fn of_text(name: &str, mime: &str, text: ByteString) -> Artifact {
        Artifact {
            name: name.to_owned(),
            mime: mime.to_owned(),
            size: text.len() as u64,
            sha256: Sha256Digest::of(text.as_bytes()),
            description: None,
            viewer: None,
            url: None,
            annotations: None,
            extra: Object::default(),
            content: Content::Text(text),
            origin: Origin::Elsewhere,
            pixels: None,
            cut: None,
        }
    }

    /// What is known of it beside its type and size, in a few words.
    pub(crate) fn about(&self) -> Option<String> {
        if let Some((width, height)) = self.pixels {
            return Some(format!("{width} × {height} px"));
        }
        let cut = self.cut.as_deref()?;
        Some(match cut.json {
            Some(_) => "JSON".to_owned(),
            None => cut.survey.describe(),
        })
    }

    /// Its name and what it is, where it stands in a text: `NAME, TYPE, 123 bytes, 20 × 10 px`.
    pub(crate) fn label(&self) -> String {
        let mut label = format!("{}, {}, {} bytes", self.name, self.mime, self.size);
        if let Some(about) = self.about() {
            label.push_str(", ");
            label.push_str(&about);
        }
        label
    }

    /// Hands the bytes on in parts. `false` where they are not here: in a sink, or elsewhere.
    pub fn write_to(&self, mut part: impl FnMut(&[u8])) -> bool {
        match &self.content {
            Content::Base64(text) => base64::decode_in_parts(text, part).is_ok(),
            Content::Text(text) => {
                part(text.as_bytes());
                true
            }
            Content::Spilled(_) | Content::Elsewhere => false,
        }
    }

    /// The bytes, if they are here.
    pub fn to_bytes(&self) -> Option<Vec<u8>> {
        let mut bytes = Vec::with_capacity(self.size as usize);
        self.write_to(|part| bytes.extend_from_slice(part)).then_some(bytes)
    }

    /// Whether a canvas can show it.
    pub fn is_showable(&self) -> bool {
        is_showable(&self.mime, &self.name)
    }

    /// The members every audience but the model gets.
    pub(crate) fn push_json(&self, out: &mut String) {
        let mut writer = ObjectWriter::new(out);
        writer.text("name", &self.name);
        writer.text("mime", &self.mime);
        writer.number("size", self.size);
        let _ = write!(writer.key("sha256"), "\"{}\"", self.sha256);
        if let Some(description) = &self.description {
            writer.text("description", description);
        }
        if let Some(viewer) = self.viewer {
            writer.text("viewer", viewer.as_str());
        }
        if let Some(url) = &self.url {
            writer.text("url", url);
        }
        if let Some(annotations) = &self.annotations {
            writer.json("annotations", annotations);
        }
        for (key, value) in self.extra.iter() {
            writer.json(key, value);
        }
        writer.end();
    }
}

/// What is learned from reading a file's bytes once.
pub(crate) struct Measured {
    pub(crate) size: u64,
    pub(crate) sha256: Sha256Digest,
    pub(crate) head: Vec<u8>,
}

/// Reads base64 once: size, digest and first bytes. An error where it is not valid.
pub(crate) fn measure_base64(text: &str) -> Result<Measured, base64::Invalid> {
    const HEAD_BYTES: usize = 512;
    let mut digest = Sha256::new();
    let mut size = 0;
    let mut head = Vec::new();
    base64::decode_in_parts(text, |part| {
        digest.update(part);
        size += part.len() as u64;
        if head.len() < HEAD_BYTES {
            head.extend_from_slice(&part[..part.len().min(HEAD_BYTES - head.len())]);
        }
    })?;
    Ok(Measured { size, sha256: Sha256Digest(digest.finalize().into()), head })
}
