//! Documents that are text: a report, a handbook, a table, data, a log, a change.

use std::fmt::Write as _;

use resultant::Json;
use serde_json::json;

use super::shop::{MONTHS, Numbers, PRODUCTS, SALES, STATIONS, euros, monthly_takings, sales};

/// The year as a page, with a table. It has no script, and looks well in light and dark.
pub(crate) fn html_report() -> String {
    let takings = monthly_takings();
    let best = takings.iter().copied().max().unwrap_or(1).max(1);
    let mut rows = String::new();
    for (cents, month) in takings.iter().zip(MONTHS) {
        let _ = writeln!(
            rows,
            "<tr><th scope=\"row\">{month}</th><td class=\"n\">{}</td>\
             <td><meter max=\"{best}\" value=\"{cents}\">{cents}</meter></td></tr>",
            euros(*cents)
        );
    }
    let total = euros(takings.iter().sum());
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <title>Larkspur Tea &amp; Coffee 2025</title>\n<style>\n\
         :root {{ color-scheme: light dark }}\n\
         body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 42rem; margin: 2rem auto; \
         padding: 0 1rem }}\n\
         table {{ border-collapse: collapse; width: 100% }}\n\
         th, td {{ padding: .3rem .6rem; text-align: left; border-bottom: 1px solid #8886 }}\n\
         .n {{ text-align: right; font-variant-numeric: tabular-nums }}\n\
         meter {{ width: 100% }}\n</style>\n</head>\n<body>\n\
         <h1>Larkspur Tea &amp; Coffee</h1>\n\
         <p>In 2025 the shop took <strong>EUR {total}</strong> with {SALES} sales. \
         A fifth of it came in December.</p>\n\
         <table>\n<thead><tr><th>Month</th><th class=\"n\">EUR</th><th></th></tr></thead>\n\
         <tbody>\n{rows}</tbody>\n</table>\n</body>\n</html>\n"
    )
}

/// What a new colleague should know.
pub(crate) fn handbook() -> String {
    let mut text = String::from(
        "# Handbook\n\nWelcome to **Larkspur Tea & Coffee**. Three things matter: *fresh tea*, \
         *clean grinders*, *friendly words*.\n\n## Opening\n\n1. Turn the kettle to 80 °C.\n\
         2. Purge the grinder: two shots.\n3. Read the weather at Heron Point. Over 10 m/s the \
         sign stays inside.\n\n## Prices\n\n| SKU | product | EUR |\n|---|---|---:|\n",
    );
    for product in &PRODUCTS {
        let _ =
            writeln!(text, "| `{}` | {} | {} |", product.sku, product.name, euros(product.cents));
    }
    text.push_str("\n## The till\n\n```sh\ntill close --day today --print\n```\n");
    text
}

