//! Who is calling: every mode, over real sockets, on the MCP and the API side.

#[path = "callers/issuer.rs"]
mod issuer;
#[path = "support/mcp.rs"]
mod mcp;

use std::{
    fs,
    io::{Read as _, Write as _},
    net::TcpStream,
    path::Path,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use anyhow::{Context as _, ensure};
use issuer::{CLIENT_ID, CLIENT_SECRET, Issuer, Signer, form, now};
use mcp::Gateway;
use serde_json::{Value, json};

const PROGRAM: &str = env!("CARGO_BIN_EXE_resultant");
const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#;
const LIST: &str = r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#;

struct Reply {
    status: u16,
    head: String,
    body: String,
}

impl Reply {
    fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(':'));
        lines.find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim())
    }

    fn json(&self) -> anyhow::Result<Value> {
        serde_json::from_str(&self.body).with_context(|| self.body.clone())
    }
}

/// One request on a connection of its own. A `Host` among the headers replaces the right one.
fn send(
    gateway: &Gateway,
    line: &str,
    headers: &[(&str, &str)],
    body: &str,
) -> anyhow::Result<Reply> {
    let address = gateway.url.trim_start_matches("http://");
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(Duration::from_secs(60)))?;
    let mut request = format!("{line} HTTP/1.1\r\nConnection: close\r\n");
    if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("host")) {
        request.push_str(&format!("Host: {address}\r\n"));
    }
    for (name, value) in headers {
        request.push_str(&format!("{name}: {value}\r\n"));
    }
    if !body.is_empty() {
        request.push_str(
            "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n",
        );
        request.push_str(&format!("Content-Length: {}\r\n", body.len()));
    }
    stream.write_all(format!("{request}\r\n{body}").as_bytes())?;
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    let answer = String::from_utf8_lossy(&answer).into_owned();
    let (head, body) = answer.split_once("\r\n\r\n").context("no head")?;
    let status = head.split(' ').nth(1).context("no status")?.parse()?;
    Ok(Reply { status, head: head.to_owned(), body: body.to_owned() })
}

fn bearer(token: &str) -> String {
    format!("Bearer {token}")
}

fn me(gateway: &Gateway, token: &str) -> anyhow::Result<Reply> {
    send(gateway, "GET /api/me", &[("Authorization", &bearer(token))], "")
}

fn start(auth: &Value, folder: &Path) -> anyhow::Result<Gateway> {
    let demo = json!({"command": PROGRAM, "args": ["demo-server"]});
    let config = json!({
        "mcpServers": {"demo": demo},
        "resultant": {"auth": auth, "servers": {"demo": {"isolate": "user", "start": "lazy"}}},
    });
    Gateway::start(PROGRAM, &config, folder)
}

/// The same answer whatever is wrong, which says how to do it right and nothing else.
fn is_refused(reply: &Reply) -> anyhow::Result<()> {
    ensure!(reply.status == 401, "{} {}", reply.status, reply.body);
    ensure!(reply.header("content-type") == Some("application/problem+json"), "{}", reply.head);
    ensure!(reply.header("www-authenticate").is_some_and(|value| value.starts_with("Bearer ")));
    let problem = reply.json()?;
    ensure!(problem["status"] == 401 && problem["hint"].is_string(), "{problem}");
    ensure!(problem["detail"] == "this needs a valid credential", "{problem}");
    Ok(())
}

fn link(gateway: &Gateway) -> anyhow::Result<String> {
    let output = Command::new(PROGRAM)
        .args(["open", "--no-browser", "--listen", gateway.url.trim_start_matches("http://")])
        .arg("--config")
        .arg(gateway.folder.join("resultant.json"))
        .arg("--data")
        .arg(gateway.folder.join("data"))
        .output()?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Ok(String::from_utf8(output.stdout)?.trim().to_owned())
}

