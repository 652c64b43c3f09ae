//! Where content of strangers is shown, and which dashboards may be.

use super::Listen;

/// Where the sandbox is listened for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SandboxListen {
    /// A free port of this machine.
    Free,
    /// Here.
    At(Listen),
    /// Nowhere, beside the address of the gateway itself.
    Off,
}
