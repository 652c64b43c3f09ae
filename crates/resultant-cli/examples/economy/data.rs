//! The data of the tasks, made from a seed, and what is true of them.
//!
//! Each room makes its data and says the answers to the questions that are asked of it. Nothing
//! else in this program knows an answer: what the agent says is compared with what stands here.
//! Every room draws from a generator of its own, so that a change of one does not move the others.

pub(crate) mod graph;
pub(crate) mod log;
pub(crate) mod picture;
pub(crate) mod repository;
pub(crate) mod rows;
pub(crate) mod text;
pub(crate) mod tree;

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::Context as _;
use sha2::{Digest as _, Sha256};

/// Numbers that look random and follow from a seed: splitmix64, which is a few lines.
pub(crate) struct Rng(u64);

impl Rng {
    /// The generator of one room.
    pub(crate) fn new(seed: u64, room: &str) -> Self {
        let mixed = room.bytes().fold(seed ^ 0xcbf2_9ce4_8422_2325, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
        Self(mixed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }

    pub(crate) fn between(&mut self, from: usize, to: usize) -> usize {
        from + self.below(to - from + 1)
    }

    pub(crate) fn pick<'a>(&mut self, words: &[&'a str]) -> &'a str {
        words[self.below(words.len())]
    }

    /// A pronounceable word that is in no dictionary.
    pub(crate) fn word(&mut self) -> String {
        const STARTS: [&str; 14] =
            ["b", "d", "f", "g", "k", "l", "m", "n", "p", "r", "s", "t", "v", "z"];
        const MIDDLES: [&str; 5] = ["a", "e", "i", "o", "u"];
        let count = self.between(2, 3);
        let mut word = String::new();
        for _ in 0..count {
            word.push_str(self.pick(&STARTS));
            word.push_str(self.pick(&MIDDLES));
        }
        word.push_str(self.pick(&["l", "n", "r", "s", "x"]));
        word
    }

    /// Capital letters and digits, without those that look alike.
    pub(crate) fn code(&mut self, length: usize) -> String {
        const LETTERS: &[u8] = b"ABCDEFGHJKLMNPQRSTUVWXYZ23456789";
        (0..length).map(|_| char::from(LETTERS[self.below(LETTERS.len())])).collect()
    }

    pub(crate) fn bytes(&mut self, count: usize) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(count + 8);
        while bytes.len() < count {
            bytes.extend_from_slice(&self.next().to_le_bytes());
        }
        bytes.truncate(count);
        bytes
    }
}

/// A folder with all of it.
pub(crate) struct Data {
    pub(crate) folder: PathBuf,
    pub(crate) log: log::Log,
    pub(crate) rows: rows::Rows,
    pub(crate) repository: repository::Repository,
    pub(crate) picture: picture::Picture,
    pub(crate) graph: graph::Graph,
    pub(crate) tree: tree::Tree,
    pub(crate) text: text::Text,
}

impl Data {
    pub(crate) fn make(seed: u64, folder: &Path) -> anyhow::Result<Self> {
        Ok(Self {
            folder: folder.to_owned(),
            log: log::Log::make(&mut Rng::new(seed, "log"), folder)?,
            rows: rows::Rows::make(&mut Rng::new(seed, "rows"), folder),
            repository: repository::Repository::make(&mut Rng::new(seed, "repository"), folder)?,
            picture: picture::Picture::make(&mut Rng::new(seed, "picture"), folder)?,
            graph: graph::Graph::make(&mut Rng::new(seed, "graph"), folder)?,
            tree: tree::Tree::make(&mut Rng::new(seed, "tree"), folder)?,
            text: text::Text::make(&mut Rng::new(seed, "text"), folder)?,
        })
    }
}

/// Lower-case hexadecimal digits.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Writes a file and says where it is.
fn write(folder: &Path, name: &str, bytes: impl AsRef<[u8]>) -> anyhow::Result<String> {
    let path = folder.join(name);
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent).with_context(|| parent.display().to_string())?;
    }
    fs::write(&path, bytes).with_context(|| path.display().to_string())?;
    Ok(path.display().to_string())
}
