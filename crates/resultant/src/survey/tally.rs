//! What the values of a column or a field are: types, range, nulls, and the few that are frequent.

use std::fmt::Write as _;

use super::cut;

/// So many different values are told apart; with more, there are many.
const VALUES_MAX: usize = 16;
/// A longer value is no word.
const VALUE_BYTES_MAX: usize = 40;

#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    pub(crate) count: u64,
    pub(crate) nulls: u64,
    bools: u64,
    ints: u64,
    floats: u64,
    texts: u64,
    /// Texts that start like a day.
    days: u64,
    pub(crate) lists: u64,
    pub(crate) objects: u64,
    /// The least and the greatest number, as they are written.
    range: Option<((f64, String), (f64, String))>,
    /// The first and the last day.
    day_range: Option<(String, String)>,
    values: Vec<(String, u64)>,
    are_many: bool,
}

impl Tally {
    pub(super) fn of_nulls(count: u64) -> Tally {
        Tally { count, nulls: count, ..Tally::default() }
    }

    pub(crate) fn null(&mut self) {
        self.count += 1;
        self.nulls += 1;
    }

    pub(crate) fn bool(&mut self, value: bool) {
        self.count += 1;
        self.bools += 1;
        self.value(if value { "true" } else { "false" });
    }

    pub(crate) fn list(&mut self) {
        self.count += 1;
        self.lists += 1;
    }

    pub(crate) fn object(&mut self) {
        self.count += 1;
        self.objects += 1;
    }

    /// A number, as it is written.
    pub(crate) fn number(&mut self, text: &str) {
        self.count += 1;
        match text.contains(['.', 'e', 'E']) {
            true => self.floats += 1,
            false => self.ints += 1,
        }
        self.value(text);
        let Ok(value) = text.parse::<f64>() else { return };
        let shown = || cut(text, VALUE_BYTES_MAX);
        match &mut self.range {
            None => self.range = Some(((value, shown()), (value, shown()))),
            Some((low, high)) => {
                if value < low.0 || value == low.0 && is_less(text, &low.1) {
                    *low = (value, shown());
                }
                if value > high.0 || value == high.0 && is_less(&high.1, text) {
                    *high = (value, shown());
                }
            }
        }
    }

    pub(crate) fn text(&mut self, text: &str) {
        self.count += 1;
        self.texts += 1;
        self.value(text);
        if let Some(day) = day_of(text) {
            self.days += 1;
            match &mut self.day_range {
                None => self.day_range = Some((day.to_owned(), day.to_owned())),
                Some((low, high)) => {
                    if day < low.as_str() {
                        day.clone_into(low);
                    }
                    if day > high.as_str() {
                        day.clone_into(high);
                    }
                }
            }
        }
    }

    fn value(&mut self, text: &str) {
        if self.are_many {
            return;
        }
        if let Some((_, count)) = self.values.iter_mut().find(|(value, _)| value == text) {
            *count += 1;
        } else if self.values.len() == VALUES_MAX || text.len() > VALUE_BYTES_MAX {
            self.are_many = true;
            self.values.clear();
        } else {
            self.values.push((text.to_owned(), 1));
        }
    }

    /// The values, the most frequent first, where there are few.
    pub(crate) fn values(&self) -> Vec<(&str, u64)> {
        let mut values: Vec<(&str, u64)> =
            self.values.iter().map(|(value, count)| (value.as_str(), *count)).collect();
        values.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        values
    }

    /// Whether the values are a few words that repeat: something to group by.
    pub(crate) fn is_few_words(&self) -> bool {
        self.texts + self.nulls == self.count
            && (2..=12).contains(&self.values.len())
            && self.values.len() as u64 * 3 <= self.count
    }

    /// Whether all values are texts, and hardly any is there twice: something to look for.
    pub(crate) fn is_many_texts(&self) -> bool {
        self.texts > 0 && self.texts + self.nulls == self.count && self.are_many
    }

    /// Whether all values are numbers.
    pub(crate) fn is_number(&self) -> bool {
        self.ints + self.floats > 0 && self.ints + self.floats + self.nulls == self.count
    }

    pub(crate) fn has_fractions(&self) -> bool {
        self.floats > 0
    }

    /// Types, range or frequent values, and nulls, in a few words.
    pub(crate) fn describe(&self, values_max: usize) -> String {
        let types = [
            (self.ints, "int"),
            (self.floats, "number"),
            (self.texts, "text"),
            (self.bools, "bool"),
            (self.lists, "array"),
            (self.objects, "object"),
        ];
        let has_fractions = self.floats > 0;
        let names: Vec<&str> = types
            .iter()
            .filter(|(count, name)| *count > 0 && !(*name == "int" && has_fractions))
            .map(|(_, name)| *name)
            .collect();
        let mut out = names.join(" or ");
        let values = self.values();
        let are_few = self.count > 1
            && (1..=VALUES_MAX).contains(&values.len())
            && values.len() as u64 * 3 <= self.count - self.nulls
            && values_max > 0;
        if are_few {
            for (at, (value, count)) in values.iter().take(values_max).enumerate() {
                let before = if at == 0 { ": " } else { ", " };
                let _ = write!(out, "{before}{value} ×{count}");
            }
            if values.len() > values_max {
                out.push_str(", …");
            }
        } else if let (1, Some(((_, low), (_, high)))) = (names.len(), &self.range) {
            let _ = write!(out, " {low}…{high}");
        } else if let (true, Some((low, high))) =
            (self.days == self.texts && names.len() == 1, &self.day_range)
        {
            let _ = write!(out, " {low}…{high}");
        }
        match self.nulls {
            0 => {}
            nulls if nulls == self.count => out.push_str("null"),
            nulls => {
                let _ = write!(out, ", {nulls} null");
            }
        }
        out
    }
}

/// The day that a text starts with.
fn day_of(text: &str) -> Option<&str> {
    let day = text.get(..10)?;
    let is_day = day.bytes().enumerate().all(|(at, byte)| match at {
        4 | 7 => byte == b'-',
        _ => byte.is_ascii_digit(),
    });
    is_day.then_some(day)
}

/// Which of two whole numbers is less, where they are too long for floats to tell.
fn is_less(first: &str, second: &str) -> bool {
    match (first.parse::<i128>(), second.parse::<i128>()) {
        (Ok(first), Ok(second)) => first < second,
        _ => false,
    }
}
