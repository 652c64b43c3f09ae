//! The answering side: a process that takes its limits, reads one question and its bytes, answers
//! and ends.

mod bounds;
mod form;
mod incoming;
mod jq;
mod page;
mod path;
mod read;
mod search;
mod sql;
mod statement;
mod take;
mod value;

use std::{
    io::{self, Read, Write as _},
    process::ExitCode,
    time::{Duration, Instant},
};

use self::{incoming::Incoming, page::Page};
use crate::{
    Ask, QueryLimits,
    frame::{self, TAG_ANSWER, TAG_LIMIT, TAG_REFUSED},
};

/// The process that answers: reads a question from standard input and writes the answer to standard
/// output. The resources of the process are limited for good, so nothing else can follow.
pub fn work() -> ExitCode {
    let mut input = io::stdin().lock();
    let (tag, answer) = match answer(&mut input) {
        Ok(answer) => (TAG_ANSWER, answer),
        Err(Stop::Refused(text)) => (TAG_REFUSED, shortened(text)),
        Err(Stop::Limit(text)) => (TAG_LIMIT, shortened(text)),
        Err(Stop::Input) => return ExitCode::FAILURE,
    };
    let mut output = io::stdout().lock();
    let written = output.write_all(&[tag]).and_then(|()| output.write_all(&answer));
    match written.and_then(|()| output.flush()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

/// Why there is no answer.
#[derive(Debug)]
enum Stop {
    Refused(String),
    Limit(String),
    /// Whoever asked is gone.
    Input,
}

impl Stop {
    fn refused(text: impl Into<String>) -> Stop {
        Stop::Refused(text.into())
    }
}

impl From<io::Error> for Stop {
    fn from(_: io::Error) -> Stop {
        Stop::Input
    }
}

/// What a refusal quotes was chosen by strangers, and may be long.
fn shortened(text: String) -> Vec<u8> {
    const TEXT_BYTES_MAX: usize = 500;
    match text.len() <= TEXT_BYTES_MAX {
        true => text.into_bytes(),
        false => format!("{}…", &text[..text.floor_char_boundary(TEXT_BYTES_MAX - 3)]).into_bytes(),
    }
}

fn answer(input: &mut impl Read) -> Result<Vec<u8>, Stop> {
    let (seconds, memory_bytes) = frame::read_limits(input)?;
    bounds::set(seconds, memory_bytes).map_err(|error| {
        Stop::Limit(format!("the limits of the process cannot be set: {error}"))
    })?;
    let question = frame::read_question(input)?;
    let limits = Limits::new(&question.limits);
    let mut incoming = Incoming::new(input, question.sources);
    let text = match &question.ask {
        Ask::Read(part) => read::answer(part, &mut incoming, &limits)?,
        Ask::Search(search) => search::answer(search, &mut incoming, &limits)?,
        Ask::Jq { filter } => jq::answer(filter, &mut incoming, &limits)?,
        Ask::Sql { query } => sql::answer(query, &mut incoming, &limits)?,
        Ask::Take(take) => return take::answer(take, &mut incoming, &limits),
    };
    Ok(text.into_bytes())
}

/// The caps as the rooms below need them.
struct Limits {
    page: Page,
    rows: u64,
    take_bytes: usize,
    /// When to stop by ourselves, with what there is, before we are stopped.
    until: Instant,
}

impl Limits {
    fn new(limits: &QueryLimits) -> Limits {
        let time = Duration::from_secs(limits.seconds.max(1)) * 7 / 10;
        Limits {
            page: Page {
                bytes: limits.page_bytes.max(QueryLimits::PAGE_BYTES_MIN),
                tokens: limits.page_tokens.max(QueryLimits::PAGE_TOKENS_MIN),
            },
            rows: limits.rows,
            take_bytes: usize::try_from(limits.take_bytes).unwrap_or(usize::MAX),
            until: Instant::now() + time,
        }
    }

    /// Whether enough results were looked at. The clock is not asked every time.
    fn is_enough(&self, seen: u64) -> bool {
        seen >= self.rows || seen.is_multiple_of(256) && Instant::now() >= self.until
    }
}
