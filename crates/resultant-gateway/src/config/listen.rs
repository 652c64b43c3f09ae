//! Where clients connect: a host and a port.

use std::{fmt, net::IpAddr, str::FromStr};

/// A host, by name or number, and a port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listen {
    /// A name, or an address without brackets.
    pub host: String,
    /// 0 takes a free one.
    pub port: u16,
}

/// A text that is no `HOST:PORT`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected `HOST:PORT`, like `127.0.0.1:8737`, `[::1]:8737` or `localhost:0`")]
pub struct UnusableListen;

impl Listen {
    /// Whether only this machine can connect.
    pub fn is_loopback(&self) -> bool {
        let address = self.host.parse::<IpAddr>();
        address.map_or(self.host.eq_ignore_ascii_case("localhost"), |ip| ip.is_loopback())
    }
}

impl FromStr for Listen {
    type Err = UnusableListen;

    fn from_str(text: &str) -> Result<Listen, UnusableListen> {
        let (host, port) = text.rsplit_once(':').ok_or(UnusableListen)?;
        // `u16` would also take a plus sign.
        let is_number = port.bytes().all(|byte| byte.is_ascii_digit());
        let port = port.parse().ok().filter(|_| is_number).ok_or(UnusableListen)?;
        let inner = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
        let is_usable = match inner {
            Some(inner) => inner.parse::<std::net::Ipv6Addr>().is_ok(),
            None => {
                let is_part = |char: char| char.is_ascii_alphanumeric() || ".-_".contains(char);
                !host.is_empty() && host.chars().all(is_part)
            }
        };
        match is_usable {
            true => Ok(Listen { host: inner.unwrap_or(host).to_owned(), port }),
            false => Err(UnusableListen),
        }
    }
}

impl fmt::Display for Listen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.host.contains(':') {
            true => write!(f, "[{}]:{}", self.host, self.port),
            false => write!(f, "{}:{}", self.host, self.port),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Listen;

    #[test]
    fn addresses() {
        for (text, is_loopback) in [
            ("127.0.0.1:8737", true),
            ("[::1]:80", true),
            ("localhost:0", true),
            ("0.0.0.0:8737", false),
            ("[::]:8737", false),
            ("gateway.example:443", false),
        ] {
            let listen: Listen = text.parse().unwrap();
            assert_eq!(listen.to_string(), text);
            assert_eq!(listen.is_loopback(), is_loopback, "{text}");
        }
        for text in
            ["", "8737", ":8737", "::1:80", "host:", "host:+1", "host:65536", "http://a:1", "a b:1"]
        {
            assert!(text.parse::<Listen>().is_err(), "{text}");
        }
    }
}
