//! Who may speak to us at all: checks of `Host` and `Origin` against pages that have another name
//! for our address (DNS rebinding).

use http::{HeaderMap, header};

use crate::sandbox::Sandbox;

/// The names a request may be addressed to.
#[derive(Clone, Debug)]
pub(super) struct Guard {
    hosts: Vec<String>,
    origins: Vec<String>,
    sandbox: Sandbox,
}

impl Guard {
    /// Loopback names, the address listened on, and what the configuration adds; never the sandbox.
    pub(super) fn new(
        listen_host: &str,
        hosts: &[String],
        origins: &[String],
        sandbox: Sandbox,
    ) -> Guard {
        let mut all: Vec<String> = ["localhost", "127.0.0.1", "::1"].map(str::to_owned).to_vec();
        if !matches!(listen_host, "0.0.0.0" | "::") {
            all.push(listen_host.to_owned());
        }
        all.extend(hosts.iter().map(|host| host.to_ascii_lowercase()));
        let origins = origins.iter().map(|origin| origin.to_ascii_lowercase()).collect();
        Guard { hosts: all, origins, sandbox }
    }

    /// Why a request is refused, if it is. `origins` are let in beside those that always are.
    pub(super) fn refuses(&self, headers: &HeaderMap, origins: &[String]) -> Option<&'static str> {
        let text = |name| match headers.get(name) {
            Some(value) => value.to_str().map(|v: &str| Some(v.trim().to_ascii_lowercase())),
            None => Ok(None),
        };
        // Who names two hosts means one of them for somebody else.
        if headers.get_all(header::HOST).iter().count() > 1 {
            return Some("the request names more than one host");
        }
        match text(header::HOST) {
            Ok(Some(host)) if self.sandbox.is_host(&host) => {
                return Some("this host is that of the sandbox");
            }
            Ok(Some(host)) if self.knows(&host) => {}
            _ => return Some("this host is not allowed (allowed_hosts)"),
        }
        match text(header::ORIGIN) {
            Ok(None) => None,
            // What is shown there is written by strangers.
            Ok(Some(origin)) if self.sandbox.is_origin(&origin) => {
                Some("pages of the sandbox may not call the gateway")
            }
            Ok(Some(origin)) if self.knows_origin(&origin) || origins.contains(&origin) => None,
            _ => Some("this origin is not allowed (allowed_origins)"),
        }
    }

    fn knows(&self, host: &str) -> bool {
        self.hosts.iter().any(|known| known == host || known == without_port(host))
    }

    fn knows_origin(&self, origin: &str) -> bool {
        if self.origins.iter().any(|known| known == origin) {
            return true;
        }
        let host = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
        // A page of this machine, at whatever port.
        host.is_some_and(|host| {
            matches!(without_port(host), "localhost" | "127.0.0.1" | "::1") || self.knows(host)
        })
    }
}

fn without_port(host: &str) -> &str {
    if let Some(inner) = host.strip_prefix('[') {
        let Some((name, rest)) = inner.split_once(']') else { return host };
        let is_port = |port: &str| port.bytes().all(|byte| byte.is_ascii_digit());
        return if rest.is_empty() || rest.strip_prefix(':').is_some_and(is_port) {
            name
        } else {
            host
        };
    }
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderMap;

    use super::Guard;
    use crate::sandbox::Sandbox;

    #[test]
    fn only_known_hosts_and_origins_pass() {
        let guard = Guard::new(
            "127.0.0.1",
            &["gate.example".to_owned()],
            &["https://app.example".to_owned()],
            Sandbox::new(None, Some("127.0.0.1:9000".parse().expect("an address"))),
        );
        let cases = [
            (Some("127.0.0.1:8737"), None, true),
            (Some("localhost"), Some("http://localhost:5173"), true),
            (Some("[::1]:8737"), Some("https://[::1]"), true),
            (Some("gate.example"), None, true),
            (Some("gate.example"), Some("https://app.example"), true),
            (Some("evil.example"), None, false),
            (Some("127.0.0.1.evil.example"), None, false),
            (Some("[::1].evil.example"), None, false),
            (Some("localhost"), Some("http://[::1].evil.example"), false),
            (Some("localhost"), Some("http://evil.example"), false),
            (Some("localhost"), Some("null"), false),
            (Some("localhost"), Some("http://localhost.evil.example"), false),
            (None, None, false),
            (Some("localhost:9000"), None, false),
            (Some("127.0.0.1:8737"), Some("http://localhost:9000"), false),
            (Some("127.0.0.1:8737"), Some("http://127.0.0.1:9000"), false),
        ];
        for (host, origin, passes) in cases {
            let mut headers = HeaderMap::new();
            for (name, value) in [("host", host), ("origin", origin)] {
                if let Some(value) = value {
                    headers.insert(name, value.parse().expect("a header"));
                }
            }
            assert_eq!(guard.refuses(&headers, &[]).is_none(), passes, "{host:?} {origin:?}");
        }
    }
}
