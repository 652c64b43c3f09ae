//! Tools without files, one for each convention that results are written in.

use resultant::{
    Block, Failure, Json, Object, ToolResult,
    envelope::{Envelope, ErrorCode, Pagination, Telemetry},
};
use serde_json::{Value, json};

use super::{
    call::{Answer, Call},
    content::shop::{Numbers, PRODUCTS, STATIONS, Station, sales},
    tools::{Effect, Tool},
};

pub(super) fn tools() -> Vec<Tool> {
    vec![
        Tool {
            name: "echo",
            title: "Echo",
            description: "Says what it is told. Plain text, and the smallest result there is.",
            dialect: "blocks",
            arguments: json!({"message": {"type": "string", "description": "What to say",
                "default": "hello"}}),
            output: None,
            effect: Effect::Reads,
            run: |call| Ok(text_result(call, &[call.text("message")?.unwrap_or("hello")])),
        },
        Tool {
            name: "store_notices",
            title: "Notices on the shop's door",
            description: "Three notices, as three text blocks. None is JSON, so the result is the \
                list of them.",
            dialect: "blocks",
            arguments: json!({}),
            output: None,
            effect: Effect::Reads,
            run: store_notices,
        },
        Tool {
            name: "find_order",
            title: "Find an order",
            description: "An order as JSON inside a text block, the way most servers answer. \
                Resultant reads it as the value it is.",
            dialect: "blocks",
            arguments: json!({"id": {"type": "integer", "minimum": 250_000, "maximum": 250_999,
                "default": 250_017, "description": "The number of the order"}}),
            output: None,
            effect: Effect::Reads,
            run: find_order,
        },
        Tool {
            name: "weather",
            title: "Weather at a station",
            description: "What a weather station near the shop measures, as structured content \
                with an output schema.",
            dialect: "structured",
            arguments: json!({"station": {"type": "string", "enum": station_ids(),
                "default": "heron-point", "description": "The station's id"}}),
            output: Some(json!({
                "type": "object",
                "properties": {
                    "station": {"type": "string"},
                    "celsius": {"type": "number"},
                    "wind_m_s": {"type": "number", "minimum": 0},
                    "sky": {"enum": ["clear", "cloudy", "rain"]},
                },
                "required": ["station", "celsius", "wind_m_s", "sky"],
            })),
            effect: Effect::Reads,
            run: weather,
        },
        Tool {
            name: "weather_stations",
            title: "All weather stations",
            description: "The stations as a list, with an output schema whose root is an array. \
                Clients before 2026-07-28 know objects only; they get it under `result`.",
            dialect: "structured",
            arguments: json!({}),
            output: Some(json!({"type": "array", "items": {"$ref": "#/$defs/station"},
                "$defs": {"station": {"type": "object", "required": ["id", "name"]}}})),
            effect: Effect::Reads,
            run: |call| Ok(call.reply_as_specified(Json::of(&STATIONS))),
        },
        Tool {
            name: "stock",
            title: "What is in stock",
            description: "A page of products in a response-v2 envelope, with pagination, \
                telemetry and a warning about what is sold out.",
            dialect: "response-v2",
            arguments: json!({"page_size": {"type": "integer", "minimum": 1, "maximum": 10,
                "default": 5, "description": "Products on the page"}}),
            output: None,
            effect: Effect::Reads,
            run: stock,
        },
        Tool {
            name: "reserve",
            title: "Reserve a product",
            description: "Reserves a product, and answers in a response-v2 envelope. The default, \
                Moroccan Mint, is sold out: the envelope is an error with a code and a hint.",
            dialect: "response-v2",
            arguments: json!({
                "sku": {"type": "string", "enum": skus(), "default": "TEA-MINT"},
                "quantity": {"type": "integer", "minimum": 1, "maximum": 100, "default": 1},
            }),
            output: None,
            effect: Effect::Writes,
            run: reserve,
        },
        Tool {
            name: "loyalty_card",
            title: "A customer's loyalty card",
            description: "A result in Python's spelling (`structured_content`, `is_error`, \
                `data`), as a program writes it that dumps its client's object.",
            dialect: "structured",
            arguments: json!({}),
            output: None,
            effect: Effect::Reads,
            run: loyalty_card,
        },
    ]
}

