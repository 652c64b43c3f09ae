//! Trees in JSON: objects that hold a list of others like them.

use std::collections::BTreeMap;

use super::tokens::Token;
use crate::json::unescape;

/// Members that hold what is below a node.
const BELOW: [&str; 5] = ["children", "contents", "entries", "nodes", "items"];
/// Of those, the ones that nothing but a tree has. The others make one where they are nested.
const CERTAIN: usize = 2;
/// Types and extensions beyond these are not told apart.
const WORDS_MAX: usize = 64;
const WORD_BYTES_MAX: usize = 32;

/// What a tree is made of.
#[derive(Clone, Debug, Default)]
pub(crate) struct Nodes {
    pub(crate) count: u64,
    pub(crate) depth: usize,
    pub(crate) types: BTreeMap<String, u64>,
    /// Of names of nodes that hold nothing.
    pub(crate) extensions: BTreeMap<String, u64>,
    /// A node holds others, and not only as a list holds its items.
    is_nested: bool,
    frames: Vec<Frame>,
    key: String,
}

#[derive(Clone, Debug, Default)]
struct Frame {
    is_object: bool,
    /// A list of nodes, or the outermost one.
    is_below: bool,
    is_node: bool,
    /// Another node holds it.
    is_held: bool,
    depth: usize,
    holds: bool,
    extension: Option<String>,
    kind: Option<String>,
}

impl Nodes {
    pub(super) fn token(&mut self, token: Token<'_>) {
        let parent = self.frames.last();
        let depth = parent.map_or(0, |parent| parent.depth);
        match token {
            Token::Key(key) => {
                self.key.clear();
                let key = unescape(key);
                self.key.push_str(&key[..key.floor_char_boundary(WORD_BYTES_MAX)]);
            }
            Token::Object => {
                let is_node = parent.is_none_or(|parent| parent.is_below);
                let is_held = parent.is_some_and(|parent| parent.is_held);
                let depth = depth + usize::from(is_node);
                let frame = Frame { is_object: true, is_node, is_held, depth, ..Frame::default() };
                self.frames.push(frame);
            }
            Token::Array => {
                let is_named = parent.is_some_and(|parent| parent.is_node)
                    && BELOW.contains(&self.key.as_str());
                let is_below = is_named || parent.is_none();
                if let Some(node) = self.frames.last_mut().filter(|_| is_named) {
                    node.holds = true;
                    self.is_nested |= node.is_held || BELOW[..CERTAIN].contains(&self.key.as_str());
                }
                let is_held = is_named;
                self.frames.push(Frame { is_below, is_held, depth, ..Frame::default() });
            }
            Token::Scalar(text) => self.scalar(text),
            Token::End => self.end(),
        }
    }

    fn scalar(&mut self, text: &str) {
        let key = self.key.as_str();
        let Some(node) = self.frames.last_mut().filter(|frame| frame.is_node) else { return };
        if !text.starts_with('"') || !node.is_object {
            return;
        }
        match key {
            "type" | "kind" => {
                let word = unescape(text);
                node.kind = (word.len() <= WORD_BYTES_MAX).then(|| word.into_owned());
            }
            "name" | "path" => {
                let name = unescape(text);
                node.extension = extension_of(&name).map(str::to_owned);
            }
            _ => {}
        }
    }

    fn end(&mut self) {
        let Some(frame) = self.frames.pop().filter(|frame| frame.is_node) else { return };
        self.count += 1;
        self.depth = self.depth.max(frame.depth);
        let mut add = |words: fn(&mut Nodes) -> &mut BTreeMap<String, u64>, word: String| {
            let words = words(self);
            if words.len() < WORDS_MAX || words.contains_key(&word) {
                *words.entry(word).or_default() += 1;
            }
        };
        if let Some(kind) = frame.kind {
            add(|nodes| &mut nodes.types, kind);
        }
        if let Some(extension) = frame.extension.filter(|_| !frame.holds) {
            add(|nodes| &mut nodes.extensions, extension);
        }
    }

    /// Whether this is a tree at all: somewhere a node holds others.
    pub(super) fn is_tree(&self) -> bool {
        self.is_nested && self.count > 2
    }
}

/// What comes after the last dot of a file's name.
pub(super) fn extension_of(name: &str) -> Option<&str> {
    let (stem, extension) = name.rsplit_once('.')?;
    let is_word = (1..=10).contains(&extension.len())
        && extension.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && !stem.is_empty();
    is_word.then_some(extension)
}
