//! Tools that return files: in both versions of the contract, and as the protocol's own blocks.

use resultant::{Block, Bytes, Contents, Failure, Json, ToolResult};
use serde::Serialize;
use serde_json::{Value, json};

use super::{
    answers::text_result,
    call::{Answer, Call},
    content::{
        archive, chart, documents, pdf,
        shop::{SALES, euros, monthly_takings, sales},
        sound,
    },
    resources,
    tools::{Effect, Tool},
};

/// Every kind of file there is here, by the word that asks for it.
const KINDS: [&str; 12] =
    ["png", "svg", "pdf", "html", "markdown", "csv", "json", "log", "wav", "diff", "zip", "binary"];

pub(super) fn tools() -> Vec<Tool> {
    let tool = |name, title, description, dialect, run| Tool {
        name,
        title,
        description,
        dialect,
        arguments: json!({}),
        output: None,
        effect: Effect::Reads,
        run,
    };
    vec![
        tool(
            "sales_report",
            "The year's report",
            "Contract v2: a small result, three files (report.html, takings.png, sales.csv) and \
             the wish to show the page first.",
            "contract-v2",
            sales_report,
        ),
        tool(
            "sales_export",
            "Export the sales",
            "Contract v1: a small result and two files (sales.csv, catalog.json) in \
             `returned_file_names` and `returned_file_contents`.",
            "contract-v1",
            sales_export,
        ),
        Tool {
            arguments: json!({"kind": {"type": "string", "enum": KINDS, "default": "png",
                "description": "What kind of file"}}),
            ..tool(
                "make_file",
                "Make a file",
                "One file of the kind that is asked for, in contract v2.",
                "contract-v2",
                make_file,
            )
        },
        tool(
            "every_file",
            "One file of each kind",
            "Twelve files in one result, one of each kind that a canvas should be able to show.",
            "contract-v2",
            every_file,
        ),
        tool(
            "sales_chart",
            "Chart of the takings",
            "A PNG chart as an image block, with a line of text: the model may look at it.",
            "blocks",
            |call| {
                let blocks = [
                    Block::text("Takings by month; December is the best by far."),
                    Block::image(chart::png(), "image/png"),
                ];
                Ok(call.reply(blocks))
            },
        ),
        tool(
            "door_bell",
            "The bell over the door",
            "A WAV sound as an audio block. Clients of 2024-11-05 know no audio and get a line \
             that names it.",
            "blocks",
            |call| Ok(call.reply([Block::audio(sound::wav(), "audio/wav")])),
        ),
        tool(
            "invoice",
            "An invoice",
            "A PDF as an embedded resource, with a line of text.",
            "blocks",
            |call| {
                let pdf = Contents::blob("shop://invoices/2025-0417.pdf", pdf::invoice());
                let pdf = pdf.mime_type("application/pdf");
                Ok(call.reply([Block::text("Invoice 2025-0417"), Block::embedded(&pdf)]))
            },
        ),
        tool(
            "price_list",
            "Prices, embedded",
            "The handbook as an embedded text resource: short, so that it stays in the result.",
            "blocks",
            |call| {
                let text = Contents::text(resources::HANDBOOK, &documents::handbook());
                Ok(call.reply([Block::embedded(&text.mime_type("text/markdown"))]))
            },
        ),
        tool(
            "reading_list",
            "Where to read more",
            "Links to two resources of this server, which `resources/read` reads. Clients before \
             2025-06-18 know no links and get lines that name them.",
            "blocks",
            reading_list,
        ),
        Tool {
            arguments: json!({"rows": {"type": "integer", "minimum": 1, "maximum": 50_000,
                "default": SALES, "description": "How many sales"}}),
            output: Some(json!({
                "type": "object",
                "properties": {"sales": {"type": "array", "items": {"type": "object",
                    "required": ["id", "date", "sku", "quantity", "total_cents", "channel"]}}},
                "required": ["sales"],
            })),
            ..tool(
                "transactions",
                "All sales as data",
                "Every sale as structured content, twice: by default 5,000 rows, half a megabyte \
                 that no model wants to read.",
                "structured",
                |call| {
                    let rows = call.number("rows", SALES, 1..=50_000)?;
                    let sales: Vec<_> = sales(rows).collect();
                    Ok(call.reply_as_specified(json!({"sales": sales})))
                },
            )
        },
        Tool {
            arguments: json!({"lines": {"type": "integer", "minimum": 1, "maximum": 200_000,
                "default": 20_000, "description": "How many lines"}}),
            ..tool(
                "web_log",
                "The web shop's log",
                "A log as one plain text: by default 20,000 lines, of which twenty are errors.",
                "blocks",
                |call| {
                    let lines = call.number("lines", 20_000, 1..=200_000)?;
                    Ok(text_result(call, &[&documents::log(lines)]))
                },
            )
        },
    ]
}

/// A result as the second contract has it.
#[derive(Serialize)]
struct Report {
    results: Value,
    meta_data: Value,
    artifacts: Vec<File>,
    display: Value,
}

