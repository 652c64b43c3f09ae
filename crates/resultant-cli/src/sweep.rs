//! `resultant sweep`: clears away what is too old, too much, or nobody's.

use std::{
    io::{self, Write as _},
    process::ExitCode,
};

use resultant_gateway::{Swept, open_store};
use serde_json::json;

use crate::{
    args::SweepArguments,
    serve::{block_on, start_log},
    source,
    terminal::size,
};

pub(crate) fn run(arguments: &SweepArguments) -> anyhow::Result<ExitCode> {
    start_log("warn");
    let config = source::load(&arguments.source)?;
    let mut retention = config.store.retention;
    if let Some(days) = arguments.files_days {
        retention.files_s = days.saturating_mul(86_400);
    }
    let swept = block_on(async {
        let store = open_store(&config).await?;
        let swept = store.sweep(&retention).await;
        store.close().await;
        anyhow::Ok(swept?)
    })??;
    let mut out = io::stdout().lock();
    match arguments.json {
        true => writeln!(out, "{}", document(&swept))?,
        false => print(&mut out, &swept)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// What was cleared away, each with its name.
fn counts(swept: &Swept) -> [(&'static str, u64); 8] {
    [
        ("files", swept.files),
        ("blobs", swept.blobs),
        ("objects", swept.objects),
        ("calls", swept.calls),
        ("events", swept.events),
        ("sessions", swept.sessions),
        ("tokens", swept.tokens),
        ("incoming", swept.incoming),
    ]
}

fn document(swept: &Swept) -> serde_json::Value {
    let mut document = json!({"bytes": swept.bytes});
    for (name, count) in counts(swept) {
        document[name] = json!(count);
    }
    document
}

fn print(out: &mut impl io::Write, swept: &Swept) -> io::Result<()> {
    let said: Vec<String> = counts(swept)
        .iter()
        .filter(|(_, count)| *count > 0)
        .map(|(name, count)| format!("{count} {name}"))
        .collect();
    match said.is_empty() {
        true => writeln!(out, "nothing to clear away"),
        false => writeln!(out, "cleared away {}; {} freed", said.join(", "), size(swept.bytes)),
    }
}
