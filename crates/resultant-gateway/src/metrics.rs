//! Counts and times for `/metrics`, in the OpenMetrics text format.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    sync::{
        Mutex,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use crate::client::lock;

/// Upper bounds of the histograms, in seconds.
const BUCKETS: [f64; 12] =
    [0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 60.0];

#[derive(Debug, Default)]
struct Histogram {
    counts: [u64; BUCKETS.len()],
    count: u64,
    sum: f64,
}

impl Histogram {
    fn observe(&mut self, seconds: f64) {
        self.count += 1;
        self.sum += seconds;
        for (at, bound) in BUCKETS.iter().enumerate() {
            if seconds <= *bound {
                self.counts[at] += 1;
            }
        }
    }

    fn write(&self, out: &mut String, name: &str, labels: &str) {
        for (bound, count) in BUCKETS.iter().zip(self.counts) {
            let _ = writeln!(out, "{name}_bucket{{{labels},le=\"{bound}\"}} {count}");
        }
        let _ = writeln!(out, "{name}_bucket{{{labels},le=\"+Inf\"}} {}", self.count);
        let _ = writeln!(out, "{name}_sum{{{labels}}} {}", self.sum);
        let _ = writeln!(out, "{name}_count{{{labels}}} {}", self.count);
    }
}

/// A step of the pipeline.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step {
    /// The tool is looked up, which may connect its server.
    Find,
    /// The server has the call.
    Call,
    /// Its answer is read.
    Read,
    /// The files are kept.
    Keep,
    /// The result is written for its audience.
    Write,
}

const STEPS: [(Step, &str); 5] = [
    (Step::Find, "find"),
    (Step::Call, "call"),
    (Step::Read, "read"),
    (Step::Keep, "keep"),
    (Step::Write, "write"),
];

#[derive(Debug, Default)]
struct OfServer {
    calls: u64,
    errors: u64,
    tokens_received: u64,
    tokens_given: u64,
    steps: [Histogram; STEPS.len()],
}

/// What the gateway counts.
#[derive(Debug, Default)]
pub(crate) struct Metrics {
    servers: Mutex<BTreeMap<String, OfServer>>,
    bytes_in: AtomicU64,
    bytes_out: AtomicU64,
    failed: AtomicU64,
}

impl Metrics {
    pub(crate) fn bytes_in(&self, bytes: u64) {
        self.bytes_in.fetch_add(bytes, Ordering::Relaxed);
    }

    pub(crate) fn failed(&self) {
        self.failed.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn called(&self, server: &str, is_error: bool, bytes_out: u64) {
        self.bytes_out.fetch_add(bytes_out, Ordering::Relaxed);
        self.of_server(server, |of| {
            of.calls += 1;
            of.errors += u64::from(is_error);
        });
    }

    /// A call has spent this time in a step.
    pub(crate) fn step(&self, server: &str, step: Step, time: Duration) {
        self.of_server(server, |of| of.steps[step as usize].observe(time.as_secs_f64()));
    }

    /// Tokens of results: what a model would have seen, and what it got.
    pub(crate) fn tokens(&self, server: &str, received: u64, given: u64) {
        self.of_server(server, |of| {
            of.tokens_received += received;
            of.tokens_given += given;
        });
    }

    fn of_server(&self, server: &str, count: impl FnOnce(&mut OfServer)) {
        let mut servers = lock(&self.servers);
        match servers.get_mut(server) {
            Some(of) => count(of),
            None => count(servers.entry(server.to_owned()).or_default()),
        }
    }

    /// Everything, with how many servers are ready and how many sessions are open.
    pub(crate) fn write(&self, servers: &[(String, bool)], sessions: usize) -> String {
        let mut out = String::new();
        let mut family = |name: &str, kind: &str, help: &str, lines: &dyn Fn(&mut String)| {
            let _ = writeln!(out, "# TYPE {name} {kind}");
            let _ = writeln!(out, "# HELP {name} {help}");
            lines(&mut out);
        };
        let of_servers = lock(&self.servers);
        family("resultant_server_ready", "gauge", "Whether a server is connected.", &|out| {
            for (name, is_ready) in servers {
                let ready = u8::from(*is_ready);
                let _ = writeln!(out, "resultant_server_ready{{server=\"{name}\"}} {ready}");
            }
        });
        family("resultant_sessions", "gauge", "Open sessions of clients.", &|out| {
            let _ = writeln!(out, "resultant_sessions {sessions}");
        });
        family("resultant_calls", "counter", "Tool calls.", &|out| {
            for (name, of) in &*of_servers {
                let (ok, failed) = (of.calls - of.errors, of.errors);
                let name = format!("server=\"{name}\"");
                let _ = writeln!(out, "resultant_calls_total{{{name},outcome=\"ok\"}} {ok}");
                let _ = writeln!(out, "resultant_calls_total{{{name},outcome=\"error\"}} {failed}");
            }
        });
        type Count = fn(&OfServer) -> u64;
        let tokens: [(&str, &str, Count); 2] = [
            (
                "resultant_tokens_received",
                "Tokens that models would have seen of what servers sent.",
                |of| of.tokens_received,
            ),
            ("resultant_tokens_given", "Tokens that models got instead.", |of| of.tokens_given),
        ];
        for (name, help, count) in tokens {
            family(name, "counter", help, &|out| {
                for (server, of) in &*of_servers {
                    let _ = writeln!(out, "{name}_total{{server=\"{server}\"}} {}", count(of));
                }
            });
        }
        let help = "What the steps of a call take.";
        family("resultant_step_seconds", "histogram", help, &|out| {
            for (server, of) in &*of_servers {
                for (step, name) in STEPS {
                    let labels = format!("server=\"{server}\",step=\"{name}\"");
                    of.steps[step as usize].write(out, "resultant_step_seconds", &labels);
                }
            }
        });
        for (name, help, value) in [
            ("resultant_result_bytes_in", "Bytes of results that servers sent.", &self.bytes_in),
            ("resultant_result_bytes_out", "Bytes of results that clients got.", &self.bytes_out),
            ("resultant_calls_failed", "Calls that got no answer of a server.", &self.failed),
        ] {
            family(name, "counter", help, &|out| {
                let _ = writeln!(out, "{name}_total {}", value.load(Ordering::Relaxed));
            });
        }
        out.push_str("# EOF\n");
        out
    }
}
