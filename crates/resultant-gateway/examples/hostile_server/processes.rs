//! What a process can do wrong beside its messages.

use std::{
    os::unix::process::CommandExt as _,
    process::{Command, Stdio},
    time::Duration,
};

use crate::wire::Wire;

pub(crate) const TOOLS: &[&str] =
    &["grandchild", "grandchild_keeps_output", "close_output", "noisy_errors"];

/// Misbehaves; says whether it knows how.
pub(crate) fn call(wire: &Wire, tool: &str, id: &str) -> bool {
    match tool {
        "grandchild" => {
            let mut sleep = Command::new("sleep");
            sleep.arg("600").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            wire.text(id, &started(sleep.spawn()));
        }
        "grandchild_keeps_output" => {
            // Who reads our output does not see its end when we leave.
            let child = Command::new("sleep").arg("600").stdin(Stdio::null()).spawn();
            crate::wire::note("grandchild", &started(child));
            std::process::exit(4);
        }
        "close_output" => {
            // Without unsafe code a process cannot close its own output; a shell in its place can.
            let error = Command::new("sh").arg("-c").arg("exec >&-; exec sleep 600").exec();
            eprintln!("{error}");
            std::process::exit(5);
        }
        "noisy_errors" => {
            for number in 0..2000 {
                eprintln!(
                    "line {number} {}",
                    "e".repeat(if number % 100 == 0 { 100_000 } else { 50 })
                );
            }
            wire.text(id, "after the noise");
        }
        _ => return false,
    }
    true
}

fn started(child: std::io::Result<std::process::Child>) -> String {
    child.map_or_else(|error| error.to_string(), |child| child.id().to_string())
}

pub(crate) fn wait_for_ever() -> ! {
    loop {
        std::thread::sleep(Duration::from_secs(3600));
    }
}
