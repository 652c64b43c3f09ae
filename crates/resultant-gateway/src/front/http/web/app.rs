//! What an app may reach: the origins that its resource declares (`_meta.ui.csp` of MCP Apps).
//!
//! They come in an address, so whoever can make somebody open one can write them; and they go into a
//! header that protects this machine. So an entry counts only where it is plainly the origin of a
//! public host, over TLS. Other entries are left out: the app then does not reach them, and the
//! browser's console says so.

use resultant::Json;

/// A longer declaration is refused.
const DECLARED_BYTES_MAX: usize = 8 * 1024;
/// Further origins of one kind are left out.
const ORIGINS_MAX: usize = 64;

/// The declared origins, by what they are for.
#[derive(Debug, Default, PartialEq, Eq)]
pub(in crate::front::http) struct AppDomains {
    pub(in crate::front::http) connect: Vec<String>,
    pub(in crate::front::http) resources: Vec<String>,
    pub(in crate::front::http) frames: Vec<String>,
    pub(in crate::front::http) base_uris: Vec<String>,
}

impl AppDomains {
    /// Reads the declaration; nothing where it is none.
    pub(in crate::front::http) fn read(text: &str) -> Option<AppDomains> {
        if text.len() > DECLARED_BYTES_MAX {
            return None;
        }
        let declared = Json::parse(text.to_owned()).ok().filter(Json::is_object)?;
        let origins = |key: &str| -> Vec<String> {
            let listed = declared.get(key);
            let listed = listed.as_ref().map(Json::items).into_iter().flatten();
            listed.filter_map(|entry| origin(&entry.as_str()?)).take(ORIGINS_MAX).collect()
        };
        Some(AppDomains {
            connect: origins("connectDomains"),
            resources: origins("resourceDomains"),
            frames: origins("frameDomains"),
            base_uris: origins("baseUriDomains"),
        })
    }
}

/// An origin as a policy has it: `https://name`, `wss://*.name`, with a port or without.
fn origin(written: &str) -> Option<String> {
    let written = written.to_ascii_lowercase();
    let (scheme, rest) = written.split_once("://")?;
    if !matches!(scheme, "https" | "wss") {
        return None;
    }
    let rest = rest.strip_suffix('/').unwrap_or(rest);
    let (name, port) = match rest.split_once(':') {
        Some((name, port)) => (name, Some(port)),
        None => (rest, None),
    };
    let is_port = |port: &str| {
        port.bytes().all(|byte| byte.is_ascii_digit()) && port.parse::<u16>().is_ok_and(|p| p > 0)
    };
    let plain = name.strip_prefix("*.").unwrap_or(name);
    let labels: Vec<&str> = plain.split('.').collect();
    let is_label = |label: &&str| {
        let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
        !label.is_empty() && label.len() <= 63 && label.bytes().all(is_part)
    };
    // A name of one word is this machine's or this network's, and one that ends in digits a number.
    let is_public = labels.len() >= 2
        && labels.iter().all(is_label)
        && labels.last().is_some_and(|last| last.bytes().any(|byte| byte.is_ascii_alphabetic()))
        && !plain.ends_with(".localhost")
        && !plain.ends_with(".local")
        && plain.len() <= 253;
    (is_public && port.is_none_or(is_port)).then(|| format!("{scheme}://{rest}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn public_origins_over_tls() {
        for written in [
            "https://a.example",
            "wss://live.a.example",
            "https://*.tiles.example",
            "https://a.example:8443",
        ] {
            assert_eq!(origin(written).as_deref(), Some(written));
        }
        assert_eq!(origin("HTTPS://A.example/").as_deref(), Some("https://a.example"));
        for written in [
            "",
            "*",
            "https:",
            "https://",
            "https://*",
            "https://*.com.",
            "http://a.example",
            "https://localhost",
            "https://x.localhost",
            "https://127.0.0.1",
            "https://[::1]",
            "https://a.example/path",
            "https://a.example:*",
            "https://a.example:0",
            "https://a.example:99999",
            "https://a.example:1:2",
            "https://u@a.example",
            "https://a.example; script-src *",
            "https://a.example\r\nSet-Cookie: a=b",
            "https://a.example https://b.example",
            "https://a..example",
            "https://*.*.example",
            "'unsafe-inline'",
            "data:",
            "blob:",
            "https://a.example,https://b.example",
            "https://a\u{e9}.example",
            "https://printer.local",
            "https://0x7f.1",
        ] {
            assert_eq!(origin(written), None, "{written}");
        }
    }

    #[test]
    fn a_declaration() {
        let read = AppDomains::read;
        let declared = read(
            r#"{"connectDomains": ["https://a.example", 1, "x"], "resourceDomains": "no list", "x": []}"#,
        );
        let connect = vec!["https://a.example".to_owned()];
        assert_eq!(declared, Some(AppDomains { connect, ..AppDomains::default() }));
        assert_eq!(read("{}"), Some(AppDomains::default()));
        assert_eq!(read("[]"), None);
        assert_eq!(read("nothing"), None);
        assert_eq!(read(&format!("{{\"x\": \"{}\"}}", "y".repeat(9000))), None);
        let many = vec!["\"https://a.example\""; 300].join(",");
        let many = read(&format!("{{\"frameDomains\": [{many}]}}")).unwrap();
        assert_eq!(many.frames.len(), ORIGINS_MAX);
    }
}