#[test]
fn a_local_gateway_is_its_owners() -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let gateway = start(&json!({"mode": "local"}), folder.path())?;
    let secret = fs::read_to_string(folder.path().join("data/secret"))?.trim().to_owned();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode =
            |name| fs::metadata(folder.path().join(name)).map(|file| file.permissions().mode());
        ensure!(mode("data/secret")? & 0o777 == 0o600 && mode("data")? & 0o777 == 0o700);
        for name in ["data/lock", "data/version", "data/resultant.db"] {
            ensure!(mode(name)? & 0o777 == 0o600, "{name}");
        }
    }
    ensure!(send(&gateway, "POST /mcp", &[], INITIALIZE)?.status == 200, "MCP is open here");

    let missing = send(&gateway, "GET /api/me", &[], "")?;
    is_refused(&missing)?;
    let right = bearer(&secret);
    let wrong = bearer(&format!("{}x", &secret[..secret.len() - 1]));
    for headers in [
        &[("Authorization", wrong.as_str())][..],
        &[("Authorization", "Bearer ")],
        &[("Authorization", "Basic abc")],
        &[("Authorization", &right), ("Authorization", &right)],
        &[("Cookie", &format!("token={secret}"))],
    ] {
        let refused = send(&gateway, "GET /api/me", headers, "")?;
        is_refused(&refused)?;
        ensure!(refused.body == missing.body, "wrong and missing are told alike");
    }
    let in_query = send(&gateway, &format!("GET /api/me?access_token={secret}"), &[], "")?;
    is_refused(&in_query)?;
    let long =
        send(&gateway, "GET /api/me", &[("Authorization", &bearer(&"a".repeat(1 << 20)))], "");
    ensure!(long.map_or(true, |reply| matches!(reply.status, 401 | 431)));
    let known = me(&gateway, &secret)?;
    ensure!(known.status == 200 && known.header("cache-control") == Some("no-store"));
    let known = known.json()?;
    ensure!(known["mode"] == "local" && known["session"] == "default", "{known}");
    ensure!(known["authenticated"] == false, "nobody vouches for a local user");
    let session = [("Authorization", right.as_str()), ("Resultant-Session", "work-1")];
    ensure!(send(&gateway, "GET /api/me", &session, "")?.json()?["session"] == "work-1");
    let odd = [("Authorization", right.as_str()), ("Resultant-Session", "a b")];
    ensure!(send(&gateway, "GET /api/me", &odd, "")?.status == 400);

    // Names of others for our address, and pages of others.
    for headers in [
        [("Host", "evil.example"), ("Authorization", right.as_str())],
        [("Origin", "https://evil.example"), ("Authorization", right.as_str())],
        [("Origin", "null"), ("Authorization", right.as_str())],
    ] {
        ensure!(send(&gateway, "GET /api/me", &headers, "")?.status == 403, "{headers:?}");
        ensure!(send(&gateway, "POST /mcp", &headers, INITIALIZE)?.status == 403, "{headers:?}");
    }
    let forwarded = [("X-Forwarded-Host", "evil.example"), ("X-Forwarded-User", "root")];
    is_refused(&send(&gateway, "GET /api/me", &forwarded, "")?)?;
    // However the path is written.
    for path in ["/api/me/", "//api/me", "/api%2fme", "/API/me", "/./api/me"] {
        let reply = send(&gateway, &format!("GET {path}"), &[], "")?;
        ensure!(matches!(reply.status, 401 | 404), "{path}: {}", reply.status);
    }
    for (path, status) in
        [("/healthz", 200), ("/metrics", 200), ("/page.js", 200), ("/nowhere", 404)]
    {
        ensure!(send(&gateway, &format!("GET {path}"), &[], "")?.status == status, "{path}");
    }
    let page = send(&gateway, "GET /", &[("Accept", "text/html,*/*")], "")?;
    let policy = page.header("content-security-policy").unwrap_or_default();
    ensure!(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"));
    ensure!(page.body.starts_with("<!doctype html>") && !page.body.contains("<script>"));
    ensure!(page.header("set-cookie").is_none());
    ensure!(send(&gateway, "GET /", &[], "")?.body.starts_with("Resultant gateway"));

    let link = link(&gateway)?;
    let (base, code) = link.split_once("/#code=").context("a link")?;
    ensure!(base == gateway.url, "{link}");
    let exchange = |body: &Value| send(&gateway, "POST /api/page-session", &[], &body.to_string());
    is_refused(&exchange(&json!({"code": "guessed"}))?)?;
    is_refused(&exchange(&json!({}))?)?;
    let token = exchange(&json!({"code": code}))?.json()?;
    let token = token["token"].as_str().context("a token")?;
    is_refused(&exchange(&json!({"code": code}))?)?;
    ensure!(me(&gateway, token)?.status == 200, "the page is in");
    let gone =
        send(&gateway, "DELETE /api/page-session", &[("Authorization", &bearer(token))], "")?;
    ensure!(gone.status == 204);
    is_refused(&me(&gateway, token)?)?;
    let log = gateway.log();
    ensure!(!log.contains(code) && !log.contains(&secret) && !log.contains(token), "{log}");
    Ok(())
}

