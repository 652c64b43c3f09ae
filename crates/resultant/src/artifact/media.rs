//! Media types: what was declared, what the first bytes prove, what the extension says.

/// What decided a media type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Decided {
    Declared,
    /// The declared type is impossible for these bytes.
    DeclaredWrong,
    /// Nothing usable was declared.
    Found,
}

/// The media type of a file by rule R7.
pub(crate) fn decide_media_type(declared: &str, head: &[u8], name: &str) -> (String, Decided) {
    let declared = declared.trim();
    let signature = signature(head);
    if is_media_type(declared) {
        let essence = canonical(&essence(declared));
        let agrees = match signature {
            Some(found) => agrees(&essence, found),
            None => !needs_signature(&essence),
        };
        if agrees {
            let parameters = declared.find(';').map_or("", |at| &declared[at..]);
            return (essence + parameters, Decided::Declared);
        }
        let found = signature.map(str::to_owned).unwrap_or_else(|| {
            // Text under the label of a picture stays text: it is never made into a page.
            let is_text = !head.is_empty() && !head.contains(&0) && is_utf8_start(head);
            if is_text { "text/plain" } else { "application/octet-stream" }.to_owned()
        });
        return (found, Decided::DeclaredWrong);
    }
    let found = signature.or_else(|| by_extension(name)).unwrap_or("application/octet-stream");
    // The family of a signature is known, the member by its name: a DOCX is a ZIP. A name that says
    // nothing takes nothing away.
    let is_member =
        |by_name: &&str| *by_name != "application/octet-stream" && agrees(by_name, found);
    let refined = by_extension(name).filter(is_member).unwrap_or(found);
    (refined.to_owned(), Decided::Found)
}

/// Whether a canvas can show a file: by type, else by extension.
pub(crate) fn is_showable(mime: &str, name: &str) -> bool {
    let shows = |mime: &str| {
        let kind = mime.split('/').next().unwrap_or_default();
        matches!(kind, "image" | "text" | "audio" | "video")
            || matches!(mime, "application/pdf" | "application/json" | "application/xml")
            || mime.ends_with("+json")
            || mime.ends_with("+xml")
            || matches!(mime, "application/x-ndjson" | "application/jsonl" | "application/yaml")
    };
    let mime = essence(mime);
    if mime.is_empty() || mime == "application/octet-stream" {
        return by_extension(name).is_some_and(shows);
    }
    shows(&mime)
}

/// The extension a file of this type should have, with its dot.
pub(crate) fn extension_for(mime: &str) -> &'static str {
    let mime = canonical(&essence(mime));
    let found = EXTENSIONS.iter().find(|(_, of)| *of == mime);
    found.map_or("", |(extension, _)| extension)
}

/// The type of a picture that models take, by its first bytes.
pub(crate) fn sniff_image(head: &[u8]) -> Option<&'static str> {
    signature(head)
        .filter(|mime| matches!(*mime, "image/png" | "image/jpeg" | "image/gif" | "image/webp"))
}

