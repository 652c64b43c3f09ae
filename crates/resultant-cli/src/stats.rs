//! `resultant stats`: what calls came to, from the records that are kept.

use std::{
    io::{self, Write as _},
    process::ExitCode,
};

use resultant_gateway::{CallFilter, Totals, TotalsBy, open_store};
use serde_json::{Value, json};

use crate::{
    args::{StatsArguments, StatsBy},
    serve::{block_on, start_log},
    source,
    terminal::printable,
};

/// The columns of the table beside the name.
const HEADERS: [&str; 6] = ["calls", "errors", "received", "given", "saved", "saved %"];

pub(crate) fn run(arguments: &StatsArguments) -> anyhow::Result<ExitCode> {
    start_log("warn");
    let config = source::load(&arguments.source)?;
    let (session, server) = (arguments.session.clone(), arguments.server.clone());
    let filter = CallFilter { session, server, tool: None };
    let by = match arguments.by {
        StatsBy::Server => TotalsBy::Server,
        StatsBy::Session => TotalsBy::Session,
    };
    let (rows, servers) = block_on(async {
        let store = open_store(&config).await?;
        let rows = store.totals(None, &filter, by).await;
        let servers = store.totals(None, &filter, TotalsBy::Server).await;
        store.close().await;
        anyhow::Ok((rows?, servers?))
    })??;
    let total = sum(&servers);
    let mut out = io::stdout().lock();
    match arguments.json {
        true => writeln!(out, "{}", document(&rows, &total, arguments.by))?,
        false => print(&mut out, &rows, &total, arguments.by)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn sum(rows: &[Totals]) -> Totals {
    let mut total = Totals { name: "total".to_owned(), ..Totals::default() };
    for row in rows {
        total.calls += row.calls;
        total.errors += row.errors;
        total.bytes_in += row.bytes_in;
        total.bytes_out += row.bytes_out;
        total.tokens_in += row.tokens_in;
        total.tokens_out += row.tokens_out;
    }
    total
}

fn saved(row: &Totals) -> i64 {
    let signed = |tokens: u64| i64::try_from(tokens).unwrap_or(i64::MAX);
    signed(row.tokens_in) - signed(row.tokens_out)
}

fn document(rows: &[Totals], total: &Totals, by: StatsBy) -> Value {
    let members = |row: &Totals| {
        json!({
            "name": row.name,
            "calls": row.calls,
            "errors": row.errors,
            "bytes_received": row.bytes_in,
            "bytes_given": row.bytes_out,
            "tokens_received": row.tokens_in,
            "tokens_given": row.tokens_out,
            "tokens_saved": saved(row),
        })
    };
    let key = match by {
        StatsBy::Server => "servers",
        StatsBy::Session => "sessions",
    };
    let mut total = members(total);
    if let Some(total) = total.as_object_mut() {
        total.remove("name");
    }
    json!({"total": total, key: rows.iter().map(members).collect::<Vec<_>>()})
}

fn print(out: &mut impl io::Write, rows: &[Totals], total: &Totals, by: StatsBy) -> io::Result<()> {
    if rows.is_empty() {
        return writeln!(out, "no calls are recorded");
    }
    let name = match by {
        StatsBy::Server => "server",
        StatsBy::Session => "session",
    };
    let mut lines = vec![(name.to_owned(), HEADERS.map(str::to_owned))];
    let all = rows.iter().chain((rows.len() > 1).then_some(total));
    lines.extend(all.map(|row| (printable(&row.name), cells(row))));
    let width = |cell: &String| cell.chars().count();
    let first = lines.iter().map(|(name, _)| width(name)).max().unwrap_or_default();
    let widths: Vec<usize> = (0..HEADERS.len())
        .map(|at| lines.iter().map(|(_, cells)| width(&cells[at])).max().unwrap_or_default())
        .collect();
    for (name, cells) in &lines {
        write!(out, "{name:first$}")?;
        for (cell, width) in cells.iter().zip(&widths) {
            write!(out, "  {cell:>width$}")?;
        }
        writeln!(out)?;
    }
    writeln!(out, "\nreceived, given and saved are tokens")
}

fn cells(row: &Totals) -> [String; HEADERS.len()] {
    let share = match row.tokens_in {
        0 => "-".to_owned(),
        received => format!("{:.1}", saved(row) as f64 * 100.0 / received as f64),
    };
    [
        grouped(row.calls),
        grouped(row.errors),
        grouped(row.tokens_in),
        grouped(row.tokens_out),
        match saved(row) {
            saved @ ..0 => format!("-{}", grouped(saved.unsigned_abs())),
            saved => grouped(saved.unsigned_abs()),
        },
        share,
    ]
}

/// A number with its digits in threes.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_reads_well() {
        let row = |name: &str, calls, tokens_in, tokens_out| Totals {
            name: name.to_owned(),
            calls,
            tokens_in,
            tokens_out,
            ..Totals::default()
        };
        let rows = [row("files\u{1b}", 12, 1_234_567, 1_234), row("resultant", 3, 0, 900)];
        let mut out = Vec::new();
        print(&mut out, &rows, &sum(&rows), StatsBy::Server).expect("memory does not fail");
        let expected = "\
server     calls  errors   received  given      saved  saved %
files\u{fffd}        12       0  1,234,567  1,234  1,233,333     99.9
resultant      3       0          0    900       -900        -
total         15       0  1,234,567  2,134  1,232,433     99.8

received, given and saved are tokens
";
        assert_eq!(String::from_utf8(out).expect("UTF-8"), expected);
    }
}