#[test]
fn a_local_gateway_can_want_the_secret_of_all_and_stays_on_this_machine() -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let gateway = start(&json!({"mode": "local", "local_secret": "all"}), folder.path())?;
    let secret = bearer(fs::read_to_string(folder.path().join("data/secret"))?.trim());
    is_refused(&send(&gateway, "POST /mcp", &[], INITIALIZE)?)?;
    is_refused(&send(&gateway, "GET /mcp", &[], "")?)?;
    let secret = [("Authorization", secret.as_str())];
    ensure!(send(&gateway, "POST /mcp", &secret, INITIALIZE)?.status == 200);
    // What a page has is for pages.
    let token = send(&gateway, "POST /api/page-session", &secret, "{}")?.json()?;
    let token = bearer(token["token"].as_str().context("a token")?);
    is_refused(&send(&gateway, "POST /mcp", &[("Authorization", &token)], INITIALIZE)?)?;

    let mut command = Command::new(PROGRAM);
    command.args(["serve", "--listen", "0.0.0.0:0", "--data"]).arg(folder.path().join("other"));
    let output = command.current_dir(folder.path()).stdin(Stdio::null()).output()?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.code() == Some(2) && said.contains("needs auth mode token"), "{said}");
    Ok(())
}

fn new_key(user: &str) -> anyhow::Result<(String, Value)> {
    let output = Command::new(PROGRAM).args(["key", "new", user, "--json"]).output()?;
    let new: Value = serde_json::from_slice(&output.stdout)?;
    Ok((new["key"].as_str().context("a key")?.to_owned(), new["entry"].clone()))
}

/// The processes that the gateway started, as far as the system tells.
#[cfg(target_os = "linux")]
fn servers(gateway: &Gateway) -> anyhow::Result<usize> {
    let mut count = 0;
    for task in fs::read_dir(format!("/proc/{}/task", gateway.pid()))?.flatten() {
        let children = fs::read_to_string(task.path().join("children")).unwrap_or_default();
        count += children
            .split_whitespace()
            .filter(|pid| {
                let line = fs::read_to_string(format!("/proc/{pid}/cmdline")).unwrap_or_default();
                line.contains("demo-server")
            })
            .count();
    }
    Ok(count)
}

