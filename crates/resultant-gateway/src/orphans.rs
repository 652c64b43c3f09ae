//! Child processes do not outlive a gateway that is killed.
//!
//! Most servers leave when their input ends, and a gateway that ends by itself sees to the others.
//! One that is killed cannot. So a second process, which does nothing else, is told of every process
//! group that is started and that has ended; when the gateway is gone, which it sees by the end of
//! its input, it ends what is left. A signal on the parent's death would need no second process,
//! but it comes when the *thread* that started the child ends, and reaches no grandchildren.

use std::{
    collections::HashSet,
    io::{BufRead, Write as _},
    os::unix::process::CommandExt as _,
    path::PathBuf,
    process::{ChildStdin, Command, Stdio},
    sync::{Mutex, OnceLock},
    thread,
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};

use crate::client::lock;

/// How long servers may take to leave by themselves, and again after a signal.
const LEAVE_TIME: Duration = Duration::from_millis(1500);

/// The program to start, and its arguments.
static PROGRAM: OnceLock<(PathBuf, Vec<String>)> = OnceLock::new();
static WATCHER: OnceLock<Option<Mutex<ChildStdin>>> = OnceLock::new();

/// Says how to start the process that ends what this one leaves behind: `program` with these
/// arguments has to call [`end_orphans`]. It is started once, with the first server.
pub fn watch_orphans(program: PathBuf, arguments: &[&str]) {
    let arguments = arguments.iter().map(|argument| (*argument).to_owned()).collect();
    let _ = PROGRAM.set((program, arguments));
}

fn start() -> Option<Mutex<ChildStdin>> {
    let (program, arguments) = PROGRAM.get()?;
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    // What ends the gateway from the terminal does not end its watcher first.
    match command.process_group(0).spawn() {
        Ok(mut child) => child.stdin.take().map(Mutex::new),
        Err(error) => {
            tracing::warn!(%error, "servers may outlive the gateway if it is killed");
            None
        }
    }
}

/// A process group that is to end with us.
pub(crate) fn started(group: Pid) {
    tell('+', group);
}

/// It has ended already.
pub(crate) fn ended(group: Pid) {
    tell('-', group);
}

fn tell(sign: char, group: Pid) {
    if let Some(watcher) = WATCHER.get_or_init(start) {
        // Without a watcher all is as it would be without one.
        let _ = writeln!(lock(watcher), "{sign}{}", group.as_raw_nonzero());
    }
}

/// What the watching process does: it reads until its parent is gone, then ends what is left.
pub fn end_orphans(input: impl BufRead) {
    let mut groups = HashSet::new();
    for line in input.lines().map_while(Result::ok) {
        let (sign, number) = line.split_at(line.len().min(1));
        let Some(group) = number.parse().ok().and_then(Pid::from_raw) else { continue };
        match sign {
            "+" => groups.insert(group),
            _ => groups.remove(&group),
        };
    }
    for signal in [Signal::TERM, Signal::KILL] {
        let until = Instant::now() + LEAVE_TIME;
        loop {
            groups.retain(|group| test_kill_process_group(*group).is_ok());
            if groups.is_empty() {
                return;
            }
            if Instant::now() > until {
                break;
            }
            thread::sleep(Duration::from_millis(50));
        }
        for group in &groups {
            // It may have gone just now.
            let _ = kill_process_group(*group, signal);
        }
    }
}
