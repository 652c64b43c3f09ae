//! Whether a result came through with its bytes.

use std::collections::BTreeMap;

use anyhow::{Context, ensure};
use serde_json::{Map, Value, value::RawValue};

use super::Message;

/// What 2026-07-28 adds to results, and to their `_meta`.
const ADDED: [&str; 3] = ["resultType", "ttlMs", "cacheScope"];
const ADDED_TO_META: &str = "io.modelcontextprotocol/serverInfo";

/// So many characters of an answer are shown when it is another than expected.
const SHOWN: usize = 600;

/// How two results are compared.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sameness {
    /// Byte for byte.
    Whole,
    /// Byte for byte in every member, apart from what 2026-07-28 adds: for when the two servers,
    /// or their clients, speak different eras.
    ApartFromEra,
}

/// The members of a result, each with its bytes, in order.
pub(crate) fn members(result: &str) -> anyhow::Result<Vec<(String, String)>> {
    let order: Map<String, Value> = serde_json::from_str(result)?;
    let raw: BTreeMap<String, &RawValue> = serde_json::from_str(result)?;
    let text = |name: &String| raw.get(name).map(|value| value.get().to_owned());
    order.keys().map(|name| Ok((name.clone(), text(name).context("a member")?))).collect()
}

/// The members that no era adds, by name: servers write theirs in different places.
fn without_additions(result: &str) -> anyhow::Result<BTreeMap<String, String>> {
    let mut kept: BTreeMap<String, String> = members(result)?.into_iter().collect();
    kept.retain(|name, _| !ADDED.contains(&name.as_str()));
    if let Some(meta) = kept.remove("_meta") {
        let mut meta = members(&meta)?;
        meta.retain(|(name, _)| name != ADDED_TO_META);
        for (name, value) in meta {
            kept.insert(format!("_meta/{name}"), value);
        }
    }
    Ok(kept)
}

/// Complains when the results, or the errors, are not the same.
pub(crate) fn compare(
    direct: &Message,
    through: &Message,
    sameness: Sameness,
) -> anyhow::Result<()> {
    let same = match (direct.result(), through.result()) {
        (Some(direct), Some(through)) => {
            direct == through
                || sameness == Sameness::ApartFromEra
                    && without_additions(direct)? == without_additions(through)?
        }
        _ => direct.error().is_some() && direct.error() == through.error(),
    };
    let head = |message: &Message| message.text().chars().take(SHOWN).collect::<String>();
    ensure!(same, "\n direct: {}\nthrough: {}", head(direct), head(through));
    Ok(())
}

/// Complains when a result lacks what the client's version requires, or has what it does not know.
pub(crate) fn check_era(answer: &Message, modern: bool) -> anyhow::Result<()> {
    let Some(result) = answer.result() else { return Ok(()) };
    let members = members(result)?;
    let has = |wanted: &str| members.iter().any(|(name, _)| name == wanted);
    ensure!(has("resultType") == modern, "resultType: {}", answer.text());
    Ok(())
}
