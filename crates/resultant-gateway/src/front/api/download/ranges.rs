//! The `Range` header as HTTP has it, with bounded work.
//!
//! Ranges that overlap or touch are one, so that no request can make us send a byte twice. A header
//! that asks for very many is answered with the whole file, as HTTP allows.

use std::ops::Range;

/// So many ranges of a header are looked at; with more, the header counts as absent.
const SPECS_MAX: usize = 10_000;
/// So many parts a response has at most; with more, it is the whole file.
pub(super) const PARTS_MAX: usize = 32;

/// Which bytes are wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    /// All of them.
    Whole,
    /// These, in their order, none twice.
    Parts(Vec<Range<u64>>),
    /// None that there are.
    Unsatisfiable,
}

/// Reads a `Range` header for a file of this size. What is not understood counts as absent.
pub(super) fn read(header: &str, size: u64) -> Wanted {
    let Some((unit, specs)) = header.split_once('=') else { return Wanted::Whole };
    if !unit.trim().eq_ignore_ascii_case("bytes") {
        return Wanted::Whole;
    }
    let mut parts = Vec::new();
    let mut count = 0;
    for spec in specs.split(',').map(str::trim).filter(|spec| !spec.is_empty()) {
        count += 1;
        if count > SPECS_MAX {
            return Wanted::Whole;
        }
        match read_one(spec, size) {
            Some(Some(part)) => parts.push(part),
            Some(None) => {}
            None => return Wanted::Whole,
        }
    }
    if count == 0 {
        return Wanted::Whole;
    }
    if parts.is_empty() {
        return Wanted::Unsatisfiable;
    }
    let parts = coalesced(parts);
    match parts.len() <= PARTS_MAX {
        true => Wanted::Parts(parts),
        false => Wanted::Whole,
    }
}

/// One range: nothing where it is none at all, and an empty one where there are no such bytes.
fn read_one(spec: &str, size: u64) -> Option<Option<Range<u64>>> {
    let (first, last) = spec.split_once('-')?;
    let (first, last) = (first.trim(), last.trim());
    if first.is_empty() {
        let count = number(last)?;
        return Some((count > 0 && size > 0).then(|| size.saturating_sub(count)..size));
    }
    let first = number(first)?;
    let end = match last.is_empty() {
        true => size,
        false => {
            let last = number(last)?;
            if last < first {
                return None;
            }
            last.saturating_add(1).min(size)
        }
    };
    Some((first < size).then_some(first..end))
}

/// A number of digits alone. One that is too large to count is larger than any file.
fn number(text: &str) -> Option<u64> {
    match !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        true => Some(text.parse().unwrap_or(u64::MAX)),
        false => None,
    }
}

fn coalesced(mut parts: Vec<Range<u64>>) -> Vec<Range<u64>> {
    parts.sort_by_key(|part| part.start);
    let mut out: Vec<Range<u64>> = Vec::new();
    for part in parts {
        match out.last_mut() {
            Some(last) if part.start <= last.end => last.end = last.end.max(part.end),
            _ => out.push(part),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{Wanted, read};

    #[expect(clippy::single_range_in_vec_init, reason = "a list of one part")]
    #[test]
    fn ranges_are_read_as_http_has_them() {
        let cases = [
            ("bytes=0-4", 10, Wanted::Parts(vec![0..5])),
            ("bytes=0-", 10, Wanted::Parts(vec![0..10])),
            ("bytes=5-", 10, Wanted::Parts(vec![5..10])),
            ("bytes=-3", 10, Wanted::Parts(vec![7..10])),
            ("bytes=-30", 10, Wanted::Parts(vec![0..10])),
            ("bytes=5-99", 10, Wanted::Parts(vec![5..10])),
            ("BYTES = 0-0", 10, Wanted::Parts(vec![0..1])),
            ("bytes=0-1,3-4", 10, Wanted::Parts(vec![0..2, 3..5])),
            ("bytes=3-4, 0-1", 10, Wanted::Parts(vec![0..2, 3..5])),
            ("bytes=0-5,2-7,6-9", 10, Wanted::Parts(vec![0..10])),
            ("bytes=0-1,20-30", 10, Wanted::Parts(vec![0..2])),
            ("bytes=10-", 10, Wanted::Unsatisfiable),
            ("bytes=-0", 10, Wanted::Unsatisfiable),
            ("bytes=0-", 0, Wanted::Unsatisfiable),
            ("bytes=-5", 0, Wanted::Unsatisfiable),
            ("bytes=99999999999999999999999-", 10, Wanted::Unsatisfiable),
            ("bytes=0-99999999999999999999999", 10, Wanted::Parts(vec![0..10])),
            ("bytes=9-3", 10, Wanted::Whole),
            ("bytes=", 10, Wanted::Whole),
            ("bytes=+1-2", 10, Wanted::Whole),
            ("bytes=a-b", 10, Wanted::Whole),
            ("lines=0-1", 10, Wanted::Whole),
            ("0-1", 10, Wanted::Whole),
        ];
        for (text, size, expected) in cases {
            assert_eq!(read(text, size), expected, "{text} of {size}");
        }
    }

    #[expect(clippy::single_range_in_vec_init, reason = "a list of one part")]
    #[test]
    fn many_ranges_are_bounded_work() {
        let overlapping = format!("bytes={}", vec!["0-99"; 10_000].join(","));
        assert_eq!(read(&overlapping, 1000), Wanted::Parts(vec![0..100]));
        let apart: Vec<String> = (0..5000).map(|at| format!("{}-{}", at * 4, at * 4)).collect();
        assert_eq!(read(&format!("bytes={}", apart.join(",")), 100_000), Wanted::Whole);
        let endless = format!("bytes={}", vec!["0-0"; 10_001].join(","));
        assert_eq!(read(&endless, 1000), Wanted::Whole);
    }
}
