//! A tool server that returns every kind of value. It speaks over its standard input and output, so
//! any MCP client can start it:
//!
//! ```text
//! cargo build -p resultant --features rmcp --example tool_server
//! claude mcp add tool-server -- target/debug/examples/tool_server
//! ```

use std::collections::BTreeMap;

use resultant::{
    Block, Bytes, Failure, ToolResult,
    envelope::{Envelope, ErrorCode},
    rmcp::{Json, Return, SPEC, Typed, fitted},
};
use rmcp::{
    ServerHandler, ServiceExt, handler::server::wrapper::Parameters, tool, tool_handler,
    tool_router,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A picture: one red pixel.
const PNG: &[u8] =
    b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x02\0\0\0\x90wS\xde\0\0\0\
    \x0cIDATx\x9cc\xf8\xcf\xc0\0\0\x03\x01\x01\0\xc9\xfe\x92\xef\0\0\0\0IEND\xaeB`\x82";

#[derive(Clone)]
struct Server;

#[derive(Deserialize, JsonSchema)]
struct City {
    /// The name of a city.
    city: String,
}

#[derive(Serialize, JsonSchema)]
struct Weather {
    city: String,
    celsius: f64,
    wind: Option<Wind>,
}

#[derive(Serialize, JsonSchema)]
struct Wind {
    /// In metres per second.
    speed: f64,
}

/// A result with files, as the contract has it. A gateway takes the files out, and the model reads
/// their names.
#[derive(Serialize)]
struct Report {
    results: BTreeMap<&'static str, u64>,
    artifacts: Vec<File>,
}

#[derive(Serialize)]
struct File {
    name: &'static str,
    mime: &'static str,
    b64: Bytes<&'static [u8]>,
}

// Values that have a type. `Json<Typed<…>>` tells the client what to expect.
#[tool_router(router = typed)]
impl Server {
    /// A struct. Errors of any type leave with `?`, and the model reads what they say.
    #[tool]
    fn weather(
        &self,
        Parameters(City { city }): Parameters<City>,
    ) -> Result<Json<Typed<Weather>>, Failure> {
        let celsius = measured(&city).ok_or_else(|| Failure::new(format!("no city `{city}`")))?;
        let celsius = celsius.parse()?;
        Ok(Typed(Weather { city, celsius, wind: Some(Wind { speed: 3.5 }) }))
    }

    /// A number. What is not an object is sent as `{"result": …}`, and its schema says so.
    #[tool]
    fn count(&self) -> Json<Typed<u64>> {
        Typed(42)
    }

    /// A string.
    #[tool]
    fn greeting(&self) -> Json<Typed<String>> {
        Typed("Dzień dobry".to_owned())
    }

    /// A list: one block of text for each item. References in its schema stay right.
    #[tool]
    async fn forecast(&self) -> Json<Typed<Vec<Weather>>> {
        let day = |celsius| Weather { city: "Łódź".to_owned(), celsius, wind: None };
        Typed(vec![day(20.0), day(21.5)])
    }

    /// The same list as the specification has it: one text that equals the structured content.
    #[tool]
    fn forecast_as_specified(&self) -> Json<Typed<Vec<f64>, SPEC>> {
        Typed(vec![20.0, 21.5])
    }

    /// Something or nothing.
    #[tool]
    fn warning(&self, Parameters(City { city }): Parameters<City>) -> Json<Typed<Option<Wind>>> {
        Typed((city == "Gdańsk").then_some(Wind { speed: 28.0 }))
    }

    /// A response-v2 envelope, which needs no wrapper.
    #[tool]
    fn tasks(&self, Parameters(City { city }): Parameters<City>) -> Json<Envelope> {
        match measured(&city) {
            Some(_) => Envelope::success().field("tasks", ["take an umbrella"]),
            None => Envelope::error(format!("no city `{city}`")).code(ErrorCode::NOT_FOUND),
        }
    }
}

// Anything else. Nothing is advertised for these.
#[tool_router(router = untyped)]
impl Server {
    /// A list with content blocks in it. They stay blocks.
    #[tool]
    fn album(&self) -> Return<(&'static str, Block, Block)> {
        let link = Block::resource_link("https://example.org/more", "more");
        Return(("a red dot", Block::image(PNG, "image/png"), link))
    }

    /// One block.
    #[tool]
    fn picture(&self) -> Block {
        Block::image(PNG, "image/png")
    }

    /// A pair: what the model reads, and what programs get.
    #[tool]
    fn summary(&self) -> Return<(&'static str, Weather)> {
        let weather = Weather { city: "Łódź".to_owned(), celsius: 20.0, wind: None };
        Return(("It is warm in Łódź.", weather))
    }

    /// Bytes. Without their name they would be a list of numbers.
    #[tool]
    fn bytes(&self) -> Return<Bytes<&'static [u8]>> {
        Return(Bytes(b"\x00\x01\x02"))
    }

    /// Nothing.
    #[tool]
    fn forget(&self) -> Return<()> {
        Return(())
    }

    /// A result with a file.
    #[tool]
    fn report(&self) -> Return<Report> {
        let file = File { name: "dot.png", mime: "image/png", b64: Bytes(PNG) };
        Return(Report { results: BTreeMap::from([("pixels", 1)]), artifacts: vec![file] })
    }

    /// A whole result, for those who want every part of it in their own hands.
    #[tool]
    fn whole(&self) -> ToolResult {
        ToolResult::default()
            .block(Block::text("no such page"))
            .structured(resultant::Json::from(serde_json::json!({"page": 7})))
            .error()
    }
}

// `fitted` turns links and sounds into text for clients that are too old for them.
#[tool_handler(router = fitted(Self::typed() + Self::untyped()))]
impl ServerHandler for Server {}

fn measured(city: &str) -> Option<&'static str> {
    match city {
        "Łódź" => Some("20.0"),
        "Gdańsk" => Some("twelve"),
        _ => None,
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    Server.serve(rmcp::transport::stdio()).await?.waiting().await?;
    Ok(())
}
