// A proxy in front of a service that does to requests and answers what networks and bad days do:
// loses the answer after the service has acted, says 500 or 429, answers HTML, lies about success,
// holds on, cuts, or is not there at all. Nothing happens by chance: a test sets a rule, the rule
// counts what it has done, and the test takes it back. Every request is written down, so that it
// can be proven what was never sent; what the service itself could not do, as its database was
// locked, is sent again by right, is none of what was done, and is no occasion for a rule.
import { once } from "node:events";
import { createServer, request as httpRequest } from "node:http";
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { createServer as createTlsServer, request as httpsRequest } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { waitUntil } from "./wait.ts";

export type Fault =
  /** The service does it, and the connection breaks before the answer comes. */
  | { readonly kind: "lose" }
  /** The service does it, and somebody on the way answers something else. */
  | { readonly kind: "replace"; readonly answer: Canned }
  /** The service never hears of it; with a status of success it is a lie. */
  | { readonly kind: "answer"; readonly answer: Canned }
  /** The service never hears of it, and the connection breaks. */
  | { readonly kind: "cut" }
  /** The service never hears of it, and nobody answers, until the rule is released. */
  | { readonly kind: "hold" }
  /** The service does it, and its answer waits until the rule is released. */
  | { readonly kind: "hold answer" };

