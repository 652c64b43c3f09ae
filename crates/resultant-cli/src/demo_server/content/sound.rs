//! The bell over the shop's door, as a WAV file: three falling tones, made of whole numbers so that
//! every machine makes the same bytes.

const RATE: u32 = 11_025;
const TONE_SAMPLES: u32 = RATE / 3;
/// In hertz: E6, C6, G5.
const TONES: [u32; 3] = [1319, 1047, 784];

/// Mono, 16 bits.
pub(crate) fn wav() -> Vec<u8> {
    let samples: Vec<u8> = TONES.iter().flat_map(|tone| samples(*tone)).collect();
    let size = samples.len() as u32;
    let mut wav = Vec::with_capacity(samples.len() + 44);
    wav.extend_from_slice(b"RIFF");
    wav.extend_from_slice(&(size + 36).to_le_bytes());
    wav.extend_from_slice(b"WAVEfmt ");
    wav.extend_from_slice(&16_u32.to_le_bytes());
    wav.extend_from_slice(&1_u16.to_le_bytes());
    wav.extend_from_slice(&1_u16.to_le_bytes());
    wav.extend_from_slice(&RATE.to_le_bytes());
    wav.extend_from_slice(&(RATE * 2).to_le_bytes());
    wav.extend_from_slice(&2_u16.to_le_bytes());
    wav.extend_from_slice(&16_u16.to_le_bytes());
    wav.extend_from_slice(b"data");
    wav.extend_from_slice(&size.to_le_bytes());
    wav.extend_from_slice(&samples);
    wav
}

/// A triangle wave that fades out.
fn samples(tone: u32) -> impl Iterator<Item = u8> {
    (0..TONE_SAMPLES).flat_map(move |at| {
        // The place in the wave, of 4,000; it goes up, down twice as far, and up again.
        let place = (u64::from(at) * u64::from(tone) * 4_000 / u64::from(RATE) % 4_000) as i64;
        let height = match place {
            0..1_000 => place,
            1_000..3_000 => 2_000 - place,
            _ => place - 4_000,
        };
        let left = i64::from(TONE_SAMPLES - at);
        let whole = i64::from(TONE_SAMPLES);
        let sample = height * 20 * left / whole * left / whole;
        (sample as i16).to_le_bytes()
    })
}
