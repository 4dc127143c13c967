// A real server for the tests of the Kubernetes surface: in this process, on a free port, with its
// data in a folder that goes away with it. Requests are made as clients make them, over TLS, so
// that codes, headers and bytes are those that a client gets.
import { readFile, mkdtemp, rm } from "node:fs/promises";
import { Agent, request as httpsRequest } from "node:https";
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Sections } from "../../src/app/config-sections.ts";
import { serveConfig } from "../../src/app/config.ts";
import type { OidcFileConfig } from "../../src/app/oidc-file.ts";
import { startServer } from "../../src/app/serve.ts";
import type { WatchHub } from "../../src/intents/watch/watch-hub.ts";
import { parseExact } from "../../src/kernel/int64.ts";
import type { Store } from "../../src/store/port.ts";
import { systemClock } from "../../src/kernel/clock.ts";
import { logger } from "../../src/telemetry/log.ts";
import type { Logger } from "../../src/telemetry/log.ts";
import { openWatch } from "./watch-stream.ts";
import type { WatchStream } from "./watch-stream.ts";

export type RequestHeaders = Readonly<Record<string, string | readonly string[]>>;

export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  readonly text: string;
  /** The body read as JSON; undefined when it is not. */
  readonly json: unknown;
}

export interface KubeServer extends AsyncDisposable {
  readonly url: string;
  /** Of the administrator, who may do everything. */
  readonly token: string;
  /** The authority that signed the server's certificate, as PEM. */
  readonly ca: string;
  readonly kubeconfig: string;
  /** The origin of the console without TLS. */
  readonly loopback: string;
  readonly store: Store;
  readonly hub: WatchHub;
  /** Errors that the server logged: nothing that a client does may add one. */
  readonly errors: readonly string[];
  /** Every line of the log. */
  readonly lines: readonly string[];
  /** An object goes out as JSON (a merge patch when patching), a text or bytes as they are. */
  request(method: string, path: string, body?: unknown, headers?: RequestHeaders): Promise<Reply>;
  watch(path: string, headers?: RequestHeaders): Promise<WatchStream>;
  stop(): Promise<void>;
}

export interface KubeServerOptions {
  /** postgres://...; a SQLite file in the temporary folder when left out. */
  readonly store?: string;
  /** The file of the key ring, which servers of one store share; a new one when left out. */
  readonly keys?: string;
  /** The loopback address of the console without TLS; none when left out. */
  readonly consoleListen?: string;
  /** Files of the audit log; none is written when they are left out. */
  readonly auditPolicy?: string;
  readonly auditLog?: string;
  /** How long a client may take nothing of its answer before it is cut off. */
  readonly writeStallMs?: number;
  /** How often the pace of a request body is checked. */
  readonly bodyPaceMs?: number;
  /** The memory of all requests in progress. */
  readonly maxBytesInFlight?: number;
  /** The folder of the installation whose console is served. */
  readonly consoleRoot?: string;
  /** Files of modules, whose reconcilers run in the server. */
  readonly module?: readonly string[];
  readonly console?: boolean;
  /** With commas between them; all roles when left out. */
  readonly roles?: string;
  /** The collector that spans are sent to, and headers of the requests to it. */
  readonly traceEndpoint?: string;
  readonly traceHeaders?: string;
  /** The configuration of built-in modules, as the file has it. */
  readonly sections?: Sections;
  /** OpenID providers, as the file has them. */
  readonly oidc?: readonly OidcFileConfig[];
}

