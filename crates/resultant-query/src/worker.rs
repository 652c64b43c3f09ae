//! The asking side: starts the process that answers, gives it the bytes, and ends it in time.

use std::{
    io,
    path::PathBuf,
    pin::Pin,
    process::{ExitStatus, Stdio},
    time::Duration,
};

use bytes::Bytes;
use futures_util::{Stream, StreamExt as _, future};
use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _},
    process::{Child, ChildStdin, Command},
    time,
};

use crate::{
    Ask, QueryLimits,
    frame::{self, Head, Question},
};

/// What the process says when it dies is looked at so far.
const LAST_WORDS_BYTES: usize = 4 << 10;

/// A file to ask about. Its bytes are read as far as they are needed.
pub struct Source {
    /// Its name.
    pub name: String,
    /// Its media type.
    pub mime: String,
    /// How many bytes it has.
    pub size: u64,
    /// The bytes.
    pub bytes: Pin<Box<dyn Stream<Item = io::Result<Bytes>> + Send>>,
}

/// Why there is no answer. The text is for the model: what happened, and what to try.
#[derive(Debug, thiserror::Error)]
pub enum QueryError {
    /// The question cannot be answered: a mistake in a pattern, filter or query, or the wrong kind
    /// of file.
    #[error("{0}")]
    Refused(String),
    /// A limit was met.
    #[error("{0}")]
    Limit(String),
    /// The file could not be read.
    #[error("the file cannot be read: {0}")]
    Source(io::Error),
    /// The process could not be started, or ended without an answer.
    #[error("{0}")]
    Failed(String),
}

/// How the process is started that answers: the program with these arguments has to call
/// [`work`](crate::work).
#[derive(Clone, Debug)]
pub struct Worker {
    /// The program.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<String>,
}

impl Worker {
    /// Asks. The answer is JSON text of at most a page; of [`Ask::Take`] the bytes themselves.
    ///
    /// The process is ended when the answer is there, when the time is up, and when the future is
    /// dropped.
    pub async fn ask(
        &self,
        ask: &Ask,
        sources: Vec<Source>,
        limits: &QueryLimits,
    ) -> Result<Bytes, QueryError> {
        let heads = sources.iter().map(|source| Head {
            name: source.name.clone(),
            mime: source.mime.clone(),
            size: source.size,
        });
        let question =
            Question { ask: ask.clone(), limits: limits.clone(), sources: heads.collect() };
        let opening =
            frame::opening(&question).map_err(|error| QueryError::Refused(error.to_string()))?;
        let mut child = self.start()?;
        let time = Duration::from_secs(limits.seconds.max(1));
        match time::timeout(time, converse(&mut child, opening, sources, answer_max(ask, limits)))
            .await
        {
            Ok(result) => result.and_then(|spoken| spoken.result(limits)),
            Err(_) => Err(QueryError::Limit(time_is_up(limits))),
        }
    }

    fn start(&self) -> Result<Child, QueryError> {
        Command::new(&self.program)
            .args(&self.arguments)
            // It needs nothing of ours, and a filter could read the environment.
            .env_clear()
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .map_err(|error| {
                QueryError::Failed(format!("the process that answers cannot be started: {error}"))
            })
    }
}

/// Bytes of an answer that are read. Our own process keeps to its page; this is for the case that it
/// does not.
fn answer_max(ask: &Ask, limits: &QueryLimits) -> u64 {
    let payload = match ask {
        Ask::Take(_) => limits.take_bytes,
        _ => limits.page_bytes.max(QueryLimits::PAGE_BYTES_MIN) as u64,
    };
    // What is said instead of an answer may be longer than a short one.
    payload.max(QueryLimits::PAGE_BYTES_MIN as u64).saturating_add(1)
}

/// What came from the process until it ended.
struct Spoken {
    answer: Vec<u8>,
    last_words: Vec<u8>,
    status: ExitStatus,
}

