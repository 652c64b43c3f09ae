//! What must hold for every input: nothing panics, nothing is lost, what is written can be read
//! again and is valid, and what must not reach the model does not.
//!
//! `PROPTEST_CASES` sets how many inputs each property is tried with.
#![expect(clippy::unwrap_used, reason = "a panic is a test's report")]

#[path = "properties/advertised.rs"]
mod advertised;
#[path = "properties/client.rs"]
mod client;
#[path = "properties/digest.rs"]
mod digest;
#[path = "properties/found.rs"]
mod found;
#[path = "properties/generate.rs"]
mod generate;
#[path = "properties/leaves.rs"]
mod leaves;
#[path = "properties/lossless.rs"]
mod lossless;
#[path = "properties/model.rs"]
mod model;
#[path = "properties/reading.rs"]
mod reading;
#[path = "properties/round_trip.rs"]
mod round_trip;
#[path = "properties/tree.rs"]
mod tree;

use proptest::{prelude::*, test_runner::RngSeed};

/// So many cases of each property, the same ones in every run: a test that fails now and then tells
/// nobody what they broke. `PROPTEST_CASES` and `PROPTEST_RNG_SEED` ask for more and for others.
/// What fails is printed, smallest first; it is not kept in a file.
fn cases(count: u32) -> ProptestConfig {
    let given = ProptestConfig::default();
    let cases = if given.cases == 256 { count } else { given.cases };
    let rng_seed = match given.rng_seed {
        RngSeed::Random => RngSeed::Fixed(20_261_115),
        fixed => fixed,
    };
    ProptestConfig { cases, rng_seed, failure_persistence: None, max_shrink_iters: 20_000, ..given }
}
