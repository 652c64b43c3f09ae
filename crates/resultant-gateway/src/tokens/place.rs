//! Where a token stands in the table of the vocabulary. Also a part of the build script, which
//! writes the table.

/// Places in the table; at most half of them are taken.
pub(crate) const PLACES: usize = 1 << 19;

/// The places at which a token may stand, in the order in which they are looked at.
pub(crate) fn places(token: &[u8]) -> impl Iterator<Item = usize> {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for &byte in token {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
    }
    let first = (hash ^ hash >> 32) as usize;
    (0..PLACES).map(move |step| first.wrapping_add(step) % PLACES)
}
