//! A client that starts the real program and speaks either era of the protocol over its pipes.

use std::{
    io::{BufRead as _, BufReader, Write as _},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    sync::mpsc::{Receiver, channel},
    thread,
    time::Duration,
};

use resultant::Protocol;
use serde_json::{Value, json};

/// A server that says nothing for so long is stuck.
const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) struct Client {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<Vec<u8>>,
    protocol: Protocol,
    capabilities: Value,
    next_id: u64,
    /// What came that was no response to the request that is waited for.
    pub(crate) others: Vec<Value>,
}

/// The server as a process, not greeted yet.
pub(crate) fn start() -> (Child, ChildStdin, ChildStdout) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_resultant"))
        .arg("demo-server")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let input = child.stdin.take().unwrap();
    let output = child.stdout.take().unwrap();
    (child, input, output)
}

impl Client {
    pub(crate) fn new(protocol: Protocol, capabilities: Value) -> Client {
        let (child, input, output) = start();
        let (sender, lines) = channel();
        thread::spawn(move || {
            for line in BufReader::new(output).split(b'\n') {
                if sender.send(line.unwrap()).is_err() {
                    return;
                }
            }
        });
        let input = Some(input);
        let others = Vec::new();
        let mut client = Client { child, input, lines, protocol, capabilities, next_id: 0, others };
        if !protocol.is_modern() {
            let greeting = json!({"protocolVersion": protocol.as_str(),
                "capabilities": client.capabilities, "clientInfo": {"name": "t", "version": "1"}});
            let agreed = client.request("initialize", greeting);
            assert_eq!(agreed["result"]["protocolVersion"], protocol.as_str());
            client.notify("notifications/initialized", &json!({}));
        }
        client
    }

    pub(crate) fn send(&mut self, message: &Value) {
        let input = self.input.as_mut().unwrap();
        writeln!(input, "{message}").unwrap();
    }

    pub(crate) fn notify(&mut self, method: &str, params: &Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// Sends a request and returns its id.
    pub(crate) fn begin(&mut self, method: &str, mut params: Value) -> u64 {
        self.next_id += 1;
        if self.protocol.is_modern() {
            params["_meta"]["io.modelcontextprotocol/protocolVersion"] =
                json!(self.protocol.as_str());
            params["_meta"]["io.modelcontextprotocol/clientCapabilities"] =
                self.capabilities.clone();
        }
        let id = self.next_id;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        id
    }

    /// The next message, as its line.
    pub(crate) fn next_line(&mut self) -> Vec<u8> {
        self.lines.recv_timeout(PATIENCE).unwrap()
    }

    pub(crate) fn next(&mut self) -> Value {
        serde_json::from_slice(&self.next_line()).unwrap()
    }

    /// The response with this id, as its line.
    pub(crate) fn response_line(&mut self, id: u64) -> Vec<u8> {
        loop {
            let line = self.next_line();
            let message: Value = serde_json::from_slice(&line).unwrap();
            if message["id"] == id && message.get("method").is_none() {
                return line;
            }
            self.others.push(message);
        }
    }

    pub(crate) fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.begin(method, params);
        serde_json::from_slice(&self.response_line(id)).unwrap()
    }

    pub(crate) fn call(&mut self, name: &str, arguments: &Value) -> Value {
        self.request("tools/call", json!({"name": name, "arguments": arguments}))
    }

    /// Closes the server's input and waits for its end.
    pub(crate) fn hang_up(&mut self) -> bool {
        self.input = None;
        // Its output ends when it does.
        while let Ok(line) = self.lines.recv_timeout(PATIENCE) {
            self.others.push(serde_json::from_slice(&line).unwrap());
        }
        self.child.wait().unwrap().success()
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