#[test]
fn keys_tell_users_apart() -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let ((ada, ada_entry), (bob, bob_entry)) = (new_key("ada")?, new_key("bob")?);
    let auth = json!({"mode": "token", "keys": [ada_entry, bob_entry]});
    let gateway = start(&auth, folder.path())?;
    ensure!(!folder.path().join("data/secret").exists(), "no secret where nobody needs one");
    for (key, name) in [(&ada, "ada"), (&bob, "bob")] {
        let known = me(&gateway, key)?.json()?;
        ensure!(known["user"] == name && known["authenticated"] == true, "{known}");
    }
    let digest = ada_entry["sha256"].as_str().context("a digest")?;
    for wrong in [digest, "rk_wrong", &ada[..ada.len() - 1]] {
        is_refused(&me(&gateway, wrong)?)?;
    }
    for path in
        ["GET /metrics", "POST /mcp", "POST /mcp/demo", "POST /mcp/none", "POST /api/page-links"]
    {
        is_refused(&send(
            &gateway,
            path,
            &[],
            if path.contains("mcp") { INITIALIZE } else { "" },
        )?)?;
    }
    let state = send(&gateway, "GET /readyz", &[], "")?;
    ensure!(!state.body.contains("demo"), "strangers are not told the servers: {}", state.body);
    let (ada, bob) = (bearer(&ada), bearer(&bob));
    let (ada, bob) = (("Authorization", ada.as_str()), ("Authorization", bob.as_str()));
    ensure!(send(&gateway, "GET /readyz", &[ada], "")?.body.contains("demo"));
    ensure!(send(&gateway, "GET /metrics", &[ada], "")?.status == 200);

    // A session is its user's; to others it is as if it had ended.
    let begun = send(&gateway, "POST /mcp", &[ada], INITIALIZE)?;
    let session = begun.header("mcp-session-id").context("a session")?;
    let (theirs, nobodys) = (("Mcp-Session-Id", session), ("Mcp-Session-Id", "0123456789abcdef"));
    for (line, body) in [("POST /mcp", LIST), ("GET /mcp", ""), ("DELETE /mcp", "")] {
        let other = send(&gateway, line, &[bob, theirs], body)?;
        let none = send(&gateway, line, &[bob, nobodys], body)?;
        ensure!(other.status == 404 && (other.status, &other.body) == (none.status, &none.body));
        is_refused(&send(&gateway, line, &[theirs], body)?)?;
    }
    let listed = send(&gateway, "POST /mcp", &[ada, theirs], LIST)?;
    ensure!(listed.status == 200 && listed.body.contains("demo_echo"), "{}", listed.body);
    #[cfg(target_os = "linux")]
    {
        ensure!(servers(&gateway)? == 1);
        let begun = send(&gateway, "POST /mcp", &[bob], INITIALIZE)?;
        let session = ("Mcp-Session-Id", begun.header("mcp-session-id").context("a session")?);
        ensure!(send(&gateway, "POST /mcp", &[bob, session], LIST)?.status == 200);
        ensure!(servers(&gateway)? == 2, "users do not share a connection");
        let begun = send(&gateway, "POST /mcp", &[bob], INITIALIZE)?;
        let session = ("Mcp-Session-Id", begun.header("mcp-session-id").context("a session")?);
        ensure!(send(&gateway, "POST /mcp", &[bob, session], LIST)?.status == 200);
        ensure!(servers(&gateway)? == 2, "sessions of one user do");
    }

    // A key that is taken back stops at once, and what the page got for it as well.
    let token = send(&gateway, "POST /api/page-session", &[bob], "{}")?.json()?;
    let token = token["token"].as_str().context("a token")?;
    ensure!(me(&gateway, token)?.json()?["user"] == "bob");
    let auth = json!({"mode": "token", "keys": [ada_entry]});
    let config = json!({"resultant": {"auth": auth}}).to_string();
    fs::write(folder.path().join("resultant.json"), config)?;
    let end = Instant::now() + Duration::from_secs(60);
    while send(&gateway, "GET /api/me", &[bob], "")?.status == 200 {
        ensure!(Instant::now() < end, "the key still works");
        std::thread::sleep(Duration::from_millis(50));
    }
    is_refused(&me(&gateway, token)?)?;
    ensure!(send(&gateway, "GET /api/me", &[ada], "")?.status == 200);
    Ok(())
}

