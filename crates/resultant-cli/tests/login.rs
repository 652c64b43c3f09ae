//! `resultant login` against a server on loopback that gives out tokens and wants them.
#![expect(clippy::unwrap_used, reason = "a panic is a test's report")]

use std::{
    fs,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{TcpListener, TcpStream},
    process::{Command, Output, Stdio},
    thread,
};

use serde_json::{Value, json};

/// Starts the server and returns its address. It ends with the test's process.
fn start_server() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    let address = base.clone();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let base = base.clone();
            thread::spawn(move || answer(&base, stream));
        }
    });
    address
}

/// One request a connection.
fn answer(base: &str, stream: TcpStream) -> Option<()> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let path = line.split(' ').nth(1)?.to_owned();
    let (mut len, mut token) = (0, None);
    loop {
        let mut header = String::new();
        reader.read_line(&mut header).ok()?;
        let Some((name, value)) = header.trim().split_once(':') else { break };
        match name.to_ascii_lowercase().as_str() {
            "content-length" => len = value.trim().parse().ok()?,
            "authorization" => token = Some(value.trim().to_owned()),
            _ => {}
        }
    }
    let mut body = vec![0; len];
    reader.read_exact(&mut body).ok()?;
    let body = String::from_utf8(body).ok()?;
    let (status, value) = respond(base, &path, token.as_deref(), &body);
    let text = value.to_string();
    let challenge = match status.starts_with("401") {
        true => format!(
            "WWW-Authenticate: Bearer \
             resource_metadata=\"{base}/.well-known/oauth-protected-resource/mcp\"\r\n"
        ),
        false => String::new(),
    };
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\
         {challenge}Connection: close\r\n\r\n",
        text.len()
    );
    reader.get_mut().write_all(format!("{head}{text}").as_bytes()).ok()
}

fn respond(base: &str, path: &str, token: Option<&str>, body: &str) -> (&'static str, Value) {
    const OK: &str = "200 OK";
    match path {
        "/.well-known/oauth-protected-resource/mcp" => {
            (OK, json!({"resource": format!("{base}/mcp"), "authorization_servers": [base]}))
        }
        "/.well-known/oauth-authorization-server" => (
            OK,
            json!({
                "issuer": base,
                "authorization_endpoint": format!("{base}/authorize"),
                "token_endpoint": format!("{base}/token"),
                "registration_endpoint": format!("{base}/register"),
                "response_types_supported": ["code"],
                "code_challenge_methods_supported": ["S256"],
            }),
        ),
        "/register" => {
            let request: Value = serde_json::from_str(body).unwrap();
            (OK, json!({"client_id": "c1", "redirect_uris": request["redirect_uris"]}))
        }
        "/token" if body.contains("code=the-code") && body.contains("code_verifier=") => (
            OK,
            json!({"access_token": "t1", "token_type": "Bearer", "expires_in": 3600,
                "refresh_token": "r1", "scope": "files"}),
        ),
        "/mcp" if token != Some("Bearer t1") => ("401 Unauthorized", json!({})),
        "/mcp" => {
            let request: Value = serde_json::from_str(body).unwrap_or_default();
            let mut answer = json!({"jsonrpc": "2.0", "id": request["id"]});
            match request["method"].as_str() {
                Some("initialize") => {
                    answer["result"] = json!({"protocolVersion": "2025-06-18",
                        "capabilities": {"tools": {}}, "serverInfo": {"name": "files", "version": "1"}});
                }
                Some("tools/list") => {
                    let schema = json!({"type": "object"});
                    answer["result"] =
                        json!({"tools": [{"name": "whoami", "inputSchema": schema}]});
                }
                Some(_) if request["id"].is_null() => return ("202 Accepted", json!({})),
                _ => answer["error"] = json!({"code": -32601, "message": "unknown method"}),
            }
            (OK, answer)
        }
        _ => ("404 Not Found", json!({})),
    }
}