/// The type without parameters, in lower case.
pub(crate) fn essence(mime: &str) -> String {
    mime.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

/// Names that mean the same.
fn canonical(essence: &str) -> String {
    match essence {
        "image/jpg" | "image/pjpeg" => "image/jpeg",
        "image/x-png" => "image/png",
        "audio/mp3" | "audio/x-mp3" => "audio/mpeg",
        "audio/x-wav" | "audio/wave" | "audio/vnd.wave" => "audio/wav",
        "application/x-pdf" => "application/pdf",
        "application/x-gzip" => "application/gzip",
        "application/x-zip-compressed" => "application/zip",
        other => other,
    }
    .to_owned()
}

/// `type/subtype` of the characters the standard allows, at most 255 bytes.
fn is_media_type(mime: &str) -> bool {
    let token = |part: &str| {
        !part.is_empty()
            && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$&-^_.+".contains(&byte))
    };
    let essence = essence(mime);
    let printable = mime.bytes().all(|byte| (0x20..0x7f).contains(&byte));
    printable
        && mime.len() <= 255
        && essence.split_once('/').is_some_and(|(kind, subtype)| token(kind) && token(subtype))
}

/// Whether a declared type is possible for bytes with this signature.
fn agrees(declared: &str, found: &str) -> bool {
    // Bytes of any kind are an octet stream: that says little, but it is not wrong.
    if declared == found || declared == "application/octet-stream" {
        return true;
    }
    match found {
        // Many formats are a ZIP, an MP4, an Ogg, a Matroska, a gzip inside.
        "application/zip" => {
            declared.starts_with("application/") && !needs_other_signature(declared)
                || declared == "model/3mf"
        }
        "application/gzip" => {
            declared.starts_with("application/")
                && !needs_other_signature(declared)
                && !is_texty(declared)
        }
        "video/mp4" => {
            matches!(
                declared,
                "audio/mp4"
                    | "audio/m4a"
                    | "audio/x-m4a"
                    | "audio/aac"
                    | "video/quicktime"
                    | "video/x-m4v"
                    | "application/mp4"
                    | "video/3gpp"
            )
        }
        "audio/ogg" => {
            matches!(declared, "video/ogg" | "application/ogg" | "audio/opus" | "audio/vorbis")
        }
        "video/webm" => matches!(declared, "audio/webm" | "video/x-matroska" | "audio/x-matroska"),
        "image/tiff" => declared.starts_with("image/x-"),
        "application/vnd.sqlite3" => {
            matches!(declared, "application/x-sqlite3" | "application/geopackage+sqlite3")
        }
        "application/x-ole-storage" => {
            declared.starts_with("application/vnd.ms-") || declared == "application/msword"
        }
        "application/pdf" => declared == "application/illustrator",
        _ => false,
    }
}

/// Binary types that cannot be told from their signature's absence alone: a ZIP under one of these
/// names is wrong.
fn needs_other_signature(declared: &str) -> bool {
    matches!(
        declared,
        "application/pdf"
            | "application/wasm"
            | "application/vnd.sqlite3"
            | "application/x-sqlite3"
    ) || is_texty(declared)
}

fn is_texty(declared: &str) -> bool {
    matches!(
        declared,
        "application/json" | "application/xml" | "application/javascript" | "application/yaml"
    ) || declared.ends_with("+json")
        || declared.ends_with("+xml")
}

/// Types whose files always start with a signature that we know.
fn needs_signature(declared: &str) -> bool {
    matches!(
        declared,
        "image/png"
            | "image/jpeg"
            | "image/gif"
            | "image/webp"
            | "application/pdf"
            | "application/zip"
            | "application/gzip"
            | "application/wasm"
            | "image/tiff"
            | "image/bmp"
            | "audio/flac"
    )
}

/// The type that the first bytes prove.
pub(crate) fn signature(head: &[u8]) -> Option<&'static str> {
    let at = |offset: usize, bytes: &[u8]| {
        head.get(offset..).is_some_and(|rest| rest.starts_with(bytes))
    };
    let starts = |bytes: &[u8]| head.starts_with(bytes);
    if at(4, b"ftyp") {
        return Some(match head.get(8..12) {
            Some(b"avif" | b"avis") => "image/avif",
            Some(b"heic" | b"heix" | b"mif1" | b"heif") => "image/heic",
            _ => "video/mp4",
        });
    }
    if starts(b"RIFF") {
        return match head.get(8..12) {
            Some(b"WEBP") => Some("image/webp"),
            Some(b"WAVE") => Some("audio/wav"),
            Some(b"AVI ") => Some("video/x-msvideo"),
            _ => None,
        };
    }
    SIGNATURES.iter().find(|(bytes, _)| starts(bytes)).map(|(_, mime)| *mime).or_else(|| {
        // An MPEG audio frame: eleven set bits, then a version, layer and bitrate that exist.
        let is_mp3 = head.len() > 2
            && head[0] == 0xff
            && head[1] & 0xe6 == 0xe2
            && head[1] & 0x18 != 0x08
            && head[2] & 0xf0 != 0xf0
            && head[2] & 0x0c != 0x0c;
        is_mp3.then_some("audio/mpeg")
    })
}