#[test]
fn a_proxy_says_who_somebody_is_when_it_is_the_proxy() -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let auth = json!({
        "mode": "header", "user_header": "X-Forwarded-User", "email_header": "X-Forwarded-Email",
        "secret_header": "X-Resultant-Secret", "secret": "between-you-and-me",
    });
    let gateway = start(&auth, folder.path())?;
    let (secret, user) =
        (("X-Resultant-Secret", "between-you-and-me"), ("X-Forwarded-User", "ada"));
    let known =
        send(&gateway, "GET /api/me", &[secret, user, ("X-Forwarded-Email", "a@x.org")], "")?;
    let known = known.json()?;
    ensure!(known["user"] == "ada" && known["email"] == "a@x.org" && known["mode"] == "header");
    ensure!(send(&gateway, "POST /mcp", &[secret, user], INITIALIZE)?.status == 200);
    for headers in [
        &[user][..],
        &[("X-Resultant-Secret", "between-you-and-mf"), user],
        &[secret],
        &[secret, ("X-Forwarded-User", "")],
        &[secret, user, ("X-Forwarded-User", "root")],
        &[secret, ("X-Forwarded-User", "ada, root")],
        &[secret, secret, user],
        &[("Authorization", "Bearer between-you-and-me"), user],
    ] {
        is_refused(&send(&gateway, "GET /api/me", headers, "")?)?;
        is_refused(&send(&gateway, "POST /mcp", headers, INITIALIZE)?)?;
    }
    // A page of this machine would speak for whoever the proxy knows; the gateway's own may, also
    // where the proxy calls it by another name than the browser does.
    drop(gateway);
    let config = json!({
        "mcpServers": {},
        "resultant": {"auth": auth, "public_url": "http://localhost:4180"},
    });
    let gateway = Gateway::start(PROGRAM, &config, folder.path())?;
    for (origin, status) in
        [("http://localhost:4180", 200), ("http://localhost:4181", 403), ("null", 403)]
    {
        let headers = [secret, user, ("Origin", origin)];
        ensure!(send(&gateway, "GET /api/me", &headers, "")?.status == status, "{origin}");
        ensure!(send(&gateway, "POST /mcp", &headers, INITIALIZE)?.status == status, "{origin}");
    }
    Ok(())
}

/// Waits until the end of a stream whose beginning was read; false where it goes on.
fn ends(stream: &mut TcpStream) -> bool {
    let mut rest = Vec::new();
    stream.read_to_end(&mut rest).is_ok()
}

/// A stream that is open: its head has come.
fn open_stream(gateway: &Gateway, path: &str, headers: &str) -> anyhow::Result<TcpStream> {
    let address = gateway.url.trim_start_matches("http://");
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(Duration::from_secs(60)))?;
    let accept = "Accept: text/event-stream\r\nConnection: close";
    let head = format!("GET {path} HTTP/1.1\r\nHost: {address}\r\n{accept}\r\n{headers}\r\n");
    stream.write_all(head.as_bytes())?;
    let mut begin = [0; 12];
    stream.read_exact(&mut begin)?;
    ensure!(&begin == b"HTTP/1.1 200", "{}", String::from_utf8_lossy(&begin));
    Ok(stream)
}

#[test]
fn what_a_user_gave_out_ends_with_the_user() -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let ((ada, ada_entry), (bob, bob_entry)) = (new_key("ada")?, new_key("bob")?);
    let auth = json!({"mode": "token", "keys": [ada_entry, bob_entry]});
    let gateway = start(&auth, folder.path())?;
    let mut links = Vec::new();
    let mut streams = Vec::new();
    for key in [&ada, &bob] {
        let key = bearer(key);
        let key = [("Authorization", key.as_str())];
        let put = "PUT /api/sessions/default/files/a.txt";
        let file = send(&gateway, put, &key, "mine")?.json()?;
        let line = format!("POST /api/files/{}/links", file["key"].as_str().context("a key")?);
        let link = send(&gateway, &line, &key, "{}")?.json()?;
        let url = link["url"].as_str().context("an address")?;
        let path = url.strip_prefix(&gateway.url).context("our address")?.to_owned();
        ensure!(send(&gateway, &format!("GET {path}"), &[], "")?.status == 200);
        links.push(path);
        let credential = format!("Authorization: {}\r\n", key[0].1);
        streams.push(open_stream(&gateway, "/api/sessions/default/events", &credential)?);
        let begun = send(&gateway, "POST /mcp", &key, INITIALIZE)?;
        let session = begun.header("mcp-session-id").context("a session")?;
        let headers = format!("{credential}Mcp-Session-Id: {session}\r\n");
        streams.push(open_stream(&gateway, "/mcp", &headers)?);
    }
    let mut config: Value =
        serde_json::from_str(&fs::read_to_string(folder.path().join("resultant.json"))?)?;
    config["resultant"]["auth"]["keys"] = json!([ada_entry]);
    fs::write(folder.path().join("resultant.json"), config.to_string())?;
    for (at, stream) in streams.iter_mut().enumerate() {
        ensure!(ends(stream), "stream {at} goes on when who may call has changed");
    }
    let statuses: Vec<u16> = links
        .iter()
        .map(|path| Ok(send(&gateway, &format!("GET {path}"), &[], "")?.status))
        .collect::<anyhow::Result<_>>()?;
    ensure!(statuses == [200, 404], "{statuses:?}");
    ensure!(me(&gateway, &ada)?.status == 200);
    is_refused(&me(&gateway, &bob)?)?;
    Ok(())
}

