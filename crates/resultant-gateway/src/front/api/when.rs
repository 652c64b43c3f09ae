//! Points in time as text: RFC 3339 in documents, HTTP's own form in headers.

/// Year, month, day, hour, minute, second of milliseconds since 1970.
fn parts(at_ms: i64) -> (i64, u32, u32, u32, u32, u32) {
    let seconds = at_ms.div_euclid(1000);
    let (days, second) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    // Days are counted from March 1st of year 0, so that a leap day is the last of its year.
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    let small = |value: i64| u32::try_from(value).unwrap_or_default();
    let (hour, minute) = (second / 3600, second / 60 % 60);
    (year, small(month), small(day), small(hour), small(minute), small(second % 60))
}

/// `2026-11-15T14:03:09.120Z`.
pub(super) fn rfc3339(at_ms: i64) -> String {
    let (year, month, day, hour, minute, second) = parts(at_ms);
    let millis = u32::try_from(at_ms.rem_euclid(1000)).unwrap_or_default();
    let Some(year) = u32::try_from(year).ok().filter(|year| *year < 10_000) else {
        return format!(
            "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{millis:03}Z"
        );
    };
    // Lists have thousands of these, and formatting is several times as slow as this.
    let mut out = String::with_capacity(24);
    let parts = [
        (year, 4, '-'),
        (month, 2, '-'),
        (day, 2, 'T'),
        (hour, 2, ':'),
        (minute, 2, ':'),
        (second, 2, '.'),
        (millis, 3, 'Z'),
    ];
    for (number, digits, after) in parts {
        for place in (0..digits).rev() {
            let digit = number / 10_u32.pow(place) % 10;
            out.push(char::from(b'0' + digit as u8));
        }
        out.push(after);
    }
    out
}

/// `Sun, 15 Nov 2026 14:03:09 GMT`.
pub(super) fn http_date(at_ms: i64) -> String {
    const DAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let (year, month, day, hour, minute, second) = parts(at_ms);
    let weekday = DAYS[usize::try_from(at_ms.div_euclid(86_400_000).rem_euclid(7)).unwrap_or(0)];
    let month = MONTHS[(month as usize).saturating_sub(1) % 12];
    format!("{weekday}, {day:02} {month} {year:04} {hour:02}:{minute:02}:{second:02} GMT")
}

#[cfg(test)]
mod tests {
    use super::{http_date, rfc3339};

    #[test]
    fn times_are_written_as_others_write_them() {
        // As `date -u -d @SECONDS` has them.
        let cases = [
            (0, "1970-01-01T00:00:00.000Z", "Thu, 01 Jan 1970 00:00:00 GMT"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z", "Tue, 29 Feb 2000 00:00:00 GMT"),
            (1_794_751_389_120, "2026-11-15T14:03:09.120Z", "Sun, 15 Nov 2026 14:03:09 GMT"),
            (4_107_542_399_999, "2100-02-28T23:59:59.999Z", "Sun, 28 Feb 2100 23:59:59 GMT"),
            (-1, "1969-12-31T23:59:59.999Z", "Wed, 31 Dec 1969 23:59:59 GMT"),
        ];
        for (at_ms, document, header) in cases {
            assert_eq!(rfc3339(at_ms), document);
            assert_eq!(http_date(at_ms), header);
        }
    }
}
