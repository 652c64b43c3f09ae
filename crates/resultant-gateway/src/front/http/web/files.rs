//! The files of the page and of the sandbox: inside the program, or in a folder.
//!
//! The build script puts into the program what lies in `web/dist`. Whoever works on the page sets
//! `RESULTANT_WEB_DIST` to such a folder; it is then read at each request, and nothing has to be
//! compiled again.

use std::{
    hash::{DefaultHasher, Hasher as _},
    path::{Path, PathBuf},
    time::SystemTime,
};

use bytes::Bytes;

const FOLDER: &str = "RESULTANT_WEB_DIST";
/// So many characters of a file's digest are in its name.
const DIGEST_CHARS: usize = 8;

struct Embedded {
    path: &'static str,
    tag: &'static str,
    plain: &'static [u8],
    brotli: Option<&'static [u8]>,
}

static EMBEDDED: &[Embedded] = include!(concat!(env!("OUT_DIR"), "/page.rs"));

/// What a file is for: one of the two origins, or the page of the demo.
#[derive(Clone, Copy, Debug)]
pub(in crate::front::http) enum Part {
    Page,
    Sandbox,
    Demo,
}

impl Part {
    fn name(self) -> &'static str {
        match self {
            Part::Page => "page",
            Part::Sandbox => "sandbox",
            Part::Demo => "demo",
        }
    }
}

/// Whether the page of the demo is inside the program.
pub(in crate::front::http) fn has_demo() -> bool {
    EMBEDDED.iter().any(|file| file.path.starts_with("demo/"))
}

/// A file as it is given out.
pub(in crate::front::http) struct File {
    /// Its media type.
    pub(in crate::front::http) kind: &'static str,
    /// Another one when its bytes are others.
    pub(in crate::front::http) tag: String,
    /// Whether its name is another one, too.
    pub(in crate::front::http) is_immutable: bool,
    pub(in crate::front::http) plain: Bytes,
    pub(in crate::front::http) brotli: Option<Bytes>,
}

/// Where the files are.
#[derive(Clone, Debug)]
pub(in crate::front::http) struct Files {
    folder: Option<PathBuf>,
}

impl Files {
    pub(in crate::front::http) fn new() -> Files {
        Files { folder: std::env::var_os(FOLDER).map(PathBuf::from) }
    }

    /// Whether there is anything that shows content.
    pub(in crate::front::http) fn has_sandbox(&self) -> bool {
        self.folder.is_some() || EMBEDDED.iter().any(|file| file.path.starts_with("sandbox/"))
    }

    /// The file of this path, which a stranger may have written.
    pub(in crate::front::http) async fn find(&self, part: Part, path: &str) -> Option<File> {
        let is_plain = |step: &str| {
            let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.+~@".contains(&byte);
            !step.is_empty() && !step.starts_with('.') && step.bytes().all(is_part)
        };
        if !path.split('/').all(is_plain) || path.ends_with(".br") {
            return None;
        }
        match &self.folder {
            Some(folder) => read(&folder.join(part.name()).join(path), path).await,
            None => {
                let full = format!("{}/{path}", part.name());
                let at = EMBEDDED.binary_search_by(|file| file.path.cmp(&full)).ok()?;
                let Embedded { tag, plain, brotli, .. } = EMBEDDED.get(at)?;
                Some(File {
                    kind: kind(path),
                    tag: (*tag).to_owned(),
                    is_immutable: is_immutable(path),
                    plain: Bytes::from_static(plain),
                    brotli: brotli.map(Bytes::from_static),
                })
            }
        }
    }
}

async fn read(path: &Path, name: &str) -> Option<File> {
    let plain = tokio::fs::read(path).await.ok()?;
    let packed = PathBuf::from(format!("{}.br", path.display()));
    // One that is older is of other bytes.
    let brotli = match changed(&packed).await? >= changed(path).await? {
        true => tokio::fs::read(&packed).await.ok(),
        false => None,
    };
    let mut hasher = DefaultHasher::new();
    hasher.write(&plain);
    Some(File {
        kind: kind(name),
        tag: format!("{:016x}", hasher.finish()),
        is_immutable: is_immutable(name),
        plain: plain.into(),
        brotli: brotli.map(Bytes::from),
    })
}

/// When a file was written; one that is not there, never.
async fn changed(path: &Path) -> Option<SystemTime> {
    match tokio::fs::metadata(path).await {
        Ok(found) => found.modified().ok(),
        Err(_) => Some(SystemTime::UNIX_EPOCH),
    }
}

/// Whether a name has a digest of the content, as `index-BvAm7f-E.js` has.
fn is_immutable(path: &str) -> bool {
    let Some(name) = path.strip_prefix("assets/").filter(|name| !name.contains('/')) else {
        return false;
    };
    let Some((stem, _)) = name.split_once('.') else { return false };
    let Some(dash) = stem.len().checked_sub(DIGEST_CHARS + 1) else { return false };
    dash > 0 && stem.as_bytes().get(dash) == Some(&b'-')
}

fn kind(path: &str) -> &'static str {
    match path.rsplit_once('.').map_or("", |(_, extension)| extension) {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "json" | "map" => "application/json",
        "txt" => "text/plain; charset=utf-8",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "wasm" => "application/wasm",
        "woff2" => "font/woff2",
        "ttf" => "font/ttf",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_a_digest_last() {
        for (path, lasts) in [
            ("assets/index-BvAm7f-E.js", true),
            ("assets/pdf.worker-Abcdefgh.mjs", false),
            ("assets/pdf-Abcdefgh.worker.mjs", true),
            ("assets/index.js", false),
            ("assets/cmaps/Adobe-GB1-UCS2.bcmap", false),
            ("index-BvAm7f-E.js", false),
            ("assets/-BvAm7f-E.js", false),
        ] {
            assert_eq!(is_immutable(path), lasts, "{path}");
        }
    }

    #[test]
    fn what_is_inside_is_in_order() {
        assert!(EMBEDDED.is_sorted_by(|one, other| one.path < other.path));
    }

    #[tokio::test]
    async fn nothing_outside_of_the_folder_is_read() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("page/assets")).unwrap();
        for name in ["secret", "page/index.html", "page/assets/a.js", "page/.hidden"] {
            std::fs::write(folder.path().join(name), name).unwrap();
        }
        let files = Files { folder: Some(folder.path().to_owned()) };
        for path in ["index.html", "assets/a.js"] {
            assert!(files.find(Part::Page, path).await.is_some(), "{path}");
            assert!(files.find(Part::Sandbox, path).await.is_none(), "{path}");
        }
        for path in [
            "../secret",
            "assets/../../secret",
            "/etc/passwd",
            "",
            "assets",
            "assets/",
            ".hidden",
            "assets\\..\\..\\secret",
            "%2e%2e/secret",
            "./index.html",
            "a.js\0",
        ] {
            assert!(files.find(Part::Page, path).await.is_none(), "{path}");
        }
    }
}
