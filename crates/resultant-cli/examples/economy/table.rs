//! The table, as text, as Markdown and as JSON.

use serde_json::{Value, json};

use crate::{
    goals::{Goal, fewer},
    hosts::Host,
    tasks::{Attempt, Row},
};

fn header() -> Vec<String> {
    let own = ["task", "client", "direct", "first view", "whole task", "calls", "fewer", "right"];
    let own = own.into_iter().map(str::to_owned);
    own.chain(Host::ALL.into_iter().map(|host| host.title().to_owned())).collect()
}

fn cells(row: &Row) -> Vec<String> {
    let ours = &row.ours;
    let mut first: Vec<String> = ours.firsts.iter().map(|count| grouped(*count)).collect();
    if ours.images > 0 {
        first.push(format!("{} image", ours.images));
    }
    let mut cells = vec![
        format!("{} {}", row.id, row.title),
        row.client.to_owned(),
        format!("{}, {}", grouped(row.direct.whole), yes(row.direct.right)),
        if first.is_empty() { "-".to_owned() } else { first.join(" + ") },
        grouped(ours.whole),
        ours.calls.to_string(),
        format!("{:.2} %", fewer(row)),
        yes(ours.right).to_owned(),
    ];
    for at in 0..Host::ALL.len() {
        cells.push(row.hosts.get(at).map_or("-".to_owned(), |host| {
            format!("{}, {}", grouped(host.whole), yes(host.right))
        }));
    }
    cells
}

fn yes(is_right: bool) -> &'static str {
    if is_right { "yes" } else { "no" }
}

/// With a comma between thousands.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

pub(crate) fn text(rows: &[Row]) -> String {
    let mut lines = vec![header()];
    lines.extend(rows.iter().map(cells));
    let widths: Vec<usize> = (0..lines[0].len())
        .map(|at| lines.iter().map(|line| line[at].chars().count()).max().unwrap_or(0))
        .collect();
    let mut text = String::new();
    for line in &lines {
        let cells = line.iter().zip(&widths).enumerate();
        let cells: Vec<String> = cells
            .map(
                |(at, (cell, width))| {
                    if at < 2 { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
                },
            )
            .collect();
        text.push_str(cells.join("  ").trim_end());
        text.push('\n');
    }
    text
}

pub(crate) fn markdown(rows: &[Row]) -> String {
    let header = header();
    let rule: Vec<&str> = (0..header.len()).map(|at| if at < 2 { "---" } else { "---:" }).collect();
    let mut text = format!("| {} |\n| {} |\n", header.join(" | "), rule.join(" | "));
    for row in rows {
        text.push_str(&format!("| {} |\n", cells(row).join(" | ")));
    }
    text
}

pub(crate) fn json(rows: &[Row], goals: &[Goal], about: &Value) -> Value {
    let attempt = |attempt: &Attempt| {
        json!({
            "first_view_tokens": attempt.firsts,
            "whole_task_tokens": attempt.whole,
            "further_calls": attempt.calls,
            "images": attempt.images,
            "right": attempt.right,
            "wrong": attempt.wrong,
        })
    };
    let rows: Vec<Value> = rows
        .iter()
        .map(|row| {
            let hosts = Host::ALL.iter().zip(&row.hosts);
            let hosts: serde_json::Map<String, Value> =
                hosts.map(|(host, of_host)| (host.title().to_owned(), attempt(of_host))).collect();
            json!({
                "task": row.id,
                "title": row.title,
                "client": row.client,
                "direct": attempt(&row.direct),
                "resultant": attempt(&row.ours),
                "hosts": hosts,
            })
        })
        .collect();
    let goals: Vec<Value> = goals
        .iter()
        .map(|goal| json!({"goal": goal.text, "found": goal.found, "met": goal.is_met}))
        .collect();
    json!({"about": about, "rows": rows, "goals": goals})
}
