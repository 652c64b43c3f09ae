//! PDF files, made by hand.

use std::fmt::Write as _;

use super::shop::{PRODUCTS, euros};

/// An invoice for three of the shop's products.
pub(crate) fn invoice() -> Vec<u8> {
    let mut page = String::new();
    let mut y = 780;
    let mut line = |page: &mut String, size: u32, x: u32, text: &str, down: u32| {
        let text = text.replace('\\', "\\\\").replace('(', "\\(").replace(')', "\\)");
        let _ = writeln!(page, "BT /F1 {size} Tf {x} {y} Td ({text}) Tj ET");
        y -= down;
    };
    line(&mut page, 20, 56, "Larkspur Tea & Coffee", 22);
    line(&mut page, 10, 56, "3 Quay Street, Heron Point", 50);
    line(&mut page, 14, 56, "Invoice 2025-0417", 20);
    line(&mut page, 10, 56, "For: Marta Lindqvist (4 December 2025)", 40);
    let mut total = 0;
    for (product, quantity) in [(&PRODUCTS[0], 2), (&PRODUCTS[4], 1), (&PRODUCTS[8], 1)] {
        let sum = product.cents * quantity;
        total += sum;
        line(&mut page, 11, 56, &format!("{quantity} x {}", product.name), 0);
        line(&mut page, 11, 440, &format!("EUR {}", euros(sum)), 18);
    }
    let _ = writeln!(page, "56 672 m 520 672 l S");
    line(&mut page, 12, 56, "Total", 0);
    line(&mut page, 12, 440, &format!("EUR {}", euros(total)), 60);
    line(&mut page, 9, 56, "This shop is made up, and so is this invoice.", 0);
    assemble(&[
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 5 0 R \
         /Resources << /Font << /F1 4 0 R >> >> >>"
            .to_owned(),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>".to_owned(),
        format!("<< /Length {} >>\nstream\n{page}endstream", page.len()),
    ])
}

/// A guide for visitors on three pages, each with something that the others do not say.
pub(crate) fn guide() -> Vec<u8> {
    const PAGES: [&[&str]; 3] = [
        &[
            "A guide to Heron Point",
            "",
            "Page one: the harbour.",
            "Boats leave at nine and at four.",
        ],
        &[
            "Tea and coffee",
            "",
            "Page two: the shop.",
            "Ask for the sencha, and for a chair outside.",
        ],
        &["The lighthouse", "", "Page three: the walk.", "Two hundred and four steps, and a view."],
    ];
    let count = PAGES.len();
    let kids: Vec<String> = (0..count).map(|at| format!("{} 0 R", 4 + 2 * at)).collect();
    let mut objects = vec![
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        format!("<< /Type /Pages /Kids [{}] /Count {count} >>", kids.join(" ")),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>".to_owned(),
    ];
    for (at, lines) in PAGES.iter().enumerate() {
        let mut page = String::new();
        for (line, text) in lines.iter().enumerate() {
            let (size, y) = (if line == 0 { 22 } else { 12 }, 770 - 24 * line);
            let _ = writeln!(page, "BT /F1 {size} Tf 56 {y} Td ({text}) Tj ET");
        }
        objects.push(format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents {} 0 R \
             /Resources << /Font << /F1 3 0 R >> >> >>",
            5 + 2 * at
        ));
        objects.push(format!("<< /Length {} >>\nstream\n{page}endstream", page.len()));
    }
    assemble(&objects)
}

/// Numbers the objects, and says at the end where each one is.
fn assemble(objects: &[String]) -> Vec<u8> {
    let mut pdf = String::from("%PDF-1.4\n");
    let mut places = Vec::new();
    for (at, object) in objects.iter().enumerate() {
        places.push(pdf.len());
        let _ = write!(pdf, "{} 0 obj\n{object}\nendobj\n", at + 1);
    }
    let (start, count) = (pdf.len(), objects.len() + 1);
    let _ = write!(pdf, "xref\n0 {count}\n0000000000 65535 f \n");
    for place in places {
        let _ = writeln!(pdf, "{place:010} 00000 n ");
    }
    let _ = write!(pdf, "trailer\n<< /Size {count} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n");
    pdf.into_bytes()
}
