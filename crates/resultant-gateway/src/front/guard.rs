//! Who may speak to us at all: checks of `Host` and `Origin` against pages that have another name
//! for our address (DNS rebinding).

use http::{
    HeaderMap, HeaderName, HeaderValue,
    header::{self, ToStrError},
};

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

    /// Why a request is refused, if it is.
    pub(super) fn refuses(&self, headers: &HeaderMap, beside: &Beside) -> Option<&'static str> {
        // Who names two hosts means one of them for somebody else.
        if headers.get_all(header::HOST).iter().count() > 1 {
            return Some("the request names more than one host");
        }
        let host = match text(headers, header::HOST) {
            Ok(Some(host)) if self.sandbox.is_host(&host) => {
                return Some("this host is that of the sandbox");
            }
            Ok(Some(host)) if self.knows(&host) => host,
            _ => return Some("this host is not allowed (allowed_hosts)"),
        };
        match text(headers, header::ORIGIN) {
            Ok(None) => None,
            // What is shown there is written by strangers.
            Ok(Some(origin)) if self.sandbox.is_origin(&origin) => {
                Some("pages of the sandbox may not call the gateway")
            }
            Ok(Some(origin)) if self.is_ours(&origin, &host) => None,
            Ok(Some(origin)) if beside.loopback && is_of_this_machine(&origin) => None,
            Ok(Some(origin)) if beside.origins.contains(&origin) => None,
            _ => Some("this origin is not allowed (allowed_origins)"),
        }
    }

    /// Whether a request comes from a page that is neither ours nor named in the configuration.
    /// [`Guard::refuses`] lets in those of this machine, where some server shows what strangers wrote
    /// as often as not: that is no reason to run a tool.
    pub(super) fn is_of_stranger(&self, headers: &HeaderMap) -> bool {
        match (text(headers, header::ORIGIN), text(headers, header::HOST)) {
            (Ok(None), _) => false,
            (Ok(Some(origin)), Ok(Some(host))) => !self.is_ours(&origin, &host),
            _ => true,
        }
    }

    fn knows(&self, host: &str) -> bool {
        self.hosts.iter().any(|known| known == host || known == without_port(host))
    }

    /// Whether an origin is that of the request's own host, of a host that is allowed (where it is
    /// not merely a name of this machine), or named in the configuration.
    fn is_ours(&self, origin: &str, host: &str) -> bool {
        if self.origins.iter().any(|known| known == origin) {
            return true;
        }
        let Some(of) = host_of(origin) else { return false };
        of == host || !is_of_this_machine(origin) && self.knows(of)
    }
}

/// Who is let in beside our own pages.
#[derive(Debug)]
pub(super) struct Beside {
    /// These origins.
    pub(super) origins: Vec<String>,
    /// Pages of this machine, at whatever port.
    pub(super) loopback: bool,
}

fn text(headers: &HeaderMap, name: HeaderName) -> Result<Option<String>, ToStrError> {
    let value = headers.get(name).map(HeaderValue::to_str).transpose()?;
    Ok(value.map(|value| value.trim().to_ascii_lowercase()))
}

fn host_of(origin: &str) -> Option<&str> {
    origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"))
}

fn is_of_this_machine(origin: &str) -> bool {
    let host = host_of(origin).map(without_port);
    matches!(host, Some("localhost" | "127.0.0.1" | "::1"))
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

    use super::{Beside, Guard};
    use crate::sandbox::Sandbox;

    fn guard() -> Guard {
        Guard::new(
            "127.0.0.1",
            &["gate.example".to_owned()],
            &["https://app.example".to_owned()],
            Sandbox::new(None, Some("127.0.0.1:9000".parse().expect("an address"))),
        )
    }

    fn headers(host: Option<&str>, origin: Option<&str>) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in [("host", host), ("origin", origin)] {
            if let Some(value) = value {
                headers.insert(name, value.parse().expect("a header"));
            }
        }
        headers
    }

    #[test]
    fn only_known_hosts_and_origins_pass() {
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
        let beside = Beside { origins: Vec::new(), loopback: true };
        for (host, origin, passes) in cases {
            let refused = guard().refuses(&headers(host, origin), &beside);
            assert_eq!(refused.is_none(), passes, "{host:?} {origin:?}");
        }
    }

    #[test]
    fn a_page_of_this_machine_is_a_stranger_unless_it_is_ours() {
        let cases = [
            ("127.0.0.1:8737", None, false),
            ("127.0.0.1:8737", Some("http://127.0.0.1:8737"), false),
            ("localhost:8737", Some("http://LOCALHOST:8737"), false),
            ("127.0.0.1:8737", Some("https://app.example"), false),
            ("gate.example", Some("https://gate.example"), false),
            ("127.0.0.1:8737", Some("http://127.0.0.1:3000"), true),
            ("127.0.0.1:8737", Some("http://localhost:8737"), true),
            ("127.0.0.1:8737", Some("http://localhost"), true),
            ("gate.example", Some("http://[::1]:3000"), true),
        ];
        let strict = Beside { origins: Vec::new(), loopback: false };
        for (host, origin, is_stranger) in cases {
            let headers = headers(Some(host), origin);
            assert_eq!(guard().is_of_stranger(&headers), is_stranger, "{host} {origin:?}");
            assert_eq!(
                guard().refuses(&headers, &strict).is_some(),
                is_stranger,
                "{host} {origin:?}"
            );
        }
        let named = Beside { origins: vec!["http://localhost:3000".to_owned()], loopback: false };
        let asked = headers(Some("gate.example"), Some("http://localhost:3000"));
        assert_eq!(guard().refuses(&asked, &named), None);
    }
}
