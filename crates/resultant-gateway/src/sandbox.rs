//! The two origins: the page's own, and the one that content of strangers is shown from.
//!
//! A page that shows what tools return is a page on which strangers write. So that is never done on
//! the origin that has the API: a second one, with another port *and* another name, serves nothing
//! but the frames that show content. Between `127.0.0.1` and `localhost` that works on every machine
//! without configuration; anywhere else `sandbox_url` says where it is. What is here is pure: names
//! are compared, nothing is listened on.

use std::net::SocketAddr;

use url::{Host, Url};

const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

/// Where content of strangers is shown.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sandbox {
    url: Option<Url>,
    address: Option<SocketAddr>,
}

impl Sandbox {
    /// As configured, and where it is listened for.
    pub(crate) fn new(url: Option<&Url>, address: Option<SocketAddr>) -> Sandbox {
        Sandbox { url: url.cloned(), address }
    }

    /// The origin of the sandbox for a page that was asked for at this host, in lower case. Nothing
    /// where there is none that differs in its name.
    pub(crate) fn origin_for(&self, host: &str) -> Option<String> {
        if let Some(url) = &self.url {
            return Some(origin(url));
        }
        let address = self.address?;
        // Policies know no addresses of IPv6, so `[::1]` can be neither side.
        let other = match split(host).0 {
            "localhost" if address.is_ipv4() => "127.0.0.1",
            "127.0.0.1" => "localhost",
            _ => return None,
        };
        Some(format!("http://{other}:{}", address.port()))
    }

    /// The origin that a request with this host is for, where that is the configured sandbox.
    pub(crate) fn named(&self, host: &str) -> Option<String> {
        let url = self.url.as_ref()?;
        (authority(url).as_deref() == Some(host)).then(|| origin(url))
    }

    /// The same for the port that only the sandbox has.
    pub(crate) fn at_own_port(&self, host: &str) -> Option<String> {
        self.named(host).or_else(|| self.is_own_port(host).then(|| format!("http://{host}")))
    }

    /// Whether a request with this host is meant for the sandbox and not for the gateway.
    pub(crate) fn is_host(&self, host: &str) -> bool {
        let Some(url) = &self.url else { return self.is_own_port(host) };
        let is_named =
            url.host_str().is_some_and(|name| !LOOPBACK.contains(&name) && name == split(host).0);
        is_named || authority(url).as_deref() == Some(host) || self.is_own_port(host)
    }

    /// Whether a page of this origin is one of the sandbox.
    pub(crate) fn is_origin(&self, origin: &str) -> bool {
        let host = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
        host.is_some_and(|host| self.is_host(host))
    }

    fn is_own_port(&self, host: &str) -> bool {
        let (name, port) = split(host);
        LOOPBACK.contains(&name) && self.address.is_some_and(|address| address.port() == port)
    }
}

/// An origin as browsers write it.
pub(crate) fn origin(url: &Url) -> String {
    url.origin().ascii_serialization()
}

/// Whether this can be a host's name in a policy: nothing in it means anything there.
pub(crate) fn is_plain_host(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => {
            name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-_".contains(&byte))
        }
        Some(Host::Ipv4(_) | Host::Ipv6(_)) => true,
        None => false,
    }
}

fn authority(url: &Url) -> Option<String> {
    let host = url.host_str()?;
    Some(url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}")))
}

/// A host's name, with the brackets of an address, and its port.
fn split(host: &str) -> (&str, u16) {
    let (name, port) = match host.rsplit_once(':') {
        Some((name, port)) if !port.contains(']') => (name, Some(port)),
        _ => (host, None),
    };
    // What is no port is nobody's.
    (name, port.map_or(80, |port| port.parse().unwrap_or(0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_other_name_of_this_machine() {
        let sandbox = Sandbox::new(None, Some("127.0.0.1:9000".parse().unwrap()));
        let other = |host: &str| sandbox.origin_for(host);
        assert_eq!(other("127.0.0.1:8737").as_deref(), Some("http://localhost:9000"));
        assert_eq!(other("[::1]:8737"), None);
        assert_eq!(other("localhost:8737").as_deref(), Some("http://127.0.0.1:9000"));
        assert_eq!(other("gateway.example"), None);
        let six = Sandbox::new(None, Some("[::1]:9000".parse().unwrap()));
        assert_eq!(six.origin_for("localhost"), None);
        assert_eq!(Sandbox::default().origin_for("localhost"), None);
    }

    #[test]
    fn who_is_meant() {
        let sandbox = Sandbox::new(None, Some("127.0.0.1:9000".parse().unwrap()));
        for host in ["localhost:9000", "127.0.0.1:9000", "[::1]:9000"] {
            assert!(sandbox.is_host(host), "{host}");
            assert_eq!(sandbox.at_own_port(host), Some(format!("http://{host}")));
            assert!(sandbox.is_origin(&format!("http://{host}")));
        }
        for host in ["localhost:8737", "localhost", "a.example:9000", "localhost:09000x", "9000"] {
            assert!(!sandbox.is_host(host), "{host}");
            assert_eq!(sandbox.at_own_port(host), None, "{host}");
        }
        let url: Url = "https://box.example".parse().unwrap();
        let sandbox = Sandbox::new(Some(&url), None);
        assert_eq!(sandbox.origin_for("gateway.example").as_deref(), Some("https://box.example"));
        assert_eq!(sandbox.named("box.example").as_deref(), Some("https://box.example"));
        assert_eq!(sandbox.named("box.example:81"), None);
        assert!(sandbox.is_host("box.example:81"), "neither is it the gateway");
        assert!(sandbox.is_origin("http://box.example:81"));
        assert!(!sandbox.is_host("gateway.example") && !sandbox.is_origin("null"));
        // One port, two names.
        let url: Url = "http://localhost:8737".parse().unwrap();
        let sandbox = Sandbox::new(Some(&url), None);
        assert!(sandbox.is_host("localhost:8737") && !sandbox.is_host("127.0.0.1:8737"));
    }
}
