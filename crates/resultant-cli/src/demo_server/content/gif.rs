//! A GIF picture, made by hand. Its codes are never longer than nine bits, because the table of
//! codes is cleared before it could grow: that is no compression, and needs no compressor.

const SIDE: u16 = 96;
const CLEAR: u16 = 256;
const END: u16 = 257;
/// So many codes of nine bits fit between two clearings.
const CODES_MAX: usize = 250;

/// Tiles in four colours.
pub(crate) fn tiles() -> Vec<u8> {
    let mut gif = Vec::from(*b"GIF89a");
    for number in [SIDE, SIDE] {
        gif.extend_from_slice(&number.to_le_bytes());
    }
    // A palette of 256 colours, of which four are used.
    gif.extend_from_slice(&[0xf7, 0, 0]);
    let colours = [[250, 249, 246], [74, 111, 104], [196, 107, 62], [58, 52, 46]];
    colours.iter().for_each(|colour| gif.extend_from_slice(colour));
    gif.extend_from_slice(&[0; 3 * 252]);
    gif.extend_from_slice(&[0x2c, 0, 0, 0, 0]);
    for number in [SIDE, SIDE] {
        gif.extend_from_slice(&number.to_le_bytes());
    }
    // No palette of its own; eight bits for a pixel.
    gif.extend_from_slice(&[0, 8]);
    let mut codes = Vec::new();
    for at in 0..usize::from(SIDE) * usize::from(SIDE) {
        if at % CODES_MAX == 0 {
            codes.push(CLEAR);
        }
        let (x, y) = (at % usize::from(SIDE) / 12, at / usize::from(SIDE) / 12);
        codes.push(((x + y) % 2 + 2 * (x * y % 2)) as u16);
    }
    codes.push(END);
    for part in packed(&codes).chunks(255) {
        gif.push(part.len() as u8);
        gif.extend_from_slice(part);
    }
    gif.extend_from_slice(&[0, 0x3b]);
    gif
}

/// Codes of nine bits, the lowest bit first.
fn packed(codes: &[u16]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let (mut bits, mut count) = (0_u32, 0);
    for code in codes {
        bits |= u32::from(*code) << count;
        count += 9;
        while count >= 8 {
            bytes.push((bits & 0xff) as u8);
            bits >>= 8;
            count -= 8;
        }
    }
    bytes.push((bits & 0xff) as u8);
    bytes
}
