//! A server that is a child process: one message a line on its standard input and output.
//!
//! The child leads a process group of its own, so that what it starts goes with it. One task reads
//! lines, one writes them: a message that is half written when its caller gives up would break
//! every later one. Standard error goes to the log, and its last lines into the reason when the
//! process ends.

use std::{
    collections::VecDeque,
    future::Future,
    path::PathBuf,
    pin::Pin,
    process::{ExitStatus, Stdio},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use bytes::{Bytes, BytesMut};
use resultant::Protocol;
use rustix::process::{Pid, Signal};
use tokio::{
    io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader},
    process::{Child, ChildStderr, ChildStdin, ChildStdout, Command},
    sync::{mpsc, watch},
};

use super::wire::{Expected, Inbox, Outgoing, SharedInbox, Wire, WireError};
use crate::{
    body::{Addressees, Body, Buffers, CollectError, Collector, SpoolOptions},
    orphans,
    rpc::Message,
};

/// How many bytes are read at once.
const CHUNK_BYTES: usize = 64 * 1024;
/// The same while there is more than that.
const CHUNK_BYTES_LONG: usize = 512 * 1024;
/// A child may write so much before somebody reads it, where the system lets us.
#[cfg(target_os = "linux")]
const PIPE_BYTES: usize = 512 * 1024;
/// How many messages may wait to be written.
const QUEUE_MAX: usize = 256;
/// How many lines of standard error are kept for the reason.
const LAST_LINES_MAX: usize = 8;
/// Longer lines of standard error are cut in the log.
const LOG_LINE_BYTES_MAX: usize = 4096;
/// How long a child may take to leave when its input ends, and again after a signal.
const LEAVE_TIME: Duration = Duration::from_millis(1500);
/// How long what a child wrote last may take, once it has ended.
const LAST_WORDS_TIME: Duration = Duration::from_secs(2);

/// What to start.
#[derive(Clone, Debug)]
pub(crate) struct StdioOptions {
    pub(crate) server: Arc<str>,
    pub(crate) command: String,
    pub(crate) args: Vec<String>,
    pub(crate) env: Vec<(String, String)>,
    pub(crate) cwd: Option<PathBuf>,
    pub(crate) spool: Arc<SpoolOptions>,
    /// Whether callers are told what it said last: not where it may have said it of another user.
    pub(crate) tells_last_words: bool,
}

/// A running child process.
pub(crate) struct StdioWire {
    /// `None` once the connection is closed, which ends the child's input.
    queue: Mutex<Option<mpsc::Sender<Bytes>>>,
    group: Option<Pid>,
    ended: watch::Receiver<bool>,
}

impl StdioWire {
    /// Starts the child.
    pub(crate) fn start(options: StdioOptions, inbox: SharedInbox) -> Result<StdioWire, WireError> {
        let mut command = Command::new(&options.command);
        command.args(&options.args).envs(options.env.iter().map(|(key, value)| (key, value)));
        if let Some(cwd) = &options.cwd {
            command.current_dir(cwd);
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.process_group(0).kill_on_drop(true);
        let mut child = command.spawn().map_err(|error| {
            WireError::Unreachable(format!("cannot start `{}`: {error}", options.command))
        })?;
        let group = child.id().and_then(|id| Pid::from_raw(id.cast_signed()));
        if let Some(group) = group {
            orphans::started(group);
        }
        let (Some(stdin), Some(stdout), Some(stderr)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(WireError::Unreachable("the child process has no pipes".to_owned()));
        };
        let (queue, outgoing) = mpsc::channel(QUEUE_MAX);
        let (ended, has_ended) = watch::channel(false);
        let last_lines = Arc::new(Mutex::new(VecDeque::new()));
        tokio::spawn(write(stdin, outgoing));
        let log = tokio::spawn(log_errors(stderr, options.server.clone(), last_lines.clone()));
        tokio::spawn(async move {
            let mut reading = std::pin::pin!(read(stdout, &options.spool, &*inbox));
            let cut = tokio::select! {
                cut = &mut reading => cut,
                // What the child started may hold its output open, and would do so for ever.
                _ = child.wait() => {
                    tokio::time::timeout(LAST_WORDS_TIME, &mut reading).await.unwrap_or_default()
                }
            };
            if cut.is_some() {
                kill(group, Signal::KILL);
            }
            let status = leave(&mut child, group).await;
            // What the child said last is on its way when it ends.
            let _ = tokio::time::timeout(Duration::from_millis(200), log).await;
            let mut last_lines = last_lines.lock().unwrap_or_else(PoisonError::into_inner);
            if !options.tells_last_words {
                last_lines.clear();
            }
            let error = cut.unwrap_or_else(|| WireError::Broken(farewell(status, &last_lines)));
            drop(last_lines);
            if let Some(group) = group {
                orphans::ended(group);
            }
            let _ = ended.send(true);
            inbox.closed(error);
        });
        Ok(StdioWire { queue: Mutex::new(Some(queue)), group, ended: has_ended })
    }

    fn queue(&self) -> Option<mpsc::Sender<Bytes>> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Wire for StdioWire {
    fn send(
        &self,
        message: Outgoing,
    ) -> Pin<Box<dyn Future<Output = Result<(), WireError>> + Send + '_>> {
        Box::pin(async move {
            let gone = || WireError::Unreachable("the server has ended".to_owned());
            self.queue().ok_or_else(gone)?.send(message.bytes).await.map_err(|_| gone())
        })
    }

    fn forget(&self, _id: u64) -> bool {
        false
    }

    fn negotiated(&self, _protocol: Protocol) {}

    fn close(&self) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(async move {
            self.queue.lock().unwrap_or_else(PoisonError::into_inner).take();
            let mut ended = self.ended.clone();
            for signal in [None, Some(Signal::TERM), Some(Signal::KILL)] {
                if let Some(signal) = signal {
                    kill(self.group, signal);
                }
                if tokio::time::timeout(LEAVE_TIME, ended.wait_for(|ended| *ended)).await.is_ok() {
                    return;
                }
            }
        })
    }
}

