//! A server as a child process: one message a line.

use std::{
    collections::HashMap,
    io::{BufReader, Write as _},
    process::{Child, ChildStdin, Command, Stdio as Pipe},
    sync::{Arc, Mutex, mpsc},
    thread,
};

use anyhow::Context;

use super::{Answer, Inbox, PATIENCE, lock, message::Message, reply};

pub(super) struct Stdio {
    child: Child,
    input: Arc<Mutex<Option<ChildStdin>>>,
    waiting: Arc<Mutex<Waiting>>,
}

/// Who waits for which answer. Closed when the server's output ends, so that nobody waits in vain.
#[derive(Default)]
struct Waiting {
    closed: bool,
    senders: HashMap<u64, mpsc::Sender<Message>>,
}

impl Stdio {
    pub(super) fn start(
        command: &mut Command,
        inbox: Arc<Inbox>,
        answer: Arc<Answer>,
    ) -> anyhow::Result<Self> {
        command.stdin(Pipe::piped()).stdout(Pipe::piped()).stderr(Pipe::null());
        let mut child = command.spawn().with_context(|| format!("{command:?}"))?;
        let output = BufReader::with_capacity(1 << 16, child.stdout.take().context("no stdout")?);
        let input = Arc::new(Mutex::new(child.stdin.take()));
        let waiting = Arc::new(Mutex::new(Waiting::default()));
        let stdio = Self { child, input: Arc::clone(&input), waiting: Arc::clone(&waiting) };
        thread::spawn(move || read(output, &waiting, &input, &inbox, &*answer));
        Ok(stdio)
    }

    pub(super) fn send(&self, body: &str) -> anyhow::Result<()> {
        write_line(&self.input, body)
    }

    pub(super) fn request(&self, id: u64, body: &str) -> anyhow::Result<Message> {
        let (sender, receiver) = mpsc::channel();
        {
            let mut waiting = lock(&self.waiting);
            anyhow::ensure!(!waiting.closed, "the server has ended");
            waiting.senders.insert(id, sender);
        }
        self.send(body)?;
        receiver.recv_timeout(PATIENCE).context("no answer")
    }
}

impl Drop for Stdio {
    fn drop(&mut self) {
        // A server that reads its input ends by itself; one that does not is killed.
        lock(&self.input).take();
        for _ in 0..50 {
            if matches!(self.child.try_wait(), Ok(Some(_))) {
                return;
            }
            thread::sleep(std::time::Duration::from_millis(20));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn write_line(input: &Mutex<Option<ChildStdin>>, body: &str) -> anyhow::Result<()> {
    let mut input = lock(input);
    let input = input.as_mut().context("the input is closed")?;
    let mut line = Vec::with_capacity(body.len() + 1);
    line.extend_from_slice(body.as_bytes());
    line.push(b'\n');
    input.write_all(&line).context("the server takes no more input")
}

fn read(
    mut output: impl std::io::BufRead,
    waiting: &Mutex<Waiting>,
    input: &Mutex<Option<ChildStdin>>,
    inbox: &Inbox,
    answer: &Answer,
) {
    loop {
        let mut line = Vec::new();
        if !matches!(output.read_until(b'\n', &mut line), Ok(1..)) {
            break;
        }
        // Servers print other things too; only what is a message concerns us.
        let Ok(message) = Message::parse(line) else { continue };
        if message.is_request() {
            if let Some(body) = reply(&message, answer) {
                let _ = write_line(input, &body);
            }
        } else if message.method().is_none()
            && let Some(id) = message.id().and_then(|id| id.parse().ok())
            && let Some(sender) = lock(waiting).senders.remove(&id)
        {
            let _ = sender.send(message);
            continue;
        }
        inbox.put(message);
    }
    let mut waiting = lock(waiting);
    waiting.closed = true;
    waiting.senders.clear();
}
