//! The shop's takings by month, as a bar chart: drawn into pixels, and written as SVG.

use std::{fmt::Write as _, io};

use super::{
    png::{Pixels, Png},
    shop::{MONTHS, monthly_takings},
};

const WIDTH: usize = 640;
const HEIGHT: usize = 320;
const LEFT: usize = 64;
const TOP: usize = 48;
/// Where the bars stand.
const FLOOR: usize = 280;
const BAR: usize = 30;
const STEP: usize = 46;

const PALETTE: [[u8; 3]; 5] =
    [[250, 249, 246], [221, 216, 206], [74, 111, 104], [196, 107, 62], [58, 52, 46]];
const PAPER: u8 = 0;
const GRID: u8 = 1;
const GREEN: u8 = 2;
const ORANGE: u8 = 3;
const INK: u8 = 4;

const TITLE: &str = "Larkspur Tea & Coffee: takings by month, 2025";

/// The chart as a PNG picture.
pub(crate) fn png() -> Vec<u8> {
    let mut canvas = Canvas { pixels: vec![PAPER; WIDTH * HEIGHT] };
    canvas.text(LEFT, 16, "LARKSPUR TEA - COFFEE: TAKINGS BY MONTH 2025");
    let plan = Plan::new();
    for (y, label) in &plan.lines {
        canvas.fill(LEFT, *y, WIDTH - LEFT - 16, 1, GRID);
        canvas.text(8, y - 5, label);
    }
    for (x, height, month, is_best) in &plan.bars {
        let colour = if *is_best { ORANGE } else { GREEN };
        canvas.fill(*x, FLOOR - height, BAR, *height, colour);
        canvas.text(x + 3, FLOOR + 10, &month.to_uppercase());
    }
    canvas.fill(LEFT, FLOOR, WIDTH - LEFT - 16, 2, INK);
    let mut out = Vec::new();
    // Writing into memory does not fail.
    let _ = canvas.write(&mut out);
    out
}

/// The chart as SVG.
pub(crate) fn svg() -> String {
    let hex = |colour: u8| {
        let [red, green, blue] = PALETTE[usize::from(colour)];
        format!("#{red:02x}{green:02x}{blue:02x}")
    };
    let (paper, grid, ink) = (hex(PAPER), hex(GRID), hex(INK));
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
         font-family=\"sans-serif\" font-size=\"12\" fill=\"{ink}\">\n\
         <title>{title}</title>\n<rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"{paper}\"/>\n\
         <text x=\"{LEFT}\" y=\"28\" font-size=\"16\">{title}</text>\n",
        title = TITLE.replace('&', "&amp;"),
    );
    let plan = Plan::new();
    let right = WIDTH - 16;
    for (y, label) in &plan.lines {
        let _ = writeln!(
            svg,
            "<path d=\"M{LEFT} {y}H{right}\" stroke=\"{grid}\"/>\
             <text x=\"{x}\" y=\"{base}\" text-anchor=\"end\">{label}</text>",
            x = LEFT - 8,
            base = y + 4,
        );
    }
    for (x, height, month, is_best) in &plan.bars {
        let colour = hex(if *is_best { ORANGE } else { GREEN });
        let (y, middle, base) = (FLOOR - height, x + BAR / 2, FLOOR + 20);
        let _ = writeln!(
            svg,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{BAR}\" height=\"{height}\" fill=\"{colour}\"/>\
             <text x=\"{middle}\" y=\"{base}\" text-anchor=\"middle\">{month}</text>"
        );
    }
    svg.push_str("</svg>\n");
    svg
}

/// Where everything is.
struct Plan {
    /// Height and label of each line of the grid.
    lines: Vec<(usize, String)>,
    /// Place, height and month of each bar, and whether it is the best month.
    bars: Vec<(usize, usize, &'static str, bool)>,
}

impl Plan {
    fn new() -> Plan {
        let takings = monthly_takings();
        let best = takings.iter().copied().max().unwrap_or(1).max(1);
        // The grid goes up in steps of 5,000 euros, and the top line is above the best month.
        let step = 500_000;
        let lines = best.div_ceil(step);
        let top = lines * step;
        let height_of = |cents: u64| (cents * (FLOOR - TOP) as u64 / top) as usize;
        Plan {
            lines: (0..=lines)
                .map(|line| (FLOOR - height_of(line * step), (line * step / 100).to_string()))
                .collect(),
            bars: takings
                .iter()
                .zip(MONTHS)
                .enumerate()
                .map(|(at, (cents, month))| {
                    (LEFT + 8 + at * STEP, height_of(*cents), month, *cents == best)
                })
                .collect(),
        }
    }
}

struct Canvas {
    /// A colour of the palette each.
    pixels: Vec<u8>,
}

impl Canvas {
    fn fill(&mut self, x: usize, y: usize, width: usize, height: usize, colour: u8) {
        for row in y..(y + height).min(HEIGHT) {
            let end = (x + width).min(WIDTH);
            self.pixels[row * WIDTH + x.min(end)..row * WIDTH + end].fill(colour);
        }
    }

    /// Writes capitals and digits, three by five squares each.
    fn text(&mut self, x: usize, y: usize, text: &str) {
        const SQUARE: usize = 2;
        for (at, character) in text.chars().enumerate() {
            let glyph = glyph(character);
            for bit in (0..15).filter(|bit| glyph >> (14 - bit) & 1 == 1) {
                let (column, row) = (bit % 3, bit / 3);
                let (x, y) = (x + (at * 4 + column) * SQUARE, y + row * SQUARE);
                self.fill(x, y, SQUARE, SQUARE, INK);
            }
        }
    }

    fn write(&self, out: &mut Vec<u8>) -> io::Result<()> {
        let (width, height) = (WIDTH as u32, HEIGHT as u32);
        let mut png = Png::start(out, width, height, &Pixels::Palette(&PALETTE))?;
        for row in self.pixels.chunks_exact(WIDTH) {
            let (pairs, _) = row.as_chunks::<2>();
            let packed: Vec<u8> = pairs.iter().map(|[left, right]| left << 4 | right).collect();
            png.row(&packed)?;
        }
        Ok(())
    }
}

/// A character as five rows of three squares: each octal digit is a row.
fn glyph(character: char) -> u16 {
    const DIGITS: [u16; 10] =
        [0o75557, 0o26227, 0o71747, 0o71717, 0o55711, 0o74717, 0o74757, 0o71111, 0o75757, 0o75717];
    const LETTERS: [u16; 26] = [
        0o25755, 0o65656, 0o34443, 0o65556, 0o74647, 0o74644, 0o34553, 0o55755, 0o72227, 0o11152,
        0o55655, 0o44447, 0o57755, 0o65555, 0o25552, 0o65644, 0o25573, 0o65655, 0o34216, 0o72222,
        0o55557, 0o55552, 0o55775, 0o55255, 0o55222, 0o71247,
    ];
    match character {
        '0'..='9' => DIGITS[character as usize - '0' as usize],
        'A'..='Z' => LETTERS[character as usize - 'A' as usize],
        ':' => 0o02020,
        '-' => 0o00700,
        _ => 0,
    }
}
