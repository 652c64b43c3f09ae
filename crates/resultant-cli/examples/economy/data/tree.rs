//! A directory tree with documents, and with names that only look like documents.

use std::{fs, path::Path};

use anyhow::Context as _;

use super::{Rng, write};

const FOLDERS: usize = 90;

pub(crate) struct Tree {
    pub(crate) path: String,
    /// How many files have names that end in `.md`.
    pub(crate) documents: usize,
}

impl Tree {
    pub(super) fn make(rng: &mut Rng, folder: &Path) -> anyhow::Result<Self> {
        let root = folder.join("tree");
        let mut folders = vec![root.clone()];
        let mut documents = 0;
        for at in 0..FOLDERS {
            let parent = folders[rng.below(folders.len())].clone();
            // A folder may be called like a document.
            let suffix = if rng.below(25) == 0 { ".md" } else { "" };
            let place = parent.join(format!("{}-{at}{suffix}", rng.word()));
            fs::create_dir_all(&place).with_context(|| place.display().to_string())?;
            for number in 0..rng.between(4, 18) {
                let ending =
                    rng.pick(&["md", "md", "py", "json", "txt", "mdx", "md.bak", "rs", "toml"]);
                documents += usize::from(ending == "md");
                let name = format!("{}-{number}.{ending}", rng.word());
                write(&place, &name, "")?;
            }
            folders.push(place);
        }
        Ok(Self { path: root.display().to_string(), documents })
    }
}
