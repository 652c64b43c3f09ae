//! What browsers are told each document may do (Content Security Policy).
//!
//! Every policy starts from nothing. Sources that are not written here, such as origins of the
//! configuration, were checked where they were read; what could mean more than a source in a policy
//! is left out here all the same.

/// For files of the page: a worker has the policy that came with its file.
pub(super) const WORKER: &str = "default-src 'none'; script-src 'self'; connect-src 'self'";

/// The page of the demo, and what it runs beside itself: its own files, and us.
pub(super) const DEMO: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
    img-src 'self' data: blob:; connect-src 'self'; worker-src 'self'; base-uri 'none'; \
    form-action 'none'; frame-ancestors 'none'";

/// The page: its own files alone, frames of the sandbox and of allowed dashboards, and only HTML
/// and scripts that its one policy for Trusted Types has made.
pub(super) fn page(nonce: &str, sandbox: Option<&str>, dashboards: &[String]) -> String {
    let frames = sandbox.into_iter().chain(dashboards.iter().map(String::as_str));
    let frames = sources(frames);
    let frames = if frames.is_empty() { "'none'" } else { &frames };
    format!(
        "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-{nonce}'; \
         img-src 'self' data:; font-src 'self'; connect-src 'self'; worker-src 'self'; \
         frame-src {frames}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
         require-trusted-types-for 'script'; trusted-types resultant"
    )
}

/// The shell that shows content which runs nothing.
pub(in crate::front::http) fn stage(own: &str, page: &str) -> String {
    format!(
        "default-src 'none'; script-src {own} 'wasm-unsafe-eval' blob:; \
         style-src {own} 'unsafe-inline'; img-src blob: data:; media-src blob:; \
         font-src {own} blob: data:; connect-src {own} blob:; worker-src blob:; {}",
        closed(page)
    )
}

/// The shell for HTML that a person lets run: everything that it brings, nothing from elsewhere.
pub(in crate::front::http) fn run(own: &str, page: &str) -> String {
    format!(
        "default-src 'none'; script-src {own} 'unsafe-inline' 'unsafe-eval' blob: data:; \
         style-src {own} 'unsafe-inline' blob: data:; img-src data: blob:; media-src data: blob:; \
         font-src data: blob:; connect-src data: blob:; worker-src blob:; {}",
        closed(page)
    )
}

fn closed(page: &str) -> String {
    format!(
        "frame-src 'none'; base-uri 'none'; form-action 'none'; webrtc 'block'; \
         frame-ancestors {page}; sandbox allow-scripts"
    )
}

/// The shell of MCP Apps: what the app brings, and the origins that its resource declares.
pub(in crate::front::http) fn app(own: &str, page: &str, declared: &super::AppDomains) -> String {
    let with = |declared: &[String]| {
        let declared = sources(declared.iter().map(String::as_str));
        if declared.is_empty() { declared } else { format!(" {declared}") }
    };
    let or_none =
        |declared: String| if declared.is_empty() { " 'none'".to_owned() } else { declared };
    let resources = with(&declared.resources);
    format!(
        "default-src 'none'; script-src {own} 'unsafe-inline' 'unsafe-eval' blob: data:{resources}; \
         style-src {own} 'unsafe-inline' blob: data:{resources}; img-src data: blob:{resources}; \
         media-src data: blob:{resources}; font-src data: blob:{resources}; \
         connect-src data: blob:{}; worker-src blob:{resources}; frame-src{}; base-uri{}; \
         object-src 'none'; form-action 'none'; webrtc 'block'; frame-ancestors {page}; \
         sandbox allow-scripts allow-same-origin allow-forms",
        with(&declared.connect),
        or_none(with(&declared.frames)),
        or_none(with(&declared.base_uris)),
    )
}

/// Those of some sources that are plain.
pub(in crate::front::http) fn sources<'a>(listed: impl Iterator<Item = &'a str>) -> String {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"-._:/*[]".contains(&byte);
    let plain = listed.filter(|source| !source.is_empty() && source.bytes().all(is_part));
    plain.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_but_sources_gets_into_a_policy() {
        let odd = ["https://a.example; script-src *", "'unsafe-inline'", "a b", "x\r\ny", ""];
        assert_eq!(sources(odd.into_iter()), "");
        let dashboards = ["http://127.0.0.1:*".to_owned(), "https://b.example,*".to_owned()];
        let policy = page("abc", Some("http://localhost:9"), &dashboards);
        assert!(policy.contains("frame-src http://localhost:9 http://127.0.0.1:*; "), "{policy}");
        assert!(policy.contains("style-src 'self' 'nonce-abc'; "), "{policy}");
        assert!(!policy.contains("unsafe"), "{policy}");
        assert!(page("abc", None, &[]).contains("frame-src 'none'; "));
    }

    #[test]
    fn an_app_that_declares_nothing_reaches_nothing() {
        let policy = app("http://b:1", "http://a:2", &super::super::AppDomains::default());
        for part in [
            "connect-src data: blob:;",
            "frame-src 'none';",
            "base-uri 'none';",
            "img-src data: blob:;",
        ] {
            assert!(policy.contains(part), "{part}: {policy}");
        }
    }
}
