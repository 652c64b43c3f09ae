// A page of a stranger with its scripts, because the person pressed Run. It has a frame of its own with an origin
// that is nobody's; this shell's header, which that frame inherits, forbids the network to all of it. That it
// runs, and how it is stopped, is said by the page around this shell, where no script of it can paint.

import "./stage.css";
import { quietPage } from "./quiet";
import { element, listen } from "./shell";

listen(async ({ blob, name }, line) => {
  const frame = element("iframe", {
    class: "content",
    sandbox: "allow-scripts",
    title: name,
    referrerpolicy: "no-referrer",
    allow: "",
  });
  frame.srcdoc = quietPage(await blob.text());
  document.body.replaceChildren(frame);
  line.send({ kind: "shown", facts: {} });
});
