//! The second origin: the frames that show content of strangers, and nothing else.
//!
//! It has no API, knows no callers and sets no cookies, so there is nothing on it for content to
//! reach. Content comes to it from the page by messages; no address leads to any. Its files may be
//! read from every origin, because the frames that ask for them have none of their own.

use axum::{
    extract::{Request, State},
    http::{HeaderName, HeaderValue, Method, StatusCode, header, request::Parts},
    response::{IntoResponse as _, Response},
};

use super::{
    Front, name_host,
    web::{self, AppDomains, Part},
};
use crate::sandbox::origin;

const CROSS_ORIGIN_RESOURCE: HeaderName = HeaderName::from_static("cross-origin-resource-policy");
const PERMISSIONS: HeaderName = HeaderName::from_static("permissions-policy");
/// What a browser lets a page ask people for; content asks for none of it.
const NO_PERMISSIONS: &str = "camera=(), clipboard-read=(), display-capture=(), geolocation=(), \
                              local-fonts=(), microphone=(), midi=(), payment=(), serial=(), usb=()";

/// A request at the port that is the sandbox's alone.
pub(super) async fn alone(State(front): State<Front>, mut request: Request) -> Response {
    let own = match name_host(&mut request) {
        true => host(&request).and_then(|host| front.sandbox.at_own_port(&host)),
        false => None,
    };
    match own {
        Some(own) => answer(&front, &own, &request.into_parts().0).await,
        None => {
            let reason = "this is the sandbox; it has another name (sandbox_url)\n";
            closed((StatusCode::FORBIDDEN, reason).into_response())
        }
    }
}

/// The host that a request names, where it names one.
pub(super) fn host(request: &Request) -> Option<String> {
    let mut named = request.headers().get_all(header::HOST).iter();
    match (named.next(), named.next()) {
        (Some(host), None) => Some(host.to_str().ok()?.trim().to_ascii_lowercase()),
        _ => None,
    }
}

/// Answers as the sandbox of this origin.
pub(super) async fn answer(front: &Front, own: &str, request: &Parts) -> Response {
    let page = front.page_origins();
    if !matches!(request.method, Method::GET | Method::HEAD) {
        return closed(StatusCode::METHOD_NOT_ALLOWED.into_response());
    }
    let path = request.uri.path().trim_start_matches('/');
    let policy = match path {
        "stage.html" => web::stage(own, &page),
        "run.html" => web::run(own, &page),
        "app.html" => match declared(request) {
            Some(declared) => web::app(own, &page, &declared),
            None => {
                let reason = "`csp` is to be a JSON object of at most 8 KiB\n";
                return closed((StatusCode::BAD_REQUEST, reason).into_response());
            }
        },
        path if path.ends_with(".html") => return nothing(),
        // A file that is opened by itself is shown as nothing.
        _ => "default-src 'none'; sandbox; frame-ancestors 'none'".to_owned(),
    };
    match front.files.find(Part::Sandbox, path).await {
        Some(file) => closed(web::with_policy(web::answer(file, &request.headers), &policy)),
        None => nothing(),
    }
}

fn nothing() -> Response {
    closed((StatusCode::NOT_FOUND, "there is nothing here\n").into_response())
}

/// What every response of this origin has.
fn closed(mut response: Response) -> Response {
    for (name, value) in [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::ACCESS_CONTROL_ALLOW_ORIGIN, "*"),
        (header::REFERRER_POLICY, "no-referrer"),
        // Names that content has in it are not looked up before somebody goes there.
        (header::X_DNS_PREFETCH_CONTROL, "off"),
        (CROSS_ORIGIN_RESOURCE, "cross-origin"),
        (PERMISSIONS, NO_PERMISSIONS),
    ] {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

/// What the address of an app's shell says that the app declares.
fn declared(request: &Parts) -> Option<AppDomains> {
    let query = request.uri.query().unwrap_or_default();
    let mut given = url::form_urlencoded::parse(query.as_bytes()).filter(|(key, _)| key == "csp");
    match (given.next(), given.next()) {
        (None, _) => Some(AppDomains::default()),
        (Some((_, text)), None) => AppDomains::read(&text),
        (Some(_), Some(_)) => None,
    }
}

impl Front {
    /// The origins that the page can have: who may put the sandbox into a frame.
    fn page_origins(&self) -> String {
        let config = self.gateway.config();
        let mut origins: Vec<String> =
            ["localhost", "127.0.0.1"].map(|name| format!("http://{name}:{}", self.port)).to_vec();
        origins.extend(config.public_url.as_ref().map(origin));
        // Which scheme and port a proxy in front has for these is not known here.
        origins.extend(config.allowed_hosts.iter().map(|host| {
            let has_port = host.rsplit_once(':').is_some_and(|(_, port)| !port.ends_with(']'));
            if has_port { host.clone() } else { format!("{host}:*") }
        }));
        web::sources(origins.iter().map(String::as_str))
    }
}
