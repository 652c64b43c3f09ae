//! The two checksums that PNG and ZIP ask for.

/// A CRC-32 that grows with its data.
pub(crate) struct Crc32(u32);

const TABLE: [u32; 256] = table();

const fn table() -> [u32; 256] {
    let mut table = [0; 256];
    let mut at = 0;
    while at < 256 {
        let mut value = at as u32;
        let mut bit = 0;
        while bit < 8 {
            value = if value & 1 == 1 { 0xedb8_8320 ^ (value >> 1) } else { value >> 1 };
            bit += 1;
        }
        table[at] = value;
        at += 1;
    }
    table
}

impl Crc32 {
    pub(crate) fn new() -> Crc32 {
        Crc32(u32::MAX)
    }

    pub(crate) fn update(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = TABLE[usize::from(self.0 as u8 ^ byte)] ^ (self.0 >> 8);
        }
    }

    pub(crate) fn value(&self) -> u32 {
        !self.0
    }

    pub(crate) fn of(bytes: &[u8]) -> u32 {
        let mut crc = Crc32::new();
        crc.update(bytes);
        crc.value()
    }
}

/// An Adler-32 that grows with its data.
pub(crate) struct Adler32 {
    low: u64,
    high: u64,
}

const MODULUS: u64 = 65_521;

/// What some bytes add to an Adler-32, wherever they stand. Bytes that come again and again are
/// summed up once.
#[derive(Clone, Copy, Default)]
pub(crate) struct AdlerSums {
    count: u64,
    sum: u64,
    weighted: u64,
}

impl AdlerSums {
    pub(crate) fn of(bytes: &[u8]) -> AdlerSums {
        let (mut sum, mut weighted) = (0, 0);
        for byte in bytes {
            sum += u64::from(*byte);
            // This cannot overflow within the 64 KiB of a block.
            weighted += sum;
        }
        let count = bytes.len() as u64;
        AdlerSums { count, sum: sum % MODULUS, weighted: weighted % MODULUS }
    }
}

impl Adler32 {
    pub(crate) fn new() -> Adler32 {
        Adler32 { low: 1, high: 0 }
    }

    pub(crate) fn add(&mut self, sums: AdlerSums) {
        self.high = (self.high + sums.count * self.low + sums.weighted) % MODULUS;
        self.low = (self.low + sums.sum) % MODULUS;
    }

    pub(crate) fn value(&self) -> u32 {
        (self.high << 16 | self.low) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values() {
        assert_eq!(Crc32::of(b"123456789"), 0xcbf4_3926);
        let mut adler = Adler32::new();
        adler.add(AdlerSums::of(b"Wiki"));
        adler.add(AdlerSums::of(b"pedia"));
        assert_eq!(adler.value(), 0x11e6_0398);
    }
}
