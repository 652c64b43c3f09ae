//! The data of a small tea and coffee shop by the sea, and of the weather stations around it.

use serde::Serialize;

/// Something the shop sells.
#[derive(Serialize)]
pub(crate) struct Product {
    pub(crate) sku: &'static str,
    pub(crate) name: &'static str,
    #[serde(rename = "price_cents")]
    pub(crate) cents: u64,
    pub(crate) stock: u64,
}

pub(crate) const PRODUCTS: [Product; 10] = [
    product("TEA-ASSAM", "Assam Second Flush, 100 g", 890, 42),
    product("TEA-SENCHA", "Sencha Uji, 100 g", 1450, 17),
    product("TEA-EARL", "Earl Grey with Cornflower, 100 g", 790, 63),
    product("TEA-MINT", "Moroccan Mint, 80 g", 620, 0),
    product("COF-HARBOUR", "Harbour Espresso, 250 g", 980, 88),
    product("COF-SIDAMO", "Sidamo Filter, 250 g", 1240, 31),
    product("COF-DECAF", "Quiet Evening Decaf, 250 g", 1090, 9),
    product("ACC-DRIPPER", "Porcelain Dripper", 2400, 12),
    product("ACC-TIN", "Tea Tin, Blue Heron", 1350, 25),
    product("GFT-SAMPLER", "Sampler Box, Six Teas", 2950, 6),
];

const fn product(sku: &'static str, name: &'static str, cents: u64, stock: u64) -> Product {
    Product { sku, name, cents, stock }
}

pub(crate) const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// How much of the year's business each month has.
const SEASON: [u64; 12] = [7, 7, 8, 7, 6, 5, 5, 5, 7, 9, 13, 21];

/// One line of the till.
#[derive(Serialize)]
pub(crate) struct Sale {
    pub(crate) id: u64,
    pub(crate) date: String,
    pub(crate) sku: &'static str,
    pub(crate) quantity: u64,
    pub(crate) total_cents: u64,
    pub(crate) channel: &'static str,
    #[serde(skip)]
    pub(crate) month: usize,
}

/// The lines of the till for 2025, in order.
pub(crate) fn sales(count: u64) -> impl Iterator<Item = Sale> {
    const DAYS: [u64; 12] = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let mut numbers = Numbers::new(7);
    let year: u64 = SEASON.iter().sum();
    (0..count).map(move |at| {
        // Lines are spread over the months by the season, and over a month's days evenly.
        let mut place = at * year * 1000 / count;
        let mut month = 0;
        while month < 11 && place >= SEASON[month] * 1000 {
            place -= SEASON[month] * 1000;
            month += 1;
        }
        let day = place * DAYS[month] / (SEASON[month] * 1000) + 1;
        let product = &PRODUCTS[numbers.below(PRODUCTS.len() as u64) as usize];
        let quantity = [1, 1, 1, 2, 2, 3][numbers.below(6) as usize];
        Sale {
            id: 250_000 + at,
            date: format!("2025-{:02}-{day:02}", month + 1),
            sku: product.sku,
            quantity,
            total_cents: quantity * product.cents,
            channel: ["shop", "shop", "online", "market"][numbers.below(4) as usize],
            month,
        }
    })
}

/// How many lines the till has by default.
pub(crate) const SALES: u64 = 5_000;

/// What the shop took each month of 2025, in cents.
pub(crate) fn monthly_takings() -> [u64; 12] {
    let mut takings = [0; 12];
    for sale in sales(SALES) {
        takings[sale.month] += sale.total_cents;
    }
    takings
}

/// A weather station.
#[derive(Serialize)]
pub(crate) struct Station {
    pub(crate) id: &'static str,
    pub(crate) name: &'static str,
    pub(crate) latitude: f64,
    pub(crate) longitude: f64,
    pub(crate) elevation_m: u64,
}

pub(crate) const STATIONS: [Station; 5] = [
    station("heron-point", "Heron Point", 54.471, 10.219, 4),
    station("mill-hill", "Mill Hill", 54.402, 10.087, 61),
    station("old-harbour", "Old Harbour", 54.433, 10.172, 2),
    station("fen-lock", "Fen Lock", 54.348, 10.011, 9),
    station("gull-rock", "Gull Rock", 54.512, 10.304, 18),
];

const fn station(
    id: &'static str,
    name: &'static str,
    latitude: f64,
    longitude: f64,
    elevation_m: u64,
) -> Station {
    Station { id, name, latitude, longitude, elevation_m }
}

/// Money as people write it.
pub(crate) fn euros(cents: u64) -> String {
    format!("{}.{:02}", cents / 100, cents % 100)
}

/// Numbers that look random and are the same on every run.
pub(crate) struct Numbers(u64);

impl Numbers {
    pub(crate) fn new(seed: u64) -> Numbers {
        Numbers(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        (self.next() >> 33) % limit.max(1)
    }
}
