// A picture, as a `data:` address: it is the one kind that every host lets an app show. What it is and how large
// is read from its bytes before a decoder sees them. A drawing runs no scripts and loads nothing inside an image.
import { pictureOf, refusalOf } from "../../sandbox/dimensions";
import { number } from "../../src/ui/format";
import { make, note } from "../dom";
import { toBase64 } from "../source";

export function imageView(bytes: Uint8Array, name: string, isDrawing: boolean): HTMLElement {
  if (isDrawing) return picture(`data:image/svg+xml;base64,${toBase64(bytes)}`, name, "");
  const found = pictureOf(bytes);
  if (found === undefined) return note("This is no picture that can be shown here.", "bad");
  const refusal = refusalOf(found);
  if (refusal !== undefined) return note(refusal, "bad");
  const size = `${number(found.width)} × ${number(found.height)} pixels`;
  return picture(`data:${found.mime};base64,${toBase64(bytes)}`, name, size);
}

function picture(address: string, name: string, size: string): HTMLElement {
  const image = make("img", { class: "host-picture", alt: name, src: address });
  const figure = make("figure", { class: "host-figure" }, image);
  if (size !== "") figure.append(make("figcaption", {}, size));
  image.addEventListener("error", () => figure.replaceChildren(note("The picture could not be drawn.", "bad")));
  return figure;
}
