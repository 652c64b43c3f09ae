//! `tools`, `call` and `doctor` as people use them: the real command, real servers as processes.
#![expect(clippy::unwrap_used, reason = "a panic is a test's report")]

use std::{
    fs,
    io::{BufRead as _, BufReader, Write as _},
    net::TcpListener,
    path::Path,
    process::{Command, Output, Stdio},
};

use serde_json::{Value, json};
use tempfile::TempDir;

/// A folder of its own for each test: its configuration, its data, its home.
struct Place {
    folder: TempDir,
}

struct Ran {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

impl Place {
    fn new() -> Place {
        Place { folder: tempfile::tempdir().unwrap() }
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_resultant"));
        command
            .args(arguments)
            .current_dir(self.path())
            .env("HOME", self.path())
            .env("XDG_DATA_HOME", self.path().join("share"))
            .env("XDG_CONFIG_HOME", self.path().join("config"))
            .env_remove("RUST_LOG")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    fn run(&self, arguments: &[&str]) -> Ran {
        Ran::of(self.command(arguments).output().unwrap())
    }

    fn run_with_input(&self, arguments: &[&str], input: &str) -> Ran {
        let mut child = self.command(arguments).stdin(Stdio::piped()).spawn().unwrap();
        // A command that refuses its arguments does not read its input.
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        Ran::of(child.wait_with_output().unwrap())
    }

    /// The demo's tool with these arguments.
    fn call(&self, arguments: &[&str]) -> Ran {
        let all: Vec<&str> = ["call", "--demo"].iter().chain(arguments).copied().collect();
        self.run(&all)
    }

    fn configure(&self, servers: &Value) {
        let text = json!({"mcpServers": servers}).to_string();
        fs::write(self.path().join("resultant.json"), text).unwrap();
    }
}

impl Ran {
    fn of(output: Output) -> Ran {
        Ran {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    fn json(&self) -> Value {
        assert_eq!(self.code, Some(0), "{}", self.stderr);
        serde_json::from_str(&self.stdout).unwrap()
    }

    /// Nothing on standard output, this exit code, and these words on standard error.
    fn fails(&self, code: i32, words: &[&str]) {
        assert_eq!((self.code, self.stdout.as_str()), (Some(code), ""), "{}", self.stderr);
        for word in words {
            assert!(self.stderr.contains(word), "no {word:?} in {}", self.stderr);
        }
    }
}

fn demo() -> Value {
    json!({"command": env!("CARGO_BIN_EXE_resultant"), "args": ["demo-server"]})
}

fn shell(script: &str) -> Value {
    json!({"command": "sh", "args": ["-c", script],
        "resultant": {"timeouts": {"connect_seconds": 0.5}}})
}

/// The address of a port where nobody listens.
fn dead_url() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    format!("http://{}/mcp", listener.local_addr().unwrap())
}

#[test]
fn tools_are_listed_for_people_and_for_programs() {
    let place = Place::new();
    let ran = place.run(&["tools", "--demo"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let mut lines = ran.stdout.lines();
    let head = lines.next().unwrap();
    assert!(head.starts_with("demo: Resultant demo shop "), "{head}");
    assert!(head.contains(", protocol 2026-07-28, "), "{head}");
    let of_server = lines.by_ref().take_while(|line| !line.is_empty());
    let listed: Vec<&str> = of_server.map(|line| line.split_whitespace().next().unwrap()).collect();
    assert!(listed.contains(&"demo.sales_report"), "{listed:?}");
    // Below are the tools of the gateway itself.
    assert!(lines.next().unwrap().starts_with("resultant: "), "{}", ran.stdout);
    assert!(lines.next().unwrap().starts_with("  resultant.files_list "), "{}", ran.stdout);

    let document = place.run(&["tools", "--demo", "--json"]).json();
    let tools = document["servers"][0]["tools"].as_array().unwrap();
    let calls: Vec<&str> = tools.iter().map(|tool| tool["call"].as_str().unwrap()).collect();
    assert_eq!(calls, listed);
    assert!(tools.iter().all(|tool| tool["inputSchema"]["type"] == "object"));

    let command = ["tools", "--", env!("CARGO_BIN_EXE_resultant"), "demo-server"];
    let ran = place.run(&command);
    assert_eq!(ran.stdout.lines().count(), listed.len() + 1, "{}", ran.stdout);
    assert!(ran.stdout.contains("  resultant.echo "), "{}", ran.stdout);
}

#[test]
fn a_server_that_fails_does_not_hide_the_others() {
    let place = Place::new();
    let missing = json!({"command": "no-such-program"});
    place.configure(&json!({"shop": demo(), "missing": missing}));
    let ran = place.run(&["tools"]);
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    assert!(ran.stdout.contains("  shop.echo "), "{}", ran.stdout);
    assert!(ran.stdout.contains("missing: failed at start: "), "{}", ran.stdout);
    let document = place.run(&["tools", "--json", "missing"]);
    assert_eq!(document.code, Some(1));
    let document: Value = serde_json::from_str(&document.stdout).unwrap();
    assert_eq!(document["servers"][0]["failure"]["step"], "start");
    assert_eq!(document["servers"].as_array().unwrap().len(), 1);
    assert_eq!(place.run(&["tools", "shop"]).code, Some(0));
    place.run(&["tools", "shpo"]).fails(2, &["no server `shpo`", "did you mean `shop`?"]);
}

/// A server of a few lines, whose tools are wrong in every way that is repaired or left out.
const BROKEN: &str = r#"
while read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
  case $line in
  *'"initialize"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"broken","version":"1"}}}\n' "$id" ;;
  *'"tools/list"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"fine","description":"Fine\\u001b[31m.","inputSchema":{"type":"object"}},{"name":"bare"},{"description":"nameless"}]}}\n' "$id" ;;
  *'"id"'*) printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"unknown method"}}\n' "$id" ;;
  esac
done"#;

#[test]
fn broken_tools_are_named_with_what_is_wrong() {
    let place = Place::new();
    let mut broken = shell(BROKEN);
    broken.as_object_mut().unwrap().remove("resultant");
    place.configure(&json!({"broken": broken}));
    let ran = place.run(&["tools"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("  broken.fine  Fine\u{fffd}[31m."), "{}", ran.stdout);
    assert!(ran.stdout.contains("  repaired: bare: it has no input schema"), "{}", ran.stdout);
    assert!(ran.stdout.contains("  left out: : it has no name"), "{}", ran.stdout);
    let ran = place.run(&["doctor"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    assert!(
        ran.stdout.contains("  odd      tools          2 listed, 1 left out"),
        "{}",
        ran.stdout
    );
    assert!(ran.stdout.contains("broken 1, protocol 2025-06-18"), "{}", ran.stdout);
}

#[test]
fn a_call_is_written_for_every_audience() {
    let place = Place::new();
    let weather = json!({"station": "gull-rock", "celsius": 6.4, "wind_m_s": 4.7, "sky": "rain"});
    let call = |arguments: &[&str]| {
        let all = [&["demo.weather", "station=gull-rock"], arguments].concat();
        place.call(&all).json()
    };
    assert_eq!(call(&[]), json!({"results": weather}));
    assert_eq!(call(&["--to", "contract"]), json!({"results": weather}));
    assert_eq!(call(&["--to", "model"]), json!({"results": weather}));
    assert_eq!(call(&["--to", "envelope"])["data"], weather);
    assert_eq!(call(&["--to", "view"])["results"], weather);
    let client = call(&["--to", "client"]);
    assert_eq!(client["structuredContent"], weather);
    assert_eq!(client["resultType"], Value::Null);
    let modern = call(&["--to", "client", "--protocol", "2026-07-28"]);
    assert_eq!(
        (&modern["structuredContent"], &modern["resultType"]),
        (&weather, &json!("complete"))
    );
    // Only the newest version has results that are no objects.
    let stations = |protocol: &str| {
        let ran = place.call(&["demo.weather_stations", "--to", "client", "--protocol", protocol]);
        ran.json()["structuredContent"].clone()
    };
    assert!(stations("2026-07-28").is_array());
    assert_eq!(stations("2025-06-18"), json!({"result": stations("2026-07-28")}));
}

#[test]
fn arguments_come_as_json_from_a_file_from_a_pipe_or_in_pairs() {
    let place = Place::new();
    fs::write(place.path().join("hello.json"), r#"{"message": "from a file"}"#).unwrap();
    let said = |ran: &Ran| ran.json()["results"].clone();
    assert_eq!(said(&place.call(&["demo.echo", r#"{"message": "as JSON"}"#])), "as JSON");
    assert_eq!(said(&place.call(&["demo.echo", "@hello.json"])), "from a file");
    // The schema says that it is a text, whatever it looks like.
    assert_eq!(place.call(&["demo.echo", r#"{"message": 12}"#]).code, Some(1));
    assert_eq!(said(&place.call(&["demo.echo", "message=12"])), 12);
    let piped =
        place.run_with_input(&["call", "--demo", "demo.echo", "-"], r#"{"message": "piped"}"#);
    assert_eq!(said(&piped), "piped");
    place.call(&["demo.echo", "{"]).fails(2, &["is not JSON"]);
    place.call(&["demo.echo", "[]"]).fails(2, &["no JSON object"]);
    place.call(&["demo.echo", "hello"]).fails(2, &["KEY=VALUE"]);
    place.call(&["demo.echo", "@missing.json"]).fails(2, &["missing.json"]);
    place.call(&["demo.roast", "steps=many"]).fails(2, &["`steps` has to be a number"]);
}

#[test]
fn files_stay_in_the_data_folder_and_are_copied_where_they_are_wanted() {
    let place = Place::new();
    let ran = place.call(&["demo.sales_report"]);
    let artifacts = ran.json()["artifacts"].as_array().unwrap().len();
    let kept: Vec<&str> = ran.stderr.lines().filter(|line| line.starts_with("file ")).collect();
    assert_eq!(kept.len(), artifacts);
    let report =
        kept.iter().find(|line| line.starts_with("file report.html (text/html, ")).unwrap();
    let path = report.split_once("): ").unwrap().1;
    assert!(Path::new(path).starts_with(place.path().join("share")), "{path}");

    let ran = place.call(&["demo.sales_report", "--files", "out"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let copy = place.path().join("out/report.html");
    assert_eq!(fs::read(&copy).unwrap(), fs::read(path).unwrap());
    assert!(ran.stderr.contains("out/report.html"), "{}", ran.stderr);
    fs::write(&copy, "mine").unwrap();
    let ran = place.call(&["demo.sales_report", "--files", "out", "--explain"]);
    assert!(ran.stderr.contains("written as `report (2).html`"), "{}", ran.stderr);
    assert_eq!(fs::read_to_string(&copy).unwrap(), "mine");
    assert_eq!(place.call(&["demo.sales_report", "--quiet"]).stderr, "");
    // What the model is not given is a file, too.
    let ran = place.call(&["demo.web_log", "--to", "model", "--files", "log"]);
    assert!(ran.stdout.len() < 10_000, "{}", ran.stdout.len());
    let log: Vec<_> = fs::read_dir(place.path().join("log")).unwrap().collect();
    assert_eq!(log.len(), 1, "{}", ran.stderr);
    assert!(log[0].as_ref().unwrap().metadata().unwrap().len() > 100_000);
}

#[test]
fn progress_is_a_line_each_and_silent_when_asked() {
    let place = Place::new();
    let ran = place.call(&["demo.roast", "seconds=0", "steps=3"]);
    assert_eq!(ran.json()["results"]["steps"], 3);
    let lines: Vec<&str> = ran.stderr.lines().collect();
    let expected = [
        "progress 1/3 drying, step 1 of 3",
        "progress 2/3 yellowing, step 2 of 3",
        "progress 3/3 first crack, step 3 of 3",
    ];
    assert_eq!(lines, expected);
    let ran = place.call(&["demo.roast", "seconds=0", "--quiet"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
}

#[test]
fn what_went_wrong_is_in_the_exit_code() {
    let place = Place::new();
    let failed = place.call(&["demo.fail", "--quiet"]);
    assert_eq!(failed.code, Some(1));
    let result: Value = serde_json::from_str(&failed.stdout).unwrap();
    assert_eq!(result["meta_data"]["is_error"], true);
    place.call(&["demo.fail_in_protocol"]).fails(2, &["(-32603)"]);
    place.call(&["demo.wether"]).fails(2, &["no tool `wether`", "did you mean `weather`"]);
    place.call(&["dmeo.weather"]).fails(2, &["no server `dmeo`", "did you mean `demo`?"]);
    place.call(&["demo"]).fails(2, &["`demo.TOOL`", "resultant tools demo --demo"]);
    place.call(&["demo."]).fails(2, &["`demo.TOOL`"]);
    place.call(&["demo.roast", "seconds=60", "--timeout", "0.2"]).fails(2, &["within 0.2 seconds"]);
    place.run(&["call", "x.y"]).fails(2, &["no servers are configured", "resultant init"]);
    place.configure(&json!({
        "missing": {"command": "no-such-program"},
        "dead": {"url": dead_url()},
        "off": {"command": "no-such-program", "disabled": true},
        "a.b": demo(),
    }));
    place.run(&["call", "missing.x"]).fails(2, &["failed at start", "resultant doctor missing"]);
    place.run(&["call", "dead.x"]).fails(2, &["refused", "resultant doctor dead"]);
    place.run(&["call", "off.x"]).fails(2, &["disabled"]);
    // A server's name may have a dot.
    assert_eq!(place.run(&["call", "a.b.echo", "message=hi"]).json()["results"], "hi");
}

#[test]
fn a_question_is_declined_where_nobody_can_be_asked() {
    let place = Place::new();
    let ran = place.call(&["demo.sign_guest_book"]);
    let text = "The page stays empty: the visitor would rather not say.";
    assert_eq!(ran.json()["results"], text);
    assert!(ran.stderr.contains("demo asks: Who is visiting the shop?"), "{}", ran.stderr);
}

#[cfg(unix)]
#[test]
fn ctrl_c_cancels_the_call() {
    let place = Place::new();
    let arguments = ["call", "--demo", "demo.roast", "seconds=600", "steps=1000"];
    let mut child = place.command(&arguments).spawn().unwrap();
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    // The call runs when the first progress is there.
    stderr.read_line(&mut line).unwrap();
    assert!(line.starts_with("progress 1/1000 "), "{line}");
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(kill.success());
    let status = child.wait().unwrap();
    assert_eq!(status.code(), Some(130));
    let rest: Vec<String> = stderr.lines().map(Result::unwrap).collect();
    assert_eq!(rest.last().map(String::as_str), Some("resultant: cancelled"));
}

#[test]
fn doctor_says_which_step_fails_and_what_to_try() {
    let place = Place::new();
    place.configure(&json!({
        "good": demo(),
        "missing": {"command": "no-such-program"},
        "exits": shell("echo no database today >&2; exit 3"),
        "silent": shell("exec sleep 600"),
        "dead": {"url": dead_url()},
        "off": {"command": "no-such-program", "disabled": true},
    }));
    let ran = place.run(&["doctor", "--json"]);
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    let document: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(document["ok"], false);
    let verdicts = |name: &str| {
        let servers = document["servers"].as_array().unwrap();
        let server = servers.iter().find(|server| server["name"] == name).unwrap();
        let checks = server["checks"].as_array().unwrap();
        let words = checks.iter().map(|check| {
            format!("{} {}", check["step"].as_str().unwrap(), check["verdict"].as_str().unwrap())
        });
        let last = checks.last().unwrap();
        (words.collect::<Vec<_>>().join(", "), format!("{} {}", last["text"], last["advice"]))
    };
    let cases = [
        ("good", "command ok, start ok, handshake ok, tools ok", &["listed"][..]),
        (
            "missing",
            "command failed",
            &["`no-such-program` is not in PATH", "full path", "PATH is "],
        ),
        (
            "exits",
            "command ok, start ok, handshake failed",
            &["exit status: 3", "no database today", "by hand"],
        ),
        (
            "silent",
            "command ok, start ok, handshake failed",
            &["within 0.5 seconds", "connect_seconds"],
        ),
        ("dead", "address failed", &["refused", "port in `url`"]),
        ("off", "server skipped", &["disabled"]),
    ];
    for (name, expected, words) in cases {
        let (found, told) = verdicts(name);
        assert_eq!(found, expected, "{name}: {told}");
        words.iter().for_each(|word| assert!(told.contains(word), "{name}: no {word:?} in {told}"));
    }
    let ran = place.run(&["doctor", "good"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stdout);
    assert!(ran.stdout.ends_with("\nAll is well.\n"), "{}", ran.stdout);
    let ran = place.run(&["doctor", "missing"]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.stdout.ends_with("\nNot working: missing\n"), "{}", ran.stdout);
}

#[test]
fn doctor_says_what_is_wrong_with_the_configuration_and_the_data_folder() {
    let place = Place::new();
    fs::write(place.path().join("resultant.json"), "{\"mcpServers\": {\"a\": {}}}").unwrap();
    let ran = place.run(&["doctor"]);
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    assert!(ran.stdout.starts_with("  failed   configuration"), "{}", ran.stdout);
    assert!(ran.stdout.contains("/mcpServers/a"), "{}", ran.stdout);
    place.configure(&json!({"good": demo()}));
    let ran = place.run(&["doctor", "--data", "resultant.json/data"]);
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    assert!(ran.stdout.contains("  failed   data folder"), "{}", ran.stdout);
}

#[test]
fn only_remote_servers_have_a_login() {
    let place = Place::new();
    place.configure(&json!({"shop": demo(), "dead": {"url": dead_url()}}));
    place.run(&["login", "shop"]).fails(2, &["a program on this machine"]);
    place.run(&["login", "shpo"]).fails(2, &["did you mean `shop`?"]);
    place.run(&["login", "dead", "--no-browser"]).fails(2, &["the login failed"]);
    let ran = place.run(&["login", "dead", "--logout"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), "There were no tokens.\n"));
}

/// What `resultant demo` prints as next steps does what it says.
#[test]
fn the_next_steps_of_the_demo_work_as_printed() {
    let place = Place::new();
    let mut child = place.command(&["demo", "--listen", "127.0.0.1:0"]).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let mut commands = Vec::new();
    for line in lines.by_ref() {
        let line = line.unwrap();
        if let Some(command) = line.trim().strip_prefix("resultant ") {
            commands.push(command.split("   ").next().unwrap().to_owned());
        }
        if line.starts_with("Speak the protocol") {
            break;
        }
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(commands.len() >= 9, "{commands:?}");
    let program = env!("CARGO_BIN_EXE_resultant");
    for command in commands {
        // The large result has tests of its own, and roasting need not take as long.
        let command = command.replace("kind=base64", "kind=base64 megabytes=1");
        let command = command.replace("seconds=5", "seconds=0");
        let ran = Command::new("sh")
            .args(["-c", &format!("'{program}' {command}")])
            .current_dir(place.path())
            .env("XDG_DATA_HOME", place.path().join("share"))
            .stdin(Stdio::null())
            .output();
        let ran = Ran::of(ran.unwrap());
        assert_eq!(ran.code, Some(0), "{command}: {}", ran.stderr);
        assert!(!ran.stdout.is_empty(), "{command}");
    }
}

/// What the gateway starts to answer questions about files.
#[tokio::test]
async fn the_hidden_command_answers_within_its_limits() {
    use resultant_query::{Ask, QueryError, QueryLimits, Source, Worker};

    let worker = Worker {
        program: env!("CARGO_BIN_EXE_resultant").into(),
        arguments: vec!["query-worker".to_owned()],
    };
    let limits = QueryLimits { seconds: 5, ..QueryLimits::default() };
    let ask = async |query: &str| {
        let bytes = b"id,price\n1,2.5\n2,4\n".as_slice();
        let chunks = futures_util::stream::iter([Ok(bytes.into())]);
        let source = Source {
            name: "prices.csv".to_owned(),
            mime: "text/csv".to_owned(),
            size: bytes.len() as u64,
            bytes: Box::pin(chunks),
        };
        worker.ask(&Ask::Sql { query: query.to_owned() }, vec![source], &limits).await
    };
    let answer = ask("select sum(price) as sum from t").await.unwrap();
    assert_eq!(answer, r#"{"columns":["sum"],"rows":[[6.5]],"count":1,"complete":true}"#);
    let refused = ask("attach '/etc/passwd' as p").await;
    assert!(matches!(refused, Err(QueryError::Refused(_))), "{refused:?}");
    let help = Command::new(env!("CARGO_BIN_EXE_resultant")).arg("--help").output().unwrap();
    assert!(!String::from_utf8_lossy(&help.stdout).contains("query-worker"));
}
