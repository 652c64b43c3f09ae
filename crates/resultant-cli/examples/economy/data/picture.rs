//! A PNG of 3 MB, and a file that a server fetches over HTTP to compress it.
//!
//! The picture is noise in stored blocks: its size says its dimensions to nobody, and no
//! compressor is needed to write it.

use std::{
    io::{BufRead as _, BufReader, Write as _},
    net::{TcpListener, TcpStream},
    path::Path,
    thread,
};

use super::{Rng, sha256, write};

const PIXEL_BYTES: usize = 3_000_000;
const PLAIN_BYTES: usize = 200_000;

pub(crate) struct Picture {
    pub(crate) path: String,
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) sha256: String,
    /// Where the file is that is to be compressed, and what the result is to be called.
    pub(crate) url: String,
    pub(crate) compressed: String,
}

impl Picture {
    pub(super) fn make(rng: &mut Rng, folder: &Path) -> anyhow::Result<Self> {
        let width = rng.between(800, 1400);
        let height = PIXEL_BYTES / (3 * width);
        let mut rows = Vec::with_capacity(PIXEL_BYTES + height);
        for _ in 0..height {
            rows.push(0);
            rows.extend(rng.bytes(3 * width));
        }
        let bytes = png(width as u32, height as u32, &rows);
        let sha256 = sha256(&bytes);
        let path = write(folder, "picture.png", bytes)?;
        let compressed = format!("{}.bin.gz", rng.word());
        let url = serve(rng.bytes(PLAIN_BYTES))?;
        Ok(Self { path, width, height, sha256, url, compressed })
    }
}

/// Serves the bytes on a port of its own as long as this program runs.
fn serve(body: Vec<u8>) -> anyhow::Result<String> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let url = format!("http://{}/plain.bin", listener.local_addr()?);
    thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            // Who asks and goes away again is no concern of ours.
            let _ = answer(stream, &body);
        }
    });
    Ok(url)
}

fn answer(mut stream: TcpStream, body: &[u8]) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut line = String::new();
    while reader.read_line(&mut line)? > 0 && !line.trim().is_empty() {
        line.clear();
    }
    let head = "HTTP/1.1 200 OK\r\ncontent-type: application/octet-stream\r\nconnection: close";
    write!(stream, "{head}\r\ncontent-length: {}\r\n\r\n", body.len())?;
    stream.write_all(body)
}

fn png(width: u32, height: u32, rows: &[u8]) -> Vec<u8> {
    const EIGHT_BIT_RGB: [u8; 5] = [8, 2, 0, 0, 0];
    let mut header = Vec::new();
    header.extend_from_slice(&width.to_be_bytes());
    header.extend_from_slice(&height.to_be_bytes());
    header.extend_from_slice(&EIGHT_BIT_RGB);
    let mut png = b"\x89PNG\r\n\x1a\n".to_vec();
    chunk(&mut png, b"IHDR", &header);
    chunk(&mut png, b"IDAT", &stored(rows));
    chunk(&mut png, b"IEND", &[]);
    png
}

fn chunk(png: &mut Vec<u8>, kind: &[u8; 4], data: &[u8]) {
    png.extend_from_slice(&(data.len() as u32).to_be_bytes());
    let start = png.len();
    png.extend_from_slice(kind);
    png.extend_from_slice(data);
    let check = crc32(&png[start..]);
    png.extend_from_slice(&check.to_be_bytes());
}

/// A zlib stream of blocks that are not compressed.
fn stored(data: &[u8]) -> Vec<u8> {
    let mut stream = vec![0x78, 0x01];
    let blocks = data.len().div_ceil(0xffff);
    for (at, block) in data.chunks(0xffff).enumerate() {
        let length = block.len() as u16;
        stream.push(u8::from(at + 1 == blocks));
        stream.extend_from_slice(&length.to_le_bytes());
        stream.extend_from_slice(&(!length).to_le_bytes());
        stream.extend_from_slice(block);
    }
    let (mut a, mut b) = (1_u32, 0_u32);
    for byte in data {
        a = (a + u32::from(*byte)) % 65_521;
        b = (b + a) % 65_521;
    }
    stream.extend_from_slice(&(b << 16 | a).to_be_bytes());
    stream
}

fn crc32(bytes: &[u8]) -> u32 {
    let mut table = [0_u32; 256];
    for (at, entry) in table.iter_mut().enumerate() {
        let mut value = at as u32;
        for _ in 0..8 {
            value = if value & 1 == 1 { 0xedb8_8320 ^ (value >> 1) } else { value >> 1 };
        }
        *entry = value;
    }
    !bytes
        .iter()
        .fold(!0, |crc, byte| table[((crc ^ u32::from(*byte)) & 0xff) as usize] ^ (crc >> 8))
}
