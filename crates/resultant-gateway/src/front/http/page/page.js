// The first page: exchanges a code for a token of this tab, and says who is here and what there is.
// The token is kept for the tab alone, and nothing from a server is ever written as HTML.

const TOKEN = "resultant.token";
const BINDING = "resultant.binding";
const INTERVAL = 3000;

const at = (id) => document.getElementById(id);
const say = (text) => { at("said").textContent = text; };

let timer;

function ask(path, options = {}) {
  const token = sessionStorage.getItem(TOKEN);
  const headers = { Accept: "application/json", ...options.headers };
  if (token && !headers.Authorization) headers.Authorization = `Bearer ${token}`;
  return fetch(path, { ...options, headers, credentials: "same-origin", cache: "no-store" });
}

/// Takes what the address brought, and takes it out of the address.
function brought() {
  const fragment = new URLSearchParams(location.hash.slice(1));
  if (location.hash) history.replaceState(null, "", location.pathname);
  return { code: fragment.get("code"), failed: fragment.has("failed") };
}

async function exchange(body, headers = {}) {
  const answer = await ask("api/page-session", {
    method: "POST",
    headers: { "Content-Type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  if (!answer.ok) return false;
  sessionStorage.setItem(TOKEN, (await answer.json()).token);
  return true;
}

function showSignIn(way) {
  clearTimeout(timer);
  for (const id of ["who", "servers", "places"]) at(id).hidden = true;
  for (const part of document.querySelectorAll("[data-way]")) part.hidden = part.dataset.way !== way;
  at("sign-in").hidden = false;
}

function showUser(me) {
  at("sign-in").hidden = true;
  at("name").textContent = me.email && me.email !== me.user ? `${me.user} (${me.email})` : me.user;
  at("leave").hidden = !sessionStorage.getItem(TOKEN);
  for (const code of document.querySelectorAll("[data-path]")) {
    code.textContent = new URL(code.dataset.path, document.baseURI.split("#")[0]).href;
  }
  for (const id of ["who", "servers", "places"]) at(id).hidden = false;
}

function entry(name, server) {
  const part = (kind, text) => {
    const span = document.createElement("span");
    span.className = kind;
    span.textContent = text;
    return span;
  };
  const state = part("state", server.protocol ? `${server.state}, MCP ${server.protocol}` : server.state);
  state.dataset.state = server.state;
  const item = document.createElement("li");
  item.append(part("name", name), state);
  if (server.reason) item.append(part("reason", `${server.step}: ${server.reason}`));
  return item;
}

async function showServers() {
  clearTimeout(timer);
  try {
    const { servers = {} } = await (await ask("readyz")).json();
    const names = Object.entries(servers);
    at("list").replaceChildren(...names.map(([name, server]) => entry(name, server)));
    at("none").hidden = names.length > 0;
    say("");
  } catch {
    say("The gateway does not answer.");
  }
  timer = setTimeout(showServers, INTERVAL);
}

async function begin(problem = "") {
  const answer = await ask("api/me");
  if (answer.ok) {
    say(problem);
    showUser(await answer.json());
    return showServers();
  }
  const { sign_in: way = "code", detail = "" } = await answer.json().catch(() => ({}));
  sessionStorage.removeItem(TOKEN);
  if (answer.status !== 401) return say(detail || "The gateway does not answer.");
  say(problem);
  showSignIn(way);
}

at("issuer").addEventListener("click", () => {
  const bytes = crypto.getRandomValues(new Uint8Array(24));
  const binding = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  sessionStorage.setItem(BINDING, binding);
  location.assign(`auth/login?binding=${binding}`);
});

document.querySelector("form").addEventListener("submit", async (event) => {
  event.preventDefault();
  const key = at("key").value.trim();
  at("key").value = "";
  const isIn = await exchange({}, { Authorization: `Bearer ${key}` }).catch(() => false);
  await begin(isIn ? "" : "This key is not known.");
});

at("leave").addEventListener("click", async () => {
  await ask("api/page-session", { method: "DELETE" }).catch(() => null);
  sessionStorage.removeItem(TOKEN);
  await begin("You have signed out.");
});

const { code, failed } = brought();
let problem = failed ? "The sign-in did not work; whoever runs the gateway finds the reason in its log." : "";
try {
  if (code) {
    const binding = sessionStorage.getItem(BINDING) ?? undefined;
    sessionStorage.removeItem(BINDING);
    if (!(await exchange({ code, binding }))) problem = "This link was used already, or is too old.";
  }
  await begin(problem);
} catch {
  say("The gateway does not answer.");
}
