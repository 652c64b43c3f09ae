// An issuer that people sign in at: discovery, a page that asks who they are, codes that work once and only with
// what the sign-in began with (PKCE), and tokens signed by a key of its own.
import { createHash, generateKeyPairSync, randomUUID, sign } from "node:crypto";
import { createServer, type IncomingMessage, type Server } from "node:http";

export const CLIENT = { id: "resultant", secret: "kept by the gateway alone" };

interface Begun {
  person: string;
  nonce: string;
  challenge: string;
  redirect: string;
}

export class Issuer {
  private readonly keys = generateKeyPairSync("rsa", { modulusLength: 2048 });
  private readonly codes = new Map<string, Begun>();

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async start(): Promise<Issuer> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const issuer = new Issuer(server, `http://127.0.0.1:${port}`);
    server.on("request", (request, response) => {
      void issuer.answer(request).then(({ status, headers, body }) => response.writeHead(status, headers).end(body));
    });
    return issuer;
  }

  async end(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  /** A token for somebody, for whom it is meant. */
  token(person: string, audience: string, more: Record<string, unknown> = {}): string {
    const now = Math.floor(Date.now() / 1000);
    const claims = { iss: this.url, sub: `id-of-${person}`, aud: audience, iat: now, exp: now + 600 };
    const parts = [{ alg: "RS256", kid: "one" }, { ...claims, preferred_username: person, ...more }];
    const signed = parts.map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");
    return `${signed}.${sign("RSA-SHA256", Buffer.from(signed), this.keys.privateKey).toString("base64url")}`;
  }

  private async answer(request: IncomingMessage): Promise<Answer> {
    const { pathname, searchParams } = new URL(request.url ?? "/", this.url);
    switch (pathname) {
      case "/.well-known/openid-configuration":
        return json({
          issuer: this.url,
          jwks_uri: `${this.url}/keys`,
          authorization_endpoint: `${this.url}/authorize`,
          token_endpoint: `${this.url}/token`,
        });
      case "/keys":
        return json({ keys: [{ ...this.keys.publicKey.export({ format: "jwk" }), kid: "one", alg: "RS256" }] });
      case "/authorize":
        return { status: 200, headers: { "Content-Type": "text/html" }, body: asking(searchParams) };
      case "/chosen":
        return this.chosen(searchParams);
      case "/token":
        return this.exchange(request.headers.authorization ?? "", new URLSearchParams(await bodyOf(request)));
      // Browsers ask for `/favicon.ico` too.
      default:
        return { status: 204, headers: {}, body: "" };
    }
  }

  private chosen(asked: URLSearchParams): Answer {
    const text = (name: string): string => asked.get(name) ?? "";
    const [code, redirect] = [randomUUID(), text("redirect_uri")];
    const begun = { person: text("person"), nonce: text("nonce"), challenge: text("code_challenge"), redirect };
    this.codes.set(code, begun);
    const back = new URL(redirect);
    back.searchParams.set("code", code);
    back.searchParams.set("state", text("state"));
    return { status: 302, headers: { Location: back.href }, body: "" };
  }

  private exchange(credentials: string, form: URLSearchParams): Answer {
    const begun = this.codes.get(form.get("code") ?? "");
    this.codes.delete(form.get("code") ?? "");
    const isClient =
      form.get("client_secret") === CLIENT.secret ||
      credentials === `Basic ${Buffer.from([CLIENT.id, CLIENT.secret].map(encoded).join(":")).toString("base64")}`;
    const challenge = createHash("sha256").update(form.get("code_verifier") ?? "").digest("base64url");
    if (!begun || !isClient || begun.challenge !== challenge || begun.redirect !== form.get("redirect_uri")) {
      return { ...json({ error: "invalid_grant" }), status: 400 };
    }
    const id_token = this.token(begun.person, CLIENT.id, { nonce: begun.nonce });
    return json({ access_token: randomUUID(), token_type: "Bearer", id_token });
  }
}

interface Answer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

function json(value: unknown): Answer {
  return { status: 200, headers: { "Content-Type": "application/json" }, body: JSON.stringify(value) };
}

/** As a form has it: RFC 6749 wants it so in the header too. */
function encoded(text: string): string {
  return new URLSearchParams({ text }).toString().slice("text=".length);
}

function asking(asked: URLSearchParams): string {
  const links = ["anna", "ben"].map((person) => {
    const chosen = new URLSearchParams(asked);
    chosen.set("person", person);
    return `<a href="/chosen?${chosen.toString().replaceAll("&", "&amp;")}">${person}</a>`;
  });
  return `<!doctype html><title>Issuer</title><h1>Who are you?</h1>${links.join(" ")}`;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString();
}
