// Asks a service on behalf of resources: addresses below the base, credentials, and one answer for
// each request. Nothing that it throws or answers holds what it was authenticated with.

import type { Clock } from "../../../kernel/clock.ts";
import type { Timers } from "../../../kernel/timers.ts";
import type { RestRequest } from "../plan/requests.ts";
import { readAnswer } from "./answer.ts";
import type { Answer } from "./answer.ts";
import { bodyBytes } from "./body-bytes.ts";
import { resolveAddress, targetBelow } from "./border.ts";
import type { Resolved } from "./border.ts";
import type { ConnectionSettings } from "./connection.ts";
import { secretTextsOf } from "./connection.ts";
import { credentialSource } from "./credentials.ts";
import type { Credentials } from "./credentials.ts";
import { ExchangeFailed } from "./exchange.ts";
import type { OpenWire, RawRequest } from "./exchange.ts";
import { hider } from "../../../kernel/hider.ts";
import { withoutProof } from "./hiding.ts";
import type { Hide } from "../../../kernel/hider.ts";
import { tokenBucket } from "./token-bucket.ts";
import type { TokenBucket } from "./token-bucket.ts";

export interface RestClient extends Disposable {
  readonly settings: ConnectionSettings;
  readonly bucket: TokenBucket | undefined;
  send(request: ClientRequest, signal: AbortSignal): Promise<Answer>;
  /** Of an address in the answer to a request. */
  resolve(address: string, from: string): Resolved;
  /** The target of a path below the base. */
  targetOf(path: string): string;
  /** Method and address, for people: without the query, and nothing in it that is secret. */
  nameOf(request: ClientRequest): string;
  /** The text without what must not be shown. */
  hide(text: string): string;
}

/** A path below the base, or a target that was resolved within the border. */
export type ClientRequest = RestRequest & {
  readonly isTarget?: boolean;
  readonly headers?: { readonly [name: string]: string };
};

export interface ClientPorts {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly openWire: OpenWire;
}

export function openClient(settings: ConnectionSettings, ports: ClientPorts): RestClient {
  const wire = ports.openWire(settings);
  const credentials = credentialSource(settings, ports);
  const { base, rate } = settings;
  const fixed = hider(secretTextsOf(settings));
  let tokens: { readonly of: readonly string[]; readonly hide: Hide } | undefined;
  const hide = (text: string): string => {
    const of = credentials.secrets();
    if (tokens?.of !== of) tokens = { of, hide: hider(of) };
    return tokens.hide(fixed(text));
  };
  const { auth } = settings;
  const proofs = auth.kind === "apiKey" && auth.in === "query" ? [auth.name] : [];
  const once = async (request: ClientRequest, signal: AbortSignal): Promise<Answer> => {
    const proof = await unsentUnless(credentials.get(signal));
    return hidden(readAnswer(await wire.exchange(rawRequest(settings, request, proof), signal)));
  };
  const hidden = (answer: Answer): Answer =>
    answer.text === "" ? answer : { ...answer, text: hide(answer.text) };
  return {
    settings,
    bucket: rate === undefined ? undefined : tokenBucket(rate, ports.clock),
    send: async (request, signal) => {
      const answer = await once(request, signal);
      if (answer.status !== 401 || !credentials.refused()) return answer;
      return await once(request, signal);
    },
    resolve: (address, from) => {
      const resolved = resolveAddress(base, address, from);
      if (resolved.kind === "outside") return resolved;
      // It is added to each request anyway, and must not be stored with the address.
      return { kind: "target", target: withoutProof(resolved.target, proofs) };
    },
    targetOf: (path) => targetBelow(base, path),
    nameOf: ({ method, path, isTarget = false }) => {
      const [target = ""] = (isTarget ? path : targetBelow(base, path)).split("?");
      const place = base.kind === "url" ? base.url.origin : `unix:${base.socketPath}:`;
      return hide(`${method} ${place}${target}`);
    },
    hide,
    [Symbol.dispose]: () => {
      wire[Symbol.dispose]();
      credentials[Symbol.dispose]();
    },
  };
}

/** Who gives no token keeps the request from being sent. */
async function unsentUnless(credentials: Promise<Credentials>): Promise<Credentials> {
  try {
    return await credentials;
  } catch (error) {
    if (!(error instanceof ExchangeFailed)) throw error;
    throw new ExchangeFailed(error.reason, `token request: ${error.message}`, true);
  }
}

function rawRequest(
  settings: ConnectionSettings,
  request: ClientRequest,
  { headers: proof, query: proofQuery }: Credentials,
): RawRequest {
  const { base } = settings;
  const { method, path, query = {}, isTarget = false } = request;
  const whole = isTarget ? path : targetBelow(base, path);
  const body = request.body === undefined ? undefined : bodyBytes(request.body, request.mediaType);
  const host = base.kind === "url" ? base.url.host : "localhost";
  return {
    method,
    target: withQuery(whole, { ...query, ...proofQuery }),
    headers: {
      accept: "application/json, */*;q=0.5",
      "user-agent": "setpoint",
      ...lowerKeys(settings.headers),
      ...lowerKeys(request.headers ?? {}),
      host,
      ...(body === undefined
        ? method === "GET"
          ? {}
          : { "content-length": "0" }
        : {
            "content-type": request.mediaType ?? "application/json",
            "content-length": String(body.length),
          }),
      ...(request.ifMatch === undefined ? {} : { "if-match": request.ifMatch }),
      ...proof,
    },
    body,
  };
}

function withQuery(target: string, query: { readonly [name: string]: string }): string {
  const text = new URLSearchParams(query).toString();
  if (text === "") return target;
  return `${target}${target.includes("?") ? "&" : "?"}${text}`;
}

function lowerKeys(headers: { readonly [name: string]: string }): {
  readonly [name: string]: string;
} {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
}
