/**
 * A double of a Consul server as a real HTTP server, with the semantics that its documentation and
 * source state: compare-and-set answers 200 `false`, transactions of up to 128 operations are all
 * or nothing and answer 409, blocking queries, flags, TTL checks, and 200 `[]` for unknown
 * services. The contract suite of src/modules/executors/consul/ runs against it, and against a real
 * server when SETPOINT_TEST_CONSUL names one.
 */
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { ConsulCatalog } from "./consul-catalog.ts";
import type { AgentService } from "./consul-catalog.ts";
import { ConsulKv, maxOperations, maxValueBytes } from "./consul-kv.ts";
import type { KvOperation } from "./consul-kv.ts";

export interface ConsulPeer extends AsyncDisposable {
  readonly url: string;
  readonly token: string;
  /** Method and path of every request. */
  readonly requests: readonly string[];
  /** Runs before the next transaction with a write, as a client that is faster. */
  beforeNextWrite(run: () => Promise<void>): void;
}

export const consulToken = "consul-test-token";

export async function startConsul(): Promise<ConsulPeer> {
  const requests: string[] = [];
  const double = new ConsulDouble();
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    void double.answer(request, response).catch((error: unknown) => {
      response.writeHead(500).end(String(error));
    });
  });
  const listening = Promise.withResolvers<void>();
  server.listen(0, "127.0.0.1", () => listening.resolve());
  await listening.promise;
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    token: consulToken,
    requests,
    beforeNextWrite: (run) => {
      double.beforeWrite = run;
    },
    [Symbol.asyncDispose]: async () => {
      double.close();
      const closed = Promise.withResolvers<void>();
      server.close(() => closed.resolve());
      server.closeAllConnections();
      await closed.promise;
    },
  };
}

class ConsulDouble {
  readonly #waiting = new Set<() => void>();
  readonly #kv: ConsulKv = new ConsulKv(() => this.#wake());
  readonly #catalog = new ConsulCatalog(() => this.#kv.bump());
  beforeWrite: (() => Promise<void>) | undefined;

  close(): void {
    this.#catalog.close();
    this.#wake();
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", "http://consul");
    const body = await bodyOf(request);
    if (request.headers["x-consul-token"] !== consulToken) {
      return send(response, 403, "Permission denied: token with AccessorID '...' lacks permission");
    }
    const dc = url.searchParams.get("dc") ?? "dc1";
    if (dc !== "dc1") return send(response, 500, `No path to datacenter`);
    const path = decodeURIComponent(url.pathname);
    if (path === "/v1/status/leader") return send(response, 200, "127.0.0.1:8300");
    if (path === "/v1/catalog/datacenters") return send(response, 200, ["dc1"]);
    if (path === "/v1/txn") return await this.#transaction(response, body);
    if (path.startsWith("/v1/kv/")) {
      return await this.#keys(request, response, { url, body, key: path.slice("/v1/kv/".length) });
    }
    if (path.startsWith("/v1/health/service/")) return await this.#health(response, url, path);
    if (path.startsWith("/v1/agent/") && request.method === "PUT") {
      return this.#agent(response, { url, body, path: path.slice("/v1/agent/".length) });
    }
    send(response, 404, "Not found");
  }

