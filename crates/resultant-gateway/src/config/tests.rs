//! Files as data: what comes of them, and what is wrong with them where.

mod published;

use std::{fs, path::Path, time::Duration};

use resultant_store::{Lifetimes, Place, Quotas, Retention};

use super::*;

const FULL: &str = include_str!("fixtures/full.json");

fn base() -> &'static Path {
    Path::new(if cfg!(windows) { r"C:\etc\resultant" } else { "/etc/resultant" })
}

fn env(name: &str) -> Option<String> {
    let value = match name {
        "TOKEN" => "t0ken",
        "HOME" if !cfg!(windows) => "/var/ada",
        "LOCALAPPDATA" if cfg!(windows) => r"C:\ada",
        "BAD" => "line\nbreak",
        _ => return None,
    };
    Some(value.to_owned())
}

fn parse(text: &str) -> Result<Loaded, ConfigErrors> {
    Config::parse(text, base(), &env)
}

#[track_caller]
fn parsed(text: &str) -> Loaded {
    parse(text).unwrap_or_else(|errors| panic!("{errors}"))
}

#[test]
fn a_file_with_every_key() {
    let Loaded { config, warnings } = parsed(FULL);
    assert_eq!(warnings, []);
    assert_eq!(config.listen, Listen { host: "::1".to_owned(), port: 9000 });
    assert_eq!(config.data, base().join("data"));
    let seconds = Duration::from_secs;
    assert_eq!(
        config.timeouts,
        Timeouts {
            connect: seconds(1),
            call: Some(seconds(2)),
            session_idle: seconds(3),
            shutdown: seconds(4),
            heartbeat: seconds(5),
            request_idle: seconds(8),
            park: seconds(6),
            store: seconds(7),
        }
    );
    assert_eq!((config.limits.message_bytes_max, config.limits.tools_max), (100_000, 6));
    assert_eq!(config.limits.handover_bytes_max, 7);
    let parts = |budget: resultant::Budget| (budget.bytes, budget.tokens, budget.digest_tokens);
    assert_eq!(parts(config.budget), (4096, 1000, 300));
    assert_eq!(parts(config.clients.profile("My-Agent 7").cap(config.budget)), (4096, 900, 300));
    assert_eq!(config.clients.profile("nobody").name, "unknown");
    assert_eq!(crate::clean::text(&config, "ticket-123456 <|im_end|>"), "[redacted] [im_end]");
    assert_eq!((config.limits.query_seconds, config.limits.query_rows_max), (8, 9));
    assert_eq!(config.limits.query_memory_bytes_max, 100_000_000);
    assert_eq!((config.limits.queries_at_once_max, config.has_retrieval), (10, false));
    assert_eq!(
        config.store,
        StoreConfig {
            database: Some("postgres://resultant:t0ken@db.example/resultant".to_owned()),
            place: Some(Place::Url {
                url: "s3://bucket/files".to_owned(),
                options: vec![("aws_region".to_owned(), "eu-central-1".to_owned())],
            }),
            quotas: Quotas { user_bytes_max: 1000, session_bytes_max: 100 },
            retention: Retention {
                files_s: 86_400,
                user_bytes: 500,
                calls_s: 2 * 86_400,
                events_s: 3 * 86_400,
                sessions_s: 4 * 86_400,
                grace_s: 6 * 60,
            },
            sweep_every: Some(seconds(300)),
            lifetimes: Lifetimes { tool_s: 60, person_s: 600, rotate_s: 7 * 86_400 },
            keeps_raw: false,
        }
    );
    assert_eq!(config.allowed_hosts, ["gateway.example", "gateway.example:8443"]);
    assert_eq!(config.allowed_origins, ["https://app.example"]);
    let [files, weather, old] = config.servers.as_slice() else { panic!("{config:#?}") };
    assert_eq!(
        files.transport,
        Transport::Stdio {
            command: "npx".to_owned(),
            args: ["-y", "@modelcontextprotocol/server-filesystem", "."].map(str::to_owned).into(),
            env: vec![
                ("MODE".to_owned(), "fast".to_owned()),
                ("TOKEN".to_owned(), "t0ken".to_owned())
            ],
            cwd: Some(base().join("servers/files")),
        }
    );
    assert_eq!((files.name.as_str(), files.prefix.as_str()), ("files", "fs"));
    assert_eq!(files.shape, resultant::Shape::Contract);
    assert_eq!(files.schema_policy, resultant::SchemaPolicy::Off);
    assert_eq!((files.call_timeout, files.connect_timeout), (Some(seconds(2)), seconds(1)));
    assert_eq!((files.message_bytes_max, files.is_disabled), (100_000, false));
    assert_eq!((files.isolate, files.era, files.start), (Isolate::Auto, Era::Auto, Start::Eager));
    let url = "https://weather.example/mcp?key=t0ken";
    let header = ("Authorization".to_owned(), "Bearer t0ken".to_owned());
    assert_eq!(weather.transport, Transport::http(url, &[header]).unwrap());
    assert_eq!(weather.name.as_str(), "Weather-Service");
    assert_eq!(weather.name.written(), "Weather Service");
    assert_eq!((weather.prefix.as_str(), weather.shape), ("", resultant::Shape::Envelope));
    assert_eq!(weather.schema_policy, resultant::SchemaPolicy::Error);
    assert_eq!(weather.call_timeout, None);
    assert_eq!(weather.connect_timeout, Duration::from_millis(2500));
    assert_eq!(
        (weather.isolate, weather.era, weather.start),
        (Isolate::User, Era::Modern, Start::Lazy)
    );
    assert!(weather.tools.allows("get_wind") && !weather.tools.allows("get_secret"));
    assert_eq!(weather.message_bytes_max, 1 << 20);
    let budget = |tool: &str| parts(weather.budgets.of(tool, config.budget));
    assert_eq!(budget("get_wind"), (65_536, 16_000, 800));
    assert_eq!(budget("get_report"), (2048, 500, 200));
    assert_eq!(
        weather.oauth,
        OAuth {
            client_id: Some("gateway".to_owned()),
            client_secret: Some("t0ken".to_owned()),
            client_metadata_url: Some("https://gateway.example/client.json".to_owned()),
            scopes: ["forecast", "offline_access"].map(str::to_owned).into(),
            redirect_port: Some(8738),
            grant: Grant::Client,
        }
    );
    assert_eq!(files.oauth, OAuth::default());
    let named = |name: &str, fact| (name.to_owned(), fact);
    assert_eq!(
        weather.inject,
        Inject::Named(vec![
            named("login", Fact::Username),
            named("mail", Fact::Email),
            named("workspace", Fact::Session),
        ])
    );
    assert_eq!(weather.handover, Handover::SameServer);
    assert_eq!((&files.inject, files.handover), (&Inject::ByMode, Handover::Allow));
    assert!(old.is_disabled);
    assert_eq!(old.prefix, "old");
}

