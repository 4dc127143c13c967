// Adds to a request who asks. Tokens of OAuth are fetched when they are needed, kept until shortly
// before they end, and fetched anew once when the service refuses one.

import type { Clock } from "../../../kernel/clock.ts";
import { numberAt, textAt } from "../../../kernel/json-read.ts";
import { errorFacts, isSuccess, readAnswer } from "./answer.ts";
import { secretTextsOf } from "./connection.ts";
import type { Auth, ConnectionSettings } from "./connection.ts";
import { ExchangeFailed } from "./exchange.ts";
import type { OpenWire, RawAnswer } from "./exchange.ts";
import { hider } from "../../../kernel/hider.ts";

export interface Credentials {
  readonly headers: { readonly [name: string]: string };
  readonly query: { readonly [name: string]: string };
}

export interface CredentialSource extends Disposable {
  get(signal: AbortSignal): Promise<Credentials>;
  /** The service did not accept them: whether it is worth trying with new ones. */
  refused(): boolean;
  /** What was got, and must not be shown: the last two, as answers may come late. */
  secrets(): readonly string[];
}

const endsEarlyMs = 30_000;
const defaultLifeSeconds = 300;

export function credentialSource(
  settings: ConnectionSettings,
  { clock, openWire }: { readonly clock: Clock; readonly openWire: OpenWire },
): CredentialSource {
  const { auth } = settings;
  if (auth.kind !== "oauth") {
    const fixed = fixedCredentials(auth);
    return {
      get: () => Promise.resolve(fixed),
      refused: () => false,
      secrets: () => [],
      [Symbol.dispose]: () => undefined,
    };
  }
  const base = { kind: "url", url: auth.tokenUrl } as const;
  const wire = openWire({ ...settings, base });
  let token: { readonly value: string; readonly untilMs: number } | undefined;
  let fetching: Promise<string> | undefined;
  let got: readonly string[] = [];
  const hide = hider(secretTextsOf(settings));
  const { origin, pathname } = auth.tokenUrl;
  const request = hide(`POST ${origin}${pathname}`);
  const asked = async (signal: AbortSignal): Promise<RawAnswer> => {
    try {
      return await wire.exchange(tokenRequest(auth), signal);
    } catch (error) {
      throw error instanceof ExchangeFailed ? error.about(request) : error;
    }
  };
  const fetchToken = async (signal: AbortSignal): Promise<string> => {
    const answer = readAnswer(await asked(signal));
    const value = textAt(answer.json, "access_token");
    if (!isSuccess(answer) || value === "") {
      const { status, message } = errorFacts(answer, hide);
      throw new TokenRefused(`${request}: ${status} ${message}`);
    }
    const seconds = numberAt(answer.json, "expires_in") ?? defaultLifeSeconds;
    got = [value, ...got].slice(0, 2);
    token = { value, untilMs: clock.nowMs() + Math.max(0, seconds * 1_000 - endsEarlyMs) };
    return value;
  };
  return {
    get: async (signal) => {
      if (token === undefined || token.untilMs <= clock.nowMs()) {
        fetching ??= fetchToken(signal).finally(() => (fetching = undefined));
        return bearer(await fetching);
      }
      return bearer(token.value);
    },
    refused: () => {
      const had = token !== undefined;
      token = undefined;
      return had;
    },
    secrets: () => got,
    [Symbol.dispose]: () => wire[Symbol.dispose](),
  };
}

/** Who gives tokens gave none. */
export class TokenRefused extends ExchangeFailed {
  constructor(message: string) {
    super("ConnectionFailed", `no token returned: ${message}`, true);
    this.name = "TokenRefused";
  }
}

function fixedCredentials(auth: Exclude<Auth, { kind: "oauth" }>): Credentials {
  switch (auth.kind) {
    case "basic": {
      const pair = Buffer.from(`${auth.username}:${auth.password}`).toString("base64");
      return { headers: { authorization: `Basic ${pair}` }, query: {} };
    }
    case "bearer":
      return bearer(auth.token);
    case "apiKey":
      return auth.in === "header"
        ? { headers: { [auth.name.toLowerCase()]: auth.value }, query: {} }
        : { headers: {}, query: { [auth.name]: auth.value } };
    default:
      return { headers: {}, query: {} };
  }
}

function bearer(token: string): Credentials {
  return { headers: { authorization: `Bearer ${token}` }, query: {} };
}

function tokenRequest(auth: Extract<Auth, { kind: "oauth" }>): {
  readonly method: string;
  readonly target: string;
  readonly headers: { readonly [name: string]: string };
  readonly body: Buffer;
} {
  const form = new URLSearchParams({ grant_type: "client_credentials" });
  if (auth.scope !== "") form.set("scope", auth.scope);
  if (auth.audience !== "") form.set("audience", auth.audience);
  const pair = [auth.clientId, auth.clientSecret].map(encodeURIComponent).join(":");
  const body = Buffer.from(form.toString());
  return {
    method: "POST",
    target: `${auth.tokenUrl.pathname}${auth.tokenUrl.search}`,
    headers: {
      authorization: `Basic ${Buffer.from(pair).toString("base64")}`,
      "content-type": "application/x-www-form-urlencoded",
      "content-length": String(body.length),
      accept: "application/json",
    },
    body,
  };
}
