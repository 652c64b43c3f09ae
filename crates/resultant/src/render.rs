//! Writes an outcome for each audience. The writers know nothing of each other.

mod budget;
mod client;
mod digest;
mod hide;
mod model;
mod preview;
mod program;
mod valid;
mod view;

pub use self::{
    budget::{Budget, estimate_tokens},
    client::{ClientOptions, ClientResult, Shape},
    model::ModelText,
};
