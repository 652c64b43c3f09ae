//! A live dashboard: a page of the demo server's own, on a loopback port that is free, which a canvas
//! opens in a frame.
//!
//! The page itself holds nothing. It asks the window around it for the token that came in the
//! result's `canvas`, and only with that token does the server hand out numbers. The messages are in
//! `dashboard/page.html`.

mod http;

use std::{
    collections::VecDeque,
    fmt::Write as _,
    net::{Ipv4Addr, SocketAddr, TcpListener},
    sync::{Mutex, OnceLock, PoisonError},
    thread,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use resultant::{Block, Failure, Json, ToolResult};
use serde_json::{Value, json};

use self::http::{Request, Response};
use super::{
    call::{Answer, Call},
    content::shop::{Numbers, PRODUCTS},
    tools::{Effect, Tool},
};

/// How long a page may use its token. Calling the tool again gives a fresh one.
const TOKEN_LIFE: Duration = Duration::from_secs(3600);
/// When there are more tokens, the oldest ends.
const TOKENS_MAX: usize = 64;

const PAGE: &str = include_str!("dashboard/page.html");

pub(super) fn tools() -> Vec<Tool> {
    vec![Tool {
        name: "live_dashboard",
        title: "Live dashboard",
        description: "Opens a live view of the shop in the canvas: a page of this server that \
            updates itself every second. The token in `canvas` is for that page alone.",
        dialect: "contract-v2",
        arguments: json!({
            "id": {"type": "string", "maxLength": 64, "default": "shop-floor",
                "description": "Names the dashboard: the same id is the same tab"},
            "persistence": {"type": "string", "enum": ["session", "ephemeral", "pinned"],
                "default": "session"},
            "mode": {"type": "string", "enum": ["split", "replace", "append"],
                "default": "split"},
            "token": {"type": "boolean", "default": true,
                "description": "Whether the page is given a token; without one it shows nothing"},
        }),
        output: None,
        effect: Effect::Writes,
        run: live_dashboard,
    }]
}

fn live_dashboard(call: &Call) -> Result<Answer, Failure> {
    let id = call.text("id")?.unwrap_or("shop-floor");
    if id.is_empty() || id.len() > 64 {
        return Err(Failure::new("`id` must have 1 to 64 bytes"));
    }
    let persistence = call.word("persistence", &["session", "ephemeral", "pinned"])?;
    let mode = call.word("mode", &["split", "replace", "append"])?;
    let host = Host::running()?;
    // The text does not repeat the contract, so the token is in one place only.
    let mut contract = json!({
        "results": {"status": "opened", "dashboard": id},
        "canvas": {
            "open": true,
            "id": id,
            "persistence": persistence,
            "type": "iframe",
            "title": "Shop floor, live",
            "mode": mode,
            "url": format!("http://{}/", host.address),
        },
    });
    if call.flag("token", true)? {
        contract["canvas"]["token"] = json!(host.mint()?);
    }
    let text = Block::text("The dashboard is open in the canvas.");
    Ok(call.reply(ToolResult::default().block(text).structured(Json::of(&contract))))
}

/// The listener, and the tokens that it takes.
struct Host {
    address: SocketAddr,
    tokens: Mutex<VecDeque<(String, Instant)>>,
}

impl Host {
    /// The one host of this process, started by the first call.
    fn running() -> Result<&'static Host, Failure> {
        static HOST: OnceLock<Host> = OnceLock::new();
        if let Some(host) = HOST.get() {
            return Ok(host);
        }
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = listener.local_addr()?;
        let mut is_new = false;
        let host = HOST.get_or_init(|| {
            is_new = true;
            Host { address, tokens: Mutex::default() }
        });
        // Of two first calls at once only one starts to listen; the other's port is closed again.
        if is_new {
            thread::spawn(move || http::serve(&listener, |request| host.answer(request)));
        }
        Ok(host)
    }

    fn mint(&self) -> Result<String, Failure> {
        let token = random_text()?;
        let mut tokens = self.tokens.lock().unwrap_or_else(PoisonError::into_inner);
        if tokens.len() >= TOKENS_MAX {
            tokens.pop_front();
        }
        tokens.push_back((token.clone(), Instant::now()));
        Ok(token)
    }

    fn takes(&self, token: &str) -> bool {
        let mut tokens = self.tokens.lock().unwrap_or_else(PoisonError::into_inner);
        tokens.retain(|(_, minted)| minted.elapsed() < TOKEN_LIFE);
        // No early end: how long it takes says nothing about how much was right.
        tokens.iter().fold(false, |found, (known, _)| found | is_same(known, token))
    }

    fn answer(&self, request: &Request) -> Response {
        // A page elsewhere that has its own name point here must not get through.
        let port = self.address.port();
        let hosts = [format!("127.0.0.1:{port}"), format!("localhost:{port}")];
        if !hosts.contains(&request.host) {
            return Response::text("421 Misdirected Request", "unknown host");
        }
        match (request.method.as_str(), request.path.as_str()) {
            ("GET" | "HEAD", "/") => page(),
            ("OPTIONS", "/data") => Response::preflight(),
            ("GET", "/data") => match &request.bearer {
                Some(token) if self.takes(token) => Response::json(&snapshot()),
                _ => Response::text("401 Unauthorized", "a valid token is needed"),
            },
            _ => Response::text("404 Not Found", "nothing here"),
        }
    }
}

/// The page, whose only script and style are its own.
fn page() -> Response {
    match random_text() {
        Ok(nonce) => Response::page(&PAGE.replace("{{nonce}}", &nonce), &nonce),
        Err(_) => Response::text("500 Internal Server Error", "no random numbers"),
    }
}

/// What happens in the shop at this second.
fn snapshot() -> Value {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
    snapshot_at(now)
}

/// The numbers depend on nothing but the time.
fn snapshot_at(second: u64) -> Value {
    let orders: Vec<u64> = (second.saturating_sub(59)..=second)
        .map(|second| 12 + Numbers::new(second).below(9) + second / 20 % 6)
        .collect();
    let mut numbers = Numbers::new(second);
    let product = &PRODUCTS[numbers.below(PRODUCTS.len() as u64) as usize];
    json!({
        "second": second,
        "orders_per_minute": orders,
        "guests": 4 + numbers.below(9),
        "kettle_celsius": 79 + numbers.below(3),
        "last_sale": product.name,
    })
}

fn random_text() -> Result<String, Failure> {
    let mut bytes = [0; 24];
    getrandom::fill(&mut bytes).map_err(Failure::new)?;
    Ok(bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    }))
}

fn is_same(known: &str, given: &str) -> bool {
    known.len() == given.len()
        && known.bytes().zip(given.bytes()).fold(0, |odd, (left, right)| odd | (left ^ right)) == 0
}
