// The HTTP API of a Consul server, as far as the executors need it. A compare-and-set that loses is
// data, not an error: Consul answers 200 `false` for a single key and 409 for a transaction.

import type { CallJson } from "../../../adapters/http/port.ts";
import { callService, invalidAnswer, refusedCall } from "../../../engine/external/call-service.ts";
import type { ServiceAnswer } from "../../../engine/external/call-service.ts";
import type { Context } from "../../../engine/reconciler.ts";
import { hider } from "../../../kernel/hider.ts";
import { isJsonArray, isJsonObject } from "../../../kernel/json.ts";
import type { Json, JsonObject } from "../../../kernel/json.ts";
import { numberAt, objectAt, objectsAt, textAt } from "../../../kernel/json-read.ts";
import { executorLimits } from "../limits.ts";
import { withoutTrailing } from "../../../kernel/trailing.ts";

export interface ConsulAccess {
  /** Of the ConsulServer. */
  readonly resourceName: string;
  readonly url: string;
  readonly datacenter: string;
  /** Empty for none. */
  readonly token: string;
  readonly ca: string | undefined;
}

export interface ConsulEntry {
  readonly key: string;
  readonly value: string;
  readonly flags: number;
  readonly createIndex: number;
  readonly modifyIndex: number;
}

export type KeyOperation =
  /** Index 0: only if the key does not exist. */
  | {
      readonly kind: "set";
      readonly key: string;
      readonly value: string;
      readonly flags: number;
      readonly index: number;
    }
  | { readonly kind: "delete"; readonly key: string; readonly index: number };

export type TransactionResult =
  /** The new indexes of the keys that were set. */
  | { readonly kind: "committed"; readonly entries: readonly Omit<ConsulEntry, "value">[] }
  | { readonly kind: "conflict"; readonly keys: readonly string[]; readonly message: string };

export interface ServiceInstance {
  readonly node: string;
  readonly address: string;
  readonly port: number;
  readonly checks: readonly { readonly id: string; readonly status: string }[];
}

export interface ServiceHealth {
  /** For the next blocking query. */
  readonly index: number;
  readonly instances: readonly ServiceInstance[];
}

export interface HealthQuery {
  readonly service: string;
  readonly tag: string;
  /** The datacenter of the ConsulServer when empty. */
  readonly datacenter: string;
  /** Waits for a change after this index; 0 answers at once. */
  readonly index: number;
}

/** Calls of one server by one run. */
export interface ConsulClient {
  /** The address of the leader; empty while there is none. */
  leader(): Promise<string>;
  /** The keys that exist, from one moment. */
  read(keys: readonly string[]): Promise<ReadonlyMap<string, ConsulEntry>>;
  /** Names of keys that begin with the prefix. */
  names(prefix: string): Promise<readonly string[]>;
  /** All operations or none. */
  commit(operations: readonly KeyOperation[]): Promise<TransactionResult>;
  health(query: HealthQuery): Promise<ServiceHealth>;
}

export type OpenConsul = (access: ConsulAccess, context: ConsulContext) => ConsulClient;
export type ConsulContext = Pick<Context, "outside" | "clock">;

/** For people. */
export function serviceOf(resourceName: string): string {
  return `the server of the ConsulServer ${resourceName}`;
}

export function consulWith(callJson: CallJson): OpenConsul {
  return (access, context) => {
    const service = serviceOf(access.resourceName);
    const hide = hider([access.token]);
    const call = async (request: Request): Promise<ServiceAnswer> =>
      await callService(context, {
        system: `consul/${access.resourceName}`,
        service,
        send: (signal) => callJson(requestOf(access, request, signal)),
      });
    const expect = (answer: ServiceAnswer): ServiceAnswer => {
      if (answer.status === 200) return answer;
      const said = typeof answer.json === "string" ? answer.json : "";
      throw refusedCall(service, answer.status, hide(said));
    };
    const tools = { service, call, expect };
    return {
      leader: async () => {
        const { json } = expect(await call({ method: "GET", path: "/v1/status/leader" }));
        return typeof json === "string" ? json : "";
      },
      read: async (keys) => await readKeys(tools, keys),
      names: async (prefix) => {
        const path = `/v1/kv/${encodedPath(prefix)}`;
        const answer = await call({ method: "GET", path, query: { keys: "" } });
        if (answer.status === 404) return [];
        return listIn(tools, answer, "a list of keys").filter((each) => typeof each === "string");
      },
      commit: async (operations) => {
        const answer = await transaction(tools, operations.map(operationJson));
        if (answer.status === 409) return conflictIn(service, answer, operations);
        return { kind: "committed", entries: entriesIn(expect(answer)) };
      },
      health: async (query) => {
        const answer = await call(healthRequest(query));
        const instances = listIn(tools, answer, "a list of instances").map(instanceIn);
        return { index: Number(answer.headers["x-consul-index"] ?? 0) || 0, instances };
      },
    };
  };
}

interface Tools {
  readonly service: string;
  readonly call: (request: Request) => Promise<ServiceAnswer>;
  /** The answer of a request that was accepted; throws for others. */
  readonly expect: (answer: ServiceAnswer) => ServiceAnswer;
}

