//! Arguments that say who is calling: which they are, what they become, and how they disappear from
//! the schema that a model sees.
//!
//! What the model wrote under such a name never reaches the server. Where a schema cannot be
//! followed to its end, or there is none, the argument is replaced as soon as it is there: somebody
//! may believe it.

use resultant::{Json, Object};
use serde_json::Value;

use super::{Refused, places::Places};
use crate::{
    caller::Caller,
    config::{Fact, Inject},
};

/// References and compositions inside each other that are followed to hide an argument.
const DEPTH_MAX: usize = 16;
/// Schemas that are looked at to hide an argument.
const STEPS_MAX: usize = 256;
/// Bytes of schemas that take a reference's place.
const COPIED_BYTES_MAX: usize = 2 << 20;

/// An argument of one tool that says who is calling.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Param {
    pub(crate) name: String,
    fact: Fact,
    /// Whether the tool's schema has it; otherwise it may have it.
    is_declared: bool,
}

/// The arguments of a tool that say who is calling, if it is told.
pub(super) fn params_of(schema: Option<&Json>, inject: &Inject) -> Vec<Param> {
    let wanted = match inject {
        Inject::ByMode => vec![("username".to_owned(), Fact::Username)],
        Inject::Named(named) => named.clone(),
    };
    // Most schemas need no second look.
    let may_matter = schema.is_none_or(|schema| {
        let text = schema.as_text();
        let is_elsewhere = text.contains("\"$ref\"") || text.contains("Ref\"");
        is_elsewhere || text.contains('\\') || wanted.iter().any(|(name, _)| text.contains(name))
    });
    if wanted.is_empty() || !may_matter {
        return Vec::new();
    }
    let tree = schema.map_or(Value::Null, Json::to_value);
    let places = Places::of(&tree);
    let top = places.top();
    let is_unknown = schema.is_none() || places.is_partial();
    let declares = |name: &str| {
        let mut properties = top.iter().filter_map(|schema| schema.get("properties"));
        properties.any(|properties| properties.get(name).is_some())
    };
    wanted
        .into_iter()
        .map(|(name, fact)| Param { is_declared: declares(&name), name, fact })
        .filter(|param| param.is_declared || is_unknown)
        .collect()
}

/// Whether arguments are told who is calling.
pub(super) fn is_on(inject: &Inject, users_authenticate: bool) -> bool {
    match inject {
        Inject::ByMode => users_authenticate,
        Inject::Named(_) => true,
    }
}

/// The values of these arguments. `is_there` says which of them the client sent.
pub(super) fn values<'a>(
    params: &'a [Param],
    caller: &Caller,
    users_authenticate: bool,
    is_there: impl Fn(&str) -> bool,
) -> Result<Vec<(&'a str, String)>, Refused> {
    let mut values = Vec::new();
    for param in params.iter().filter(|param| param.is_declared || is_there(&param.name)) {
        let user = &caller.user;
        if users_authenticate && !user.is_authenticated {
            return Err(Refused::new(format!(
                "the argument `{}` of this tool says who is calling, and nobody is signed in; \
                 nothing was sent",
                param.name
            )));
        }
        let value = match param.fact {
            Fact::Username => user.email.as_deref().or(Some(&user.name)),
            Fact::Email => user.email.as_deref(),
            Fact::Session => Some(&*caller.session),
        };
        let Some(value) = value.filter(|value| !value.is_empty()) else {
            let what = match param.fact {
                Fact::Username => "a name",
                Fact::Email => "an e-mail address",
                Fact::Session => "a session",
            };
            return Err(Refused::new(format!(
                "the argument `{}` of this tool is to be {what} of the caller, who has none; \
                 nothing was sent",
                param.name
            )));
        };
        values.push((param.name.as_str(), value.to_owned()));
    }
    Ok(values)
}

/// The schema without these arguments; everything else of it stays.
pub(super) fn without(schema: &Json, params: &[Param]) -> Json {
    let mut hiding = Hiding { root: schema, params, replaced: Vec::new(), steps: 0, copied: 0 };
    let Some(hidden) = hiding.hide(schema, 0) else { return schema.clone() };
    without_unused(hidden, &hiding.replaced)
}

struct Hiding<'a> {
    root: &'a Json,
    params: &'a [Param],
    /// References whose target stands in their place now.
    replaced: Vec<String>,
    steps: usize,
    copied: usize,
}

