//! The shape of a JSON value: what is at each place, with the items of a list seen as one.
//!
//! One pass over the text, without recursion, and with a bound on the places that are told apart: a
//! million keys cost time, but no more memory than the first of them.

use std::collections::HashMap;

use super::{
    nodes::Nodes,
    tally::Tally,
    tokens::{Token, Tokens},
};
use crate::json::unescape;

/// Places beyond these are not told apart.
const SHAPES_MAX: usize = 2_000;
const FIELDS_MAX: usize = 200;
const DEPTH_MAX: usize = 12;
const KEY_BYTES_MAX: usize = 128;

/// What is at one place.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shape {
    pub(crate) tally: Tally,
    /// The members of the objects here: the key, and the place.
    pub(crate) fields: Vec<(String, usize)>,
    places: HashMap<String, usize>,
    /// The most members that an object here has.
    pub(crate) members_max: u64,
    /// Where the items of the lists here are.
    pub(crate) items: Option<usize>,
    /// The fewest and the most items of a list here.
    pub(crate) item_counts: Option<(u64, u64)>,
}

/// The shapes of a value's places; the first is the value itself.
#[derive(Clone, Debug)]
pub(crate) struct Outline {
    pub(crate) shapes: Vec<Shape>,
    /// Where the value is a tree.
    pub(crate) nodes: Option<Nodes>,
}

/// An open container.
struct Frame {
    shape: Option<usize>,
    is_object: bool,
    /// How many members or items came.
    count: u64,
    /// The shape of the member whose key came.
    member: Option<usize>,
}

impl Outline {
    pub(crate) fn of(text: &str) -> Outline {
        let mut outline = Outline { shapes: vec![Shape::default()], nodes: None };
        let mut nodes = Nodes::default();
        let mut frames: Vec<Frame> = Vec::new();
        for token in Tokens::of(text) {
            nodes.token(token);
            match token {
                Token::Key(key) => {
                    if let Some(frame) = frames.last_mut() {
                        let at = usize::try_from(frame.count).unwrap_or(usize::MAX);
                        frame.member = frame.shape.and_then(|shape| outline.field(shape, at, key));
                        frame.count += 1;
                    }
                }
                Token::Scalar(text) => {
                    if let Some(shape) = outline.place(&mut frames) {
                        tally_scalar(&mut outline.shapes[shape].tally, text);
                    }
                }
                Token::Object | Token::Array => {
                    let is_object = token == Token::Object;
                    let shape = outline.place(&mut frames);
                    if let Some(shape) = shape {
                        let tally = &mut outline.shapes[shape].tally;
                        if is_object { tally.object() } else { tally.list() }
                    }
                    let shape = shape.filter(|_| frames.len() < DEPTH_MAX);
                    frames.push(Frame { shape, is_object, count: 0, member: None });
                }
                Token::End => {
                    let Some(frame) = frames.pop() else { break };
                    let Some(shape) = frame.shape else { continue };
                    if frame.is_object {
                        let most = &mut outline.shapes[shape].members_max;
                        *most = frame.count.max(*most);
                    } else {
                        let counts = &mut outline.shapes[shape].item_counts;
                        let (low, high) = counts.unwrap_or((u64::MAX, 0));
                        *counts = Some((low.min(frame.count), high.max(frame.count)));
                    }
                }
            }
        }
        outline.nodes = nodes.is_tree().then_some(nodes);
        outline
    }

    pub(crate) fn root(&self) -> &Shape {
        &self.shapes[0]
    }

    /// The shape of the value that comes now.
    fn place(&mut self, frames: &mut [Frame]) -> Option<usize> {
        let Some(frame) = frames.last_mut() else { return Some(0) };
        if frame.is_object {
            return frame.member.take();
        }
        frame.count += 1;
        let list = frame.shape?;
        if self.shapes[list].items.is_none() {
            self.shapes[list].items = self.new_shape();
        }
        self.shapes[list].items
    }

    fn new_shape(&mut self) -> Option<usize> {
        let at = self.shapes.len();
        (at < SHAPES_MAX).then(|| {
            self.shapes.push(Shape::default());
            at
        })
    }

    /// The shape of a member. Most objects of a list have their keys in the same order, so the key
    /// that was at this place before is tried first.
    fn field(&mut self, object: usize, at: usize, key: &str) -> Option<usize> {
        let key = unescape(key);
        let shape = &self.shapes[object];
        if let Some((name, place)) = shape.fields.get(at)
            && *name == *key
        {
            return Some(*place);
        }
        if let Some(place) = shape.places.get(&*key) {
            return Some(*place);
        }
        if shape.fields.len() >= FIELDS_MAX || key.len() > KEY_BYTES_MAX {
            return None;
        }
        let place = self.new_shape()?;
        let shape = &mut self.shapes[object];
        shape.fields.push((key.clone().into_owned(), place));
        shape.places.insert(key.into_owned(), place);
        Some(place)
    }
}

fn tally_scalar(tally: &mut Tally, text: &str) {
    match text.as_bytes().first() {
        Some(b'"') => tally.text(&unescape(text)),
        Some(b't') => tally.bool(true),
        Some(b'f') => tally.bool(false),
        Some(b'n') | None => tally.null(),
        Some(_) => tally.number(text),
    }
}
