//! A result that is far too large, written as it is made: neither this server nor anybody behind it
//! needs to hold it.
//!
//! Its size and digest stand in `_meta` at the end, so whoever received it can tell whether it is
//! whole.

use std::io::{self, Write};

use resultant::{Failure, Sha256Digest};
use serde_json::json;
use sha2::{Digest as _, Sha256};

use super::{
    call::{Answer, Call},
    content::{
        base64::Encoder,
        png::{Pixels, Png},
    },
    tools::{Effect, Tool},
};

/// A line of the text, with its number in front and its end.
const LINE_BYTES: usize = 100;
/// Pixels across: a row is 16 KiB with its filter.
const IMAGE_WIDTH: u32 = 5_461;
const ROW_BYTES: u64 = IMAGE_WIDTH as u64 * 3 + 1;
/// Rows of the same colours.
const BAND_ROWS: u32 = 64;
const MEGABYTE: u64 = 1_000_000;

pub(super) fn tools() -> Vec<Tool> {
    vec![Tool {
        name: "big",
        title: "A huge result",
        description: "A result of so many megabytes (1,000,000 bytes each; 200 by default) and \
            always the same: `text` is numbered lines of 100 bytes, `base64` is a valid PNG image \
            of at least that size. Its `_meta` states size and SHA-256 of the bytes \
            (`resultant.demo/bytes`, `resultant.demo/sha256`).",
        dialect: "blocks",
        arguments: json!({
            "megabytes": {"type": "integer", "minimum": 1, "maximum": 1000, "default": 200,
                "description": "How large"},
            "kind": {"type": "string", "enum": ["text", "base64"], "default": "text",
                "description": "One text, or one image in base64"},
        }),
        output: None,
        effect: Effect::Reads,
        run: big,
    }]
}

fn big(call: &Call) -> Result<Answer, Failure> {
    let megabytes = call.number("megabytes", 200, 1..=1000)?;
    let kind = call.word("kind", &["text", "base64"])?;
    let is_modern = call.protocol.is_modern();
    Ok(call.stream(|out| {
        let (size, digest) = if kind == "text" {
            out.write_all(b"{\"content\":[{\"type\":\"text\",\"text\":\"")?;
            let measured = text(out, megabytes)?;
            out.write_all(b"\"}]")?;
            measured
        } else {
            out.write_all(
                b"{\"content\":[{\"type\":\"image\",\"mimeType\":\"image/png\",\"data\":\"",
            )?;
            let measured = image(out, megabytes)?;
            out.write_all(b"\"}]")?;
            measured
        };
        if is_modern {
            out.write_all(b",\"resultType\":\"complete\"")?;
        }
        let meta =
            json!({"resultant.demo/bytes": size, "resultant.demo/sha256": digest.to_string()});
        write!(out, ",\"_meta\":{meta}}}")
    }))
}

/// Lines of text, as the inside of a JSON string.
fn text(out: &mut dyn Write, megabytes: u64) -> io::Result<(u64, Sha256Digest)> {
    const FILLING: &str =
        "beans weighed, roasted, cooled, packed and labelled; moisture 11.2 %, grade A, lot closed";
    let lines = megabytes * MEGABYTE / LINE_BYTES as u64;
    let mut digest = Sha256::new();
    let mut line = Vec::with_capacity(LINE_BYTES + 1);
    for number in 0..lines {
        line.clear();
        write!(line, "{number:09} {FILLING}")?;
        line.resize(LINE_BYTES - 1, b'.');
        digest.update(&line);
        digest.update(b"\n");
        line.extend_from_slice(b"\\n");
        out.write_all(&line)?;
    }
    Ok((lines * LINE_BYTES as u64, Sha256Digest(digest.finalize().into())))
}

/// A picture of slow colours, in base64.
fn image(out: &mut dyn Write, megabytes: u64) -> io::Result<(u64, Sha256Digest)> {
    let height = (megabytes * MEGABYTE).div_ceil(ROW_BYTES) as u32;
    let mut measured = Measured { out: Encoder::new(out), digest: Sha256::new(), size: 0 };
    let mut png = Png::start(&mut measured, IMAGE_WIDTH, height, &Pixels::Rgb)?;
    let mut row = vec![0; ROW_BYTES as usize - 1];
    for y in 0..height {
        // Bands of equal rows: a new one is drawn only where the colours change.
        if y % BAND_ROWS == 0 {
            let (pixels, _) = row.as_chunks_mut::<3>();
            for (x, pixel) in (0_u32..).zip(pixels) {
                *pixel = [(x >> 5) as u8, (y >> 5) as u8, ((x + y) >> 6) as u8];
            }
        }
        png.row(&row)?;
    }
    let Measured { out, digest, size } = measured;
    out.finish()?;
    Ok((size, Sha256Digest(digest.finalize().into())))
}

/// Counts and digests what passes.
struct Measured<'a> {
    out: Encoder<'a>,
    digest: Sha256,
    size: u64,
}

impl Write for Measured<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write_all(bytes)?;
        self.digest.update(bytes);
        self.size += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
