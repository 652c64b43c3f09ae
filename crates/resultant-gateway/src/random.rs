//! Numbers nobody can guess.

/// 128 random bits as text for ids and tokens.
pub(crate) fn token() -> String {
    let bits = u128::from_le_bytes(bytes());
    format!("{bits:032x}")
}

/// 256 random bits as text of 43 characters that are safe in headers and addresses.
pub(crate) fn secret() -> String {
    base64_simd::URL_SAFE_NO_PAD.encode_to_string(bytes::<32>())
}

/// A number from 0 to 1, for pauses that should not fall together.
pub(crate) fn fraction() -> f64 {
    let [byte, ..] = bytes::<16>();
    f64::from(byte) / 256.0
}

fn bytes<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    // Without randomness there are no safe ids; going on would be worse than ending.
    getrandom::fill(&mut bytes).expect("the system has random numbers");
    bytes
}
