//! Parts of files, for somebody who cannot take the whole: pages, searches, jq and SQL.
//!
//! Every question is answered by a child process of the same binary. What a question costs is chosen
//! by strangers, and a thread cannot be stopped; a process can, and its memory has an end. The price
//! is that a process is started for each question and that the bytes pass through a pipe.

mod ask;
mod child;
mod frame;
mod worker;

pub use self::{
    ask::{Ask, By, Part, QueryLimits, Search, Take},
    child::work,
    worker::{QueryError, Source, Worker},
};
