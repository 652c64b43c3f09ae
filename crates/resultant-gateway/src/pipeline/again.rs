//! Reading an answer again that was kept: with the tool's schema and the settings of now.

use std::sync::Arc;

use resultant::{ClientOptions, Limits, Protocol, ReadOptions};

use crate::{gateway::Gateway, upstream::nobody};

/// How an answer of this tool is read, and written for a client of this version.
pub(crate) async fn options(
    gateway: &Arc<Gateway>,
    server: &str,
    tool: &str,
    protocol: Protocol,
) -> (Arc<ReadOptions>, ClientOptions) {
    let config = gateway.config();
    let upstream = gateway.upstream(server);
    let schema = match &upstream {
        Some(upstream) => {
            // A server that is gone has no schema; its answers can be read all the same.
            let catalog = upstream.catalog_in_time(&nobody()).await;
            catalog.and_then(|catalog| catalog.tool(tool)?.schema.clone())
        }
        None => None,
    };
    let link = upstream.as_ref().and_then(|upstream| upstream.any_link());
    let server = link.and_then(|link| link.peer().map(|peer| peer.protocol));
    let is_advertised = schema.is_some();
    let options = ReadOptions {
        limits: Limits {
            depth_max: config.limits.depth_max,
            string_bytes_max: config.limits.string_bytes_max,
            ..Limits::default()
        },
        server,
        schema,
        schema_policy: upstream.as_ref().map(|u| u.config.schema_policy).unwrap_or_default(),
    };
    let client = ClientOptions {
        protocol,
        shape: upstream.as_ref().map(|u| u.config.shape).unwrap_or_default(),
        budget: config.budget,
        takes_links: false,
        takes_unknown_blocks: false,
        keeps_small_blocks: true,
        is_advertised,
    };
    (Arc::new(options), client)
}
