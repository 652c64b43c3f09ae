//! Tools that fill a canvas: one small file for each way of showing one, in any choice and
//! arrangement, and a table that is long.

use resultant::Failure;
use serde::Serialize;
use serde_json::{Value, json};

use super::{
    call::{Answer, Call},
    content::{archive, chart, documents, gif, pdf, sound},
    files::File,
    tools::{Effect, Tool},
};

const KINDS: [&str; 16] = [
    "png", "gif", "svg", "pdf", "html", "markdown", "rust", "json", "csv", "log", "wav", "webm",
    "diff", "text", "zip", "binary",
];
const MODES: [&str; 3] = ["replace", "append", "split"];
/// Two seconds of a buoy in the harbour, recorded from a drawing.
const VIDEO: &[u8] = include_bytes!("content/buoy.webm");

pub(super) fn tools() -> Vec<Tool> {
    vec![
        Tool {
            name: "gallery",
            title: "Gallery",
            description: "One small file for each way of showing one, arranged as you like.",
            dialect: "contract-v2",
            arguments: json!({
                "kinds": {"type": "array", "items": {"type": "string", "enum": KINDS},
                    "uniqueItems": true, "description": "Which kinds; all of them when empty"},
                "mode": {"type": "string", "enum": MODES, "default": "replace",
                    "description": "Instead of what is open, beside it in tabs, or side by side"},
                "primary": {"type": "string", "enum": KINDS,
                    "description": "The kind to show first"},
                "open": {"type": "boolean", "default": true,
                    "description": "Whether the canvas is to open"},
            }),
            output: None,
            effect: Effect::Reads,
            run: gallery,
        },
        Tool {
            name: "table",
            title: "A long table",
            description: "A CSV file with so many rows (100,000 by default): the till's lines.",
            dialect: "contract-v2",
            arguments: json!({"rows": {"type": "integer", "minimum": 1, "maximum": 1_000_000,
                "default": 100_000, "description": "How many rows"}}),
            output: None,
            effect: Effect::Reads,
            run: table,
        },
    ]
}

#[derive(Serialize)]
struct Shown {
    results: Value,
    artifacts: Vec<File>,
    display: Value,
}

fn file(kind: &str) -> File {
    let (name, mime, description, viewer, bytes) = match kind {
        "png" => ("chart.png", "image/png", "Takings by month", "image", chart::png()),
        "gif" => ("tile.gif", "image/gif", "The tiles of the floor", "image", gif::tiles()),
        "svg" => ("chart.svg", "image/svg+xml", "Takings by month", "image", chart::svg().into()),
        "pdf" => ("guide.pdf", "application/pdf", "Three pages", "pdf", pdf::guide()),
        "html" => {
            ("counter.html", "text/html", "A page that counts", "html", documents::counter().into())
        }
        "markdown" => {
            ("handbook.md", "text/markdown", "Handbook", "auto", documents::handbook().into())
        }
        "rust" => ("till.rs", "text/x-rust", "How the till adds", "code", documents::code().into()),
        "json" => {
            let json = documents::catalog_json();
            ("catalog.json", "application/json", "All products", "auto", json.into())
        }
        "csv" => {
            let csv = documents::sales_csv(500);
            ("sales.csv", "text/csv", "500 sales", "auto", csv.into())
        }
        "log" => ("shop.log", "text/plain", "The shop's log", "auto", documents::log(400).into()),
        "wav" => ("bell.wav", "audio/wav", "The bell over the door", "auto", sound::wav()),
        "webm" => ("buoy.webm", "video/webm", "A buoy in the harbour", "auto", VIDEO.to_vec()),
        "diff" => {
            ("prices.diff", "text/x-diff", "A change of prices", "auto", documents::diff().into())
        }
        "text" => {
            let text = b"Closed on Mondays.\nThe kettle is on from eight.\n".to_vec();
            ("notice.txt", "text/plain", "A notice", "auto", text)
        }
        "zip" => {
            let files: [(&str, &[u8]); 1] = [("README.md", b"# Nothing much\n")];
            ("box.zip", "application/zip", "An archive", "auto", archive::zip(&files))
        }
        _ => {
            let bytes = documents::readings();
            ("readings.bin", "application/octet-stream", "A day of readings", "auto", bytes)
        }
    };
    File::new((name, mime, description, viewer), bytes)
}

fn gallery(call: &Call) -> Result<Answer, Failure> {
    let wanted = call.words("kinds", &KINDS)?;
    let kinds = if wanted.is_empty() { KINDS.to_vec() } else { wanted };
    let mode = call.word("mode", &MODES)?;
    let mut display = json!({"open_canvas": call.flag("open", true)?, "mode": mode});
    if call.text("primary")?.is_some() {
        display["primary_file"] = json!(file(call.word("primary", &KINDS)?).name);
    }
    let artifacts: Vec<File> = kinds.into_iter().map(file).collect();
    Ok(call.reply(Shown { results: json!({"shown": artifacts.len()}), artifacts, display }))
}

fn table(call: &Call) -> Result<Answer, Failure> {
    let rows = call.number("rows", 100_000, 1..=1_000_000)?;
    let csv = documents::sales_csv(rows).into_bytes();
    let file = File::new(("till.csv", "text/csv", "The till's lines", "auto"), csv);
    Ok(call.reply(Shown {
        results: json!({"rows": rows}),
        artifacts: vec![file],
        display: json!({"open_canvas": true, "primary_file": "till.csv", "mode": "replace"}),
    }))
}
