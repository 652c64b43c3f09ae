//! The resources: what links lead to, and one for each product.

use resultant::{Bytes, Json, Profile, reply_resource};
use serde::Serialize;
use serde_json::{Value, json};

use super::{
    apps,
    call::{Answer, Call, RpcError},
    content::{chart, documents, shop::PRODUCTS},
};

pub(super) const HANDBOOK: &str = "shop://handbook.md";
pub(super) const CATALOG: &str = "shop://catalog.json";
const CHART: &str = "shop://takings.png";
const PRODUCT: &str = "shop://products/";

/// The answer to `resources/list`.
pub(super) fn list() -> Value {
    let resource = |uri, name, title, mime, description| {
        json!({"uri": uri, "name": name, "title": title, "mimeType": mime,
            "description": description})
    };
    json!({"resources": [
        resource(HANDBOOK, "handbook.md", "Handbook", "text/markdown", "For new colleagues"),
        resource(CATALOG, "catalog.json", "Catalogue", "application/json", "All products"),
        resource(CHART, "takings.png", "Takings", "image/png", "The takings of 2025 by month"),
    ]})
}

/// The answer to `resources/templates/list`.
pub(super) fn templates() -> Value {
    json!({"resourceTemplates": [{
        "uriTemplate": format!("{PRODUCT}{{sku}}"),
        "name": "product",
        "title": "A product",
        "mimeType": "application/json",
        "description": "Price and stock of one product",
    }]})
}

/// The answer to `resources/read`.
pub(super) fn read(call: &Call) -> Answer {
    let uri = call.params["uri"].as_str().unwrap_or_default();
    match uri {
        HANDBOOK => contents(call, uri, "text/markdown", documents::handbook()),
        CATALOG => contents(call, uri, "application/json", documents::catalog_json()),
        apps::TIMER => contents(call, uri, apps::MIME, apps::TIMER_PAGE),
        CHART => contents(call, uri, "image/png", Bytes(chart::png())),
        _ => {
            let sku = uri.strip_prefix(PRODUCT).unwrap_or_default();
            match PRODUCTS.iter().find(|product| product.sku == sku) {
                Some(product) => {
                    contents(call, uri, "application/json", Json::of(product).to_string())
                }
                None => {
                    let code = if call.protocol.is_modern() { -32602 } else { -32002 };
                    let error = RpcError::new(code, format!("resource not found: {uri}"));
                    Answer::Error(error.with_data(json!({"uri": uri})))
                }
            }
        }
    }
}

fn contents(call: &Call, uri: &str, mime: &str, value: impl Serialize) -> Answer {
    let reply = reply_resource(uri, Some(mime), value).profile(Profile::Spec);
    Answer::Result(reply.protocol(call.protocol).to_json())
}
