//! B1 to B5: a large result, and questions about it.

use std::{collections::BTreeMap, path::Path, sync::LazyLock};

use anyhow::{Context as _, ensure};
use regex::Regex;
use serde_json::{Value, json};

use super::{Attempt, Kept, Row, Step, Task};
use crate::{
    agent::{Agent, Hands, sight::Sight},
    data::{Data, sha256},
    hosts::{self, Host, Shown},
    mcp::Message,
    servers::{Connection, Programs, Server, decoded, result},
    views::{Kind, View},
};

/// Hands that reach nothing.
struct Empty;

impl Hands for Empty {
    fn definition(&self, _tool: &str) -> Option<Value> {
        None
    }

    fn call(&self, _: Option<Server>, tool: &str, _: &Value) -> anyhow::Result<View> {
        anyhow::bail!("there is no tool {tool}")
    }
}

/// A client's own tool for the files that it keeps.
struct Pages(String);

impl Hands for Pages {
    fn definition(&self, tool: &str) -> Option<Value> {
        (tool == hosts::READ_FILE).then(|| json!({"name": tool}))
    }

    fn call(&self, _: Option<Server>, _: &str, arguments: &Value) -> anyhow::Result<View> {
        let from = arguments["offset"].as_u64().context("no offset")? as usize;
        let from = self.0.floor_char_boundary(from);
        let to = self.0.floor_char_boundary(from + hosts::PAGE_BYTES);
        Ok(View::of_text(self.0[from..to].to_owned(), 0))
    }
}

/// The tools of a connection, as a client of this kind shows their results.
pub(crate) struct Tools<'a> {
    pub(crate) connection: &'a Connection,
    pub(crate) kind: Kind,
}

impl Hands for Tools<'_> {
    fn definition(&self, tool: &str) -> Option<Value> {
        self.connection.definition(tool).cloned()
    }

    fn call(&self, server: Option<Server>, tool: &str, arguments: &Value) -> anyhow::Result<View> {
        let answer = self.connection.call(server, tool, arguments)?;
        Ok(self.kind.view(&result(&answer)?))
    }
}

/// The results of a task's calls, straight from the servers.
pub(crate) struct Direct {
    /// What each kind of client shows of them.
    views: BTreeMap<&'static str, Vec<View>>,
}

impl Direct {
    fn views(&self, kind: Kind) -> &[View] {
        self.views.get(kind.title()).map_or(&[], Vec::as_slice)
    }
}

/// Makes the calls, and fills in what only the servers can know.
pub(crate) fn direct(programs: &Programs, data: &Data, task: &mut Task) -> anyhow::Result<Direct> {
    let mut direct = Direct { views: BTreeMap::new() };
    let mut results = Vec::new();
    for step in &mut task.steps {
        let connection = programs.direct(&[step.server], data)?;
        if step.server == Server::Sqlite {
            for (tool, query) in
                [("create_table", &data.rows.create), ("write_query", &data.rows.insert)]
            {
                connection.call(Some(step.server), tool, &json!({"query": query}))?;
            }
        }
        let answer = connection.call(Some(step.server), step.tool, &step.arguments)?;
        let result = result(&answer)?;
        ensure!(result["isError"] != true, "{}: {result}", step.tool);
        if let Some(kept) = &mut step.kept {
            let block = &result["content"][0];
            let blob = block["data"].as_str().or(block["resource"]["blob"].as_str());
            let bytes = decoded(blob.context("no bytes")?)?;
            let digest = sha256(&bytes);
            let wanted = kept.sha256.get_or_insert_with(|| digest.clone());
            ensure!(*wanted == digest, "{}: the server sent other bytes", step.tool);
            for (_, right) in step.questions.iter_mut().filter(|(_, right)| right.is_empty()) {
                *right = bytes.len().to_string();
            }
        }
        results.push(result);
    }
    for kind in Kind::ALL {
        let views = results.iter().map(|result| kind.view(result)).collect();
        direct.views.insert(kind.title(), views);
    }
    Ok(direct)
}

/// All routes for one kind of client.
pub(crate) fn row(
    programs: &Programs,
    data: &Data,
    task: &Task,
    direct: &Direct,
    kind: Kind,
) -> anyhow::Result<Row> {
    let ours = through(programs, data, task, kind);
    Ok(Row {
        id: task.id,
        title: task.title,
        client: kind.title(),
        direct: straight(task, direct, kind),
        ours: ours.unwrap_or_else(|error| Attempt::failed(&error)),
        hosts: Host::ALL.into_iter().map(|host| in_host(task, direct, kind, host)).collect(),
    })
}

