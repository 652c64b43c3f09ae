//! Which subschema applies through which, with every reference followed.
//!
//! The validator follows references by itself. This walk comes before it, to say no: to a reference
//! that leaves the document, to a circle that never comes to a smaller value, and to a schema that
//! is small to read and huge to follow.

use std::collections::{BTreeSet, HashMap};

use jsonschema::{Draft, Uri, uri};
use serde_json::{Map, Value};

use super::{
    SchemaError, SchemaLimits,
    keywords::{Applies, escape, subschemas},
};

/// The subschemas of a document.
pub(super) struct Graph {
    nodes: Vec<Node>,
    by_pointer: HashMap<String, usize>,
    /// Every node after those that apply to the same value through it.
    order: Vec<usize>,
    /// The pointers of the subschemas whose references are written from the root (`#`, `#/…`).
    pub(super) sites: BTreeSet<String>,
    /// Whether a `$recursiveRef` means the root.
    pub(super) has_recursive_ref: bool,
    /// The longest chain of subschemas that apply to one value.
    pub(super) chain: usize,
}

struct Node {
    pointer: String,
    /// What applies to the same value through it.
    same: Vec<usize>,
    /// Where its `$ref` leads.
    target: Option<usize>,
}

/// What a `$id` names: everything below it up to the next one.
struct Resource {
    uri: Uri<String>,
    pointer: String,
}

struct Reference {
    node: usize,
    resource: usize,
    keyword: &'static str,
    text: String,
}

struct Builder<'v> {
    document: &'v Value,
    draft: Draft,
    limits: &'v SchemaLimits,
    nodes: Vec<Node>,
    by_pointer: HashMap<String, usize>,
    /// The first is the document itself when nothing names it.
    resources: Vec<Resource>,
    /// The resources by their URI.
    names: HashMap<String, usize>,
    anchors: HashMap<(usize, String), usize>,
    dynamic_anchors: Vec<(String, usize)>,
    recursive_anchors: Vec<usize>,
    references: Vec<Reference>,
    sites: BTreeSet<String>,
    has_recursive_ref: bool,
}

impl Graph {
    pub(super) fn build(
        document: &Value,
        draft: Draft,
        limits: &SchemaLimits,
    ) -> Result<Graph, SchemaError> {
        let uri = uri::from_str("").map_err(|error| SchemaError::invalid("", &error))?;
        let root = Resource { uri, pointer: String::new() };
        let names = HashMap::from([(root.uri.as_str().to_owned(), 0)]);
        let mut builder = Builder {
            document,
            draft,
            limits,
            nodes: Vec::new(),
            by_pointer: HashMap::new(),
            resources: vec![root],
            names,
            anchors: HashMap::new(),
            dynamic_anchors: Vec::new(),
            recursive_anchors: Vec::new(),
            references: Vec::new(),
            sites: BTreeSet::new(),
            has_recursive_ref: false,
        };
        builder.discover(document, String::new(), 0)?;
        while let Some(reference) = builder.references.pop() {
            builder.follow(&reference)?;
        }
        let Builder { nodes, by_pointer, sites, has_recursive_ref, .. } = builder;
        let mut graph =
            Graph { order: order(&nodes)?, nodes, by_pointer, sites, has_recursive_ref, chain: 0 };
        graph.measure(limits)?;
        Ok(graph)
    }

    /// The pointers of all subschemas.
    pub(super) fn pointers(&self) -> impl Iterator<Item = &str> {
        self.nodes.iter().map(|node| node.pointer.as_str())
    }

    /// Where the `$ref` of this subschema leads.
    pub(super) fn target(&self, pointer: &str) -> Option<&str> {
        let target = self.nodes[*self.by_pointer.get(pointer)?].target?;
        Some(&self.nodes[target].pointer)
    }

    fn measure(&mut self, limits: &SchemaLimits) -> Result<(), SchemaError> {
        let mut chains = vec![0_usize; self.nodes.len()];
        let mut sizes = vec![0_u64; self.nodes.len()];
        for &index in &self.order {
            let node = &self.nodes[index];
            chains[index] = 1 + node.same.iter().map(|&next| chains[next]).max().unwrap_or(0);
            sizes[index] = sum(node.same.iter().map(|&next| sizes[next])).saturating_add(1);
            let pointer = || node.pointer.clone();
            if chains[index] > limits.chain_max {
                return Err(SchemaError::Chain { pointer: pointer(), max: limits.chain_max });
            }
            if sizes[index] > limits.subschemas_max as u64 {
                return Err(SchemaError::Expands {
                    pointer: pointer(),
                    max: limits.subschemas_max,
                });
            }
        }
        self.chain = chains.into_iter().max().unwrap_or(1);
        Ok(())
    }
}

