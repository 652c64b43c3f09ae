//! Reading an answer again that was kept: with the tool's schema and the settings of now.

use std::sync::Arc;

use resultant::{ClientOptions, Limits, More, Protocol, ReadOptions};
use resultant_store::Call;

use super::read::name_suffix;
use crate::{clients::Profile, gateway::Gateway, retrieval::Naming, upstream::nobody};

/// How the answer of this call is read, and written for a client of this kind and version.
pub(crate) async fn options(
    gateway: &Arc<Gateway>,
    call: &Call,
    profile: &Profile,
    protocol: Protocol,
) -> (Arc<ReadOptions>, ClientOptions) {
    let config = gateway.config();
    let upstream = gateway.upstream_of(&call.owner, &call.server);
    let schema = match &upstream {
        Some(upstream) => {
            // A server that is gone has no schema; its answers can be read all the same.
            let catalog = upstream.catalog_in_time(&nobody()).await;
            catalog.and_then(|catalog| catalog.tool(&call.tool)?.schema.clone())
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
        suffix: Some(name_suffix(call.id)),
    };
    let budgets = upstream.as_ref().map(|u| &u.config.budgets);
    let written = ClientOptions {
        protocol,
        shape: upstream.as_ref().map(|u| u.config.shape).unwrap_or_default(),
        budget: resultant::Budget {
            more: gateway.has_own_tools().then_some(Naming::Plain).map_or(More::None, Naming::more),
            ..budgets.map_or(config.budget, |budgets| budgets.of(&call.tool, config.budget))
        },
        keeps_small_blocks: true,
        is_advertised,
        ..ClientOptions::default()
    };
    (Arc::new(options), profile.apply(written))
}