#[test]
fn without_a_word_everything_is_as_documented() {
    let Loaded { config, warnings } = parsed("{}");
    assert_eq!(warnings, []);
    assert_eq!(config.listen.to_string(), "127.0.0.1:8737");
    assert!(config.listen.is_loopback());
    #[cfg(target_os = "linux")]
    assert_eq!(config.data, Path::new("/var/ada/.local/share/resultant"));
    assert_eq!(config.limits, GatewayLimits::default());
    assert_eq!(config.timeouts, Timeouts::default());
    assert_eq!(config.servers, []);
    assert_eq!(config, parsed(" // nothing\n{\"mcpServers\": null}").config);
}

#[test]
fn who_may_call() {
    assert_eq!(parsed("{}").config.auth, Auth::Local { is_secret_for_all: false });
    let config = parsed(FULL).config;
    assert_eq!(config.auth, Auth::Local { is_secret_for_all: true });
    assert_eq!(config.public_url.unwrap().as_str(), "https://gateway.example/");
    let auth = |auth: &str| {
        let text = format!("{{\"resultant\": {{\"listen\": \"0.0.0.0:1\", \"auth\": {auth}}}}}");
        parse(&text).map(|loaded| loaded.config.auth).map_err(|errors| errors.to_string())
    };
    let digest = "ab".repeat(32);
    let keys =
        auth(&format!(r#"{{"mode": "token", "keys": [{{"user": "ada", "sha256": "{digest}"}}]}}"#));
    let key = ApiKey { user: "ada".to_owned(), email: None, sha256: [0xab; 32] };
    assert_eq!(keys, Ok(Auth::Token { keys: vec![key] }));
    let header = r#"{"mode": "header", "user_header": "X-User", "secret_header": "X-Secret",
        "secret": "${TOKEN}-and-some-more"}"#;
    let Ok(Auth::Header(headers)) = auth(header) else { panic!("{:?}", auth(header)) };
    assert_eq!((headers.user_header.as_str(), headers.email_header.as_ref()), ("x-user", None));
    assert_eq!(headers.secret, "t0ken-and-some-more");
    let oidc = r#"{"mode": "oidc", "issuer": "https://id.example/", "audience": ["a", "b"],
        "client_id": "page", "client_secret": "${TOKEN}"}"#;
    let Ok(Auth::Oidc(oidc)) = auth(oidc) else { panic!("{:?}", auth(oidc)) };
    assert_eq!((oidc.issuer.as_str(), oidc.audiences.len()), ("https://id.example/", 2));
    assert!(!format!("{headers:?}{oidc:?}").contains("t0ken"));
    for (written, problems) in [
        ("{}", &["/resultant/listen: listening beyond loopback needs auth mode token"][..]),
        (r#"{"mode": "password"}"#, &["expected `local`, `token`, `header` or `oidc`"]),
        (r#"{"mode": "token"}"#, &["mode `token` needs `keys`"]),
        (
            r#"{"mode": "token", "keys": [{"user": "", "sha256": "secret"}], "issuer": "x"}"#,
            &["keys/0/user: expected a name", "64 hexadecimal digits", "belongs to mode `oidc`"],
        ),
        (
            r#"{"mode": "header", "secret": "short", "user_header": "a b"}"#,
            &["at least 16 characters", "no header's name", "mode `header` needs `secret_header`"],
        ),
        (
            r#"{"mode": "header", "secret": "${TOKEN}-and-some-more", "user_header": "X-A",
                "secret_header": "x-a"}"#,
            &["the same header for two things"],
        ),
        (
            r#"{"mode": "oidc", "issuer": "http://id.example", "client_secret": "s"}"#,
            &["the issuer's https URL", "needs `audience`", "a secret without a `client_id`"],
        ),
    ] {
        let errors = auth(written).unwrap_err();
        for problem in problems {
            assert!(errors.contains(problem), "{written}: {errors}");
        }
        assert!(!errors.contains("short"), "{errors}");
    }
    let url = |url: &str| parse(&format!("{{\"resultant\": {{\"public_url\": \"{url}\"}}}}"));
    assert!(url("https://a.example/x").is_ok());
    for wrong in
        ["gateway.example", "ftp://a.example", "https://u@a.example", "https://a.example?q"]
    {
        assert!(url(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn secrets_are_not_printed() {
    let printed = format!("{:?}", parsed(FULL));
    assert!(!printed.contains("t0ken") && !printed.contains("fast"), "{printed}");
    assert!(printed.contains("TOKEN=[hidden]") && printed.contains("weather.example"), "{printed}");
}

#[test]
fn servers_of_vs_code_and_ambient_keys() {
    let text = r#"{"inputs": 3, "servers": {"a": {"type": 1e3, "command": "x"}}}"#;
    assert!(parse(text).is_err());
    let text = r#"{"inputs": 3, "servers": {"a": {"type": "odd", "command": "~/x", "env": null,
        "transport": 1, "alwaysAllow": [], "timeout": "x"}}}"#;
    let Loaded { config, warnings } = parsed(text);
    assert_eq!(warnings, []);
    #[cfg(unix)]
    assert_eq!(config.servers[0].transport, Transport::stdio("/var/ada/x", &[]));
    assert_eq!(config.servers.len(), 1);
}

/// Each expected line is the beginning of the line told, so that cases need not repeat hints.
#[track_caller]
fn check_lines(what: &str, found: &[String], expected: &[&str]) {
    let fits = found.len() == expected.len()
        && found.iter().zip(expected).all(|(found, expected)| found.starts_with(expected));
    assert!(fits, "{what}\nexpected {expected:#?}\nfound {found:#?}");
}

#[test]
fn problems_and_their_places() {
    let cases: &[(&str, &[&str])] = &[
        ("", &["1:1: expected a value, but the file ends"]),
        ("[]", &["1:1: expected an object, found a list"]),
        ("{\n  \"a\": 1\n  \"b\": 2\n}", &["3:3: expected `,` or `}`, found `\"`"]),
        ("{\"a\": /* x", &["1:7: the comment is not closed"]),
        ("{\"a\": \"x\n\"}", &["1:7: the string is not closed in its line"]),
        (
            r#"{"a": "C:\dir"}"#,
            &["1:7: the string is not as JSON has it — write a backslash as `\\\\`"],
        ),
        ("{\"a\": \"\t\"}", &["1:7: the string is not as JSON has it — write a tab as `\\t`"]),
        ("{a: 1}", &["1:2: expected a key in double quotes or `}`, found `a`"]),
        ("{\"a\": yes}", &["1:7: `yes` is not a JSON value — write text in double quotes"]),
        ("{\"a\": 01}", &["1:7: `01` is not a JSON value"]),
        ("{} x", &["1:4: expected the end of the file, found `x`"]),
        ("\u{feff}{} x", &["1:4: expected the end"]),
        (
            "// ä\r\n{\"mcpServers\": {\r\n  /* ö\n */ \"git\": {\"command\": \"ü\", \"args\": 7}}}",
            &["4:37: /mcpServers/git/args: expected a list of strings, found a number — write it"],
        ),
        (
            r#"{"mcpServers": {"a": {"command": ["x"], "args": "y", "env": {"N": 1}, "disabled": "true"}}}"#,
            &[
                "1:34: /mcpServers/a/command: expected a string, found a list",
                "1:49: /mcpServers/a/args: expected a list of strings, found a string — write it in br",
                "1:67: /mcpServers/a/env/N: expected a string, found a number — write it in double",
                "1:83: /mcpServers/a/disabled: expected true or false, found a string — write it with",
            ],
        ),
        (
            r#"{"mcpServers": {"a": {"args": ["x", 8080, null]}, "b/c": 5}}"#,
            &[
                "1:22: /mcpServers/a: the server has neither `command` nor `url` — `command` starts",
                "1:37: /mcpServers/a/args/1: expected a string, found a number",
                "1:43: /mcpServers/a/args/2: expected a string, found null",
                "1:58: /mcpServers/b~1c: expected an object, found a number",
            ],
        ),
        (
            r#"{"mcpServers": {"a": {"comand": "x"}, "b": {"httpUrl": "http://x"}, "": {"command": "x"}}}"#,
            &[
                "1:22: /mcpServers/a: the server has neither `command` nor `url` — did you mean `command` by `comand`?",
                "1:44: /mcpServers/b: the server has neither `command` nor `url` — did you mean `url` by `httpUrl`?",
                "1:73: /mcpServers/: a server needs a name",
            ],
        ),
        (
            "{\"mcpServers\": {\"a\": {\"command\": \"x\"},\n\"a\": {\"command\": \"y\"}}}",
            &["2:1: /mcpServers/a: the key is there twice, first in line 1"],
        ),
        (
            r#"{"mcpServers": {"a": {"command": "x", "url": "http://x"}}, "servers": {}}"#,
            &[
                "1:46: /mcpServers/a/url: the server has both `command` and `url`",
                "1:71: /servers: beside `mcpServers` — `servers` is VS Code's name for the same",
            ],
        ),
        (
            r#"{"mcpServers": {"a": {"command": "x", "url": "http://x"}, "b": {"command": " "},
"c": {"url": "ftp://x"}, "d": {"url": "x"}, "e": {"url": "http://x", "headers": {"a b": "c", "X": "${BAD}"}},
"f": {"command": "x", "env": {"A=B": "c"}, "cwd": ""}}}"#,
            &[
                "1:46: /mcpServers/a/url: the server has both `command` and `url`",
                "1:76: /mcpServers/b/command: the command is empty",
                "2:14: /mcpServers/c/url: expected an http or https URL, found the scheme `ftp`",
                "2:39: /mcpServers/d/url: not a URL: relative URL without a base",
                "2:89: /mcpServers/e/headers/a b: `a b` is not a header's name",
                "2:99: /mcpServers/e/headers/X: the value of `X` has characters",
                "3:38: /mcpServers/f/env/A=B: `A=B` is not a variable's name",
                "3:51: /mcpServers/f/cwd: the path is empty",
            ],
        ),
        (
            r#"{"mcpServers": {"a": {"command": "${NO}", "args": ["${input:key}", "${workspaceFolder}"]},
"b": {"url": "${NO}/mcp"}, "c": {"url": "${NO}", "disabled": true, "resultant": {"prefix": "/"}},
"d": {"resultant": {"tools": {"deny": ["!x"]}}}}}"#,
            &[
                "1:34: /mcpServers/a/command: the variable `NO` is not set — set it, or write a default: ${NO:-…}",
                "1:52: /mcpServers/a/args/0: `${input:key}` is asked for by VS Code only",
                "1:68: /mcpServers/a/args/1: the variable `workspaceFolder` is not set — an editor's",
                "2:14: /mcpServers/b/url: the variable `NO` is not set",
                "2:92: /mcpServers/c/resultant/prefix: a prefix has",
                "3:6: /mcpServers/d: the server has neither",
                "3:40: /mcpServers/d/resultant/tools/deny/0: a pattern has no brackets",
            ],
        ),
        (
            r#"{"resultant": {"listn": "x", "listen": 8737, "limits": {"depth": 1, "depth_max": 4, "blocks_max": 1.5},
"timeouts": {"call_seconds": -1, "park_seconds": 1e99}, "budget": {"bytes": "9"}, "x": 1}}"#,
            &[
                "1:16: /resultant/listn: unknown key — did you mean `listen`?",
                "1:40: /resultant/listen: expected a string, found a number — write it in double quotes",
                "1:57: /resultant/limits/depth: unknown key — did you mean `depth_max`?",
                "1:82: /resultant/limits/depth_max: must be at least 8, is 4",
                "1:99: /resultant/limits/blocks_max: expected a whole number, found a number",
                "2:30: /resultant/timeouts/call_seconds: must be at least 0, is -1",
                "2:50: /resultant/timeouts/park_seconds: must be at most 31536000, is 1e+99",
                "2:77: /resultant/budget/bytes: expected a whole number, found a string — write it without",
                "2:83: /resultant/x: unknown key — known here: `",
            ],
        ),
        (
            r#"{"resultant": {"listen": "8737", "data": "${NO}", "allowed_hosts": ["http://x", "*", "x"],
"allowed_origins": ["x.example", "https://x.example/app", "*", "app://x"]}}"#,
            &[
                "1:26: /resultant/listen: expected `HOST:PORT`",
                "1:42: /resultant/data: the variable `NO` is not set",
                "1:69: /resultant/allowed_hosts/0: expected `HOST` or `HOST:PORT`",
                "1:81: /resultant/allowed_hosts/1: expected `HOST` or `HOST:PORT`",
                "2:21: /resultant/allowed_origins/0: expected an origin",
                "2:34: /resultant/allowed_origins/1: expected an origin",
                "2:59: /resultant/allowed_origins/2: expected an origin",
            ],
        ),
        (
            r#"{"mcpServers": {"git": {"command": "x", "resultant": {"sahpe": "mcp", "shape": "xml", "prefix": "a b",
"tools": {"allow": ["", "get_[ab]"], "deny": "x"}}}}, "resultant": {"servers": {"git": {}, "gti": {}}}}"#,
            &[
                "1:55: /mcpServers/git/resultant/sahpe: unknown key — did you mean `shape`?",
                "1:80: /mcpServers/git/resultant/shape: expected `mcp`, `contract` or `envelope`, found `xml`",
                "1:97: /mcpServers/git/resultant/prefix: a prefix has at most 64",
                "2:21: /mcpServers/git/resultant/tools/allow/0: the pattern is empty",
                "2:25: /mcpServers/git/resultant/tools/allow/1: a pattern has no brackets",
                "2:46: /mcpServers/git/resultant/tools/deny: expected a list of strings, found a string",
                "2:88: /resultant/servers/git: `git` has `resultant` in its entry already — keep one",
                "2:99: /resultant/servers/gti: there is no server `gti` — did you mean `git`?",
            ],
        ),
        (
            r#"{"mcpServers": {"a": {"command": "x", "resultant": {"isolate": "Session", "start": true}}}}"#,
            &[
                "1:64: /mcpServers/a/resultant/isolate: expected `shared`, `session` or `user`, found `Session` — did you mean `session`?",
                "1:84: /mcpServers/a/resultant/start: expected `eager` or `lazy`, found true",
            ],
        ),
        (
            r#"{"mcpServers": {"a": {"url": "http://x", "resultant": {"oauth": {"client_secret": "s",
"client_metadata_url": "http://x/client.json", "redirect_port": 0}}},
"b": {"url": "http://x", "resultant": {"oauth": {"client_id": "${NO}", "grant": "client"}}},
"c": {"url": "http://x", "disabled": true, "resultant": {"oauth": {"client_id": "${NO}", "grant": "user"}}}}}"#,
            &[
                "1:83: /mcpServers/a/resultant/oauth/client_secret: a secret without a `client_id`",
                "2:24: /mcpServers/a/resultant/oauth/client_metadata_url: expected an https URL",
                "2:65: /mcpServers/a/resultant/oauth/redirect_port: must be at least 1, is 0",
                "3:63: /mcpServers/b/resultant/oauth/client_id: the variable `NO` is not set",
                "3:81: /mcpServers/b/resultant/oauth/grant: tokens for the client itself need",
                "4:99: /mcpServers/c/resultant/oauth/grant: expected `person` or `client`, found `user`",
            ],
        ),
    ];
    for (text, expected) in cases {
        let errors = parse(text).expect_err(text);
        let lines: Vec<String> = errors.to_string().lines().map(str::to_owned).collect();
        check_lines(text, &lines, expected);
        assert!(!errors.to_string().contains("break"), "a variable's value is told: {errors}");
    }
    let deep = format!("{}{}", "[".repeat(65), "]".repeat(65));
    assert!(parse(&deep).unwrap_err().to_string().contains("1:65: lists and objects are more"));
    let long = " ".repeat(CONFIG_BYTES_MAX + 1);
    assert!(parse(&long).unwrap_err().to_string().contains("more than 4194304 bytes"));
}

