//! B6: thirty small calls, whose results come through byte for byte.
//!
//! Each server is spoken to in the newest version that it knows, so that nothing has to be bridged.

use std::fs;

use anyhow::Context as _;
use serde_json::{Value, json};

use super::{Attempt, Row};
use crate::{
    data::{Data, repository},
    mcp::Message,
    servers::{Programs, Server, result},
    views::Kind,
};

const COUNT: usize = 30;

struct Case {
    server: Server,
    tool: &'static str,
    arguments: Value,
}

fn cases(data: &Data, programs: &Programs, servers: &[Server]) -> anyhow::Result<Vec<Case>> {
    let folder = data.folder.join("small");
    fs::create_dir_all(folder.join("sub"))?;
    let file = |name: &str| folder.join(name).display().to_string();
    fs::write(file("a.txt"), "first\nsecond ä\nthird \"quoted\" \\ \u{2028}\n")?;
    fs::write(file("b.json"), "{\"n\": 1.50, \"n2\": 12345678901234567890}\n")?;
    fs::write(file("sub/c.txt"), "third file")?;
    // Written again by a call, with the same bytes: each client sees the same folder.
    fs::write(file("d.txt"), "again")?;
    let (folder, repo) = (folder.display().to_string(), &data.repository.path);
    let edit = json!([{"oldText": "second", "newText": "2nd"}]);
    let filesystem = vec![
        ("read_text_file", json!({"path": file("a.txt")})),
        ("read_text_file", json!({"path": file("a.txt"), "head": 1})),
        ("read_text_file", json!({"path": file("b.json")})),
        ("read_text_file", json!({"path": file("absent.txt")})),
        ("read_multiple_files", json!({"paths": [file("a.txt"), file("sub/c.txt")]})),
        ("list_directory", json!({"path": folder})),
        ("list_directory_with_sizes", json!({"path": folder, "sortBy": "size"})),
        ("directory_tree", json!({"path": folder})),
        ("search_files", json!({"path": folder, "pattern": "**/*.txt"})),
        ("edit_file", json!({"path": file("a.txt"), "edits": edit, "dryRun": true})),
        ("write_file", json!({"path": file("d.txt"), "content": "again"})),
        ("list_allowed_directories", json!({})),
    ];
    let git = vec![
        ("git_status", json!({"repo_path": repo})),
        ("git_log", json!({"repo_path": repo, "max_count": 3})),
        ("git_show", json!({"repo_path": repo, "revision": "HEAD"})),
        ("git_show", json!({"repo_path": repo, "revision": "absent"})),
        ("git_diff", json!({"repo_path": repo, "target": "HEAD~1"})),
        ("git_branch", json!({"repo_path": repo, "branch_type": "local"})),
        ("git_log", json!({"repo_path": repo, "max_count": "many"})),
        ("git_show", json!({"repo_path": repo, "revision": format!("{}:notes", repository::TAG)})),
    ];
    let everything = vec![
        ("echo", json!({"message": "hello"})),
        ("echo", json!({"message": "ä € 😀 \u{2028} \" \\ / \t \r\n"})),
        ("echo", json!({"message": "{\"results\": 1, \"n\": 12345678901234567890123}"})),
        ("echo", json!({})),
        ("get-sum", json!({"a": 0.1, "b": 0.2})),
        ("get-structured-content", json!({"location": "Chicago"})),
        ("get-annotated-message", json!({"messageType": "error"})),
        ("get-tiny-image", json!({})),
    ];
    let entity = &data.graph.entity;
    let memory = vec![
        ("open_nodes", json!({"names": [entity]})),
        ("search_nodes", json!({"query": data.graph.observation})),
        ("open_nodes", json!({"names": ["absent"]})),
    ];
    let sqlite = vec![
        ("list_tables", json!({})),
        ("describe_table", json!({"table_name": "orders"})),
        ("read_query", json!({"query": "SELECT COUNT(*) AS n, AVG(amount_cents) FROM orders"})),
        ("read_query", json!({"query": "SELECT * FROM absent"})),
    ];
    let all = [
        (Server::Filesystem, filesystem),
        (Server::Git, git),
        (Server::Everything, everything),
        (Server::Memory, memory),
        (Server::Sqlite, sqlite),
    ];
    let mut cases = Vec::new();
    for (server, calls) in all {
        if servers.contains(&server) && programs.has(server) {
            let case = |(tool, arguments)| Case { server, tool, arguments };
            cases.extend(calls.into_iter().map(case));
        }
    }
    // With fewer servers the first ones are asked again.
    let asked: Vec<(Server, &'static str, Value)> =
        cases.iter().map(|case| (case.server, case.tool, case.arguments.clone())).collect();
    for (server, tool, arguments) in
        asked.into_iter().cycle().take(COUNT.saturating_sub(cases.len()))
    {
        cases.push(Case { server, tool, arguments });
    }
    Ok(cases)
}

/// A row for each kind of client.
pub(crate) fn rows(
    programs: &Programs,
    data: &Data,
    servers: &[Server],
) -> anyhow::Result<Vec<Row>> {
    let cases = cases(data, programs, servers)?;
    let mut direct = Vec::new();
    for server in servers {
        let connection = programs.direct_as(&[*server], server.newest(), data)?;
        direct.push(answers(&cases, *server, &connection)?);
    }
    let mut rows = Vec::new();
    for kind in Kind::ALL {
        let mut row = Row {
            id: "B6",
            title: "small",
            client: kind.title(),
            direct: Attempt { right: true, ..Attempt::default() },
            ours: Attempt { right: true, ..Attempt::default() },
            hosts: Vec::new(),
        };
        for (server, direct) in servers.iter().zip(&direct) {
            let folder = tempfile::tempdir()?;
            let version = server.newest();
            let through = programs.through_as(&[*server], kind, version, data, folder.path())?;
            let through = answers(&cases, *server, &through)?;
            for ((tool, direct), (_, through)) in direct.iter().zip(&through) {
                row.direct.whole += tokens(direct, kind);
                row.ours.whole += tokens(through, kind);
                if (direct.result(), direct.error()) != (through.result(), through.error()) {
                    row.ours.right = false;
                    let head = |message: &Message| -> String {
                        message.text().chars().take(300).collect()
                    };
                    let (direct, through) = (head(direct), head(through));
                    row.ours.wrong.push(format!("{tool}: {direct} became {through}"));
                }
            }
        }
        rows.push(row);
    }
    Ok(rows)
}

fn answers(
    cases: &[Case],
    server: Server,
    connection: &crate::servers::Connection,
) -> anyhow::Result<Vec<(&'static str, Message)>> {
    let own = cases.iter().filter(|case| case.server == server);
    own.map(|case| {
        let answer = connection.call(Some(server), case.tool, &case.arguments);
        Ok((case.tool, answer.with_context(|| case.tool.to_owned())?))
    })
    .collect()
}

/// What a model sees of it; an error of the protocol as its text.
fn tokens(answer: &Message, kind: Kind) -> usize {
    match result(answer) {
        Ok(result) => kind.view(&result).tokens(),
        Err(_) => crate::tokens::count(answer.error().unwrap_or_default()),
    }
}