  async #transaction(response: ServerResponse, body: Buffer): Promise<void> {
    if (body.length > maxValueBytes) return send(response, 413, "Request body too large");
    const operations = (JSON.parse(body.toString()) as readonly { KV: KvOperation }[]).map(
      ({ KV }) => KV,
    );
    if (operations.length > maxOperations) {
      const message = `Transaction contains too many operations (${operations.length} > 128)`;
      return send(response, 413, message);
    }
    if (operations.some(({ Verb }) => !Verb.startsWith("get"))) await this.#beforeWrite();
    const outcome = this.#kv.transaction(operations);
    const isDone = "results" in outcome;
    const Results = isDone ? outcome.results : null;
    send(response, isDone ? 200 : 409, { Results, Errors: isDone ? null : outcome.errors });
  }

  async #keys(
    request: IncomingMessage,
    response: ServerResponse,
    { url, body, key }: { readonly url: URL; readonly body: Buffer; readonly key: string },
  ): Promise<void> {
    const query = url.searchParams;
    const cas = query.get("cas");
    if (request.method === "GET") {
      await this.#block(query);
      return this.#read(response, query, key);
    }
    if (cas !== null && (query.has("acquire") || query.has("release"))) {
      return send(response, 400, "Conflicting flags: cas, acquire and release are exclusive");
    }
    if (body.length > maxValueBytes) return send(response, 413, "Value exceeds 524288 byte limit");
    const Index = Number(cas ?? 0);
    if (request.method === "PUT") {
      const Flags = Number(query.get("flags") ?? 0);
      const Value = body.length === 0 ? null : body.toString("base64");
      const Verb = cas === null ? "set" : "cas";
      const outcome = this.#kv.transaction([{ Verb, Key: key, Value, Flags, Index }]);
      return send(response, 200, "results" in outcome);
    }
    if (request.method === "DELETE") {
      const plain = cas === null ? "delete" : "delete-cas";
      const Verb = query.has("recurse") ? "delete-tree" : plain;
      const outcome = this.#kv.transaction([{ Verb, Key: key, Index }]);
      return send(response, 200, "results" in outcome);
    }
    send(response, 405, "method not allowed");
  }

  #read(response: ServerResponse, query: URLSearchParams, key: string): void {
    const index = { "x-consul-index": String(this.#kv.index) };
    if (query.has("keys")) {
      const names = this.#kv.below(key).map(({ Key }) => Key);
      const separator = query.get("separator") ?? "";
      const cut = names.map((name) => {
        const at = separator === "" ? -1 : name.indexOf(separator, key.length);
        return at < 0 ? name : name.slice(0, at + separator.length);
      });
      if (names.length === 0) return send(response, 404, undefined, index);
      return send(response, 200, [...new Set(cut)], index);
    }
    if (query.has("recurse")) {
      const entries = this.#kv.below(key);
      return send(response, entries.length === 0 ? 404 : 200, entries, index);
    }
    const entry = this.#kv.get(key);
    if (entry === undefined) return send(response, 404, undefined, index);
    if (query.has("raw")) {
      response.writeHead(200, index).end(Buffer.from(entry.Value ?? "", "base64"));
      return;
    }
    send(response, 200, [entry], index);
  }

  async #health(response: ServerResponse, url: URL, path: string): Promise<void> {
    const query = url.searchParams;
    await this.#block(query);
    const name = path.slice("/v1/health/service/".length);
    const found = this.#catalog.health(name, query.get("tag") ?? "");
    send(response, 200, found, { "x-consul-index": String(this.#kv.index) });
  }

  #agent(
    response: ServerResponse,
    { url, body, path }: { readonly url: URL; readonly body: Buffer; readonly path: string },
  ): void {
    const [area = "", verb = "", ...rest] = path.split("/");
    const id = rest.join("/");
    switch (`${area}/${verb}`) {
      case "service/register":
        this.#catalog.register(JSON.parse(body.toString()) as AgentService);
        return send(response, 200, undefined);
      case "service/deregister": {
        if (this.#catalog.deregister(id)) return send(response, 200, undefined);
        return send(response, 404, `Unknown service ID "${id}"`);
      }
      case "service/maintenance":
        this.#catalog.maintain(id, url.searchParams.get("enable") === "true");
        return send(response, 200, undefined);
      case "check/pass":
      case "check/warn":
      case "check/fail": {
        const status = { pass: "passing", warn: "warning", fail: "critical" }[verb] ?? "";
        if (this.#catalog.report(id, status)) return send(response, 200, undefined);
        return send(response, 404, `Unknown check ID "${id}"`);
      }
      default:
        send(response, 404, "Not found");
    }
  }

  /** Until something has changed after the index, or the wait is over. */
  async #block(query: URLSearchParams): Promise<void> {
    const index = Number(query.get("index") ?? 0);
    if (index === 0 || this.#kv.index > index) return;
    const waitMs = durationMs(query.get("wait") ?? "5m");
    const woken = Promise.withResolvers<void>();
    const timer = setTimeout(() => woken.resolve(), Math.min(waitMs, 600_000));
    this.#waiting.add(woken.resolve);
    await woken.promise;
    clearTimeout(timer);
    this.#waiting.delete(woken.resolve);
  }

  #wake(): void {
    for (const wake of this.#waiting) wake();
  }

  async #beforeWrite(): Promise<void> {
    const run = this.beforeWrite;
    this.beforeWrite = undefined;
    await run?.();
  }
}

function durationMs(text: string): number {
  const [, number = "0", unit = ""] = /^(\d+(?:\.\d+)?)(ms|s|m)$/.exec(text) ?? [];
  return Number(number) * ({ ms: 1, s: 1_000, m: 60_000 }[unit] ?? 0);
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Errors are plain text, as in Consul. */
function send(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  const isText = status >= 400 && typeof body === "string";
  const type = isText ? "text/plain" : "application/json";
  response.writeHead(status, { "content-type": type, ...headers });
  if (body === undefined) response.end();
  else response.end(isText ? body : JSON.stringify(body));
}
