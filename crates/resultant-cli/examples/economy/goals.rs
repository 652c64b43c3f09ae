//! The goals, and whether they are met.

use crate::tasks::Row;

const FIRST_MEDIAN: usize = 600;
const FIRST_MAX: usize = 1_200;
const WHOLE_MAX: usize = 2_500;
const HANDOVER_MAX: usize = 500;
const FEWER: f64 = 99.0;

pub(crate) struct Goal {
    pub(crate) text: String,
    pub(crate) found: String,
    pub(crate) is_met: bool,
}

impl Goal {
    fn new(text: impl Into<String>, found: impl Into<String>, is_met: bool) -> Self {
        Self { text: text.into(), found: found.into(), is_met }
    }
}

/// How many percent fewer tokens than without Resultant.
pub(crate) fn fewer(row: &Row) -> f64 {
    100.0 * (1.0 - row.ours.whole as f64 / row.direct.whole.max(1) as f64)
}

fn reads(row: &&Row) -> bool {
    !matches!(row.id, "B6" | "B7")
}

pub(crate) fn goals(rows: &[Row]) -> Vec<Goal> {
    let mut firsts: Vec<usize> =
        rows.iter().flat_map(|row| row.ours.firsts.iter().copied()).collect();
    firsts.sort_unstable();
    let median = firsts.get(firsts.len() / 2).copied();
    let largest = firsts.last().copied();
    let at_most = |value: Option<usize>, most: usize| value.is_some_and(|value| value <= most);
    let shown = |value: Option<usize>| value.map_or("-".to_owned(), |value| value.to_string());
    let worst = |rows: &mut dyn Iterator<Item = &Row>| {
        rows.max_by_key(|row| row.ours.whole).map(|row| (row.ours.whole, row.id, row.client))
    };
    let told = |worst: Option<(usize, &str, &str)>| {
        worst.map_or("-".to_owned(), |(most, id, client)| format!("{most} ({id}, {client})"))
    };
    let mut goals = vec![
        Goal::new(
            format!("first view, median: at most {FIRST_MEDIAN} tokens"),
            shown(median),
            at_most(median, FIRST_MEDIAN),
        ),
        Goal::new(
            format!("first view, largest: at most {FIRST_MAX} tokens"),
            shown(largest),
            at_most(largest, FIRST_MAX),
        ),
    ];
    let whole = worst(&mut rows.iter().filter(|row| row.id != "B6"));
    goals.push(Goal::new(
        format!("a whole task: at most {WHOLE_MAX} tokens"),
        told(whole),
        at_most(whole.map(|worst| worst.0), WHOLE_MAX),
    ));
    let right = rows.iter().filter(|row| row.ours.right).count();
    goals.push(Goal::new(
        "every task right for every kind of client",
        format!("{right} of {}", rows.len()),
        right == rows.len() && right > 0,
    ));
    let least = rows.iter().filter(reads).map(fewer).min_by(f64::total_cmp);
    goals.push(Goal::new(
        format!("at least {FEWER} % fewer tokens than direct, where something large is read"),
        least.map_or("-".to_owned(), |least| format!("{least:.2} %")),
        least.is_some_and(|least| least >= FEWER),
    ));
    let mut small = rows.iter().filter(|row| row.id == "B6").peekable();
    if small.peek().is_some() {
        let added: i64 = small.map(|row| row.ours.whole as i64 - row.direct.whole as i64).sum();
        goals.push(Goal::new("small results: no token added", added.to_string(), added == 0));
    }
    let handover = worst(&mut rows.iter().filter(|row| row.id == "B7"));
    if handover.is_some() {
        goals.push(Goal::new(
            format!("hand-over: under {HANDOVER_MAX} tokens"),
            told(handover),
            handover.is_some_and(|worst| worst.0 < HANDOVER_MAX),
        ));
    }
    goals
}
