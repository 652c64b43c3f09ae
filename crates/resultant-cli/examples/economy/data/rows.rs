//! 5,000 orders, put into a database by the server that will be asked for them.

use std::{collections::BTreeMap, fmt::Write as _, path::Path};

use super::Rng;

const COUNT: usize = 5_000;
const REGIONS: [&str; 6] = ["north", "south", "east", "west", "central", "overseas"];
const STATUSES: [&str; 4] = ["open", "paid", "refunded", "cancelled"];

pub(crate) struct Rows {
    pub(crate) database: String,
    /// Statements that make the table and fill it.
    pub(crate) create: String,
    pub(crate) insert: String,
    /// The status that is asked for.
    pub(crate) status: String,
    /// The sums of the amounts by region, for that status.
    pub(crate) sums: BTreeMap<String, i64>,
}

impl Rows {
    pub(super) fn make(rng: &mut Rng, folder: &Path) -> Self {
        let wanted = rng.pick(&STATUSES);
        let mut sums = BTreeMap::new();
        let mut insert = String::from(
            "INSERT INTO orders (id, customer, region, status, amount_cents, placed) VALUES ",
        );
        for id in 1..=COUNT {
            let (region, status) = (rng.pick(&REGIONS), rng.pick(&STATUSES));
            let cents = rng.between(100, 250_000) as i64;
            if status == wanted {
                *sums.entry(region.to_owned()).or_default() += cents;
            }
            let (month, day) = (rng.between(1, 12), rng.between(1, 28));
            let comma = if id == 1 { "" } else { ", " };
            let customer = rng.word();
            let _ = write!(
                insert,
                "{comma}({id}, '{customer}', '{region}', '{status}', {cents}, \
                 '2026-{month:02}-{day:02}')"
            );
        }
        let create = "CREATE TABLE orders (id INTEGER PRIMARY KEY, customer TEXT, region TEXT, \
                      status TEXT, amount_cents INTEGER, placed TEXT)";
        Self {
            database: folder.join("orders.db").display().to_string(),
            create: create.to_owned(),
            insert,
            status: wanted.to_owned(),
            sums,
        }
    }
}
