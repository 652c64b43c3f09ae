//! An access log of 1.5 MB: one marked line, and requests that failed with 503.
//!
//! Sizes and paths have the number 503 in them too, so that counting the number is not enough.

use std::{fmt::Write as _, path::Path};

use super::{Rng, write};

const BYTES: usize = 1_500_000;
const STATUSES: [&str; 9] = ["200", "200", "200", "200", "201", "204", "301", "404", "500"];

pub(crate) struct Log {
    pub(crate) path: String,
    /// What the line is marked with, told in the question.
    pub(crate) marker: String,
    /// The code on that line, asked for.
    pub(crate) code: String,
    /// How many requests ended with 503.
    pub(crate) failures: usize,
}

impl Log {
    pub(super) fn make(rng: &mut Rng, folder: &Path) -> anyhow::Result<Self> {
        let marker = format!("MARK-{}", rng.code(8));
        let code = rng.code(10);
        let marked_at = rng.between(BYTES / 20, BYTES - BYTES / 20);
        let one_in = rng.between(15, 90);
        let paths: Vec<String> =
            (0..200).map(|_| format!("/{}/{}", rng.word(), rng.word())).collect();
        let (mut text, mut failures, mut second, mut is_marked) = (String::new(), 0, 0, false);
        while text.len() < BYTES {
            second += rng.below(14);
            let (hour, minute) = (second / 3600 % 24, second / 60 % 60);
            let mut path = paths[rng.below(paths.len())].clone();
            let mut status = rng.pick(&STATUSES);
            if rng.below(one_in) == 0 {
                status = "503";
                failures += 1;
            }
            let mut size = rng.between(180, 60_000);
            if rng.below(60) == 0 {
                size = 503;
            }
            if rng.below(80) == 0 {
                path.push_str("/503");
            }
            if !is_marked && text.len() >= marked_at {
                is_marked = true;
                let _ = write!(path, "?audit={marker}&code={code}");
            }
            let [a, b, c] = [rng.below(256), rng.below(256), rng.between(1, 254)];
            let method = rng.pick(&["GET", "GET", "GET", "POST", "PUT"]);
            let agent = rng.pick(&["curl/8.9", "Mozilla/5.0 (X11; Linux x86_64)", "probe/2"]);
            let _ = writeln!(
                text,
                "10.{a}.{b}.{c} - - [15/Nov/2026:{hour:02}:{minute:02}:{:02} +0000] \
                 \"{method} {path} HTTP/1.1\" {status} {size} \"-\" \"{agent}\"",
                second % 60
            );
        }
        let path = write(folder, "access.log", &text)?;
        Ok(Self { path, marker, code, failures })
    }
}
