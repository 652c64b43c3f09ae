//! What to try, by what went wrong.

use std::ffi::OsStr;

use resultant_gateway::{
    Failure, FailureKind,
    config::{ServerConfig, Transport},
};

use crate::terminal::printable;

/// Programs that many servers need, and where they come from.
const SOURCES: [(&[&str], &str); 5] = [
    (&["npx", "npm", "node"], "it comes with Node.js: https://nodejs.org"),
    (&["uvx", "uv"], "it comes with uv: https://docs.astral.sh/uv"),
    (&["docker"], "it comes with Docker: https://docs.docker.com/get-started"),
    (&["bunx", "bun"], "it comes with Bun: https://bun.sh"),
    (&["python"], "many systems have it as `python3`"),
];

pub(super) fn missing_command(command: &str, looked_in: &OsStr) -> Vec<String> {
    let mut advice = Vec::new();
    let source = SOURCES.iter().find(|(programs, _)| programs.contains(&command));
    if let Some((_, source)) = source {
        advice.push((*source).to_owned());
    }
    if command.contains(char::is_whitespace) {
        advice.push("arguments do not belong in `command`: put them into `args`".to_owned());
    }
    if looked_in.is_empty() {
        advice.push(
            "is the path right? one that begins with `./` or `../` starts in the folder of the \
             configuration"
                .to_owned(),
        );
    } else {
        advice
            .push("give its full path as `command`; `which` in your terminal prints it".to_owned());
        advice.push(format!("PATH is {}", printable(&looked_in.to_string_lossy())));
    }
    advice
}

pub(super) fn unresolved() -> Vec<String> {
    vec!["is the host in `url` spelled right, and are you online?".to_owned()]
}

pub(super) fn unconnected() -> Vec<String> {
    vec!["is the server running, and is the port in `url` right?".to_owned()]
}

pub(super) fn of_failure(config: &ServerConfig, failure: &Failure, again: &str) -> Vec<String> {
    let name = config.name.as_str();
    let by_hand = match &config.transport {
        Transport::Stdio { command, args, .. } => {
            let words = std::iter::once(command).chain(args).map(|word| quoted(word));
            let words: Vec<String> = words.collect();
            Some(format!("run it by hand and see what it says: {}", words.join(" ")))
        }
        Transport::Http { .. } | Transport::Pages => None,
    };
    let reason = failure.reason.to_lowercase();
    match failure.kind {
        FailureKind::Start => by_hand.into_iter().collect(),
        FailureKind::Ended => match by_hand {
            Some(by_hand) => vec![by_hand],
            None if is_plain_http(config) => {
                vec!["does the server speak TLS? then try https:// instead of http://".to_owned()]
            }
            None => vec!["look into the server's own log".to_owned()],
        },
        FailureKind::Unauthorized | FailureKind::Status(401) if has_token(config) => vec![
            "the token in `headers` is not taken: has it expired, and is it for this server?"
                .to_owned(),
            format!("or remove it and log in: resultant login {name}{again}"),
        ],
        FailureKind::Unauthorized | FailureKind::Status(401) => vec![
            format!("log in: resultant login {name}{again}"),
            "or give it a token: \"headers\": {\"Authorization\": \"Bearer ${TOKEN}\"}".to_owned(),
        ],
        FailureKind::Status(403) => vec![format!(
            "the token is not enough for this server: log in again with `resultant login {name}\
             {again}`, or give another"
        )],
        FailureKind::Status(404 | 405 | 406 | 410 | 501) => {
            vec!["is the path in `url` right? many servers answer at /mcp, some at /sse".to_owned()]
        }
        FailureKind::Status(500..) => vec![
            "the server is there and broken: look into its own log, or try again later".to_owned(),
        ],
        FailureKind::TimedOut => {
            let seconds = config.connect_timeout.as_secs_f64() * 4.0;
            let more = format!(
                "give it more time: \"resultant\": {{\"timeouts\": {{\"connect_seconds\": \
                 {seconds}}}}} in its entry (a first start may have to download it)"
            );
            by_hand.into_iter().chain([more]).collect()
        }
        FailureKind::Unreachable => unreachable(&reason),
        FailureKind::Protocol if reason.contains("version") => vec![
            "the server may be too old or too new: update it, or say which it speaks: \
             \"resultant\": {\"protocol\": \"legacy\"} in its entry"
                .to_owned(),
        ],
        FailureKind::Protocol | FailureKind::Status(_) => match by_hand {
            Some(by_hand) => {
                vec!["does it speak MCP on standard output, and nothing else?".to_owned(), by_hand]
            }
            None => vec!["is the address one of an MCP server, or of a web page?".to_owned()],
        },
    }
}

/// Whether the configuration says who is asking.
fn has_token(config: &ServerConfig) -> bool {
    match &config.transport {
        Transport::Http { headers, .. } => {
            headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("authorization"))
        }
        Transport::Stdio { .. } | Transport::Pages => false,
    }
}

fn is_plain_http(config: &ServerConfig) -> bool {
    matches!(&config.transport, Transport::Http { url, .. } if url.scheme() == "http")
}

fn unreachable(reason: &str) -> Vec<String> {
    let is_about = |words: &[&str]| words.iter().any(|word| reason.contains(word));
    let advice = if is_about(&["invalidcontenttype", "corrupt message", "wrong version"]) {
        "the server does not speak TLS: try http:// instead of https://"
    } else if is_about(&["certificate", "unknownissuer"]) {
        "its certificate is not trusted here: add its authority to the system, or name a bundle in \
         SSL_CERT_FILE; a proxy in between may have one of its own"
    } else if is_about(&["tls", "handshake"]) {
        "the connection is not safe: is it the right host and port?"
    } else if is_about(&["dns", "lookup", "resolve"]) {
        return unresolved();
    } else {
        return unconnected();
    };
    vec![advice.to_owned()]
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    let is_plain = |char: char| char.is_ascii_alphanumeric() || "-_./:=@%+,".contains(char);
    let word = printable(word);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word,
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;

    use super::{missing_command, quoted, unreachable};

    #[test]
    fn known_programs_are_told_where_they_come_from() {
        let advice = missing_command("npx", OsStr::new("/bin")).join("\n");
        assert!(advice.contains("nodejs.org") && advice.contains("PATH is /bin"), "{advice}");
        let advice = missing_command("npx -y server", OsStr::new("/bin")).join("\n");
        assert!(advice.contains("`args`"), "{advice}");
    }

    #[test]
    fn what_keeps_from_connecting_is_told_apart() {
        let cases = [
            ("invalid peer certificate: unknownissuer", "not trusted"),
            ("received corrupt message of type invalidcontenttype", "does not speak tls"),
            ("dns error: failed to lookup address information", "spelled right"),
            ("tcp connect error: connection refused", "running"),
        ];
        for (reason, expected) in cases {
            let advice = unreachable(reason).join("\n").to_lowercase();
            assert!(advice.contains(expected), "{reason}: {advice}");
        }
    }

    #[test]
    fn words_can_be_pasted() {
        assert_eq!(quoted("-y"), "-y");
        assert_eq!(quoted("it's here"), "'it'\\''s here'");
        assert_eq!(quoted(""), "''");
    }
}
