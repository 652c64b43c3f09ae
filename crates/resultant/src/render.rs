//! Writes an outcome for each audience. The writers know nothing of each other.

mod budget;
mod client;
pub(crate) mod digest;
mod hide;
mod model;
mod preview;
mod program;
mod valid;
mod view;

pub use self::{
    budget::{Budget, More, estimate_tokens},
    client::{BlockTypes, ClientOptions, ClientResult, IMAGE_BLOCKS_MAX, Sees, Shape, ShownImage},
    model::ModelText,
};
