//! What the process may use. It is set by the process itself, before it reads a byte of a stranger's.

use std::io;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Memory that the program, its threads and its pipes need in any case.
const MEMORY_BYTES_MIN: u64 = 96 << 20;

/// Limits memory and processor time; no file can be opened or written from here on, and no image of
/// the memory is left behind.
pub(super) fn set(seconds: u64, memory_bytes: u64) -> io::Result<()> {
    match limit(Resource::As, memory_bytes.max(MEMORY_BYTES_MIN)) {
        // Not every system can do it; the time still has an end.
        Err(_) if !cfg!(target_os = "linux") => {}
        result => result?,
    }
    // Whoever asked ends us sooner, by the clock on the wall; this is for when they are gone.
    limit(Resource::Cpu, seconds.max(1) + 1)?;
    limit(Resource::Fsize, 0)?;
    limit(Resource::Core, 0)?;
    // The pipes that are open stay open.
    limit(Resource::Nofile, 0)
}

/// Nobody's limit is raised by this.
fn limit(resource: Resource, most: u64) -> io::Result<()> {
    let most = getrlimit(resource).maximum.map_or(most, |hard| most.min(hard));
    setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) })?;
    Ok(())
}