/// Every way to cut a file off is told as a problem inside of it, and no lost character is fatal.
#[test]
fn broken_files_are_problems() {
    let end = FULL.rfind('}').unwrap();
    for (at, char) in FULL[..=end].char_indices() {
        let cut = parse(&FULL[..at]).expect_err("a file that is cut off");
        let place = cut.problems[0].place.unwrap();
        assert!(place.line <= FULL[..at].matches('\n').count() + 1, "{cut}");
        let lost = format!("{}{}", &FULL[..at], &FULL[at + char.len_utf8()..]);
        let _ = parse(&lost);
        let _ = parse(&format!("{}ß{}", &FULL[..at], &FULL[at..]));
    }
}

#[test]
fn warnings_and_their_places() {
    let cases: &[(&str, &[&str])] = &[
        (
            r#"{"mcpservers": {}}"#,
            &["1:16: /mcpservers: a key without a meaning here — did you mean `mcpServers`?"],
        ),
        (
            r#"{"mcpServers": {"a": {"command": "x", "resultant": {"oauth": {}}}}}"#,
            &["1:62: /mcpServers/a/resultant/oauth: a program on this machine has no login"],
        ),
        (
            r#"{"mcpServers": {"a": {"command": "sh", "args": ["-c", "echo ${x%.*}"],
"resultant": {"tools": {"allow": []}}}, "b": {"type": "sse", "url": "http://x/sse"}}}"#,
            &[
                "1:55: /mcpServers/a/args/1: `${x%.*}` is no variable and stays as it is",
                "2:34: /mcpServers/a/resultant/tools/allow: allows no tool at all",
                "2:55: /mcpServers/b/type: streamable HTTP is spoken",
            ],
        ),
    ];
    for (text, expected) in cases {
        let lines: Vec<String> = parsed(text).warnings.iter().map(Problem::to_string).collect();
        check_lines(text, &lines, expected);
    }
    let text = r#"{"mcpServers": {"a": {"url": "http://x/${NO}", "disabled": true},