/// A file as that contract has it.
#[derive(Serialize)]
pub(super) struct File {
    pub(super) name: &'static str,
    mime: &'static str,
    size: usize,
    description: &'static str,
    viewer: &'static str,
    b64: Bytes<Vec<u8>>,
}

impl File {
    pub(super) fn new(
        (name, mime, description, viewer): (&'static str, &'static str, &'static str, &'static str),
        bytes: Vec<u8>,
    ) -> File {
        File { name, mime, size: bytes.len(), description, viewer, b64: Bytes(bytes) }
    }
}

/// A file of a kind.
fn file(kind: &str) -> File {
    let (name, mime, description, viewer, bytes) = match kind {
        "png" => ("takings.png", "image/png", "Takings by month", "image", chart::png()),
        "svg" => ("takings.svg", "image/svg+xml", "Takings by month", "image", chart::svg().into()),
        "pdf" => ("invoice.pdf", "application/pdf", "Invoice 2025-0417", "pdf", pdf::invoice()),
        "html" => {
            ("report.html", "text/html", "The year 2025", "html", documents::html_report().into())
        }
        "markdown" => {
            ("handbook.md", "text/markdown", "Handbook", "code", documents::handbook().into())
        }
        "csv" => {
            let csv = documents::sales_csv(SALES);
            ("sales.csv", "text/csv", "Every sale of 2025", "auto", csv.into())
        }
        "json" => {
            let json = documents::catalog_json();
            ("catalog.json", "application/json", "All products", "code", json.into())
        }
        "log" => {
            ("web.log", "text/plain", "The web shop's log", "code", documents::log(20_000).into())
        }
        "wav" => ("bell.wav", "audio/wav", "The bell over the door", "auto", sound::wav()),
        "diff" => {
            ("prices.diff", "text/x-diff", "A change of prices", "code", documents::diff().into())
        }
        "zip" => {
            let csv = documents::sales_csv(200);
            let files: [(&str, &[u8]); 2] = [
                ("sales.csv", csv.as_bytes()),
                ("README.md", b"# Sales\n\nThe first 200 sales of 2025.\n"),
            ];
            ("sales.zip", "application/zip", "Sales, packed", "auto", archive::zip(&files))
        }
        _ => {
            let bytes = documents::readings();
            ("readings.bin", "application/octet-stream", "A day of readings", "auto", bytes)
        }
    };
    File::new((name, mime, description, viewer), bytes)
}

fn sales_report(call: &Call) -> Result<Answer, Failure> {
    let takings = monthly_takings();
    Ok(call.reply(Report {
        results: json!({
            "summary": "The year 2025 in one page, one chart and one table.",
            "total_eur": euros(takings.iter().sum()),
            "best_month": "Dec",
        }),
        meta_data: json!({"year": 2025, "sales": SALES}),
        artifacts: ["html", "png", "csv"].map(file).into(),
        display: json!({"open_canvas": true, "primary_file": "report.html", "mode": "replace",
            "viewer_hint": "html"}),
    }))
}

fn sales_export(call: &Call) -> Result<Answer, Failure> {
    #[derive(Serialize)]
    struct Export {
        results: Value,
        meta_data: Value,
        returned_file_names: Vec<&'static str>,
        returned_file_contents: Vec<Bytes<Vec<u8>>>,
    }
    let (names, contents) =
        ["csv", "json"].map(file).map(|file| (file.name, file.b64)).into_iter().unzip();
    Ok(call.reply(Export {
        results: json!("Exported 5,000 sales and the catalogue."),
        meta_data: json!({"rows": SALES}),
        returned_file_names: names,
        returned_file_contents: contents,
    }))
}

fn make_file(call: &Call) -> Result<Answer, Failure> {
    let kind = call.word("kind", &KINDS)?;
    let file = file(kind);
    Ok(call.reply(Report {
        results: json!({"made": file.name, "bytes": file.size}),
        meta_data: json!({"kind": kind}),
        display: json!({"open_canvas": true, "primary_file": file.name, "mode": "append",
            "viewer_hint": file.viewer}),
        artifacts: vec![file],
    }))
}

fn every_file(call: &Call) -> Result<Answer, Failure> {
    Ok(call.reply(Report {
        results: json!({"files": KINDS.len()}),
        meta_data: json!({}),
        artifacts: KINDS.map(file).into(),
        display: json!({"open_canvas": true, "primary_file": "takings.png", "mode": "split"}),
    }))
}

fn reading_list(call: &Call) -> Result<Answer, Failure> {
    let link = |uri, name, mime: &str, description: &str| {
        Block::resource_link(uri, name)
            .with("mimeType", Json::string(mime))
            .with("description", Json::string(description))
    };
    Ok(call.reply(
        ToolResult::default()
            .block(Block::text("Two resources to read:"))
            .block(link(resources::HANDBOOK, "handbook.md", "text/markdown", "For colleagues"))
            .block(link(resources::CATALOG, "catalog.json", "application/json", "All products")),
    ))
}
