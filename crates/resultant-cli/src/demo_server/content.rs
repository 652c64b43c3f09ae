//! What the demo's results are made of: the shop's data, and files of every kind, made by hand so
//! that the binary needs no crate for any of them. All of it is the same on every run.

pub(super) mod archive;
pub(super) mod base64;
pub(super) mod chart;
pub(super) mod checksum;
pub(super) mod documents;
pub(super) mod gif;
pub(super) mod pdf;
pub(super) mod png;
pub(super) mod shop;
pub(super) mod sound;
