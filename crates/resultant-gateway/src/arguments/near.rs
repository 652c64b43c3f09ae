//! Which names may have been meant by one that no file has.

/// So many are told.
const NEAR_MAX: usize = 3;
/// A longer name is no slip of anybody's.
const NAME_CHARS_MAX: usize = 256;

/// The nearest of these names, the nearest first.
pub(crate) fn near_names<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    if name.is_empty() || name.chars().nth(NAME_CHARS_MAX).is_some() {
        return Vec::new();
    }
    let wanted = folded(name);
    let mut near: Vec<(usize, &str)> = Vec::new();
    for known in known {
        let rank = match rank(&wanted, &folded(known)) {
            Some(rank) if !near.iter().any(|(_, name)| *name == known) => rank,
            _ => continue,
        };
        near.push((rank, known));
    }
    near.sort();
    near.truncate(NEAR_MAX);
    near.into_iter().map(|(_, name)| name).collect()
}

/// How far two names are apart; nothing where too far.
fn rank(wanted: &str, known: &str) -> Option<usize> {
    let (wanted_len, known_len) = (wanted.chars().count(), known.chars().count());
    let allowed = (wanted_len.min(known_len) / 4).clamp(1, 4);
    if wanted_len.abs_diff(known_len) <= allowed {
        let distance = strsim::osa_distance(wanted, known);
        if distance <= allowed {
            return Some(distance);
        }
    }
    // `report` for `report.csv`, `report.txt` for `report.csv`, `out/report.csv` for `report.csv`.
    let is_same = stem(wanted).len() > 1 && stem(wanted) == stem(known);
    is_same.then_some(allowed + 1)
}

fn folded(name: &str) -> String {
    let name = name.trim().to_lowercase();
    name.rsplit(['/', '\\']).next().unwrap_or_default().replace([' ', '-'], "_")
}

fn stem(name: &str) -> &str {
    match name.rsplit_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem,
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::near_names;

    #[test]
    fn slips_are_seen_through() {
        let known = ["report.csv", "report (2).csv", "Größe.txt", "a.txt", "chart.png", "data"];
        for (name, expected) in [
            ("reprot.csv", &["report.csv"][..]),
            ("Report.CSV", &["report.csv"]),
            ("report.xlsx", &["report.csv"]),
            ("report", &["report.csv"]),
            ("/tmp/out/report.csv", &["report.csv"]),
            (r"C:\out\chart.png", &["chart.png"]),
            ("report-(2).csv", &["report (2).csv"]),
            ("grösse.txt", &["Größe.txt"]),
            ("data.json", &["data"]),
            ("../../etc/passwd", &[]),
            ("b", &[]),
            ("", &[]),
            (".", &[]),
            ("..", &[]),
            ("zzzzzzzz.bin", &[]),
        ] {
            assert_eq!(near_names(name, known), expected, "{name}");
        }
        assert!(near_names(&"x".repeat(1 << 20), known).is_empty());
        let many: Vec<String> = (0..1000).map(|at| format!("report-{at}.csv")).collect();
        let near = near_names("report-x.csv", many.iter().map(String::as_str));
        assert_eq!(near, ["report-0.csv", "report-1.csv", "report-2.csv"]);
        assert_eq!(near_names("a.tx", ["a.txt", "a.txt"]), ["a.txt"]);
    }
}
