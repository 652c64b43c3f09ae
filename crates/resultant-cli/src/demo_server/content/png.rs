//! PNG pictures, written as they are made. The pixels are stored and not compressed: that needs no
//! compressor, and makes a picture as large as a demo of large results wants it.

use std::io::{self, Write};

use super::checksum::{Adler32, AdlerSums, Crc32};

/// How pixels are written.
pub(crate) enum Pixels<'a> {
    /// Three bytes each.
    Rgb,
    /// Half a byte each, into at most 16 colours.
    Palette(&'a [[u8; 3]]),
}

/// A picture that is being written, row by row.
pub(crate) struct Png<'a> {
    out: &'a mut dyn Write,
    adler: Adler32,
    /// Zlib data that is not in a chunk yet.
    pending: Vec<u8>,
    /// The row before with its sums, and the chunk before with its checksum. Large pictures repeat
    /// themselves, and sums are most of the work.
    last_row: (Vec<u8>, AdlerSums),
    last_chunk: (Vec<u8>, u32),
    rows_left: u32,
}

impl<'a> Png<'a> {
    pub(crate) fn start(
        out: &'a mut dyn Write,
        width: u32,
        height: u32,
        pixels: &Pixels<'_>,
    ) -> io::Result<Png<'a>> {
        out.write_all(b"\x89PNG\r\n\x1a\n")?;
        let (depth, colour) = match pixels {
            Pixels::Rgb => (8, 2),
            Pixels::Palette(_) => (4, 3),
        };
        let mut header = Vec::from(width.to_be_bytes());
        header.extend_from_slice(&height.to_be_bytes());
        header.extend_from_slice(&[depth, colour, 0, 0, 0]);
        push_chunk(out, b"IHDR", &header)?;
        if let Pixels::Palette(colours) = pixels {
            push_chunk(out, b"PLTE", colours.as_flattened())?;
        }
        Ok(Png {
            out,
            adler: Adler32::new(),
            pending: vec![0x78, 0x01],
            last_row: Default::default(),
            last_chunk: Default::default(),
            rows_left: height,
        })
    }

    /// The next row, at most 65,534 bytes of it.
    pub(crate) fn row(&mut self, row: &[u8]) -> io::Result<()> {
        /// Small enough to hold, large enough that the chunks' own bytes do not count.
        const CHUNK_BYTES: usize = 32 << 10;
        self.rows_left = self.rows_left.saturating_sub(1);
        // A stored block is its length, twice, and the bytes: here a row and its filter.
        let length = (row.len() + 1) as u16;
        self.pending.push(u8::from(self.rows_left == 0));
        self.pending.extend_from_slice(&length.to_le_bytes());
        self.pending.extend_from_slice(&(!length).to_le_bytes());
        self.pending.push(0);
        self.pending.extend_from_slice(row);
        if self.last_row.0 != row {
            self.last_row = (row.to_vec(), AdlerSums::of(row));
        }
        self.adler.add(AdlerSums::of(&[0]));
        self.adler.add(self.last_row.1);
        if self.rows_left == 0 {
            self.pending.extend_from_slice(&self.adler.value().to_be_bytes());
        }
        if self.pending.len() >= CHUNK_BYTES || self.rows_left == 0 {
            if self.last_chunk.0 != self.pending {
                self.last_chunk = (self.pending.clone(), crc(b"IDAT", &self.pending));
            }
            push_summed_chunk(self.out, b"IDAT", &self.pending, self.last_chunk.1)?;
            self.pending.clear();
        }
        if self.rows_left == 0 {
            push_chunk(self.out, b"IEND", &[])?;
        }
        Ok(())
    }
}

fn push_chunk(out: &mut dyn Write, kind: &[u8; 4], data: &[u8]) -> io::Result<()> {
    push_summed_chunk(out, kind, data, crc(kind, data))
}

fn push_summed_chunk(out: &mut dyn Write, kind: &[u8; 4], data: &[u8], crc: u32) -> io::Result<()> {
    out.write_all(&(data.len() as u32).to_be_bytes())?;
    out.write_all(kind)?;
    out.write_all(data)?;
    out.write_all(&crc.to_be_bytes())
}

fn crc(kind: &[u8; 4], data: &[u8]) -> u32 {
    let mut crc = Crc32::new();
    crc.update(kind);
    crc.update(data);
    crc.value()
}
