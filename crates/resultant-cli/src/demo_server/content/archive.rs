//! A ZIP archive whose files are stored as they are.

use super::checksum::Crc32;

/// Packs files, each with its name.
pub(crate) fn zip(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = Vec::new();
    let mut directory = Vec::new();
    for (name, bytes) in files {
        let offset = zip.len() as u32;
        let details = details(name, bytes);
        zip.extend_from_slice(b"PK\x03\x04");
        zip.extend_from_slice(&details);
        zip.extend_from_slice(name.as_bytes());
        zip.extend_from_slice(bytes);
        directory.extend_from_slice(b"PK\x01\x02\x14\x00");
        directory.extend_from_slice(&details);
        // No comment, the first disk, no attributes.
        directory.extend_from_slice(&[0; 10]);
        directory.extend_from_slice(&offset.to_le_bytes());
        directory.extend_from_slice(name.as_bytes());
    }
    let (count, start) = (files.len() as u16, zip.len() as u32);
    zip.extend_from_slice(&directory);
    zip.extend_from_slice(b"PK\x05\x06\0\0\0\0");
    zip.extend_from_slice(&count.to_le_bytes());
    zip.extend_from_slice(&count.to_le_bytes());
    zip.extend_from_slice(&(directory.len() as u32).to_le_bytes());
    zip.extend_from_slice(&start.to_le_bytes());
    zip.extend_from_slice(&[0; 2]);
    zip
}

/// What a file's own header and its entry in the directory have in common.
fn details(name: &str, bytes: &[u8]) -> Vec<u8> {
    /// 1 January 2026, noon, as DOS counts time.
    const DATE: u16 = (2026 - 1980) << 9 | 1 << 5 | 1;
    const TIME: u16 = 12 << 11;
    let size = bytes.len() as u32;
    let mut details = Vec::new();
    // Version 2.0, names in UTF-8, stored.
    for number in [20_u16, 0x0800, 0, TIME, DATE] {
        details.extend_from_slice(&number.to_le_bytes());
    }
    for number in [Crc32::of(bytes), size, size] {
        details.extend_from_slice(&number.to_le_bytes());
    }
    details.extend_from_slice(&(name.len() as u16).to_le_bytes());
    details.extend_from_slice(&[0; 2]);
    details
}