async function transaction(
  { call }: Tools,
  operations: readonly JsonObject[],
): Promise<ServiceAnswer> {
  return await call({ method: "PUT", path: "/v1/txn", body: operations.map((KV) => ({ KV })) });
}

async function readKeys(
  tools: Tools,
  keys: readonly string[],
): Promise<ReadonlyMap<string, ConsulEntry>> {
  const { service, expect } = tools;
  const entries = new Map<string, ConsulEntry>();
  for (let at = 0; at < keys.length; at += executorLimits.maxConsulOperations) {
    const some = keys.slice(at, at + executorLimits.maxConsulOperations);
    const gets = some.map((Key) => ({ Verb: "get-or-empty", Key }));
    const answer = await transaction(tools, gets);
    if (answer.status === 409) throw refusedInside(service, answer);
    const found = entriesIn(expect(answer));
    if (found.length !== some.length) throw invalidAnswer(service, "all requested keys");
    // A key that does not exist has no index.
    for (const entry of found) if (entry.modifyIndex > 0) entries.set(entry.key, entry);
  }
  return entries;
}

function listIn({ service, expect }: Tools, answer: ServiceAnswer, what: string): readonly Json[] {
  const { json = null } = expect(answer);
  if (!isJsonArray(json)) throw invalidAnswer(service, what);
  return json;
}

function healthRequest({ service, tag, datacenter, index }: HealthQuery): Request {
  const waitMs = executorLimits.consulWaitMs;
  return {
    method: "GET",
    path: `/v1/health/service/${encodeURIComponent(service)}`,
    query: {
      ...(tag === "" ? {} : { tag }),
      ...(datacenter === "" ? {} : { dc: datacenter }),
      ...(index === 0 ? {} : { index: String(index), wait: `${waitMs}ms` }),
    },
    // Consul adds up to a sixteenth of the wait.
    ...(index === 0 ? {} : { timeoutMs: waitMs + waitMs / 16 + 2_000 }),
  };
}

interface Request {
  readonly method: string;
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Json;
  readonly timeoutMs?: number;
}

function requestOf(
  { url, datacenter, token, ca }: ConsulAccess,
  { method, path, query = {}, body, timeoutMs = executorLimits.callTimeoutMs }: Request,
  signal: AbortSignal,
): Parameters<CallJson>[0] {
  const target = new URL(`${withoutTrailing(url, "/")}${path}`);
  if (datacenter !== "") target.searchParams.set("dc", datacenter);
  for (const [name, value] of Object.entries(query)) target.searchParams.set(name, value);
  return {
    method,
    url: target,
    ...(token === "" ? {} : { headers: { "x-consul-token": token } }),
    ...(body === undefined ? {} : { body }),
    ca,
    timeoutMs,
    maxBytes: executorLimits.maxAnswerBytes,
    signal,
  };
}

function operationJson(operation: KeyOperation): JsonObject {
  const { key: Key, index: Index } = operation;
  if (operation.kind === "delete") return { Verb: "delete-cas", Key, Index };
  const Value = Buffer.from(operation.value, "utf8").toString("base64");
  return { Verb: "cas", Key, Value, Flags: operation.flags, Index };
}

function entriesIn({ json }: ServiceAnswer): readonly ConsulEntry[] {
  return objectsAt(json, "Results").map((result) => {
    const entry = objectAt(result, "KV");
    return {
      key: textAt(entry, "Key"),
      value: Buffer.from(textAt(entry, "Value"), "base64").toString("utf8"),
      flags: numberAt(entry, "Flags") ?? 0,
      createIndex: numberAt(entry, "CreateIndex") ?? 0,
      modifyIndex: numberAt(entry, "ModifyIndex") ?? 0,
    };
  });
}

/** A failed operation is a lost compare-and-set, unless the token lacks a permission. */
function conflictIn(
  service: string,
  answer: ServiceAnswer,
  operations: readonly KeyOperation[],
): TransactionResult {
  const errors = objectsAt(answer.json, "Errors");
  if (errors.some((error) => /permission denied/i.test(textAt(error, "What")))) {
    throw refusedInside(service, answer);
  }
  const keys = errors.flatMap((error) => {
    const key = operations[numberAt(error, "OpIndex") ?? -1]?.key;
    return key === undefined ? [] : [key];
  });
  const named = keys.length === 0 ? "a key" : keys.slice(0, 3).join(", ");
  return { kind: "conflict", keys, message: `another client changed ${named} at the same time` };
}

function refusedInside(service: string, { json }: ServiceAnswer): Error {
  const [first] = objectsAt(json, "Errors");
  const isDenied = /permission denied/i.test(textAt(first, "What"));
  return refusedCall(service, isDenied ? 403 : 409, isDenied ? "permission denied" : "");
}

function instanceIn(entry: Json): ServiceInstance {
  const given = isJsonObject(entry) ? entry : {};
  return {
    node: textAt(given, "Node", "Node"),
    address: textAt(given, "Service", "Address") || textAt(given, "Node", "Address"),
    port: numberAt(given, "Service", "Port") ?? 0,
    checks: objectsAt(given, "Checks").map((check) => ({
      id: textAt(check, "CheckID"),
      status: textAt(check, "Status"),
    })),
  };
}

/** Slashes separate parts of a key. */
function encodedPath(key: string): string {
  return key.split("/").map(encodeURIComponent).join("/");
}