/// A model that gets all of it.
pub(crate) fn straight(task: &Task, direct: &Direct, kind: Kind) -> Attempt {
    let mut work = Work::new();
    for (step, view) in task.steps.iter().zip(direct.views(kind)) {
        work.step(step, view, &Empty);
    }
    work.done()
}

fn in_host(task: &Task, direct: &Direct, kind: Kind, host: Host) -> Attempt {
    let mut work = Work::new();
    for (step, whole) in task.steps.iter().zip(direct.views(kind)) {
        let Shown { view, file } = host.show(whole);
        match file {
            Some(text) => work.step(step, &view, &Pages(text)),
            None => work.step(step, &view, &Empty),
        }
    }
    work.done()
}

fn through(programs: &Programs, data: &Data, task: &Task, kind: Kind) -> anyhow::Result<Attempt> {
    let mut work = Work::new();
    for step in &task.steps {
        let folder = tempfile::tempdir()?;
        let connection = programs.through(&[step.server], kind, data, folder.path())?;
        let answer = connection.call(Some(step.server), step.tool, &step.arguments)?;
        let view = kind.view(&result(&answer)?);
        work.step(step, &view, &Tools { connection: &connection, kind });
        if let Some(complaint) = base64_in_text(&answer)? {
            work.wrong.push(complaint);
        }
        if let Some(kept) = &step.kept {
            let is_kept = is_kept(&connection, &view, kept);
            work.wrong.extend(is_kept.err().map(|error| format!("{error:#}")));
        }
    }
    Ok(work.done())
}

/// Whether an agent that is told the wrong name of a file fails, as it must.
pub(crate) fn misled(
    programs: &Programs,
    data: &Data,
    task: &Task,
    kind: Kind,
    folder: &Path,
) -> anyhow::Result<bool> {
    let step = task.steps.first().context("no step")?;
    let connection = programs.through(&[step.server], kind, data, folder)?;
    let answer = connection.call(Some(step.server), step.tool, &step.arguments)?;
    let told = kind.view(&result(&answer)?);
    let file = Sight::of(&told).file.context("the digest names no file")?;
    let mut view = View::default();
    view.lanes.extend(told.lanes.iter().map(|lane| lane.replace(&file, "elsewhere.txt")));
    let mut work = Work::new();
    work.step(step, &view, &Tools { connection: &connection, kind });
    Ok(!work.done().right)
}

/// A task in progress.
struct Work {
    agent: Agent,
    firsts: Vec<usize>,
    wrong: Vec<String>,
}

impl Work {
    fn new() -> Self {
        Self { agent: Agent::new(), firsts: Vec::new(), wrong: Vec::new() }
    }

    fn step(&mut self, step: &Step, view: &View, hands: &dyn Hands) {
        self.agent.saw(step.tool, &step.arguments, view);
        self.firsts.push(view.tokens());
        for (question, right) in &step.questions {
            match self.agent.answer(hands, question, view) {
                Some(answer) if answer == *right => {}
                Some(answer) => {
                    self.wrong.push(format!("{question:?}: '{answer}' instead of '{right}'"));
                }
                None => self.wrong.push(format!("{question:?}: no answer")),
            }
        }
    }

    fn done(self) -> Attempt {
        let Agent { tokens, images, calls, story, .. } = self.agent;
        Attempt {
            firsts: self.firsts,
            whole: tokens,
            calls,
            images,
            right: self.wrong.is_empty(),
            wrong: self.wrong,
            story,
        }
    }
}

/// The kept file has the bytes that the server sent, under the name that is in sight.
fn is_kept(
    connection: &Connection,
    view: &View,
    Kept { suffix, sha256: wanted }: &Kept,
) -> anyhow::Result<()> {
    let sight = Sight::of(view);
    let names = sight.files.iter().map(|(name, _)| name).chain(&sight.file);
    let mut names = names.filter(|name| name.ends_with(*suffix));
    let name = names.next().with_context(|| format!("no file *{suffix} is named"))?;
    let kept = sha256(&connection.read_file(name)?);
    ensure!(wanted.as_deref() == Some(&*kept), "{name} has other bytes than the source");
    Ok(())
}

/// A long run of base64 in the text of any lane, whoever sees it.
fn base64_in_text(answer: &Message) -> anyhow::Result<Option<String>> {
    static RUN: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new("[A-Za-z0-9+/]{200}").ok());
    let run = RUN.as_ref().context("the pattern")?;
    for lane in Kind::Both.view(&result(answer)?).lanes {
        if let Some(found) = run.find(&lane) {
            return Ok(Some(format!("base64 at byte {} of the text", found.start())));
        }
    }
    Ok(None)
}
