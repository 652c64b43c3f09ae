use super::wire::{Inbox, Wire, WireError};
use std::sync::Arc;
pub(super) fn open(
    _c: &crate::config::ServerConfig,
    _u: &url::Url,
    _h: &[(String, String)],
    _s: &Arc<crate::body::SpoolOptions>,
    _t: &std::path::Path,
    _i: Arc<dyn Inbox>,
) -> Result<Box<dyn Wire>, WireError> {
    Err(WireError::Unreachable("not yet".into()))
}
