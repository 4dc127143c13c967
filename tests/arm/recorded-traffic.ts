// The traffic of a test suite, held against the documents that the server itself gives out: of each
// exchange that is about an api-version that a provider has. It is looked at when the suite ends,
// which costs the requests themselves nothing.
import assert from "node:assert/strict";
import { isJsonObject } from "../../src/kernel/json.ts";
import type { Json, JsonObject } from "../../src/kernel/json.ts";
import type { KubeServer, Reply } from "../kube/server.ts";
import { swaggerProblems } from "./swagger-traffic.ts";
import type { RecordedExchange } from "./swagger-traffic.ts";

type Asked = Pick<Reply, "status" | "json" | "text">;

export interface Traffic {
  record(method: string, url: string, sent: unknown, reply: Asked): void;
  /** Fails with all that the documents do not allow. */
  check(server: Pick<KubeServer, "request">): Promise<void>;
}

interface Recorded {
  readonly document: string;
  readonly exchange: RecordedExchange;
}

/** More would be held in memory for nothing: suites repeat themselves. */
const maxRecorded = 5_000;
const maxProblems = 20;

export function recordTraffic(): Traffic {
  let recorded: Recorded[] = [];
  return {
    record: (method, url, sent, reply) => {
      const document = documentOf(url);
      const { status, json, text } = reply;
      // As of any GET, which has it from HTTP: one without its body.
      const isBare = method === "HEAD" || (status === 304 && text === "");
      if (document === undefined || isBare || recorded.length >= maxRecorded) return;
      const received = text === "" ? undefined : ((json ?? null) as Json);
      const path = plainPath(url);
      const exchange = { method, path, sent: jsonOf(sent), status, received };
      recorded.push({ document, exchange });
    },
    check: async (server) => {
      const found = new Map<string, JsonObject | undefined>();
      const problems: string[] = [];
      for (const { document, exchange } of recorded) {
        if (problems.length >= maxProblems) break;
        if (!found.has(document)) found.set(document, await readDocument(server, document));
        const known = found.get(document);
        if (known === undefined) continue;
        const { method, path, status } = exchange;
        for (const problem of swaggerProblems(known, exchange)) {
          problems.push(`${method} ${path} answered ${status}: ${problem}`);
        }
      }
      recorded = [];
      assert.deepEqual(problems, []);
    },
  };
}

/** What the Resource Manager itself asks for, which documents of providers do not tell. */
const common = /\/preflight(?:\?|$)/i;

/** Where the document is that describes the URL, in small letters. */
function documentOf(url: string): string | undefined {
  if (common.test(url)) return undefined;
  const provider = /\/providers\/+([^/?]+)/i.exec(url)?.[1];
  const version = /[?&]api-version=([^&]*)/i.exec(url)?.[1];
  if (provider === undefined || version === undefined) return undefined;
  return `/swagger/${provider}/${version}.json`.toLowerCase();
}

function plainPath(url: string): string {
  const [path = ""] = url.split("?", 1);
  return path.replaceAll(/\/{2,}/g, "/").replace(/\/$/, "");
}

async function readDocument(
  server: Pick<KubeServer, "request">,
  path: string,
): Promise<JsonObject | undefined> {
  const { status, json } = await server.request("GET", path);
  return status === 200 && isJsonObject(json) ? json : undefined;
}

/** What is sent as a text or as bytes is recorded where it is JSON. */
function jsonOf(sent: unknown): Json | undefined {
  if (sent === undefined) return undefined;
  try {
    const isText = typeof sent === "string" || Buffer.isBuffer(sent);
    // As it went over the wire: without fields that are undefined.
    return JSON.parse(isText ? String(sent) : JSON.stringify(sent)) as Json;
  } catch {
    return undefined;
  }
}