impl<'v> Builder<'v> {
    /// Adds a schema and everything in it. Returns the node of the schema itself.
    fn discover(
        &mut self,
        value: &'v Value,
        pointer: String,
        resource: usize,
    ) -> Result<usize, SchemaError> {
        let first = self.nodes.len();
        let mut waiting = vec![(value, pointer, resource, None)];
        while let Some((value, pointer, resource, parent)) = waiting.pop() {
            let known = self.by_pointer.get(&pointer).copied();
            let index = match known {
                Some(index) => index,
                None => self.add(&pointer)?,
            };
            if let Some(parent) = parent {
                self.link(parent, index);
            }
            let Value::Object(object) = value else { continue };
            if known.is_some() {
                continue;
            }
            let resource = self.read_names(object, index, resource)?;
            self.read_references(object, index, resource);
            for (name, inner) in object {
                for (way, inner, applies) in subschemas(name, inner) {
                    let is_same = applies == Applies::Same && !self.is_only_ref(object);
                    let pointer = format!("{pointer}/{}{way}", escape(name));
                    waiting.push((inner, pointer, resource, is_same.then_some(index)));
                }
            }
        }
        Ok(first)
    }

    fn add(&mut self, pointer: &str) -> Result<usize, SchemaError> {
        let index = self.nodes.len();
        if index >= self.limits.subschemas_max {
            return Err(SchemaError::Subschemas { max: self.limits.subschemas_max });
        }
        self.nodes.push(Node { pointer: pointer.to_owned(), same: Vec::new(), target: None });
        self.by_pointer.insert(pointer.to_owned(), index);
        Ok(index)
    }

    fn link(&mut self, from: usize, to: usize) {
        self.nodes[from].same.push(to);
    }

    /// Up to draft 7 nothing counts beside a `$ref`.
    fn is_only_ref(&self, object: &Map<String, Value>) -> bool {
        self.draft <= Draft::Draft7 && object.get("$ref").is_some_and(Value::is_string)
    }

    /// Reads what a schema says about its own name. Returns the resource its content belongs to.
    fn read_names(
        &mut self,
        object: &Map<String, Value>,
        index: usize,
        resource: usize,
    ) -> Result<usize, SchemaError> {
        let text = |key: &str| object.get(key).and_then(Value::as_str);
        let pointer = self.nodes[index].pointer.clone();
        if let Some(dialect) = text("$schema")
            && Draft::from_schema_uri(dialect) != self.draft
        {
            return Err(SchemaError::Dialect { pointer, uri: shorten(dialect) });
        }
        if self.is_only_ref(object) {
            return Ok(resource);
        }
        let mut resource = resource;
        let id = text(self.draft.id_keyword()).unwrap_or_default();
        match id.strip_prefix('#') {
            // Up to draft 7 this spells an anchor. Some generators write a pointer, which names
            // nothing new.
            Some(name) if name.is_empty() || name.starts_with('/') => {}
            Some(name) => self.anchor(resource, name, index)?,
            None if id.is_empty() => {}
            None => resource = self.name(id, &pointer, resource)?,
        }
        if let Some(name) = text("$anchor") {
            self.anchor(resource, name, index)?;
        }
        if let Some(name) = text("$dynamicAnchor") {
            self.anchor(resource, name, index)?;
            self.dynamic_anchors.push((name.to_owned(), index));
        }
        if object.get("$recursiveAnchor").and_then(Value::as_bool) == Some(true) {
            self.recursive_anchors.push(index);
        }
        Ok(resource)
    }

    fn name(&mut self, id: &str, pointer: &str, parent: usize) -> Result<usize, SchemaError> {
        let base = &self.resources[parent].uri;
        let mut uri = uri::resolve_against(&base.borrow(), id)
            .map_err(|error| SchemaError::invalid(pointer, &error))?;
        uri.set_fragment(None);
        let index = self.resources.len();
        if self.names.insert(uri.as_str().to_owned(), index).is_some() {
            return Err(SchemaError::invalid(pointer, &"another subschema has the same name"));
        }
        self.resources.push(Resource { uri, pointer: pointer.to_owned() });
        Ok(index)
    }

    fn anchor(&mut self, resource: usize, name: &str, index: usize) -> Result<(), SchemaError> {
        match self.anchors.insert((resource, name.to_owned()), index) {
            Some(other) if other != index => {
                let pointer = &self.nodes[index].pointer;
                Err(SchemaError::invalid(pointer, &"another subschema has the same anchor"))
            }
            _ => Ok(()),
        }
    }

