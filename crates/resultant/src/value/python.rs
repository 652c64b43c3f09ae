//! Numbers as Python writes them.
//!
//! Python writes the shortest digits that lead back to a float and, of two that are as near, the even
//! ones; so does `zmij`, and Rust's own formatting does not. They differ in where they put the point.
//! The text is also valid JSON, so structured content uses it too.

/// Appends a finite float as Python's `repr` has it.
pub(super) fn push_float<F: zmij::Float>(out: &mut String, value: F, magnitude: f64) {
    let mut buffer = zmij::Buffer::new();
    let text = buffer.format_finite(value);
    // In this range the usual form is Python's.
    if magnitude == 0.0 || (1e-4..1e16).contains(&magnitude) && !text.contains('e') {
        return out.push_str(text);
    }
    let number = Scientific::of(text);
    if number.is_negative {
        out.push('-');
    }
    match number.exponent {
        exponent @ -4..0 => {
            out.push_str("0.");
            out.extend(std::iter::repeat_n('0', (-exponent - 1) as usize));
            out.push_str(&number.digits);
        }
        exponent @ 0..16 => push_positional(out, &number.digits, exponent as usize + 1),
        exponent => push_exponent(out, &number.digits, exponent),
    }
}

/// A number as digits, with a point behind the first, and a power of ten.
struct Scientific {
    is_negative: bool,
    digits: String,
    exponent: i32,
}

impl Scientific {
    /// Takes a number apart, in whatever form it is written. It is not zero.
    fn of(text: &str) -> Scientific {
        let (is_negative, text) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
        let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all = format!("{whole}{fraction}");
        let zeros = all.len() - all.trim_start_matches('0').len();
        let exponent = exponent.parse().unwrap_or(0_i32) + whole.len() as i32 - zeros as i32 - 1;
        Scientific { is_negative, digits: all.trim_matches('0').to_owned(), exponent }
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

    fn text<F: zmij::Float + Into<f64> + Copy>(value: F) -> String {
        let mut out = String::new();
        push_float(&mut out, value, value.into().abs());
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
            (693_128_543_125_086.0 + 0.25, "693128543125086.2"),
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
