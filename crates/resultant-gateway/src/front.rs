//! Where clients come in: over HTTP and over standard input and output.

mod api;
mod flow;
mod guard;
mod http;
mod request;
mod stdio;

pub(crate) use self::http::has_demo_page;
pub use self::{
    http::{Listener, listen, serve},
    stdio::serve_stdio,
};
