//! A small MCP client over standard input and output: enough to list a server's tools and call
//! them. Answers are bytes; nothing here looks into a result.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    process::{Child, ChildStdin, Command, Stdio},
    sync::mpsc::{Receiver, RecvTimeoutError, channel},
    thread,
    time::{Duration, Instant},
};

use anyhow::Context as _;
use resultant::{Json, Object};

/// A longer line is not an answer that a check wants to read.
const LINE_BYTES_MAX: u64 = 256 << 20;
/// A server with more pages of tools than this is listing in circles.
const PAGES_MAX: usize = 100;

/// A server that was started, and the conversation with it.
pub(crate) struct Server {
    child: Child,
    input: ChildStdin,
    lines: Receiver<Vec<u8>>,
    timeout: Duration,
    next_id: u64,
    /// The version that was agreed on.
    pub(crate) protocol: String,
}

/// A tool as the server lists it.
pub(crate) struct Tool {
    pub(crate) name: String,
    pub(crate) output_schema: Option<Json>,
    pub(crate) needs_arguments: bool,
}

impl Server {
    /// Starts a server and greets it.
    pub(crate) fn start(command: &[String], timeout: Duration) -> anyhow::Result<Server> {
        let (program, rest) = command.split_first().context("no command to start")?;
        let mut child = Command::new(program)
            .args(rest)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .with_context(|| format!("cannot start `{program}`"))?;
        let input = child.stdin.take().context("the server has no standard input")?;
        let output = child.stdout.take().context("the server has no standard output")?;
        let (sender, lines) = channel();
        thread::spawn(move || {
            let mut reader = BufReader::new(output);
            loop {
                let mut line = Vec::new();
                match reader.by_ref().take(LINE_BYTES_MAX).read_until(b'\n', &mut line) {
                    Ok(read) if read > 0 && sender.send(line).is_ok() => {}
                    _ => return,
                }
            }
        });
        let mut server =
            Server { child, input, lines, timeout, next_id: 0, protocol: String::new() };
        server.greet()?;
        Ok(server)
    }

    fn greet(&mut self) -> anyhow::Result<()> {
        let parameters = format!(
            "{{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{{}},\
             \"clientInfo\":{{\"name\":\"resultant\",\"version\":\"{}\"}}}}",
            env!("CARGO_PKG_VERSION")
        );
        let result = self.request("initialize", &parameters)?.into_result("initialize")?;
        let version = result.get("protocolVersion");
        self.protocol =
            version.and_then(|version| version.as_str().map(Into::into)).unwrap_or_default();
        self.send("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}")
    }

    /// All tools, page by page.
    pub(crate) fn tools(&mut self) -> anyhow::Result<Vec<Tool>> {
        let mut tools = Vec::new();
        let mut parameters = "{}".to_owned();
        for _ in 0..PAGES_MAX {
            let page = self.request("tools/list", &parameters)?.into_result("tools/list")?;
            let listed = page.get("tools").context("the answer to tools/list has no tools")?;
            tools.extend(listed.items().filter_map(|tool| read_tool(&tool)));
            match page.get("nextCursor").filter(|cursor| !cursor.is_null()) {
                Some(cursor) => parameters = format!("{{\"cursor\":{cursor}}}"),
                None => return Ok(tools),
            }
        }
        anyhow::bail!("the server lists more than {PAGES_MAX} pages of tools")
    }

    /// Calls a tool and returns the whole response.
    pub(crate) fn call(&mut self, name: &str, arguments: &Json) -> anyhow::Result<Json> {
        let parameters = format!("{{\"name\":{},\"arguments\":{arguments}}}", Json::string(name));
        Ok(self.request("tools/call", &parameters)?.0)
    }

    fn request(&mut self, method: &str, parameters: &str) -> anyhow::Result<Response> {
        self.next_id += 1;
        let id = self.next_id;
        self.send(&format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"{method}\",\"params\":{parameters}}}"
        ))?;
        let deadline = Instant::now() + self.timeout;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let line = self.lines.recv_timeout(left).map_err(|error| match error {
                RecvTimeoutError::Timeout => {
                    anyhow::anyhow!(
                        "no answer to {method} in {} s: try --timeout",
                        self.timeout.as_secs()
                    )
                }
                RecvTimeoutError::Disconnected => {
                    anyhow::anyhow!("the server ended before it answered {method}")
                }
            })?;
            // Servers print other things too: a line that is no answer to this request is passed over.
            let Ok(json) = Json::parse(String::from_utf8_lossy(&line).into_owned()) else {
                continue;
            };
            let is_answer = json.get("id").is_some_and(|answered| answered.as_u64() == Some(id))
                && json.get("method").is_none();
            if is_answer {
                return Ok(Response(json));
            }
        }
    }

    fn send(&mut self, line: &str) -> anyhow::Result<()> {
        self.input
            .write_all(format!("{line}\n").as_bytes())
            .and_then(|()| self.input.flush())
            .context("the server does not take input any more")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // The server is ours; it may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A JSON-RPC response.
struct Response(Json);

impl Response {
    fn into_result(self, method: &str) -> anyhow::Result<Json> {
        let members = Object::of(&self.0);
        match (members.get("result"), members.get("error")) {
            (Some(result), None) => Ok(result.clone()),
            (_, Some(error)) => anyhow::bail!("the server refuses {method}: {error}"),
            (None, None) => anyhow::bail!("the answer to {method} has no result"),
        }
    }
}

fn read_tool(tool: &Json) -> Option<Tool> {
    let members = Object::of(tool);
    let name = members.get("name")?.as_str()?.into_owned();
    let required = members.get("inputSchema").and_then(|schema| schema.get("required"));
    Some(Tool {
        name,
        output_schema: members.get("outputSchema").cloned(),
        needs_arguments: required.is_some_and(|required| required.items().next().is_some()),
    })
}
