//! Numbers nobody can guess.

/// 128 random bits as text for ids and tokens.
pub(crate) fn token() -> String {
    let bits = u128::from_le_bytes(bytes());
    format!("{bits:032x}")
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