    fn read_references(&mut self, object: &Map<String, Value>, index: usize, resource: usize) {
        for keyword in ["$ref", "$dynamicRef", "$recursiveRef"] {
            let Some(text) = object.get(keyword).and_then(Value::as_str) else { continue };
            let unnamed = resource == 0;
            if keyword == "$recursiveRef" {
                self.has_recursive_ref |= unnamed;
            } else if unnamed && (text == "#" || text.starts_with("#/")) {
                self.sites.insert(self.nodes[index].pointer.clone());
            }
            let text = text.to_owned();
            self.references.push(Reference { node: index, resource, keyword, text });
            if self.is_only_ref(object) {
                break;
            }
        }
    }

    fn follow(&mut self, reference: &Reference) -> Result<(), SchemaError> {
        let Reference { node, keyword, ref text, .. } = *reference;
        let target = self.resolve(reference)?;
        self.link(node, target);
        match keyword {
            "$ref" => self.nodes[node].target = Some(target),
            "$dynamicRef" => {
                let name = text.rsplit_once('#').map_or("", |(_, name)| name);
                let anchors = self.dynamic_anchors.iter().filter(|(anchor, _)| anchor == name);
                let targets: Vec<usize> = anchors.map(|&(_, index)| index).collect();
                targets.into_iter().for_each(|target| self.link(node, target));
            }
            _ => {
                let targets = self.recursive_anchors.clone();
                targets.into_iter().for_each(|target| self.link(node, target));
            }
        }
        Ok(())
    }

    /// The node a reference leads to. A place the walk has not come to becomes one.
    fn resolve(&mut self, reference: &Reference) -> Result<usize, SchemaError> {
        let Reference { node, resource, ref text, .. } = *reference;
        let pointer = self.nodes[node].pointer.clone();
        let base = &self.resources[resource].uri;
        let full = uri::resolve_against(&base.borrow(), text)
            .map_err(|error| SchemaError::invalid(&pointer, &error))?;
        let (name, fragment) = full.as_str().split_once('#').unwrap_or((full.as_str(), ""));
        let Some(&found) = self.names.get(name) else {
            return Err(SchemaError::Outside { pointer, reference: shorten(text) });
        };
        let dangling = || SchemaError::Dangling { pointer, reference: shorten(text) };
        let fragment = percent_decoded(fragment).ok_or_else(dangling.clone())?;
        if !fragment.is_empty() && !fragment.starts_with('/') {
            return self.anchors.get(&(found, fragment)).copied().ok_or_else(dangling);
        }
        let place = format!("{}{fragment}", self.resources[found].pointer);
        if let Some(&known) = self.by_pointer.get(&place) {
            return Ok(known);
        }
        match self.document.pointer(&place) {
            Some(value @ (Value::Object(_) | Value::Bool(_))) => self.discover(value, place, found),
            _ => Err(dangling()),
        }
    }
}

/// Orders the nodes so that each comes after those that apply to the same value through it, or
/// finds a circle.
fn order(nodes: &[Node]) -> Result<Vec<usize>, SchemaError> {
    let mut above: Vec<Vec<usize>> = vec![Vec::new(); nodes.len()];
    let mut open: Vec<usize> = vec![0; nodes.len()];
    for (index, node) in nodes.iter().enumerate() {
        for &next in &node.same {
            above[next].push(index);
            open[index] += 1;
        }
    }
    let mut order: Vec<usize> = (0..nodes.len()).filter(|&index| open[index] == 0).collect();
    let mut at = 0;
    while let Some(&index) = order.get(at) {
        at += 1;
        for &parent in &above[index] {
            open[parent] -= 1;
            if open[parent] == 0 {
                order.push(parent);
            }
        }
    }
    let Some(mut index) = (0..nodes.len()).find(|&index| open[index] > 0) else { return Ok(order) };
    // Every node that is left leads to another one that is left: after so many steps we are in a
    // circle, not only before one.
    for _ in 0..nodes.len() {
        index = nodes[index].same.iter().copied().find(|&next| open[next] > 0).unwrap_or(index);
    }
    Err(SchemaError::Circle { pointer: nodes[index].pointer.clone() })
}

fn sum(values: impl Iterator<Item = u64>) -> u64 {
    values.fold(0, u64::saturating_add)
}

fn shorten(text: &str) -> String {
    super::capped(&text)
}

fn percent_decoded(text: &str) -> Option<String> {
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        out.push(match byte {
            b'%' => {
                let high = (bytes.next()? as char).to_digit(16)?;
                let low = (bytes.next()? as char).to_digit(16)?;
                (high * 16 + low) as u8
            }
            other => other,
        });
    }
    String::from_utf8(out).ok()
}