export interface Canned {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** What a rule is about: all of it must fit. */
export interface Match {
  readonly method?: string | readonly string[];
  /** The path without its query: the text is its end, or the expression fits. */
  readonly path?: string | RegExp;
  /** A part of the query, as it is sent. */
  readonly query?: string;
  /** A part of what is sent. */
  readonly body?: string;
}

export interface Rule {
  /** How many requests it has had its way with; the service has acted where that is part of it. */
  readonly hits: number;
  /** It does nothing more, and what it holds goes on. */
  release(): void;
  /** Until there were that many. */
  hit(times?: number): Promise<void>;
}

export interface Seen {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly atMs: number;
  /** What the service answered; 0 while it has not, or when it was never asked. */
  readonly status: number;
  readonly fault: Fault["kind"] | undefined;
}

export interface FaultProxy extends AsyncDisposable {
  readonly url: string;
  readonly seen: readonly Seen[];
  /** Requests that are meant to change something. */
  writes(match?: Match): readonly Seen[];
  /** Writes that the service has carried out. */
  done(match?: Match): readonly Seen[];
  requests(match?: Match): readonly Seen[];
  /** The newest rule that fits counts; it ends by itself after that many times. */
  on(match: Match, fault: Fault, times?: number): Rule;
  /** Every connection is cut at once, until it comes back. */
  vanish(): void;
  comeBack(): void;
  /** Releases every rule. */
  clear(): void;
}

export interface FaultProxyOptions {
  /** Where the service is now: it may come back elsewhere. */
  readonly target: () => string;
  /** The certificate of the proxy, and the authority of a service that has HTTPS as well. */
  readonly tls?: { readonly pem: string; readonly ca: string };
}

export async function startFaultProxy(options: FaultProxyOptions): Promise<FaultProxy> {
  const { tls } = options;
  const rules: ActiveRule[] = [];
  const seen: Writable[] = [];
  const sockets = new Set<Socket>();
  let isGone = false;
  const handle = (asked: IncomingMessage, answer: ServerResponse): void => {
    void serve({ options, rules, seen, asked, answer }).catch(() => answer.destroy());
  };
  const server =
    tls === undefined
      ? createServer(handle)
      : createTlsServer({ key: tls.pem, cert: tls.pem }, handle);
  server.on("connection", (socket: Socket) => {
    if (isGone) return socket.destroy();
    sockets.add(socket);
    return socket.once("close", () => sockets.delete(socket));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const requests: FaultProxy["requests"] = (match = {}) => seen.filter((one) => fits(match, one));
  const writes: FaultProxy["writes"] = (match) =>
    requests(match).filter(({ method }) => !["GET", "HEAD"].includes(method));
  const clear = (): void => {
    for (const rule of rules.splice(0)) rule.release();
  };
  return {
    url: `${tls === undefined ? "http" : "https"}://127.0.0.1:${port}`,
    seen,
    requests,
    writes,
    done: (match) => writes(match).filter(({ status }) => status >= 200 && status < 300),
    on: (match, fault, times) => {
      const rule = new ActiveRule(match, fault, times ?? Number.POSITIVE_INFINITY);
      rules.unshift(rule);
      return rule;
    },
    vanish: () => {
      isGone = true;
      for (const socket of sockets) socket.destroy();
    },
    comeBack: () => {
      isGone = false;
    },
    clear,
    [Symbol.asyncDispose]: async () => {
      clear();
      const closed = once(server, "close");
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

type Writable = { -readonly [key in keyof Seen]: Seen[key] };

class ActiveRule implements Rule {
  readonly match: Match;
  readonly fault: Fault;
  readonly #times: number;
  readonly #released = Promise.withResolvers<void>();
  #isOver = false;
  #taken = 0;
  #hits = 0;

  constructor(match: Match, fault: Fault, times: number) {
    this.match = match;
    this.fault = fault;
    this.#times = times;
  }

  get hits(): number {
    return this.#hits;
  }

  get released(): Promise<void> {
    return this.#released.promise;
  }

  /** Whether it takes this request; one that does has taken it. */
  takes(request: Seen): boolean {
    if (this.#isOver || this.#taken >= this.#times || !fits(this.match, request)) return false;
    this.#taken += 1;
    return true;
  }

  /** The service could not do it, so that there is nothing to have its way with. */
  giveBack(): void {
    this.#taken -= 1;
  }

  count(): void {
    this.#hits += 1;
  }

  release(): void {
    this.#isOver = true;
    this.#released.resolve();
  }

  async hit(times = 1): Promise<void> {
    const what = `${times} requests like ${JSON.stringify(this.match)} (${this.fault.kind})`;
    await waitUntil(what, () => this.#hits >= times, { limitMs: 120_000 });
  }
}

function fits({ method, path, query, body }: Match, request: Seen): boolean {
  if (body !== undefined && !request.body.includes(body)) return false;
  const [at = "", ...rest] = request.path.split("?");
  if (query !== undefined && !rest.join("?").includes(query)) return false;
  const methods = typeof method === "string" ? [method] : method;
  if (methods !== undefined && !methods.includes(request.method)) return false;
  if (path === undefined) return true;
  return typeof path === "string" ? at.endsWith(path) : path.test(at);
}

interface Exchange {
  readonly options: FaultProxyOptions;
  readonly rules: readonly ActiveRule[];
  readonly seen: Writable[];
  readonly asked: IncomingMessage;
  readonly answer: ServerResponse;
}

async function serve({ options, rules, seen, asked, answer }: Exchange): Promise<void> {
  const { method = "", url: path = "", headers } = asked;
  const body = Buffer.concat((await asked.toArray()) as Buffer[]);
  const one: Writable = {
    method,
    path,
    headers,
    body: body.toString("utf8"),
    atMs: performance.now(),
    status: 0,
    fault: undefined,
  };
  const rule = rules.find((each) => each.takes(one));
  one.fault = rule?.fault.kind;
  seen.push(one);
  switch (rule?.fault.kind) {
    case "cut":
      rule.count();
      return void answer.destroy();
    case "answer":
      rule.count();
      return say(answer, rule.fault.answer);
    case "hold":
      rule.count();
      await rule.released;
      // Who asked may have given up, and is never heard then.
      if (asked.socket.destroyed) return undefined;
      break;
    default:
      break;
  }
  const told = await handOn(options, one, body);
  one.status = told.status;
  if (rule !== undefined && rule.fault.kind !== "hold") {
    if (told.status < 500) return await afterwards(rule, told, answer);
    rule.giveBack();
    one.fault = undefined;
  }
  return handBack(answer, told);
}

/** The service has acted: what becomes of its answer. */
async function afterwards(rule: ActiveRule, told: Told, answer: ServerResponse): Promise<void> {
  rule.count();
  switch (rule.fault.kind) {
    case "lose":
      return void answer.destroy();
    case "replace":
      return say(answer, rule.fault.answer);
    case "hold answer":
      await rule.released;
      return handBack(answer, told);
    default:
      return handBack(answer, told);
  }
}

function handBack(answer: ServerResponse, { status, headers, body }: Told): void {
  answer.writeHead(status, headers).end(body);
}

function say(answer: ServerResponse, { status, headers = {}, body = "" }: Canned): void {
  answer.writeHead(status, headers).end(body);
}

interface Told {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

const perConnection = new Set(["connection", "keep-alive", "transfer-encoding"]);

async function handOn({ target, tls }: FaultProxyOptions, one: Seen, body: Buffer): Promise<Told> {
  const { promise, resolve, reject } = Promise.withResolvers<Told>();
  const { method, path } = one;
  const headers = { ...one.headers, connection: "close" };
  const options = { method, headers, agent: false };
  const url = new URL(path, target());
  const sending =
    url.protocol === "http:"
      ? httpRequest(url, options)
      : httpsRequest(url, { ...options, ca: tls?.ca });
  sending.once("error", reject);
  sending.once("response", (response) => {
    const parts: Buffer[] = [];
    response.on("data", (part: Buffer) => parts.push(part));
    response.once("error", reject);
    response.once("end", () => {
      const { statusCode: status = 0, headers: told } = response;
      // They are about one connection, and this answer goes over another.
      const kept = Object.entries(told).filter(([name]) => !perConnection.has(name));
      resolve({ status, headers: Object.fromEntries(kept), body: Buffer.concat(parts) });
    });
  });
  sending.end(body);
  return await promise;
}
