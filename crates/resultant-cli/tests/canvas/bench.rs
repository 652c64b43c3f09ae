//! A gateway with a page of ours, and requests by hand: what host and origin they name is the point.

use std::{
    fs,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpStream,
    path::Path,
};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::mcp::{Gateway, PATIENCE};

pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_resultant");
pub(crate) const SCRIPT: &str = "console.log('a script that is long enough to be packed')";
pub(crate) const PACKED: &str = "packed";

pub(crate) struct Bench {
    pub(crate) gateway: Gateway,
    pub(crate) secret: String,
    folder: TempDir,
}

pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: String,
}

impl Response {
    pub(crate) fn header(&self, name: &str) -> &str {
        let found = self.headers.iter().find(|(key, _)| key == name);
        found.map_or("", |(_, value)| value.as_str())
    }

    pub(crate) fn policy(&self) -> &str {
        self.header("content-security-policy")
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body)
            .unwrap_or_else(|_| stop(&format!("{}: {}", self.status, self.body)))
    }
}

impl Bench {
    /// With these settings of the gateway.
    pub(crate) fn new(settings: &Value) -> Bench {
        let folder = TempDir::new().unwrap();
        let built = folder.path().join("dist");
        for (name, text) in [
            ("page/index.html", "<meta name=\"csp-nonce\" content=\"%NONCE%\">the page"),
            ("page/assets/index-BvAm7f-E.js", SCRIPT),
            ("page/assets/index-BvAm7f-E.js.br", PACKED),
            ("page/icon.svg", "<svg xmlns=\"http://www.w3.org/2000/svg\"/>"),
            ("sandbox/stage.html", "the stage"),
            ("sandbox/run.html", "the runner"),
            ("sandbox/app.html", "the app"),
            ("sandbox/other.html", "another"),
            ("sandbox/assets/stage-AAAAAAAA.js", SCRIPT),
            ("hostapp/canvas.html", "the canvas"),
        ] {
            let path = built.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let demo = json!({"command": PROGRAM, "args": ["demo-server"]});
        let config = json!({"mcpServers": {"shop": demo}, "resultant": settings});
        let gateway = start(&config, folder.path());
        let secret = fs::read_to_string(folder.path().join("data/secret")).unwrap_or_default();
        Bench { gateway, secret: secret.trim().to_owned(), folder }
    }

    /// Stops it as a service manager does, and starts it again with what it had.
    pub(crate) fn restart(&mut self) {
        self.gateway.stop().unwrap();
        let config = fs::read_to_string(self.folder.path().join("resultant.json")).unwrap();
        self.gateway = start(&serde_json::from_str(&config).unwrap(), self.folder.path());
    }

    pub(crate) fn address(&self) -> &str {
        self.gateway.url.trim_start_matches("http://")
    }

    /// The API, with the secret.
    pub(crate) fn api(&self, line: &str, body: &Value) -> Response {
        let secret = &self.secret;
        let headers = format!(
            "Host: {}\r\nAuthorization: Bearer {secret}\r\nContent-Type: application/json\r\n",
            self.address()
        );
        let body = if body.is_null() { String::new() } else { body.to_string() };
        request(self.address(), line, &headers, &body)
    }

    pub(crate) fn get(&self, path: &str) -> Response {
        self.api(&format!("GET {path}"), &Value::Null)
    }

    /// Calls a tool of the shop in the default session.
    pub(crate) fn call(&self, tool: &str, arguments: &Value) -> Value {
        let call = json!({"server": "shop", "tool": tool, "arguments": arguments});
        let response = self.api("POST /api/sessions/default/calls", &call);
        assert_eq!(response.status, 200, "{}", response.body);
        response.json()
    }

    /// The sandbox as the page is told of it: where it listens, and its host.
    pub(crate) fn sandbox(&self) -> (String, String) {
        let url = self.get("/api/settings").json()["sandbox_url"].as_str().unwrap().to_owned();
        let host = url.trim_start_matches("http://").to_owned();
        let port = host.rsplit_once(':').unwrap().1.to_owned();
        (format!("127.0.0.1:{port}"), host)
    }
}

fn start(config: &Value, folder: &Path) -> Gateway {
    let built = folder.join("dist");
    Gateway::start_in(PROGRAM, config, folder, &[("RESULTANT_WEB_DIST", &built)]).unwrap()
}

/// A request to an address, with these headers and no others.
pub(crate) fn request(address: &str, line: &str, headers: &str, body: &str) -> Response {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let len = body.len();
    let length = if len > 0 { format!("Content-Length: {len}\r\n") } else { String::new() };
    let head = format!("{line} HTTP/1.1\r\n{headers}{length}Connection: close\r\n\r\n{body}");
    stream.write_all(head.as_bytes()).unwrap();
    let mut stream = BufReader::new(stream);
    let mut first = String::new();
    stream.read_line(&mut first).unwrap();
    let status = first.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        stream.read_line(&mut line).unwrap();
        let Some((name, value)) = line.trim_end().split_once(": ") else { break };
        headers.push((name.to_ascii_lowercase(), value.to_owned()));
    }
    let mut body = Vec::new();
    stream.read_to_end(&mut body).unwrap();
    Response { status, headers, body: String::from_utf8_lossy(&body).into_owned() }
}

/// A request that names this host.
pub(crate) fn get(address: &str, host: &str, path: &str, more: &str) -> Response {
    request(address, &format!("GET {path}"), &format!("Host: {host}\r\n{more}"), "")
}

/// Ends a test that cannot go on.
#[expect(clippy::panic, reason = "that is how a test fails")]
pub(crate) fn stop(why: &str) -> ! {
    panic!("{why}")
}