fn claims(issuer: &Issuer) -> Value {
    json!({"iss": issuer.url, "aud": "the-gateway", "sub": "7", "preferred_username": "ada",
        "email": "ada@example.org", "exp": now() + 600, "iat": now()})
}

fn with(mut claims: Value, key: &str, value: Value) -> Value {
    claims[key] = value;
    claims
}

fn part(value: &Value) -> String {
    base64_simd::URL_SAFE_NO_PAD.encode_to_string(value.to_string())
}

#[test]
fn an_issuer_vouches_by_its_signature() -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let issuer = Issuer::start()?;
    let (rsa, ec, ed) = (Signer::rsa("rsa")?, Signer::ec("ec")?, Signer::ed("ed")?);
    issuer.publish(&[&rsa, &ec, &ed])?;
    let auth = json!({"mode": "oidc", "issuer": issuer.url, "audience": ["the-gateway"],
        "scopes": ["tools"]});
    let gateway = start(&auth, folder.path())?;
    let good = claims(&issuer);
    for signer in [&rsa, &ec, &ed] {
        let known = me(&gateway, &signer.sign(&good)?)?.json()?;
        ensure!(known["user"] == "ada" && known["email"] == "ada@example.org", "{known}");
    }
    let token = bearer(&rsa.sign(&good)?);
    ensure!(send(&gateway, "POST /mcp", &[("Authorization", &token)], INITIALIZE)?.status == 200);
    let several = with(good.clone(), "aud", json!(["other", "the-gateway"]));
    ensure!(me(&gateway, &ec.sign(&several)?)?.status == 200);

    let public = rsa.public()?;
    let modulus = public["n"].as_str().context("a modulus")?;
    let signed = rsa.sign(&good)?;
    let (message, signature) = signed.rsplit_once('.').context("a signature")?;
    let (_, payload) = message.split_once('.').context("a payload")?;
    let shared = |secret: &[u8]| -> anyhow::Result<String> {
        let mut header = jsonwebtoken::Header::new(jsonwebtoken::Algorithm::HS256);
        header.kid = Some("rsa".to_owned());
        Ok(jsonwebtoken::encode(&header, &good, &jsonwebtoken::EncodingKey::from_secret(secret))?)
    };
    let none = part(&json!({"alg": "none", "typ": "JWT"}));
    let bad = [
        ("expired", rsa.sign(&with(good.clone(), "exp", json!(now() - 120)))?),
        ("without an end", rsa.sign(&with(good.clone(), "exp", Value::Null))?),
        ("not yet", ec.sign(&with(good.clone(), "nbf", json!(now() + 300)))?),
        ("for others", ed.sign(&with(good.clone(), "aud", json!("somebody")))?),
        ("for nobody", ed.sign(&with(good.clone(), "aud", Value::Null))?),
        ("by others", rsa.sign(&with(good.clone(), "iss", json!("https://evil.example")))?),
        ("about nobody", rsa.sign(&with(good.clone(), "sub", Value::Null))?),
        ("unsigned", format!("{none}.{payload}.")),
        ("unsigned with a signature", format!("{none}.{payload}.{signature}")),
        ("the public key as a secret", shared(modulus.as_bytes())?),
        ("no secret as a secret", shared(b"")?),
        (
            "one letter",
            format!(
                "{message}.{}{}",
                if signature.starts_with('A') { 'B' } else { 'A' },
                &signature[1..]
            ),
        ),
        ("cut", signed[..signed.len() - 10].to_owned()),
        ("an unknown key", Signer::ec("unknown")?.sign(&good)?),
        ("another key of that name", Signer::ec("ec")?.sign(&good)?),
        ("nothing of it", "x".to_owned()),
    ];
    for (what, token) in &bad {
        is_refused(&me(&gateway, token)?).with_context(|| (*what).to_owned())?;
        let token = bearer(token);
        let refused = send(&gateway, "POST /mcp", &[("Authorization", &token)], INITIALIZE)?;
        is_refused(&refused).with_context(|| (*what).to_owned())?;
    }
    let long =
        send(&gateway, "GET /api/me", &[("Authorization", &bearer(&"a".repeat(1 << 20)))], "");
    ensure!(long.map_or(true, |reply| matches!(reply.status, 401 | 431)));

    // Who has no token finds out where to get one.
    let refused = send(&gateway, "POST /mcp", &[], INITIALIZE)?;
    let challenge = refused.header("www-authenticate").context("a challenge")?;
    let metadata = "/.well-known/oauth-protected-resource/mcp";
    ensure!(challenge.contains(&format!("resource_metadata=\"{}{metadata}\"", gateway.url)));
    ensure!(challenge.contains("scope=\"tools\"") && !challenge.contains("error="), "{challenge}");
    for (path, resource) in [
        (metadata, "/mcp"),
        ("/.well-known/oauth-protected-resource", "/mcp"),
        ("/.well-known/oauth-protected-resource/mcp/demo", "/mcp/demo"),
    ] {
        let found = send(&gateway, &format!("GET {path}"), &[], "")?.json()?;
        ensure!(found["resource"] == format!("{}{resource}", gateway.url), "{found}");
        ensure!(found["authorization_servers"] == json!([issuer.url]), "{found}");
    }
    // Keys change: a new one is found, and an old one does not count any more.
    let new = Signer::ed("new")?;
    issuer.publish(&[&new])?;
    ensure!(me(&gateway, &new.sign(&good)?)?.status == 200);
    is_refused(&me(&gateway, &ed.sign(&good)?)?)?;
    // Names of keys that nobody has do not make us ask for ever.
    for at in 0..20 {
        is_refused(&me(&gateway, &Signer::ed(&format!("made-up-{at}"))?.sign(&good)?)?)?;
    }
    ensure!(issuer.reads() <= 8, "asked {} times", issuer.reads());
    let log = gateway.log();
    ensure!(!log.contains(&signed) && !log.contains(signature), "{log}");
    Ok(())
}

