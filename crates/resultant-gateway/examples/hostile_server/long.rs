//! Long answers that do not end as they begin.

use std::{process::exit, sync::Arc};

use crate::wire::{Incoming, Wire, text_result};

/// The ways, by tool.
pub(crate) const TOOLS: &[&str] =
    &["long_id_last", "long_of_another", "long_then_exit", "long_then_stall", "long_twice"];

/// Misbehaves; says whether it knows how.
pub(crate) fn call(wire: &Arc<Wire>, tool: &str, id: &str, message: &Incoming) -> bool {
    let say = message.text_of("say").unwrap_or_default();
    match tool {
        "long_id_last" => wire.line(&id_last(id, &say)),
        "long_of_another" => {
            wire.line(&id_last("987654321", "somebody else's"));
            wire.text(id, &say);
        }
        "long_twice" => {
            wire.line(&id_last(id, &say));
            wire.line(&id_last(id, "said before"));
        }
        "long_then_exit" => {
            eprintln!("out of words");
            wire.raw(&[beginning(id, &say).as_bytes()]);
            exit(3);
        }
        "long_then_stall" => wire.stream(|out| {
            out.write_all(beginning(id, &say).as_bytes())?;
            out.flush()?;
            crate::wire::note("stalled", id);
            // Nobody else gets a word in until it is cancelled.
            wire.wait_for_cancel(id);
            out.write_all(b"\"}]}}\n")?;
            out.flush()
        }),
        _ => return false,
    }
    true
}

/// A few megabytes.
fn words(say: &str) -> String {
    format!("{say} {}", "and so on ".repeat(400_000))
}

fn id_last(id: &str, say: &str) -> String {
    format!(r#"{{"result":{},"jsonrpc":"2.0","id":{id}}}"#, text_result(&words(say)))
}

fn beginning(id: &str, say: &str) -> String {
    let text = words(say);
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"content":[{{"type":"text","text":"{text}"#)
}