async fn converse(
    child: &mut Child,
    opening: Vec<u8>,
    sources: Vec<Source>,
    answer_max: u64,
) -> Result<Spoken, QueryError> {
    let (Some(stdin), Some(stdout), Some(stderr)) =
        (child.stdin.take(), child.stdout.take(), child.stderr.take())
    else {
        return Err(QueryError::Failed("the process that answers has no pipes".to_owned()));
    };
    let answering = async {
        let failed = |error: io::Error| QueryError::Failed(format!("no answer came: {error}"));
        // One byte more than is allowed shows that it was too much.
        let answer = read_up_to(stdout, answer_max.saturating_add(1)).await.map_err(failed)?;
        Ok(answer)
    };
    let listening = async { read_up_to(stderr, LAST_WORDS_BYTES as u64).await.unwrap_or_default() };
    // A source that fails ends it all; an answer that came early ends the sending.
    let (_, answer, last_words) =
        future::try_join3(send(stdin, opening, sources), answering, async { Ok(listening.await) })
            .await?;
    let status = child
        .wait()
        .await
        .map_err(|error| QueryError::Failed(format!("no answer came: {error}")))?;
    if answer.len() as u64 > answer_max {
        return Err(QueryError::Failed("the answer is longer than a page".to_owned()));
    }
    Ok(Spoken { answer, last_words, status })
}

/// Sends the question and the bytes, as far as they are wanted.
async fn send(
    mut stdin: ChildStdin,
    opening: Vec<u8>,
    sources: Vec<Source>,
) -> Result<(), QueryError> {
    // Whoever has enough closes the pipe, and what that means is seen by the answer.
    if stdin.write_all(&opening).await.is_err() {
        return Ok(());
    }
    for mut source in sources {
        while let Some(bytes) = source.bytes.next().await {
            let bytes = bytes.map_err(QueryError::Source)?;
            for chunk in bytes.chunks(frame::CHUNK_BYTES_MAX) {
                let length = (chunk.len() as u32).to_le_bytes();
                if stdin.write_all(&length).await.is_err() || stdin.write_all(chunk).await.is_err()
                {
                    return Ok(());
                }
            }
        }
        if stdin.write_all(&0_u32.to_le_bytes()).await.is_err() {
            return Ok(());
        }
    }
    Ok(())
}

/// Keeps so much of it and reads the rest away.
async fn read_up_to(mut input: impl AsyncRead + Unpin, bytes_max: u64) -> io::Result<Vec<u8>> {
    let mut kept = Vec::new();
    (&mut input).take(bytes_max).read_to_end(&mut kept).await?;
    let mut rest = [0; 1024];
    while input.read(&mut rest).await? > 0 {}
    Ok(kept)
}

impl Spoken {
    fn result(self, limits: &QueryLimits) -> Result<Bytes, QueryError> {
        let answer = Bytes::from(self.answer);
        let text = || String::from_utf8_lossy(&answer[1..]).into_owned();
        match (self.status.success(), answer.first()) {
            (true, Some(&frame::TAG_ANSWER)) => Ok(answer.slice(1..)),
            (true, Some(&frame::TAG_REFUSED)) => Err(QueryError::Refused(text())),
            (true, Some(&frame::TAG_LIMIT)) => Err(QueryError::Limit(text())),
            _ => Err(death(self.status, &self.last_words, limits)),
        }
    }
}

/// Why a process ended without an answer, by its last words and the signal that ended it.
fn death(status: ExitStatus, last_words: &[u8], limits: &QueryLimits) -> QueryError {
    use std::os::unix::process::ExitStatusExt as _;

    let words = String::from_utf8_lossy(last_words);
    if words.contains("overflowed its stack") {
        let text = "stopped, because it nests too deeply: the filter calls itself without end, or \
                    the value has too many levels";
        return QueryError::Limit(text.to_owned());
    }
    if words.contains("memory allocation of") || words.contains("capacity overflow") {
        let mib = limits.memory_bytes >> 20;
        return QueryError::Limit(format!(
            "stopped, because it needs more than {mib} MiB of memory; ask for less at once"
        ));
    }
    match status.signal() {
        // The system ends a process whose processor time is up, and one that it has no memory for.
        Some(SIGNAL_CPU) => QueryError::Limit(time_is_up(limits)),
        Some(signal) => QueryError::Limit(format!(
            "stopped by the system (signal {signal}), probably for lack of memory; ask for less at \
             once"
        )),
        None => {
            // A panic starts with an empty line.
            let mut lines = words.lines().map(str::trim).filter(|line| !line.is_empty());
            let first = lines.next().unwrap_or("it said nothing");
            QueryError::Failed(format!("the process that answers failed: {first}"))
        }
    }
}

const SIGNAL_CPU: i32 = rustix::process::Signal::XCPU.as_raw();

fn time_is_up(limits: &QueryLimits) -> String {
    let seconds = limits.seconds.max(1);
    format!(
        "stopped after {seconds} s without an answer; ask for less, or for something that ends sooner"
    )
}