/// Texts and nothing else: what a tool sends that knows no structured content.
pub(super) fn text_result(call: &Call, texts: &[&str]) -> Answer {
    let blocks = texts.iter().map(|text| Block::text(text));
    call.reply(blocks.fold(ToolResult::default(), ToolResult::block))
}

pub(super) fn skus() -> Vec<&'static str> {
    PRODUCTS.iter().map(|product| product.sku).collect()
}

pub(super) fn station_ids() -> Vec<&'static str> {
    STATIONS.iter().map(|station| station.id).collect()
}

fn store_notices(call: &Call) -> Result<Answer, Failure> {
    Ok(text_result(
        call,
        &[
            "Open Tuesday to Saturday, 9 to 18. On Sundays only when the ferry runs.",
            "The new harvest of Sencha is in: 17 bags, first come, first served.",
            "Tasting on Thursday at 17: five coffees from one farm. Bring a cup.",
        ],
    ))
}

fn find_order(call: &Call) -> Result<Answer, Failure> {
    let id = call.number("id", 250_017, 250_000..=250_999)?;
    let sale = sales(1_000).find(|sale| sale.id == id);
    let sale = sale.ok_or_else(|| Failure::new(format_args!("no order {id}")))?;
    Ok(text_result(call, &[Json::of(&sale).as_text()]))
}

fn weather(call: &Call) -> Result<Answer, Failure> {
    const SKIES: [&str; 3] = ["clear", "cloudy", "rain"];
    let station = call.word("station", &station_ids())?;
    let seed = STATIONS.iter().position(|known: &Station| known.id == station).unwrap_or(0);
    let mut numbers = Numbers::new(seed as u64 + 11);
    Ok(call.reply_as_specified(json!({
        "station": station,
        "celsius": (60 + numbers.below(120)) as f64 / 10.0,
        "wind_m_s": (5 + numbers.below(110)) as f64 / 10.0,
        "sky": SKIES[numbers.below(3) as usize],
    })))
}

fn stock(call: &Call) -> Result<Answer, Failure> {
    let size = call.number("page_size", 5, 1..=10)?;
    let count = PRODUCTS.len() as u64;
    let page = &PRODUCTS[..size as usize];
    let mut envelope = Envelope::success()
        .field("products", Json::of(page))
        .pagination(Pagination::new().has_more(size < count).total_count(count).page_size(size))
        .telemetry(Telemetry::new().duration_ms(4.2));
    for product in page.iter().filter(|product| product.stock == 0) {
        envelope = envelope.warning(format!("{} is sold out", product.sku));
    }
    Ok(Answer::Result(envelope.to_result(call.protocol)))
}

fn reserve(call: &Call) -> Result<Answer, Failure> {
    let sku = call.word("sku", &skus())?;
    let sku = if call.text("sku")?.is_none() { "TEA-MINT" } else { sku };
    let quantity = call.number("quantity", 1, 1..=100)?;
    let stock = PRODUCTS.iter().find(|product| product.sku == sku).map_or(0, |found| found.stock);
    let envelope = if stock >= quantity {
        Envelope::success()
            .field("sku", sku)
            .field("reserved", quantity)
            .field("left", stock - quantity)
    } else {
        Envelope::error(format!("only {stock} of {sku} in stock"))
            .code(ErrorCode::CONFLICT)
            .remediation("reserve fewer, or another product")
            .details(json!({"sku": sku, "stock": stock, "wanted": quantity}))
    };
    // As servers of that convention do it: only the envelope says that it failed.
    Ok(call.reply_as_specified(envelope))
}

fn loyalty_card(call: &Call) -> Result<Answer, Failure> {
    let card: Value = json!({"customer": "Marta Lindqvist", "stamps": 7, "free_cup_at": 10});
    let mut result = Object::default();
    result.set("content", Json::array([Block::text(Json::of(&card).as_text()).as_json()]));
    result.set("structured_content", Json::of(&card));
    result.set("is_error", Json::bool(false));
    result.set("data", Json::of(&card));
    if call.protocol.is_modern() {
        result.set("resultType", Json::string("complete"));
    }
    Ok(Answer::Result(result.to_json()))
}