fn resultant(folder: &std::path::Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_resultant"));
    command
        .args(arguments)
        .current_dir(folder)
        .env("HOME", folder)
        .env("XDG_DATA_HOME", folder.join("share"))
        .env("XDG_CONFIG_HOME", folder.join("config"))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

fn text(output: &Output) -> String {
    let (out, err) = (&output.stdout, &output.stderr);
    format!("{}{}", String::from_utf8_lossy(out), String::from_utf8_lossy(err))
}

/// What a browser does after the person agreed: it comes back with a code.
fn come_back(link: &str) {
    let link = link.split_once('?').unwrap().1;
    let member = |name: &str| {
        let pair = link.split('&').find_map(|pair| pair.strip_prefix(&format!("{name}=")));
        pair.unwrap().to_owned()
    };
    let redirect = member("redirect_uri").replace("%3A", ":").replace("%2F", "/");
    let (host, path) = redirect.strip_prefix("http://").unwrap().split_once('/').unwrap();
    let mut stream = TcpStream::connect(host).unwrap();
    let request = format!(
        "GET /{path}?code=the-code&state={} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n",
        member("state")
    );
    stream.write_all(request.as_bytes()).unwrap();
    let mut page = String::new();
    stream.read_to_string(&mut page).unwrap();
    assert!(page.starts_with("HTTP/1.1 200"), "{page}");
}

#[test]
fn a_login_makes_the_server_work() {
    let folder = tempfile::tempdir().unwrap();
    let run = |arguments: &[&str]| resultant(folder.path(), arguments).output().unwrap();
    let base = start_server();
    let servers = json!({"files": {"url": format!("{base}/mcp")}, "lost": {"url": base}});
    let config = json!({"mcpServers": servers}).to_string();
    fs::write(folder.path().join("resultant.json"), config).unwrap();

    let before = run(&["doctor"]);
    assert_eq!(before.status.code(), Some(1), "{}", text(&before));
    assert!(text(&before).contains("- log in: resultant login files\n"), "{}", text(&before));
    assert!(text(&before).contains("404"), "{}", text(&before));
    assert!(text(&before).contains("- is the path in `url` right?"), "{}", text(&before));

    let mut login = resultant(folder.path(), &["login", "files", "--no-browser"]).spawn().unwrap();
    let mut lines = BufReader::new(login.stderr.take().unwrap()).lines().map(Result::unwrap);
    let link = lines.find(|line| line.contains("/authorize?")).unwrap();
    come_back(link.trim());
    assert!(login.wait().unwrap().success());
    let told: Vec<String> = lines.collect();
    let last = "Logged in to files, for files; the token is renewed by itself.";
    assert_eq!(told.last().map(String::as_str), Some(last));

    let after = run(&["tools", "files"]);
    assert_eq!(after.status.code(), Some(0), "{}", text(&after));
    assert!(text(&after).contains("files.whoami"), "{}", text(&after));

    assert!(text(&run(&["login", "files", "--logout"])).contains("The tokens are gone."));
    assert_eq!(run(&["tools", "files"]).status.code(), Some(1));
}

#[test]
fn a_login_by_address_makes_a_proxy_work() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("{}/mcp", start_server());
    let proxied = || {
        let mut command = resultant(folder.path(), &["proxy", "--url", &url]);
        let mut proxy = command.stdin(Stdio::piped()).spawn().unwrap();
        let who = json!({"name": "test", "version": "1"});
        let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": who});
        let mut input = proxy.stdin.take().unwrap();
        for (id, method, params) in [(1, "initialize", hello), (2, "tools/list", json!({}))] {
            let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
            writeln!(input, "{request}").unwrap();
        }
        drop(input);
        String::from_utf8(proxy.wait_with_output().unwrap().stdout).unwrap()
    };
    assert!(!proxied().contains("whoami"));

    let arguments = ["login", "--url", &url, "--no-browser"];
    let mut login = resultant(folder.path(), &arguments).spawn().unwrap();
    let mut lines = BufReader::new(login.stderr.take().unwrap()).lines().map(Result::unwrap);
    let link = lines.find(|line| line.contains("/authorize?")).unwrap();
    come_back(link.trim());
    assert!(login.wait().unwrap().success());
    assert!(proxied().contains("whoami"));
}
