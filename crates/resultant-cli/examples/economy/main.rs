//! What a small prompt costs in right answers: seven tasks with public servers, straight, through
//! Resultant, and through what hosts do today.
//!
//! ```text
//! economy --resultant PROGRAM --reference-servers FOLDER [--git PYTHON] [--sqlite PYTHON]
//!         [--seed N] [--small] [--only B1,B2] [--json] [--story]
//! ```
//!
//! The data are made from the seed. A scripted agent, the same on each route, sees what a model
//! would see and must give the exact answer with at most three further calls. Tokens are counted
//! by a real tokenizer. The exit code is 1 when an answer is wrong or a goal is missed.
//! `cargo xtask bench --economy` installs the servers, builds and starts this.

#[path = "../../tests/support/mcp.rs"]
mod mcp;

mod agent;
mod data;
mod goals;
mod hosts;
mod servers;
mod setup;
mod table;
mod tasks;
mod tokens;
mod views;

use std::process::ExitCode;

use anyhow::Context as _;
use serde_json::Value;

use crate::{
    data::Data,
    goals::Goal,
    setup::Setup,
    tasks::{Row, Task, handover, reading, small},
    views::Kind,
};

fn main() -> anyhow::Result<ExitCode> {
    let setup = Setup::parse()?;
    let folder = tempfile::tempdir()?;
    // The servers compare real paths.
    let place = folder.path().canonicalize()?;
    let data = Data::make(setup.seed, &place).context("making the data")?;

    let mut rows = Vec::new();
    let mut controls = Vec::new();
    for mut task in tasks::large(&data) {
        let is_there = task.steps.iter().all(|step| setup.programs.has(step.server));
        if !setup.wants(task.id) || !is_there {
            continue;
        }
        eprintln!("{} {}", task.id, task.title);
        let direct = reading::direct(&setup.programs, &data, &mut task)
            .with_context(|| format!("{} without Resultant", task.id))?;
        for kind in Kind::ALL {
            rows.push(reading::row(&setup.programs, &data, &task, &direct, kind)?);
        }
        controls.push(falsified(&task, &direct));
        if task.id == "B1" {
            controls.push(misled(&setup, &data, &task));
        }
    }
    if setup.wants("B6") {
        eprintln!("B6 small");
        let servers = setup.servers();
        rows.extend(small::rows(&setup.programs, &data, &servers)?);
    }
    if setup.wants("B7") {
        eprintln!("B7 hand-over");
        rows.extend(handover::rows(&setup.programs, &data)?);
    }
    let mut goals = goals::goals(&rows);
    goals.extend(controls);
    let about = setup.about(&data)?;
    print(&setup, &rows, &goals, &about);
    let is_good = goals.iter().all(|goal| goal.is_met);
    Ok(if is_good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// A control: what is right is told to be something else, so that the answer must be wrong.
fn falsified(task: &Task, direct: &reading::Direct) -> Goal {
    let mut task = task.clone();
    for (_, right) in task.steps.iter_mut().flat_map(|step| &mut step.questions) {
        right.push('0');
    }
    let attempts = Kind::ALL.map(|kind| reading::straight(&task, direct, kind));
    Goal {
        text: format!("control: {} with false answers is wrong", task.id),
        found: format!("{} of {} wrong", attempts.iter().filter(|a| !a.right).count(), 3),
        is_met: attempts.iter().all(|attempt| !attempt.right),
    }
}

/// A control: an agent that is told the wrong name of a file must fail.
fn misled(setup: &Setup, data: &Data, task: &Task) -> Goal {
    let failed = tempfile::tempdir().map_err(anyhow::Error::from).and_then(|folder| {
        reading::misled(&setup.programs, data, task, Kind::Content, folder.path())
    });
    Goal {
        text: format!("control: {} with the wrong name of a file fails", task.id),
        found: match &failed {
            Ok(true) => "it fails".to_owned(),
            Ok(false) => "it is right all the same".to_owned(),
            Err(error) => format!("{error:#}"),
        },
        is_met: failed.is_ok_and(|failed| failed),
    }
}

fn print(setup: &Setup, rows: &[Row], goals: &[Goal], about: &Value) {
    if setup.story {
        for row in rows {
            println!("--- {} {}, {}", row.id, row.title, row.client);
            for line in &row.ours.story {
                println!("{line}");
            }
        }
    }
    if setup.json {
        println!("{}", table::json(rows, goals, about));
        return;
    }
    println!("\n{about}\n");
    println!("{}", table::text(rows));
    println!("{}", table::markdown(rows));
    for row in rows {
        for wrong in row.ours.wrong.iter().take(5) {
            println!("{} {}, {}: {wrong}", row.id, row.title, row.client);
        }
    }
    println!();
    for Goal { text, found, is_met } in goals {
        println!("{}  {text}: {found}", if *is_met { "met    " } else { "MISSED " });
    }
}