impl Drop for StdioWire {
    fn drop(&mut self) {
        if !*self.ended.borrow() {
            kill(self.group, Signal::KILL);
        }
    }
}

fn kill(group: Option<Pid>, signal: Signal) {
    if let Some(group) = group {
        // It may be gone already, which is what is wanted.
        let _ = rustix::process::kill_process_group(group, signal);
    }
}

/// Waits for a child whose output has ended; one that stays is told to go.
async fn leave(child: &mut Child, group: Option<Pid>) -> Option<ExitStatus> {
    for signal in [Signal::TERM, Signal::KILL] {
        if let Ok(status) = tokio::time::timeout(LEAVE_TIME, child.wait()).await {
            // What it started may still be there.
            kill(group, Signal::KILL);
            return status.ok();
        }
        kill(group, signal);
    }
    child.wait().await.ok()
}

fn farewell(status: Option<ExitStatus>, last_lines: &VecDeque<String>) -> String {
    let mut reason = match status {
        Some(status) => format!("the server process ended ({status})"),
        None => "the server process ended".to_owned(),
    };
    if !last_lines.is_empty() {
        reason.push_str("; it said last: ");
        let lines: Vec<&str> = last_lines.iter().map(String::as_str).collect();
        reason.push_str(&lines.join(" | "));
    }
    reason
}

async fn write(mut stdin: ChildStdin, mut queue: mpsc::Receiver<Bytes>) {
    let mut line = Vec::new();
    while let Some(message) = queue.recv().await {
        line.clear();
        // One message is one line: line ends between tokens become spaces.
        line.extend(message.iter().map(|byte| match byte {
            b'\n' | b'\r' => b' ',
            byte => *byte,
        }));
        line.push(b'\n');
        if stdin.write_all(&line).await.is_err() || stdin.flush().await.is_err() {
            return;
        }
    }
}

async fn log_errors(stderr: ChildStderr, server: Arc<str>, last: Arc<Mutex<VecDeque<String>>>) {
    let mut reader = BufReader::new(stderr);
    let mut line = Vec::new();
    loop {
        line.clear();
        let mut limited = (&mut reader).take(LOG_LINE_BYTES_MAX as u64);
        match limited.read_until(b'\n', &mut line).await {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        let text = String::from_utf8_lossy(&line);
        let text: String =
            text.trim_end().chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        if text.is_empty() {
            continue;
        }
        // Servers write down what they were given, and that may be an address of a file.
        let text = resultant_store::redact(&text);
        tracing::info!(target: "resultant::server", server = &*server, "{text}");
        let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
        if last.len() == LAST_LINES_MAX {
            last.pop_front();
        }
        last.push_back(text.chars().take(200).collect());
    }
}

/// Reads lines until the output ends. Returns why the child must go, when it must.
async fn read(
    mut stdout: ChildStdout,
    options: &SpoolOptions,
    inbox: &dyn Inbox,
) -> Option<WireError> {
    let expected = Expected { inbox, during: None };
    let collector = Collector::new(options, Some(&expected));
    let mut lines = Lines { collector, skipped: None, options, expected: &expected };
    let mut chunk = BytesMut::with_capacity(CHUNK_BYTES);
    let mut buffers = Buffers::default();
    // A long message is handed over in fewer turns.
    #[cfg(target_os = "linux")]
    let _ = rustix::pipe::fcntl_setpipe_size(&stdout, PIPE_BYTES);
    loop {
        let cut = match stdout.read_buf(&mut chunk).await {
            Ok(0) | Err(_) => {
                lines.end(inbox);
                return None;
            }
            Ok(read) if read < CHUNK_BYTES => {
                let cut = lines.feed(chunk.split().freeze(), inbox);
                buffers = Buffers::default();
                chunk.reserve(CHUNK_BYTES);
                cut
            }
            Ok(_) => {
                let cut = lines.feed(buffers.lend(chunk), inbox);
                chunk = buffers.take(CHUNK_BYTES_LONG);
                cut
            }
        };
        if cut.is_some() {
            return cut;
        }
    }
}

/// Splits what comes into lines.
struct Lines<'a> {
    collector: Collector<'a>,
    /// The rest of a line that is over a limit is skipped; how much that is by now.
    skipped: Option<u64>,
    options: &'a SpoolOptions,
    expected: &'a dyn Addressees,
}

