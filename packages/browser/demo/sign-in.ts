// How the demo gets its token: the gateway's page keeps one for this tab, or a link brought a code.
// With it, short-lived tokens are made that open the front for pages and nothing else.

const TOKEN = "resultant.token";

/** Takes the code out of the address and exchanges it. */
export async function takeCode(gateway: URL): Promise<void> {
  const code = new URLSearchParams(location.hash.slice(1)).get("code");
  if (!code) return;
  history.replaceState(null, "", location.pathname);
  const answer = await post(new URL("api/page-session", gateway), { code });
  if (answer.ok) sessionStorage.setItem(TOKEN, ((await answer.json()) as { token: string }).token);
}

/** A token for this page; none where nobody signed in, which some gateways do not mind. */
export async function pageToken(gateway: URL): Promise<string | undefined> {
  const token = sessionStorage.getItem(TOKEN);
  if (!token) return undefined;
  const answer = await post(new URL("api/page-tokens", gateway), { origin: location.origin }, token);
  return answer.ok ? ((await answer.json()) as { token: string }).token : undefined;
}

function post(address: URL, body: object, token?: string): Promise<Response> {
  const headers = { "Content-Type": "application/json", ...(token ? { Authorization: `Bearer ${token}` } : {}) };
  return fetch(address, { method: "POST", headers, body: JSON.stringify(body), cache: "no-store" });
}