export async function startKubeServer({
  writeStallMs,
  bodyPaceMs,
  maxBytesInFlight,
  consoleRoot,
  sections = {},
  oidc = [],
  ...options
}: KubeServerOptions = {}): Promise<KubeServer> {
  const folder = await mkdtemp(join(tmpdir(), "setpoint-kube-"));
  const errors: string[] = [];
  const lines: string[] = [];
  const config = serveConfig(
    { data: folder, listen: "127.0.0.1:0", ...options },
    { sections, oidc },
  );
  const limited = {
    ...(writeStallMs === undefined ? {} : { writeStallMs }),
    ...(bodyPaceMs === undefined ? {} : { bodyPaceMs }),
    ...(maxBytesInFlight === undefined ? {} : { maxBytesInFlight }),
    ...(consoleRoot === undefined ? {} : { consoleRoot }),
  };
  const server = await startServer(config, collectingLog(errors, lines), limited);
  const token = (await readFile(join(folder, "admin.token"), "utf8")).trim();
  const ca = await readFile(server.authorityFile ?? "", "utf8");
  const agent = new Agent({ keepAlive: true, ca });
  const { url } = server;
  const send = (
    method: string,
    path: string,
    body: unknown,
    headers: RequestHeaders = {},
  ): Promise<IncomingMessage> => {
    const given = { accept: "application/json", authorization: `Bearer ${token}`, ...headers };
    return sendRequest({ agent, url, method, path, body, headers: given });
  };
  let stopped: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    await server.stop();
    agent.destroy();
    await rm(folder, { recursive: true, force: true });
  };
  return {
    url,
    token,
    ca,
    kubeconfig: server.kubeconfig,
    loopback: server.console.loopbackOrigin ?? "",
    store: server.store,
    hub: server.hub,
    errors,
    lines,
    request: async (method, path, body, headers) =>
      await replyOf(await send(method, path, body, headers)),
    watch: async (path, headers) => openWatch(await send("GET", path, undefined, headers)),
    stop: async () => await (stopped ??= stop()),
    async [Symbol.asyncDispose]() {
      await (stopped ??= stop());
    },
  };
}

/** What stands at a path such as "metadata.labels.app" or "items.0.spec"; undefined if nothing. */
export function pick(value: unknown, path: string): unknown {
  let at = value;
  for (const name of path.split(".")) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, name)) return undefined;
    at = (at as Readonly<Record<string, unknown>>)[name];
  }
  return at;
}

export function pickText(value: unknown, path: string): string {
  const found = pick(value, path);
  if (typeof found !== "string") throw new Error(`no text at ${path}: ${JSON.stringify(value)}`);
  return found;
}

export function pickList(value: unknown, path: string): readonly unknown[] {
  const found = pick(value, path);
  if (!Array.isArray(found)) throw new Error(`no list at ${path}: ${JSON.stringify(value)}`);
  return found as readonly unknown[];
}

function collectingLog(errors: string[], lines: string[]): Logger {
  const log = logger((line) => void lines.push(line), systemClock, "debug");
  return {
    debug: (fields, message) => log.debug(fields, message),
    info: (fields, message) => log.info(fields, message),
    warn: (fields, message) => log.warn(fields, message),
    error: (fields, message) => {
      log.error(fields, message);
      const { error } = fields;
      const why = error instanceof Error ? (error.stack ?? error.message) : JSON.stringify(fields);
      errors.push(`${message}: ${why}`);
    },
  };
}

interface Sending {
  readonly agent: Agent;
  readonly url: string;
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
  readonly headers: RequestHeaders;
}

async function sendRequest(sending: Sending): Promise<IncomingMessage> {
  const { agent, url, method, path, body, headers } = sending;
  const bytes = bodyBytes(body);
  const isText = typeof body === "string" || Buffer.isBuffer(body);
  const json = method === "PATCH" ? "application/merge-patch+json" : "application/json";
  const all = {
    ...(bytes === undefined || isText ? {} : { "content-type": json }),
    ...(bytes === undefined ? {} : { "content-length": String(bytes.length) }),
    ...headers,
  };
  const { hostname, port } = new URL(url);
  return await new Promise<IncomingMessage>((resolve, reject) => {
    // The path is sent as it is: a URL object would tidy up what a test wants to send.
    const call = httpsRequest({ agent, hostname, port, method, path, headers: { ...all } });
    call.once("response", resolve);
    call.once("error", reject);
    call.end(bytes);
  });
}

function bodyBytes(body: unknown): Buffer | undefined {
  if (body === undefined) return undefined;
  if (Buffer.isBuffer(body)) return body;
  return Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
}

async function replyOf(response: IncomingMessage): Promise<Reply> {
  const parts: Buffer[] = [];
  for await (const part of response) parts.push(part as Buffer);
  const bytes = Buffer.concat(parts);
  const text = bytes.toString("utf8");
  const { statusCode = 0, headers } = response;
  return { status: statusCode, headers, bytes, text, json: jsonOf(text) };
}

function jsonOf(text: string): unknown {
  try {
    return parseExact(text);
  } catch {
    return undefined;
  }
}
