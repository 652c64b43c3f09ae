// SVG that tries to run, to fetch, or to grow. It must be shown as a picture, or not at all.
import type { Hostile } from "./html";

const OPEN = `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="120" height="80"`;
const PICTURE = `<rect width="120" height="80" fill="#1f5f5b"/>`;

export function hostileSvg(canary: string): Hostile[] {
  const url = (path: string) => `${canary}/svg-${path}`;
  const svg = (name: string, inside: string, attributes = "", before = ""): Hostile => ({
    name: `${name}.svg`,
    content: `${before}${OPEN} ${attributes}>${PICTURE}${inside}</svg>`,
  });
  return [
    svg("script", `<script>fetch("${url("script")}")</script><script href="${url("script-src")}"/>`),
    svg("onload", `<animate onbegin="fetch('${url("onbegin")}')" attributeName="x" dur="1s"/>`, `onload="fetch('${url("onload")}')"`),
    svg("foreign", `<foreignObject width="100" height="80"><body xmlns="http://www.w3.org/1999/xhtml"><img src="${url("foreign")}" onerror="fetch('${url("foreign-error")}')"/><iframe src="${url("foreign-frame")}"></iframe></body></foreignObject>`),
    svg("use", `<use xlink:href="${url("use")}#a"/><image href="${url("image")}" width="10" height="10"/><style>@import url(${url("import")});rect{fill:url(${url("fill")}#a)}</style>`),
    svg("link", `<a xlink:href="javascript:fetch('${url("link")}')"><text y="20">press</text></a><set attributeName="href" to="${url("set")}"/>`),
    svg("external", `<text y="20">&remote;</text>`, "", `<!DOCTYPE svg [<!ENTITY remote SYSTEM "${url("entity")}">]>`),
    { name: "stylesheet.svg", content: `<?xml-stylesheet href="${url("stylesheet")}" type="text/css"?>${OPEN}>${PICTURE}</svg>` },
    { name: "laughs.svg", content: laughs() },
  ];
}

/** Ten entities of ten, ten deep: ten thousand million words if anybody reads them. */
function laughs(): string {
  const entities = ['<!ENTITY a0 "ha ">'];
  for (let depth = 1; depth <= 10; depth += 1) {
    entities.push(`<!ENTITY a${depth} "${`&a${depth - 1};`.repeat(10)}">`);
  }
  return `<?xml version="1.0"?><!DOCTYPE svg [${entities.join("")}]>${OPEN}>${PICTURE}<text y="20">&a10;</text></svg>`;
}
