//! What somebody may have meant by a name that nobody has.

/// Names that are less alike than this were not meant.
const LIKENESS_MIN: f64 = 0.75;
/// More names than this are not listed.
const LISTED_MAX: usize = 12;

/// The names that are like this one, the likest first.
pub(crate) fn nearest<'a>(name: &str, known: &[&'a str]) -> Vec<&'a str> {
    let name = name.to_lowercase();
    let likeness = |other: &str| {
        let other = other.to_lowercase();
        match !name.is_empty() && (other.contains(&name) || name.contains(&other)) {
            true => 1.0,
            false => strsim::jaro_winkler(&name, &other),
        }
    };
    let mut like: Vec<(f64, &str)> = known
        .iter()
        .map(|other| (likeness(other), *other))
        .filter(|(likeness, _)| *likeness >= LIKENESS_MIN)
        .collect();
    like.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    like.into_iter().take(3).map(|(_, name)| name).collect()
}

/// The rest of a sentence that says what there is.
pub(crate) fn hint(name: &str, known: &[&str]) -> String {
    let quoted = |names: &[&str]| {
        let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
        names.join(", ")
    };
    let like = nearest(name, known);
    match (like.is_empty(), known.len()) {
        (false, _) => format!("did you mean {}?", quoted(&like)),
        (true, 0) => "there is none at all".to_owned(),
        (true, 1..=LISTED_MAX) => format!("there is {}", quoted(known)),
        (true, count) => format!("none of the {count} that there are has a name like it"),
    }
}

#[cfg(test)]
mod tests {
    use super::hint;

    #[test]
    fn what_is_like_it_is_named_first() {
        let cases = [
            ("sales_raport", &["weather", "sales_report"][..], "did you mean `sales_report`?"),
            ("Weather", &["weather", "echo"], "did you mean `weather`?"),
            ("report", &["sales_report", "echo"], "did you mean `sales_report`?"),
            ("zzz", &["weather", "echo"], "there is `weather`, `echo`"),
            ("zzz", &[], "there is none at all"),
        ];
        for (name, known, expected) in cases {
            assert_eq!(hint(name, known), expected, "{name}");
        }
    }
}