"b": {"url": "${NO}", "disabled": true}, "c": {"command": "${NO}", "disabled": true}}}"#;
    let Loaded { config, warnings } = parsed(text);
    let lines: Vec<String> = warnings.iter().map(Problem::to_string).collect();
    check_lines(text, &lines, &["2:14: /mcpServers/b/url: not a URL"]);
    assert_eq!(config.servers.len(), 2);
    let homeless = Config::parse("{}", base(), &|_| None).unwrap();
    assert_eq!(homeless.config.data, base().join("resultant-data"));
    assert_eq!(homeless.warnings.len(), 1);
}

#[test]
fn a_changed_server_differs_and_another_does_not() {
    let [before, after] = ["x", "y"].map(|command| {
        let text = r#"{"mcpServers": {"a": {"command": "COMMAND"}, "b": {"command": "z"}}}"#;
        parsed(&text.replace("COMMAND", command)).config
    });
    assert_ne!(before, after);
    assert_ne!(before.servers[0], after.servers[0]);
    assert_eq!(before.servers[1], after.servers[1]);
}

#[test]
fn files_are_found_and_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mine.json");
    let error = Config::load(Some(&path), &env).unwrap_err().to_string();
    assert_eq!(
        error,
        format!("{}: there is no such file — `resultant init` writes one", path.display())
    );
    fs::write(&path, "{\n\"resultant\": 1}").unwrap();
    let error = Config::load(Some(&path), &env).unwrap_err().to_string();
    let expected = "2:14: /resultant: expected an object, found a number";
    assert_eq!(error, format!("{}:{expected}", path.display()));
    fs::write(&path, b"{\"a\": \"\xff\"}").unwrap();
    let error = Config::load(Some(&path), &env).unwrap_err().to_string();
    assert!(error.ends_with(": the file is not UTF-8 text"), "{error}");
    fs::write(&path, r#"{"resultant": {"data": "files"}}"#).unwrap();
    let config = Config::load(Some(&path), &env).unwrap().config;
    assert_eq!(config.source.as_deref(), Some(path.as_path()));
    assert_eq!(config.data, folder.path().join("files"));
    let user = folder.path().join("user");
    fs::create_dir_all(user.join("resultant")).unwrap();
    fs::write(user.join("resultant/config.json"), r#"{"resultant": {"listen": "[::1]:1"}}"#)
        .unwrap();
    let home = |name: &str| {
        let is_config = name == if cfg!(windows) { "APPDATA" } else { "XDG_CONFIG_HOME" };
        is_config.then(|| user.to_str().unwrap().to_owned())
    };
    assert_eq!(Config::load(None, &home).unwrap().config.listen.port, 1);
}

#[test]
fn proxies_have_one_server_whose_names_stay() {
    let arguments =
        |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    for (command, args, name) in [
        ("npx", arguments(&["-y", "@scope/server-git"]), "server-git"),
        ("python3", arguments(&["tools/server.py", "x"]), "server"),
        ("/opt/bin/git-server", arguments(&["x"]), "git-server"),
    ] {
        let config = Config::proxy(Transport::stdio(command, &args), &env).unwrap();
        let [server] = config.servers.as_slice() else { panic!("{config:?}") };
        assert_eq!((server.name.as_str(), server.prefix.as_str()), (name, ""));
        assert_eq!(server.call_timeout, Timeouts::default().call);
    }
    let transport = Transport::http("https://mcp.example/mcp", &[]).unwrap();
    let config = Config::proxy(transport, &env).unwrap();
    assert_eq!(config.servers[0].name.as_str(), "mcp-example");
    let odd = Transport::http("file:///x", &[("a b".to_owned(), String::new())]).unwrap_err();
    assert_eq!(odd.problems.len(), 2, "{odd}");
}

#[test]
fn files_are_handed_to_servers_of_this_machine_unless_told_otherwise() {
    for (url, expected) in [
        ("http://127.0.0.1:1/mcp", Handover::Allow),
        ("http://127.8.8.8/mcp", Handover::Allow),
        ("http://2130706433/mcp", Handover::Allow),
        ("http://[::1]/mcp", Handover::Allow),
        ("http://[::ffff:127.0.0.1]/mcp", Handover::Allow),
        ("http://LOCALHOST:80/mcp", Handover::Allow),
        ("http://a.localhost./mcp", Handover::Allow),
        ("http://localhost.example/mcp", Handover::Deny),
        ("http://notlocalhost/mcp", Handover::Deny),
        ("http://127.0.0.1.example/mcp", Handover::Deny),
        ("http://10.0.0.1/mcp", Handover::Deny),
        ("http://0.0.0.0/mcp", Handover::Deny),
        ("https://127.0.0.1@mcp.example/mcp", Handover::Deny),
        ("https://mcp.example/mcp", Handover::Deny),
    ] {
        let text = serde_json::json!({"mcpServers": {"a": {"url": url}}}).to_string();
        assert_eq!(parsed(&text).config.servers[0].handover, expected, "{url}");
        let text = serde_json::json!({"mcpServers": {"a": {"url": url,
            "resultant": {"handover": "allow", "inject": {}}}}});
        let server = &parsed(&text.to_string()).config.servers[0];
        assert_eq!(server.handover, Handover::Allow, "{url}");
        assert_eq!(server.inject, Inject::Named(Vec::new()));
    }
    let config = Config::proxy(Transport::http("https://a.example/mcp", &[]).unwrap(), &env);
    assert_eq!(config.unwrap().servers[0].handover, Handover::Deny);
    let wrong = parse(
        r#"{"mcpServers": {"a": {"command": "x", "resultant": {
            "inject": {"user": "name"}, "handover": "same_server"}}}}"#,
    );
    let wrong = wrong.unwrap_err().to_string();
    assert!(wrong.contains("expected `username`, `email` or `session`, found `name`"), "{wrong}");
    assert!(wrong.contains("did you mean `same-server`?"), "{wrong}");
}
