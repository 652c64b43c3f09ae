//! A response's head and body, read from a connection that is used again.

use std::{
    io::{BufRead as _, BufReader, Read},
    net::TcpStream,
};

use anyhow::{Context, bail, ensure};

pub(crate) struct Head {
    pub(crate) status: u16,
    headers: Vec<(String, String)>,
}

impl Head {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut headers = self.headers.iter();
        headers.find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

fn read_line(stream: &mut BufReader<TcpStream>) -> anyhow::Result<String> {
    let mut line = String::new();
    ensure!(stream.read_line(&mut line)? > 0, "the connection was closed");
    line.truncate(line.trim_end().len());
    Ok(line)
}

pub(crate) fn read_head(stream: &mut BufReader<TcpStream>) -> anyhow::Result<Head> {
    let status = read_line(stream).context("status line")?;
    let status = status.split(' ').nth(1).and_then(|code| code.parse().ok());
    let status = status.context("not an HTTP status line")?;
    let mut headers = Vec::new();
    loop {
        let line = read_line(stream).context("headers")?;
        let Some((name, value)) = line.split_once(':') else { break };
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    Ok(Head { status, headers })
}

/// A response's body, decoded as it is read.
pub(crate) struct Body {
    stream: BufReader<TcpStream>,
    left: Left,
    keep: bool,
}

enum Left {
    Bytes(u64),
    /// In a chunk of which so much is left; 0 before the first.
    Chunk {
        left: u64,
        first: bool,
    },
    ChunksDone,
    UntilClosed,
}

impl Body {
    pub(crate) fn of(head: &Head, stream: BufReader<TcpStream>) -> anyhow::Result<Self> {
        let left = if head.header("transfer-encoding") == Some("chunked") {
            Left::Chunk { left: 0, first: true }
        } else if let Some(length) = head.header("content-length") {
            Left::Bytes(length.parse().context("content-length")?)
        } else if head.status == 204 {
            Left::Bytes(0)
        } else {
            Left::UntilClosed
        };
        if head.header("content-encoding").is_some() {
            bail!("an encoding that was not asked for");
        }
        Ok(Self { stream, left, keep: head.header("connection") != Some("close") })
    }

    /// The connection, if it can take another request: its body was read to the end.
    pub(crate) fn into_idle(self) -> Option<BufReader<TcpStream>> {
        let ended = matches!(self.left, Left::Bytes(0) | Left::ChunksDone);
        (ended && self.keep).then_some(self.stream)
    }

    fn next_chunk(&mut self, first: bool) -> std::io::Result<()> {
        let mut line = String::new();
        if !first {
            self.stream.read_line(&mut line)?;
            line.clear();
        }
        self.stream.read_line(&mut line)?;
        let size = line.split(';').next().unwrap_or_default().trim();
        let left = u64::from_str_radix(size, 16).map_err(std::io::Error::other)?;
        self.left = Left::Chunk { left, first: false };
        if left == 0 {
            line.clear();
            self.stream.read_line(&mut line)?;
            self.left = Left::ChunksDone;
        }
        Ok(())
    }
}

impl Read for Body {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if let Left::Chunk { left: 0, first } = self.left {
            self.next_chunk(first)?;
        }
        let (Left::Bytes(left) | Left::Chunk { left, .. }) = &mut self.left else {
            return match self.left {
                Left::UntilClosed => self.stream.read(buffer),
                _ => Ok(0),
            };
        };
        let most = buffer.len().min(usize::try_from(*left).unwrap_or(usize::MAX));
        if most == 0 {
            // Reading nothing would still wait for the next response's first bytes.
            return Ok(0);
        }
        let count = self.stream.read(&mut buffer[..most])?;
        if count == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        *left -= count as u64;
        Ok(count)
    }
}
