//! Faults of lines, ids and time.

use std::{
    process::exit,
    sync::Arc,
    time::{Duration, Instant},
};

use crate::{
    processes::wait_for_ever,
    wire::{Incoming, Wire, response, text_result},
};

pub(crate) const TOOLS: &[&str] = &[
    "echo",
    "slow",
    "exit_mid_line",
    "exit_silently",
    "exit_after_answer",
    "exit_after_long_answer",
    "exit_without_line_end",
    "logs_around",
    "log_on_the_same_line",
    "long_log_line",
    "long_notification",
    "answer_twice",
    "answer_other_id",
    "answer_string_id",
    "answer_null_id",
    "answer_in_batch",
    "answer_after_cancel",
    "never",
    "progress_flood",
    "progress_unknown",
    "log_flood",
    "white_space",
    "crlf",
    "byte_order_mark",
    "invalid_utf8",
    "control_characters",
    "lone_surrogate",
    "not_a_number",
];

/// Misbehaves; says whether it knows how.
pub(crate) fn call(wire: &Arc<Wire>, tool: &str, id: &str, message: &Incoming) -> bool {
    let answer = |text: &str| response(id, &text_result(text));
    match tool {
        "echo" => wire.text(id, &message.text_of("say").unwrap_or_default()),
        "slow" => {
            let millis = message.number_of("millis").unwrap_or(1000);
            std::thread::sleep(Duration::from_millis(millis));
            wire.text(id, "slow");
        }
        "exit_mid_line" => {
            eprintln!("out of luck");
            let line = answer("never whole");
            wire.raw(&[&line.as_bytes()[..line.len() / 2]]);
            exit(3);
        }
        "exit_silently" => exit(0),
        "exit_after_answer" => {
            wire.text(id, "last words");
            exit(0);
        }
        "exit_after_long_answer" => {
            wire.text(id, &"long last words ".repeat(1 << 20));
            exit(0);
        }
        "exit_without_line_end" => {
            wire.raw(&[answer("no line end").as_bytes()]);
            exit(0);
        }
        "logs_around" => {
            wire.line("INFO starting up\n\n   \n[1,2,3]\nnull\n\"text\"\n{\"level\":\"info\"}\n{");
            wire.line(&answer("between logs"));
            wire.line("INFO done\n}{\n{\"jsonrpc\":\"2.0\"}\n[]\n[[]]\n{\"id\":}");
        }
        "log_on_the_same_line" => {
            wire.raw(&[b"Loading  50%\rLoading 100%\r", answer("after the log").as_bytes(), b"\n"]);
        }
        "long_log_line" => {
            wire.line(&"a log line that is no JSON ".repeat(200_000));
            wire.line(&answer("after a long log line"));
        }
        "long_notification" => {
            let data = "x".repeat(3 << 20);
            wire.line(&format!(
                r#"{{"jsonrpc":"2.0","method":"notifications/message","params":{{"level":"info","data":"{data}"}}}}"#
            ));
            wire.line(&answer("after a long notification"));
        }
        "answer_twice" => {
            wire.line(&answer("first"));
            wire.line(&answer("second"));
        }
        "answer_other_id" => wire.line(&response("987654321", &text_result("not yours"))),
        "answer_string_id" => wire.line(&response(&format!("\"{id}\""), &text_result("string id"))),
        "answer_null_id" => wire.error("null", -32603, "whose was it?"),
        "answer_in_batch" => {
            let progress = r#"{"jsonrpc":"2.0","method":"notifications/message","params":{}}"#;
            wire.line(&format!("[{progress},{}]", answer("in a batch")));
        }
        "answer_after_cancel" => {
            wire.wait_for_cancel(id);
            wire.text(id, "too late");
        }
        "never" => wait_for_ever(),
        "progress_flood" => progress_flood(wire, id, message),
        "progress_unknown" => {
            for token in ["123456", "\"abc\"", "null", "{}", "-1", "1e99"] {
                wire.line(&progress(token, 1));
            }
            wire.line(r#"{"jsonrpc":"2.0","method":"notifications/progress"}"#);
            wire.text(id, "unknown progress");
        }
        "log_flood" => {
            for number in 0..20_000 {
                wire.line(&format!(
                    r#"{{"jsonrpc":"2.0","method":"notifications/message","params":{{"level":"info","data":{number}}}}}"#
                ));
            }
            wire.text(id, "after a flood of logs");
        }
        "white_space" => {
            wire.raw(&[b" \t ", answer("spaces").replace(',', " ,\t").as_bytes(), b" \n"]);
        }
        "crlf" => wire.raw(&[b"\r\n", answer("crlf").as_bytes(), b"\r\n"]),
        "byte_order_mark" => wire.raw(&[b"\xef\xbb\xbf", answer("mark").as_bytes(), b"\n"]),
        "invalid_utf8" => wire.raw(&[&with(&answer("<@>"), b"\xff\xc3\x28\xf0\x9f")]),
        "control_characters" => wire.raw(&[&with(&answer("<@>"), b"\x00\x01\x1b[31m\x7f\t")]),
        "lone_surrogate" => wire.text(id, r"<\ud83d>"),
        "not_a_number" => {
            let values = r#""structuredContent":{"a":NaN,"b":Infinity,"c":-Infinity}"#;
            wire.result(id, &format!(r#"{{"content":[],{values}}}"#));
        }
        _ => return false,
    }
    true
}

/// A line with these bytes in place of the sign `@`.
fn with(line: &str, bytes: &[u8]) -> Vec<u8> {
    let (before, after) = line.split_once('@').unwrap_or((line, ""));
    [before.as_bytes(), bytes, after.as_bytes(), b"\n"].concat()
}

fn progress(token: &str, progress: u64) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","method":"notifications/progress","params":{{"progressToken":{token},"progress":{progress}}}}}"#
    )
}

/// Ten thousand messages a second, for two seconds.
fn progress_flood(wire: &Wire, id: &str, message: &Incoming) {
    let token = message.value_of("progressToken").unwrap_or_default();
    let started = Instant::now();
    for tick in 0..20_u64 {
        wire.stream(|output| {
            (0..1000).try_for_each(|number| {
                writeln!(output, "{}", progress(&token, tick * 1000 + number))
            })
        });
        let due = Duration::from_millis(100 * (tick + 1));
        std::thread::sleep(due.saturating_sub(started.elapsed()));
    }
    wire.text(id, "after the flood");
}
