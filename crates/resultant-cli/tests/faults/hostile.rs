//! The misbehaving server, a gateway in front of it, and how a call is to end.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::OnceLock,
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::mcp::{Client, Gateway, Identity, LEGACY, Message, PATIENCE};

pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_resultant");

/// The server's program. It is an example of another package, which cargo does not build for this
/// test alone; as it needs the standard library only, the compiler is enough.
pub(crate) fn hostile_server() -> &'static Path {
    static BUILT: OnceLock<(TempDir, PathBuf)> = OnceLock::new();
    let (_, program) = BUILT.get_or_init(|| {
        let folder = TempDir::new().expect("a folder");
        let program = folder.path().join("hostile_server");
        let source = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../resultant-gateway/examples/hostile_server/main.rs");
        let built = Command::new("rustc")
            .args(["--edition", "2024", "-C", "opt-level=1", "-o"])
            .arg(&program)
            .arg(source)
            .status();
        assert!(built.expect("rustc").success(), "the server does not compile");
        (folder, program)
    });
    program
}

/// A gateway before servers that misbehave.
pub(crate) struct Bench {
    pub(crate) gateway: Gateway,
    pub(crate) folder: TempDir,
}

impl Bench {
    /// One server, `hostile`, with these arguments; settings go under `resultant`.
    pub(crate) fn new(arguments: &[&str], settings: &Value) -> Bench {
        Bench::of(&[("hostile", arguments)], settings, &[])
    }

    pub(crate) fn of(servers: &[(&str, &[&str])], settings: &Value, env: &[(&str, &str)]) -> Bench {
        let folder = TempDir::new().expect("a folder");
        let config = config(folder.path(), servers, settings, env);
        let gateway = Gateway::start(PROGRAM, &config, folder.path()).expect("a gateway");
        Bench { gateway, folder }
    }

    pub(crate) fn client(&self) -> Client {
        self.client_as(&Identity::plain(LEGACY))
    }

    pub(crate) fn client_as(&self, identity: &Identity) -> Client {
        Client::http(&self.gateway.server("hostile"), identity).expect("a session")
    }

    /// What the servers noted: `start PID`, `call TOOL`.
    pub(crate) fn notes(&self, what: &str) -> Vec<String> {
        notes(self.folder.path(), what)
    }

    /// How often a tool was called.
    pub(crate) fn calls(&self, tool: &str) -> usize {
        self.notes("call").iter().filter(|called| *called == tool).count()
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// Files that are being written.
    pub(crate) fn incoming(&self) -> Vec<String> {
        let entries = fs::read_dir(self.data().join("incoming")).expect("the data folder");
        entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
    }

    /// Ends the gateway as a service manager does, and looks at what is left.
    pub(crate) fn finish(mut self) {
        wait_until("nothing is being written any more", || self.incoming().is_empty());
        let log = self.gateway.log();
        assert!(!log.contains("panicked"), "{log}");
        let status = self.gateway.stop().expect("it ends");
        assert!(status.success(), "{status}: {}", self.gateway.log());
        self.nothing_is_left();
    }

    /// No server that was started is there any more.
    pub(crate) fn nothing_is_left(&self) {
        for pid in self.notes("start") {
            wait_until(&format!("server {pid} has gone"), || !is_running(&pid));
        }
    }
}

pub(crate) fn notes(folder: &Path, what: &str) -> Vec<String> {
    let text = fs::read_to_string(folder.join("hostile.log")).unwrap_or_default();
    let of = |line: &str| Some(line.strip_prefix(what)?.strip_prefix(' ')?.to_owned());
    text.lines().filter_map(of).collect()
}

pub(crate) fn config(
    folder: &Path,
    servers: &[(&str, &[&str])],
    settings: &Value,
    env: &[(&str, &str)],
) -> Value {
    let mut entries = serde_json::Map::new();
    for (name, arguments) in servers {
        let mut environment = json!({"HOSTILE_LOG": folder.join("hostile.log")});
        for (key, value) in env {
            environment[*key] = json!(value);
        }
        let (command, arguments) = match arguments {
            // A shell that ignores the signal and becomes the server, which then does too.
            ["ignore-term", rest @ ..] => {
                let server = hostile_server().display();
                let script = format!("trap '' TERM; exec '{server}' {}", rest.join(" "));
                (json!("sh"), json!(["-c", script]))
            }
            arguments => (json!(hostile_server()), json!(arguments)),
        };
        let entry = json!({"command": command, "args": arguments, "env": environment});
        entries.insert((*name).to_owned(), entry);
    }
    json!({"mcpServers": entries, "resultant": settings})
}

/// Whether a process is there and not only waiting to be buried.
pub(crate) fn is_running(pid: &str) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let state = stat.rsplit_once(") ").map(|(_, rest)| rest.starts_with('Z'));
    state == Some(false)
}

/// Waits for something that must come about.
pub(crate) fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let end = Instant::now() + PATIENCE / 4;
    while !is_so() {
        assert!(Instant::now() < end, "still not: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// A number of kilobytes that the system knows of a process, such as `VmRSS`.
pub(crate) fn memory_kb(pid: u32, key: &str) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).expect("a status");
    let line = status.lines().find_map(|line| line.strip_prefix(key)).expect("the number");
    line.trim_matches(|c: char| !c.is_ascii_digit()).parse().expect("a number")
}

/// The result of an answer.
pub(crate) fn result(answer: &Message) -> Value {
    assert!(answer.result().is_some(), "no result: {}", head(answer));
    serde_json::from_str(answer.result().unwrap_or_default()).expect("JSON")
}

pub(crate) fn head(answer: &Message) -> String {
    answer.text().chars().take(600).collect()
}

/// All text of a result.
pub(crate) fn text(result: &Value) -> String {
    let blocks = result["content"].as_array().map(Vec::as_slice).unwrap_or_default();
    let texts: Vec<&str> = blocks.iter().filter_map(|block| block["text"].as_str()).collect();
    texts.join("\n")
}

pub(crate) fn call(client: &Client, tool: &str, arguments: &Value) -> Value {
    result(&client.call(tool, arguments).expect(tool))
}

/// A call that must succeed, and its text.
pub(crate) fn succeed(client: &Client, tool: &str, arguments: &Value) -> String {
    let result = call(client, tool, arguments);
    assert_ne!(result["isError"], json!(true), "{tool}: {result}");
    text(&result)
}

/// A call that must fail with a result that says all of these.
pub(crate) fn fail(client: &Client, tool: &str, arguments: &Value, words: &[&str]) {
    let result = call(client, tool, arguments);
    assert_eq!(result["isError"], json!(true), "{tool}: {result}");
    let text = text(&result);
    for word in words {
        assert!(text.contains(word), "{tool} does not say `{word}`: {text}");
    }
}

/// The connection carries an ordinary call, and its own answer.
pub(crate) fn alive(client: &Client) {
    use std::sync::atomic::{AtomicU32, Ordering};
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let word = format!("word {}", NEXT.fetch_add(1, Ordering::Relaxed));
    assert_eq!(succeed(client, "echo", &json!({"say": word})), word);
}
