//! Writes an outcome for each audience. The writers know nothing of each other.

mod program;
