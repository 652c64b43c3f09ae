//! A report of 1.5 MB that is to be copied by two tools, with letters beyond ASCII.

use std::{fs, path::Path};

use super::{Rng, sha256, write};

const BYTES: usize = 1_500_000;

pub(crate) struct Text {
    pub(crate) path: String,
    pub(crate) sha256: String,
    /// The folder that the second server may write to, and the copy that is wanted there.
    pub(crate) target: String,
    pub(crate) copy: String,
}

impl Text {
    pub(super) fn make(rng: &mut Rng, folder: &Path) -> anyhow::Result<Self> {
        let mut text = String::new();
        while text.len() < BYTES {
            let words = rng.between(6, 14);
            for at in 0..words {
                text.push_str(if at == 0 { "" } else { " " });
                text.push_str(&rng.word());
            }
            text.push_str(rng.pick(&[".\n", ". – Größe \"0,5 µm\".\n", ";\n", ".\n\n"]));
        }
        let digest = sha256(text.as_bytes());
        let path = write(folder, "report.txt", &text)?;
        let target = folder.join("target");
        fs::create_dir_all(&target)?;
        let copy = target.join("copy.txt").display().to_string();
        Ok(Self { path, sha256: digest, target: target.display().to_string(), copy })
    }
}