/// A page with a script: it counts, where scripts may run, and says so where they may not.
pub(crate) fn counter() -> String {
    "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
     <title>How many cups?</title>\n<style>\n\
     :root { color-scheme: light dark }\n\
     body { font: 16px/1.5 system-ui, sans-serif; display: grid; justify-items: center; \
     gap: 1rem; padding: 3rem 1rem }\n\
     output { font-size: 4rem; color: #c46b3e }\n\
     button { font: inherit; padding: .5rem 1.5rem }\n</style>\n</head>\n<body>\n\
     <h1>How many cups?</h1>\n<output id=\"count\">–</output>\n\
     <button id=\"more\" type=\"button\" disabled>One more</button>\n\
     <p id=\"state\">This page counts once it may run its script.</p>\n<script>\n\
     let count = 0;\nconst at = (id) => document.getElementById(id);\n\
     const show = () => { at(\"count\").textContent = count; };\n\
     at(\"more\").disabled = false;\n\
     at(\"more\").addEventListener(\"click\", () => { count += 1; show(); });\n\
     at(\"state\").textContent = \"The script runs.\";\nshow();\n</script>\n</body>\n</html>\n"
        .to_owned()
}

/// A little of the till's program.
pub(crate) fn code() -> String {
    "//! Adds up what is in the basket.\n\n/// One line of a receipt.\n#[derive(Debug)]\n\
     struct Line {\n    name: &'static str,\n    cents: u64,\n    quantity: u64,\n}\n\n\
     /// The sum, with a tenth off from 50 euros on.\nfn total(lines: &[Line]) -> u64 {\n    \
     let sum: u64 = lines.iter().map(|line| line.cents * line.quantity).sum();\n    \
     if sum >= 5_000 { sum * 9 / 10 } else { sum }\n}\n\nfn main() {\n    let lines = [\n        \
     Line { name: \"Assam\", cents: 890, quantity: 2 },\n        \
     Line { name: \"Tea tin\", cents: 1_350, quantity: 1 },\n    ];\n    \
     for line in &lines {\n        println!(\"{} x {}\", line.quantity, line.name);\n    }\n    \
     println!(\"{} cents\", total(&lines));\n}\n"
        .to_owned()
}

/// The till's lines as a table.
pub(crate) fn sales_csv(rows: u64) -> String {
    let mut csv = String::from("id,date,sku,quantity,total_cents,channel\n");
    for sale in sales(rows) {
        let _ = writeln!(
            csv,
            "{},{},{},{},{},{}",
            sale.id, sale.date, sale.sku, sale.quantity, sale.total_cents, sale.channel
        );
    }
    csv
}

/// The products as JSON, for people to read.
pub(crate) fn catalog_json() -> String {
    let catalog = json!({"shop": "Larkspur Tea & Coffee", "currency": "EUR", "products": PRODUCTS});
    Json::of(&catalog).to_pretty()
}

/// The web shop's log. The lines are as long as real ones, and a few of them matter.
pub(crate) fn log(lines: u64) -> String {
    const PATHS: [&str; 6] =
        ["/", "/teas", "/coffees", "/cart", "/checkout", "/products/TEA-SENCHA"];
    let mut numbers = Numbers::new(20);
    let mut log = String::with_capacity(lines as usize * 96);
    for at in 0..lines {
        let seconds = at * 4;
        let (hour, minute, second) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
        let _ =
            write!(log, "2025-12-{:02}T{hour:02}:{minute:02}:{second:02}Z ", 6 + seconds / 86_400);
        let path = PATHS[numbers.below(6) as usize];
        let milliseconds = 3 + numbers.below(40);
        let request = numbers.next() & 0xffff_ffff;
        let _ = match at % 997 {
            313 => writeln!(log, "ERROR payment request={request:08x} the bank did not answer"),
            77 | 450 => writeln!(log, "WARN  stock request={request:08x} TEA-MINT is sold out"),
            _ => writeln!(log, "INFO  http request={request:08x} GET {path} 200 {milliseconds}ms"),
        };
    }
    log
}

/// A change of prices, as a patch.
pub(crate) fn diff() -> String {
    "diff --git a/prices.toml b/prices.toml\n--- a/prices.toml\n+++ b/prices.toml\n\
     @@ -1,9 +1,9 @@\n [tea]\n-assam = 8.50\n+assam = 8.90\n sencha = 14.50\n-earl = 7.50\n\
     +earl = 7.90\n mint = 6.20\n \n [coffee]\n-harbour = 9.40\n+harbour = 9.80\n sidamo = 12.40\n"
        .to_owned()
}

/// A day of readings as a station sends them: a mark, then two bytes each.
pub(crate) fn readings() -> Vec<u8> {
    let mut numbers = Numbers::new(3);
    let mut bytes = Vec::from(*b"STN1\x00\x05");
    for _ in 0..STATIONS.len() * 288 {
        bytes.extend_from_slice(&((40 + numbers.below(60)) as u16).to_be_bytes());
    }
    bytes
}