impl Lines<'_> {
    fn feed(&mut self, mut chunk: Bytes, inbox: &dyn Inbox) -> Option<WireError> {
        while !chunk.is_empty() {
            let end = memchr::memchr(b'\n', &chunk);
            let part = chunk.split_to(end.unwrap_or(chunk.len()));
            if end.is_some() {
                let _ = chunk.split_to(1);
            }
            if let Some(error) = self.part(part, end.is_some(), inbox) {
                return Some(error);
            }
        }
        None
    }

    /// The output has ended: a message that only lacks its line end is whole.
    fn end(&mut self, inbox: &dyn Inbox) {
        if self.skipped.is_none()
            && !self.collector.is_long()
            && let Ok(Body::Whole(bytes)) = self.collector.take()
            && Message::read(bytes.clone()).is_ok()
        {
            inbox.arrived(Body::Whole(bytes), None);
        }
    }

    fn part(&mut self, part: Bytes, is_end: bool, inbox: &dyn Inbox) -> Option<WireError> {
        if let Some(skipped) = &mut self.skipped {
            *skipped += part.len() as u64;
            if is_end {
                self.skipped = None;
                self.collector = Collector::new(self.options, Some(self.expected));
            } else if *skipped > self.options.message_bytes_max {
                // Whose line it was has been told; this is for everybody else on the connection.
                let limit = CollectError::TooLarge { limit: self.options.message_bytes_max };
                let reason = format!("the connection was cut, because {limit} and does not end");
                return Some(WireError::Broken(reason));
            }
            return None;
        }
        if is_end && self.collector.len() == 0 && part.len() <= self.options.inline_bytes_max {
            if !part.trim_ascii().is_empty() {
                inbox.arrived(Body::Whole(part), None);
            }
            return None;
        }
        let pushed = match self.collector.blocks(part.len()) {
            true => tokio::task::block_in_place(|| self.collector.push_shared(&part)),
            false => self.collector.push_shared(&part),
        };
        let taken = match is_end {
            true => pushed.and_then(|()| self.collector.take()).map(Some),
            false => pushed.map(|()| None),
        };
        match taken {
            Ok(Some(body)) => inbox.arrived(body, None),
            Ok(None) => {}
            Err(error) => {
                let id = id_in_head(self.collector.head());
                inbox.lost(id, wire_error(&error));
                self.collector = Collector::new(self.options, Some(self.expected));
                self.skipped = (!is_end).then_some(0);
            }
        }
        None
    }
}

fn wire_error(error: &CollectError) -> WireError {
    match error {
        CollectError::TooLarge { .. } => {
            WireError::Limit { limit: "message_bytes_max", message: error.to_string() }
        }
        CollectError::Disk(cause) => WireError::Broken(format!("{error}: {cause}")),
    }
}

/// The id at the beginning of a message that is not whole: `{"jsonrpc":"2.0","id":7,…`.
pub(crate) fn id_in_head(head: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(head).unwrap_or_else(|error| {
        std::str::from_utf8(&head[..error.valid_up_to()]).unwrap_or_default()
    });
    let mut rest = text.trim_start().strip_prefix('{')?;
    loop {
        rest = rest.trim_start().strip_prefix('"')?;
        let (key, after) = rest.split_once('"')?;
        rest = after.trim_start().strip_prefix(':')?.trim_start();
        if key == "id" {
            // Some servers send the id back as a string.
            let rest = rest.strip_prefix('"').unwrap_or(rest);
            let end = rest.find(|c: char| !c.is_ascii_digit())?;
            return rest[..end].parse().ok();
        }
        // Only short strings stand before the id of a message as servers write it.
        rest = match rest.strip_prefix('"') {
            Some(string) => string.split_once('"')?.1,
            None => return None,
        };
        rest = rest.trim_start().strip_prefix(',')?;
    }
}

#[cfg(test)]
mod tests {
    use super::id_in_head;

    #[test]
    fn the_id_is_found_where_servers_write_it() {
        let cases: [(&str, Option<u64>); 7] = [
            (r#"{"jsonrpc":"2.0","id":"7","result":{"content":[{"#, Some(7)),
            (r#"{"jsonrpc":"2.0","id":7,"result":{"content":[{"#, Some(7)),
            (r#"{ "id" : 12 , "jsonrpc""#, Some(12)),
            (r#"{"result":{"id":3,"#, None),
            (r#"{"jsonrpc":"2.0","id":"seven","result""#, None),
            (r#"{"jsonrpc":"2.0","id":7"#, None),
            ("starting up", None),
        ];
        for (head, id) in cases {
            assert_eq!(id_in_head(head.as_bytes()), id, "{head}");
        }
    }
}
