// Exchanges what a person has (a code of the address, a key, a sign-in at an issuer) for a token of this tab.

import { addressOf, problemOf, token } from "../api/client";

const BINDING = "resultant.binding";
const RETURN = "resultant.return";

async function exchange(body: { code?: string; binding?: string }, key?: string): Promise<boolean> {
  const headers: Record<string, string> = { "Content-Type": "application/json", Accept: "application/json" };
  if (key !== undefined) headers["Authorization"] = `Bearer ${key}`;
  const init: RequestInit = {
    method: "POST",
    headers,
    body: JSON.stringify(body),
    credentials: "same-origin",
    cache: "no-store",
  };
  const answer = await fetch(addressOf("/api/page-session"), init);
  if (answer.status >= 500) throw await problemOf(answer);
  if (!answer.ok) return false;
  token.set(((await answer.json()) as { token: string }).token);
  return true;
}

/** Whether the code of the address was good. The binding says that this tab began the sign-in. */
export function exchangeCode(code: string): Promise<boolean> {
  const binding = sessionStorage.getItem(BINDING) ?? undefined;
  sessionStorage.removeItem(BINDING);
  return exchange(binding === undefined ? { code } : { code, binding });
}

export function exchangeKey(key: string): Promise<boolean> {
  return exchange({}, key);
}

/** Where a person was who went to the issuer; once. */
export function takeReturn(): string {
  const kept = sessionStorage.getItem(RETURN) ?? "";
  sessionStorage.removeItem(RETURN);
  return kept;
}

/** Goes to the issuer, which comes back with a code that only this tab can use. */
export function goToIssuer(): void {
  const bytes = crypto.getRandomValues(new Uint8Array(24));
  const binding = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  sessionStorage.setItem(BINDING, binding);
  sessionStorage.setItem(RETURN, location.hash);
  location.assign(addressOf("/auth/login", { binding }));
}