const SIGNATURES: &[(&[u8], &str)] = &[
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"%PDF-", "application/pdf"),
    (b"PK\x03\x04", "application/zip"),
    (b"PK\x05\x06", "application/zip"),
    (b"\x1f\x8b\x08", "application/gzip"),
    (b"BZh", "application/x-bzip2"),
    (b"\xfd7zXZ\0", "application/x-xz"),
    (b"\x28\xb5\x2f\xfd", "application/zstd"),
    (b"7z\xbc\xaf\x27\x1c", "application/x-7z-compressed"),
    (b"Rar!\x1a\x07", "application/vnd.rar"),
    (b"II*\0", "image/tiff"),
    (b"MM\0*", "image/tiff"),
    (b"\0\0\x01\0", "image/vnd.microsoft.icon"),
    (b"OggS", "audio/ogg"),
    (b"fLaC", "audio/flac"),
    (b"ID3", "audio/mpeg"),
    (b"MThd", "audio/midi"),
    (b"\x1a\x45\xdf\xa3", "video/webm"),
    (b"\0asm", "application/wasm"),
    (b"\x7fELF", "application/x-elf"),
    (b"SQLite format 3\0", "application/vnd.sqlite3"),
    (b"PAR1", "application/vnd.apache.parquet"),
    (b"ARROW1\0\0", "application/vnd.apache.arrow.file"),
    (b"wOFF", "font/woff"),
    (b"wOF2", "font/woff2"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "application/x-ole-storage"),
];

/// The type that the extension of a name says.
fn by_extension(name: &str) -> Option<&'static str> {
    let (_, extension) = name.rsplit_once('.')?;
    let extension = format!(".{}", extension.to_ascii_lowercase());
    EXTENSIONS.iter().find(|(known, _)| *known == extension).map(|(_, mime)| *mime)
}

fn is_utf8_start(head: &[u8]) -> bool {
    match std::str::from_utf8(head) {
        Ok(_) => true,
        // The head may end inside a character.
        Err(error) => error.error_len().is_none(),
    }
}