impl Hiding<'_> {
    fn is_hidden(&self, name: &str) -> bool {
        self.params.iter().any(|param| param.name == name)
    }

    /// The schema without the arguments; nothing where it has none of them.
    fn hide(&mut self, schema: &Json, depth: usize) -> Option<Json> {
        self.steps += 1;
        let is_too_much = self.steps > STEPS_MAX || self.copied > COPIED_BYTES_MAX;
        if depth > DEPTH_MAX || is_too_much || !schema.is_object() {
            return None;
        }
        let mut members = Object::of(schema);
        let mut is_changed = false;
        for key in ["properties", "dependentSchemas", "dependentRequired", "dependencies"] {
            is_changed |= self.hide_members(&mut members, key);
        }
        if let Some(required) = members.get("required").and_then(|names| self.shorter(names)) {
            // Older drafts want one at least.
            let is_empty = required.items().next().is_none();
            match is_empty {
                true => {
                    members.remove("required");
                }
                false => members.set("required", required),
            }
            is_changed = true;
        }
        for key in ["allOf", "anyOf", "oneOf"] {
            let Some(branches) = members.get(key).filter(|branches| branches.is_array()) else {
                continue;
            };
            let branches: Vec<Json> = branches.items().collect();
            let hidden: Vec<Option<Json>> =
                branches.iter().map(|branch| self.hide(branch, depth + 1)).collect();
            if hidden.iter().any(Option::is_some) {
                let branches = hidden.into_iter().zip(branches);
                let branches: Vec<Json> = branches.map(|(new, old)| new.unwrap_or(old)).collect();
                members.set(key, Json::array(&branches));
                is_changed = true;
            }
        }
        for key in ["if", "then", "else"] {
            let branch = members.get(key).cloned();
            if let Some(hidden) = branch.and_then(|branch| self.hide(&branch, depth + 1)) {
                members.set(key, hidden);
                is_changed = true;
            }
        }
        is_changed |= self.hide_behind_reference(&mut members, depth);
        is_changed.then(|| members.to_json())
    }

    /// Others may refer to the same, so the target stays and a copy takes the reference's place.
    fn hide_behind_reference(&mut self, members: &mut Object, depth: usize) -> bool {
        let reference = members.get("$ref").and_then(Json::as_str).map(|text| text.into_owned());
        let Some(reference) = reference else { return false };
        let target = self.resolve(&reference);
        let Some(hidden) = target.and_then(|target| self.hide(&target, depth + 1)) else {
            return false;
        };
        self.copied += hidden.as_text().len();
        members.remove("$ref");
        let mut all: Vec<Json> = members.get("allOf").iter().flat_map(|all| all.items()).collect();
        all.push(hidden);
        members.set("allOf", Json::array(&all));
        self.replaced.push(reference);
        true
    }

    fn resolve(&self, reference: &str) -> Option<Json> {
        let pointer = super::percent_decoded(reference.strip_prefix("#/")?)?;
        let mut here = self.root.clone();
        for step in pointer.split('/') {
            let step = step.replace("~1", "/").replace("~0", "~");
            here = match here.is_array() {
                true => here.items().nth(step.parse().ok()?)?,
                false => here.get(&step)?,
            };
        }
        Some(here)
    }

    fn hide_members(&self, members: &mut Object, key: &str) -> bool {
        let Some(inner) = members.get(key).filter(|inner| inner.is_object()) else { return false };
        let mut inner = Object::of(inner);
        let mut is_changed = false;
        for param in self.params {
            is_changed |= inner.remove(&param.name).is_some();
        }
        if key != "properties" {
            let lists: Vec<(String, Json)> = inner
                .iter()
                .filter_map(|(name, names)| Some((name.to_owned(), self.shorter(names)?)))
                .collect();
            for (name, names) in lists {
                inner.set(&name, names);
                is_changed = true;
            }
        }
        if is_changed {
            members.set(key, inner.to_json());
        }
        is_changed
    }

    /// A list of names without the arguments; nothing where it has none of them.
    fn shorter(&self, names: &Json) -> Option<Json> {
        let all: Vec<Json> = names.items().collect();
        let is_kept = |name: &&Json| !name.as_str().is_some_and(|name| self.is_hidden(&name));
        let kept: Vec<&Json> = all.iter().filter(is_kept).collect();
        (kept.len() < all.len()).then(|| Json::array(kept))
    }
}

/// A definition that nobody refers to any more would still show what was hidden.
fn without_unused(schema: Json, replaced: &[String]) -> Json {
    let mut members = Object::of(&schema);
    let mut is_changed = false;
    for reference in replaced {
        let mut steps = reference.split('/').skip(1);
        let (Some(key), Some(name), None) = (steps.next(), steps.next(), steps.next()) else {
            continue;
        };
        let is_used = members.to_json().as_text().contains(Json::string(reference).as_text());
        let name = super::percent_decoded(name).unwrap_or_default();
        let name = name.replace("~1", "/").replace("~0", "~");
        if is_used || !matches!(key, "$defs" | "definitions") {
            continue;
        }
        let mut definitions = members.get(key).map(Object::of).unwrap_or_default();
        if definitions.remove(&name).is_none() {
            continue;
        }
        is_changed = true;
        match definitions.is_empty() {
            true => {
                members.remove(key);
            }
            false => members.set(key, definitions.to_json()),
        }
    }
    if is_changed { members.to_json() } else { schema }
}

#[cfg(test)]
mod tests;