#[test]
fn an_issuer_that_is_gone_is_not_a_wrong_token() -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let url = format!("http://127.0.0.1:{}", mcp::free_port()?);
    let auth = json!({"mode": "oidc", "issuer": url, "audience": ["x"]});
    let gateway = start(&auth, folder.path())?;
    let token = Signer::ed("ed")?.sign(&json!({"sub": "7"}))?;
    let refused = me(&gateway, &token)?;
    ensure!(refused.status == 503 && refused.header("retry-after").is_some(), "{}", refused.body);
    is_refused(&send(&gateway, "GET /api/me", &[], "")?)
}

#[test]
fn people_sign_in_at_the_issuer() -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let issuer = Issuer::start()?;
    let ec = Signer::ec("ec")?;
    issuer.publish(&[&ec])?;
    let auth = json!({"mode": "oidc", "issuer": issuer.url, "audience": ["the-gateway"],
        "client_id": CLIENT_ID, "client_secret": CLIENT_SECRET});
    let gateway = start(&auth, folder.path())?;
    let binding = "a-secret-of-the-tab";
    // To the issuer: what the page is sent there with.
    let begin = || -> anyhow::Result<std::collections::HashMap<String, String>> {
        let sent = send(&gateway, &format!("GET /auth/login?binding={binding}"), &[], "")?;
        let location = sent.header("location").context("a way")?;
        ensure!(sent.status == 303 && location.starts_with(&format!("{}/authorize?", issuer.url)));
        ensure!(!location.contains(binding) && sent.header("set-cookie").is_none(), "{location}");
        Ok(form(location.split_once('?').context("a query")?.1))
    };
    let id_token = |nonce: &str, audience: &str| {
        let claims = with(claims(&issuer), "nonce", json!(nonce));
        ec.sign(&with(claims, "aud", json!(audience)))
    };
    let back = |state: &str| -> anyhow::Result<String> {
        let sent =
            send(&gateway, &format!("GET /auth/callback?code=the-code&state={state}"), &[], "")?;
        ensure!(sent.status == 303, "{}", sent.body);
        Ok(sent.header("location").context("a way")?.to_owned())
    };
    ensure!(send(&gateway, "GET /auth/login", &[], "")?.status == 400, "only from a page");

    let asked = begin()?;
    ensure!(asked["response_type"] == "code" && asked["client_id"] == CLIENT_ID, "{asked:?}");
    ensure!(asked["scope"] == "openid profile email" && asked["code_challenge_method"] == "S256");
    ensure!(asked["redirect_uri"] == format!("{}/auth/callback", gateway.url));
    issuer.set_id_token(id_token(&asked["nonce"], CLIENT_ID)?);
    let location = back(&asked["state"])?;
    let code = location.strip_prefix(&format!("{}/#code=", gateway.url)).context("a code")?;
    let (head, sent) = issuer.last_asked().context("the issuer was asked")?;
    ensure!(sent["code"] == "the-code" && sent["redirect_uri"] == asked["redirect_uri"]);
    use sha2::Digest as _;
    let challenge = sha2::Sha256::digest(sent["code_verifier"].as_bytes());
    ensure!(base64_simd::URL_SAFE_NO_PAD.encode_to_string(challenge) == asked["code_challenge"]);
    ensure!(
        head.to_lowercase().contains("authorization: basic ")
            && !sent.contains_key("client_secret")
    );
    let exchange = |body: Value| send(&gateway, "POST /api/page-session", &[], &body.to_string());
    let token = exchange(json!({"code": code, "binding": binding}))?.json()?;
    let token = token["token"].as_str().context("a token")?.to_owned();
    let known = me(&gateway, &token)?.json()?;
    ensure!(known["user"] == "ada" && known["mode"] == "oidc", "{known}");
    is_refused(&exchange(json!({"code": code, "binding": binding}))?)?;

    // The same way back again, a way back that nobody began, and tokens that are not for this.
    let failed = format!("{}/#failed", gateway.url);
    ensure!(back(&asked["state"])? == failed && back("made-up")? == failed);
    for (nonce, audience) in [(None, "the-gateway"), (Some("another"), CLIENT_ID)] {
        let asked = begin()?;
        issuer.set_id_token(id_token(nonce.unwrap_or(&asked["nonce"]), audience)?);
        ensure!(back(&asked["state"])? == failed, "{nonce:?} {audience}");
    }
    // Another issuer's answer.
    let asked = begin()?;
    issuer.set_id_token(id_token(&asked["nonce"], CLIENT_ID)?);
    let mixed = format!(
        "GET /auth/callback?code=c&state={}&iss=https%3A%2F%2Fevil.example",
        asked["state"]
    );
    ensure!(send(&gateway, &mixed, &[], "")?.header("location") == Some(failed.as_str()));
    // A stranger's sign-in does not end in this tab.
    let asked = begin()?;
    issuer.set_id_token(id_token(&asked["nonce"], CLIENT_ID)?);
    let location = back(&asked["state"])?;
    let code = location.rsplit_once('=').context("a code")?.1;
    is_refused(&exchange(json!({"code": code, "binding": "another-tab"}))?)?;
    is_refused(&exchange(json!({"code": code, "binding": binding}))?)?;
    let log = gateway.log();
    for secret in [CLIENT_SECRET, "the-code", &token, &asked["state"], &asked["nonce"]] {
        ensure!(!log.contains(secret), "{log}");
    }
    Ok(())
}
