//! Tokens that are read from one slice: escapes and numbers.

/// How many bytes must be there to read the escape that starts here; `None` where it is none.
pub(super) fn escape_length(bytes: &[u8]) -> Option<usize> {
    match bytes.get(1) {
        None => return Some(2),
        Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => return Some(2),
        Some(b'u') => {}
        Some(_) => return None,
    }
    let digits = &bytes[2..bytes.len().min(6)];
    if !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    let is_high = digits.len() == 4
        && digits[0].eq_ignore_ascii_case(&b'd')
        && matches!(digits[1].to_ascii_lowercase(), b'8' | b'9' | b'a' | b'b');
    if !is_high {
        return Some(6);
    }
    // A pair is read in one piece; anything else after the first half shows it to be alone.
    match (bytes.get(6), bytes.get(7)) {
        (Some(b'\\'), Some(b'u')) | (Some(b'\\'), None) | (None, _) => {
            let second = bytes.get(8..).unwrap_or_default();
            let second = &second[..second.len().min(4)];
            if second.iter().all(u8::is_ascii_hexdigit) { Some(12) } else { Some(6) }
        }
        _ => Some(6),
    }
}

/// Whether a token is a number by the letter.
pub(super) fn is_number(token: &[u8]) -> bool {
    let token = token.strip_prefix(b"-").unwrap_or(token);
    let digits = |bytes: &[u8]| bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let whole = digits(token);
    if whole == 0 || (whole > 1 && token[0] == b'0') {
        return false;
    }
    let mut rest = &token[whole..];
    if let Some(fraction) = rest.strip_prefix(b".") {
        let len = digits(fraction);
        if len == 0 {
            return false;
        }
        rest = &fraction[len..];
    }
    if let Some(exponent) = rest.strip_prefix(b"e").or_else(|| rest.strip_prefix(b"E")) {
        let exponent = match exponent {
            [b'+' | b'-', exponent @ ..] => exponent,
            _ => exponent,
        };
        let len = digits(exponent);
        if len == 0 {
            return false;
        }
        rest = &exponent[len..];
    }
    rest.is_empty()
}
