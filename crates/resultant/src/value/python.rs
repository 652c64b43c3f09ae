//! Numbers as Python writes them.
//!
//! Python and Rust agree on the digits of a float (the shortest that lead back to it) and differ in
//! where they put the point. The text is also valid JSON, so structured content uses it too.

use std::fmt::{self, LowerExp, Write as _};

/// Appends a finite float as Python's `repr` has it.
pub(super) fn push_float(out: &mut String, value: impl LowerExp) {
    let mut digits = Digits::default();
    // A float in this form is shorter than the room there is.
    let _ = write!(digits, "{value:e}");
    if digits.is_negative {
        out.push('-');
    }
    let (digits, exponent) = (digits.as_str(), digits.exponent());
    match exponent {
        -4..0 => {
            out.push_str("0.");
            out.extend(std::iter::repeat_n('0', (-exponent - 1) as usize));
            out.push_str(digits);
        }
        0..16 => push_positional(out, digits, exponent as usize + 1),
        _ => push_exponent(out, digits, exponent),
    }
}

/// Takes a number like `-1.25e-7` apart as it is written.
#[derive(Default)]
struct Digits {
    is_negative: bool,
    digits: [u8; 24],
    len: usize,
    is_in_exponent: bool,
    is_exponent_negative: bool,
    exponent: i32,
}

impl Digits {
    fn as_str(&self) -> &str {
        std::str::from_utf8(&self.digits[..self.len]).unwrap_or_default()
    }

    fn exponent(&self) -> i32 {
        if self.is_exponent_negative { -self.exponent } else { self.exponent }
    }
}

impl fmt::Write for Digits {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for byte in text.bytes() {
            match byte {
                b'-' if self.is_in_exponent => self.is_exponent_negative = true,
                b'-' => self.is_negative = true,
                b'e' => self.is_in_exponent = true,
                b'0'..=b'9' if self.is_in_exponent => {
                    self.exponent = self.exponent * 10 + i32::from(byte - b'0');
                }
                b'0'..=b'9' => {
                    *self.digits.get_mut(self.len).ok_or(fmt::Error)? = byte;
                    self.len += 1;
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// The digits with a point behind the first `whole` of them.
fn push_positional(out: &mut String, digits: &str, whole: usize) {
    if let Some((before, after)) = digits.split_at_checked(whole)
        && !after.is_empty()
    {
        out.push_str(before);
        out.push('.');
        out.push_str(after);
        return;
    }
    out.push_str(digits);
    out.extend(std::iter::repeat_n('0', whole - digits.len()));
    out.push_str(".0");
}

/// The digits with a point behind the first, if more follow, and an exponent of two digits or more.
fn push_exponent(out: &mut String, digits: &str, exponent: i32) {
    let (first, rest) = digits.split_at(1);
    out.push_str(first);
    if !rest.is_empty() {
        out.push('.');
        out.push_str(rest);
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    out.push_str(&format!("e{sign}{:02}", exponent.unsigned_abs()));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(value: impl LowerExp) -> String {
        let mut out = String::new();
        push_float(&mut out, value);
        out
    }

    #[test]
    fn floats_are_written_as_python_writes_them() {
        for (value, expected) in [
            (0.0, "0.0"),
            (-0.0, "-0.0"),
            (1.0, "1.0"),
            (1.5, "1.5"),
            (-2.25, "-2.25"),
            (100_000.0, "100000.0"),
            (0.1 + 0.2, "0.30000000000000004"),
            (0.0001, "0.0001"),
            (0.00001, "1e-05"),
            (0.000_015, "1.5e-05"),
            (1e15, "1000000000000000.0"),
            (9_999_999_999_999_998.0, "9999999999999998.0"),
            (1e16, "1e+16"),
            (12_345_678_901_234_567.0, "1.2345678901234568e+16"),
            (1e100, "1e+100"),
            (5e-324, "5e-324"),
            (f64::MAX, "1.7976931348623157e+308"),
        ] {
            assert_eq!(text(value), expected);
        }
    }

    #[test]
    fn a_short_float_keeps_its_own_digits() {
        assert_eq!(text(0.1_f32), "0.1");
        assert_eq!(text(16_777_216_f32), "16777216.0");
        assert_eq!(text(f32::MIN_POSITIVE), "1.1754944e-38");
    }
}