/// What tools produce. The first extension of a type is the one that files of ours get.
const EXTENSIONS: &[(&str, &str)] = &[
    (".png", "image/png"),
    (".jpg", "image/jpeg"),
    (".jpeg", "image/jpeg"),
    (".gif", "image/gif"),
    (".webp", "image/webp"),
    (".svg", "image/svg+xml"),
    (".bmp", "image/bmp"),
    (".ico", "image/vnd.microsoft.icon"),
    (".tiff", "image/tiff"),
    (".tif", "image/tiff"),
    (".avif", "image/avif"),
    (".heic", "image/heic"),
    (".pdf", "application/pdf"),
    (".txt", "text/plain"),
    (".log", "text/plain"),
    (".text", "text/plain"),
    (".md", "text/markdown"),
    (".markdown", "text/markdown"),
    (".html", "text/html"),
    (".htm", "text/html"),
    (".css", "text/css"),
    (".csv", "text/csv"),
    (".tsv", "text/tab-separated-values"),
    (".js", "text/javascript"),
    (".mjs", "text/javascript"),
    (".ts", "text/x-typescript"),
    (".tsx", "text/x-typescript"),
    (".py", "text/x-python"),
    (".rs", "text/x-rust"),
    (".go", "text/x-go"),
    (".java", "text/x-java"),
    (".c", "text/x-c"),
    (".h", "text/x-c"),
    (".cpp", "text/x-c++"),
    (".sh", "text/x-shellscript"),
    (".sql", "text/x-sql"),
    (".diff", "text/x-diff"),
    (".patch", "text/x-diff"),
    (".toml", "text/x-toml"),
    (".ini", "text/plain"),
    (".yaml", "application/yaml"),
    (".yml", "application/yaml"),
    (".json", "application/json"),
    (".geojson", "application/geo+json"),
    (".ipynb", "application/x-ipynb+json"),
    (".jsonl", "application/x-ndjson"),
    (".ndjson", "application/x-ndjson"),
    (".xml", "application/xml"),
    (".zip", "application/zip"),
    (".gz", "application/gzip"),
    (".tar", "application/x-tar"),
    (".7z", "application/x-7z-compressed"),
    (".docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
    (".xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
    (".pptx", "application/vnd.openxmlformats-officedocument.presentationml.presentation"),
    (".doc", "application/msword"),
    (".xls", "application/vnd.ms-excel"),
    (".ppt", "application/vnd.ms-powerpoint"),
    (".odt", "application/vnd.oasis.opendocument.text"),
    (".ods", "application/vnd.oasis.opendocument.spreadsheet"),
    (".epub", "application/epub+zip"),
    (".jar", "application/java-archive"),
    (".whl", "application/zip"),
    (".parquet", "application/vnd.apache.parquet"),
    (".sqlite", "application/vnd.sqlite3"),
    (".db", "application/vnd.sqlite3"),
    (".wasm", "application/wasm"),
    (".mp3", "audio/mpeg"),
    (".wav", "audio/wav"),
    (".ogg", "audio/ogg"),
    (".oga", "audio/ogg"),
    (".opus", "audio/opus"),
    (".flac", "audio/flac"),
    (".m4a", "audio/mp4"),
    (".aac", "audio/aac"),
    (".mid", "audio/midi"),
    (".mp4", "video/mp4"),
    (".m4v", "video/mp4"),
    (".webm", "video/webm"),
    (".mkv", "video/x-matroska"),
    (".mov", "video/quicktime"),
    (".avi", "video/x-msvideo"),
    (".ogv", "video/ogg"),
    (".woff", "font/woff"),
    (".woff2", "font/woff2"),
    (".ttf", "font/ttf"),
    (".otf", "font/otf"),
    (".bin", "application/octet-stream"),
];

#[cfg(test)]
mod tests {
    use super::*;

    const PNG: &[u8] = b"\x89PNG\r\n\x1a\n";
    const JPEG: &[u8] = b"\xff\xd8\xff\xe0";
    const ZIP: &[u8] = b"PK\x03\x04";
    const DOCX: &str = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";

    #[test]
    fn r7_declared_unless_proven_wrong_else_signature_else_extension() {
        for (declared, head, name, expected) in [
            ("image/png", PNG, "a", "image/png"),
            ("image/png", JPEG, "a.png", "image/jpeg"),
            ("IMAGE/PNG", PNG, "a", "image/png"),
            ("image/jpg", JPEG, "a", "image/jpeg"),
            ("text/plain", PNG, "a.txt", "image/png"),
            ("application/octet-stream", PNG, "a.bin", "application/octet-stream"),
            ("image/png", b"<html><script>", "a.png", "text/plain"),
            ("image/png", b"<svg xmlns=", "a.png", "text/plain"),
            ("image/png", b"", "a.png", "application/octet-stream"),
            ("text/plain", b"<html>", "a.html", "text/plain"),
            ("text/html; charset=utf-8", b"<p>", "a", "text/html; charset=utf-8"),
            ("application/x-own", b"abc", "a.txt", "application/x-own"),
            (DOCX, ZIP, "a", DOCX),
            ("application/zip", ZIP, "a.docx", "application/zip"),
            ("application/json", ZIP, "a.json", "application/zip"),
            ("audio/mp4", b"\0\0\0\x20ftypM4A ", "a", "audio/mp4"),
            ("", PNG, "picture", "image/png"),
            ("", ZIP, "a.docx", DOCX),
            ("", b"a,b", "t.csv", "text/csv"),
            ("", b"a,b", "t.CSV", "text/csv"),
            ("", b"abc", "noext", "application/octet-stream"),
            ("nonsense", b"abc", "a.txt", "text/plain"),
            ("a/b\u{202e}", b"abc", "a.txt", "text/plain"),
        ] {
            assert_eq!(decide_media_type(declared, head, name).0, expected, "{declared} {name}");
        }
    }

    #[test]
    fn r13_showable_by_type_else_by_extension() {
        for (mime, name, expected) in [
            ("image/png", "a", true),
            ("application/pdf", "a", true),
            ("text/x-anything", "a", true),
            ("application/json", "a", true),
            ("application/ld+json", "a", true),
            ("application/xml", "a", true),
            ("audio/mpeg", "a", true),
            ("video/mp4", "a", true),
            ("application/octet-stream", "a.bin", false),
            ("application/octet-stream", "a.md", true),
            ("application/zip", "a.txt", false),
        ] {
            assert_eq!(is_showable(mime, name), expected, "{mime} {name}");
        }
    }

    #[test]
    fn every_type_has_the_first_extension_of_the_table() {
        assert_eq!(extension_for("image/png"), ".png");
        assert_eq!(extension_for("image/jpeg"), ".jpg");
        assert_eq!(extension_for("text/plain; charset=utf-8"), ".txt");
        assert_eq!(extension_for("application/x-own"), "");
    }
}
