//! B7: what one tool read, another writes, and the model never sees it.

use std::fs;

use serde_json::{Value, json};

use super::{Attempt, Row, reading::Tools};
use crate::{
    agent::Agent,
    data::{Data, sha256},
    hosts::Host,
    servers::{Connection, Programs, Server, result},
    views::{Kind, View},
};

const SERVERS: [Server; 2] = [Server::Filesystem, Server::Target];
const READ: &str = "read_text_file";
const WRITE: &str = "write_file";

/// A row for each kind of client.
pub(crate) fn rows(programs: &Programs, data: &Data) -> anyhow::Result<Vec<Row>> {
    let arguments = json!({"path": data.text.path});
    let direct = programs.direct(&SERVERS, data)?;
    let answer = result(&direct.call(Some(Server::Filesystem), READ, &arguments)?)?;
    let mut rows = Vec::new();
    for kind in Kind::ALL {
        let whole = kind.view(&answer);
        let tools = Tools { connection: &direct, kind };
        let straight = attempt(data, &arguments, &whole, &tools);
        let hosts = Host::ALL
            .into_iter()
            .map(|host| attempt(data, &arguments, &host.show(&whole).view, &tools));
        let hosts = hosts.collect();
        let folder = tempfile::tempdir()?;
        let ours = programs
            .through(&SERVERS, kind, data, folder.path())
            .and_then(|connection| through(data, &arguments, &connection, kind));
        rows.push(Row {
            id: "B7",
            title: "hand-over",
            client: kind.title(),
            direct: straight,
            ours: ours.unwrap_or_else(|error| Attempt::failed(&error)),
            hosts,
        });
    }
    Ok(rows)
}

fn through(
    data: &Data,
    arguments: &Value,
    connection: &Connection,
    kind: Kind,
) -> anyhow::Result<Attempt> {
    let answer = connection.call(Some(Server::Filesystem), READ, arguments)?;
    let view = kind.view(&result(&answer)?);
    Ok(attempt(data, arguments, &view, &Tools { connection, kind }))
}

/// From the sight of what was read to the copy.
fn attempt(data: &Data, arguments: &Value, view: &View, tools: &Tools<'_>) -> Attempt {
    let mut agent = Agent::new();
    agent.saw(READ, arguments, view);
    // A copy of an earlier attempt would be taken for this one's.
    let _ = fs::remove_file(&data.text.copy);
    let target = json!({"path": data.text.copy});
    let tried = agent.hand_over(tools, view, Server::Target, WRITE, &target, "content");
    let mut wrong = Vec::new();
    match fs::read(&data.text.copy) {
        Ok(copy) if sha256(&copy) == data.text.sha256 => {}
        Ok(copy) => wrong.push(format!("the copy is another text, of {} bytes", copy.len())),
        Err(_) if tried => wrong.push("there is no copy".to_owned()),
        Err(_) => wrong.push("not tried: only a part is in sight".to_owned()),
    }
    let Agent { tokens, images, calls, story, .. } = agent;
    let firsts = vec![view.tokens()];
    Attempt { firsts, whole: tokens, calls, images, right: wrong.is_empty(), wrong, story }
}
