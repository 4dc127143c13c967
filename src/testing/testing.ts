// A server in memory for the tests of a module: its kinds are installed, its reconcilers run, and
// everything is as in a real server but for time and chance, which belong to the test. A test takes
// milliseconds, gives the same result each time, and can let an hour pass.

import { extensionsOf, kindsOf, loadedModule, metricsIn } from "../app/load-modules.ts";
import { openMemoryPlane } from "../app/memory-plane.ts";
import type { MemoryPlane, Place } from "../app/memory-plane.ts";
import { openSurfaces } from "../app/open-surfaces.ts";
import { startReconciling } from "../app/reconciling.ts";
import { requestReports } from "../app/request-reports.ts";
import { strictModules } from "../app/user-modules.ts";
import type { UserModule as Module } from "../contract/user-module.ts";
import { systemCaller, systemOptions, targetFor } from "../intents/bootstrap.ts";
import { applyResource } from "../intents/write/apply.ts";
import { decodeDocument } from "../kernel/document.ts";
import { isSetpointError } from "../kernel/errors.ts";
import type { Json, JsonObject } from "../kernel/json.ts";
import type { Resource } from "../kernel/resource.ts";
import { requestPipeline } from "../surfaces/http/pipeline.ts";
import type { Pipeline } from "../surfaces/http/pipeline.ts";
import { prefixTable } from "../surfaces/http/prefix-table.ts";
import type { HttpSurface } from "../surfaces/http/surface.ts";
import { logger } from "../telemetry/log.ts";
import type { Logger } from "../telemetry/log.ts";
import { anybody, everyRole, exchangeFor } from "./http-call.ts";
import type { HttpCall, HttpReply } from "./http-call.ts";
import { troubleOf } from "./trouble.ts";

export type { Place } from "../app/memory-plane.ts";
export type { HttpReply, HttpReply as ArmReply } from "./http-call.ts";

export interface TestServer extends AsyncDisposable {
  /** As `kubectl apply`: creates the object or changes it. Its namespace is "default" if unsaid. */
  apply(object: JsonObject): Promise<Resource>;
  /** As `kubectl patch --type merge`; with `subresource: "status"` also what others observe. */
  patch(place: Place, patch: Json): Promise<Resource>;
  /** As `kubectl delete --wait=false`; false when there is no such object. */
  delete(place: Place): Promise<boolean>;
  get(place: Place): Promise<Resource | undefined>;
  /**
   * A request to the surface of a built-in module, such as "/subscriptions/..." for kinds with a
   * face (`arm`). The caller may do everything. The path may be a URL from an earlier answer. Time
   * passes while the server lets the client wait.
   */
  request(
    method: string,
    path: string,
    body?: Json,
    headers?: Readonly<Record<string, string>>,
  ): Promise<HttpReply>;
  /** The same as `request`. */
  readonly arm: TestServer["request"];
  /** Lets time pass; everything that becomes due on the way is done. A second if unsaid. */
  pass(ms?: number): Promise<void>;
  nowMs(): number;
  /** The metrics of the engine and of the modules, in the text form of Prometheus. */
  metrics(): string;
  /** What reconcilers and the server have logged, one JSON object per line. */
  readonly log: readonly string[];
}

export interface TestServerOptions {
  /** Another seed gives other identities, random values and jitter. */
  readonly seed?: number;
}

export async function startTestServer(
  modules: Module | readonly Module[],
  { seed = 1 }: TestServerOptions = {},
): Promise<TestServer> {
  const all: readonly Module[] = "kinds" in modules ? [modules] : modules;
  const loaded = all.map((module) => loadedModule(module.name, module));
  const memory = await openMemoryPlane({
    seed,
    reconciled: kindsOf(loaded),
    extensions: extensionsOf(loaded),
    metrics: metricsIn(loaded),
    hasEngine: false,
  });
  const { plane, surroundings } = memory;
  const lines: string[] = [];
  const told = new Set<string>();
  const keep = (line: string): void => {
    lines.push(line);
    const trouble = troubleOf(line);
    if (trouble === undefined || told.has(trouble.what)) return;
    told.add(trouble.what);
    process.stderr.write(trouble.text);
  };
  const { clock, timers } = surroundings;
  const log = logger(keep, clock, "info");
  const reconciling = await startReconciling({
    plane,
    modules: strictModules(loaded),
    config: oneWorker,
    surroundings,
    log,
  });
  const surfaces = await openSurfaces({ plane, log });
  const answer = surfacesPipeline(surfaces, timers, log);
  const request: TestServer["request"] = async (method, path, body, headers = {}) =>
    await replyTo(answer, timers, { method, path, body, headers });
  return {
    request,
    arm: request,
    apply: async (object) => await apply(memory, object),
    patch: async (place, patch) => await memory.patch(placed(memory, place), patch),
    delete: async (place) => {
      try {
        await memory.remove(placed(memory, place));
        return true;
      } catch (error) {
        if (isSetpointError(error, "resource.not_found")) return false;
        throw error;
      }
    },
    get: async (place) => await memory.read(placed(memory, place)),
    pass: async (ms = 1_000) => await timers.advance(ms),
    nowMs: () => clock.nowMs(),
    metrics: () => plane.meter.text(),
    log: lines,
    async [Symbol.asyncDispose]() {
      const ended = Promise.resolve(reconciling[Symbol.asyncDispose]());
      // Whoever still runs is told to stop once its time is over, and time passes only here.
      await timers.advance(oneWorker.graceMs);
      await ended;
      await memory[Symbol.asyncDispose]();
    },
  };
}

type TestTimers = MemoryPlane["surroundings"]["timers"];

/** Serves the surfaces of modules, to a caller that may do everything. */
function surfacesPipeline(
  surfaces: readonly HttpSurface[],
  timers: TestTimers,
  log: Logger,
): Pipeline {
  const [first] = surfaces;
  if (first === undefined) {
    return () => Promise.reject(new Error("no surface is served"));
  }
  const names = surfaces.map(({ name }) => name).join(", ");
  // The pipeline needs an owner for every other URL, which is refused before it is asked.
  const others = { ...first, name: "others", prefixes: [{ path: "/" }] };
  const all = [...surfaces, others];
  const owners = prefixTable(all);
  const reports = requestReports(log, timers);
  const caller = { authentication: anybody, roles: everyRole };
  const pipeline = requestPipeline({ surfaces: all, timers, ...caller, reports });
  return async (exchange) => {
    const { method, url } = exchange;
    if (owners.find(url) !== others) return await pipeline(exchange);
    const hint = "the Resource Manager is served when a kind declares a face (arm)";
    const message = `${method} ${url} is not a path of a surface that is served (${names})`;
    throw new Error(`${message}; ${hint}`);
  };
}

async function replyTo(answer: Pipeline, timers: TestTimers, call: HttpCall): Promise<HttpReply> {
  const { exchange, reply } = exchangeFor(call);
  const work = { isOver: false };
  const over = answer(exchange).finally(() => {
    work.isOver = true;
  });
  // It is looked at below, once time has passed.
  over.catch(() => undefined);
  for (let turn = 0; !work.isOver; turn++) {
    if (turn < turnsAtOnce) await timers.settle();
    else await timers.advance(waitMs);
  }
  await over;
  const found = reply();
  if (found === undefined) throw new Error(`${call.method} ${call.path} was not answered`);
  return found;
}

/** What needs no time is over by then. */
const turnsAtOnce = 10;
const waitMs = 10;

const oneWorker = {
  isWorker: true,
  slots: undefined,
  perNamespace: undefined,
  leaseMs: undefined,
  graceMs: 10_000,
} as const;

async function apply({ plane: { intents } }: MemoryPlane, object: JsonObject): Promise<Resource> {
  const { target, name } = targetFor(intents, object);
  const isNamespaced = target.served.kind.scope === "Namespaced";
  const namespace = isNamespaced ? target.namespace || "default" : "";
  const written = await applyResource(intents, {
    caller: systemCaller,
    target: { ...target, namespace, name },
    body: () => ({ value: object, problems: [] }),
    options: { ...systemOptions, fieldManager: "test" },
    force: true,
  });
  return decodeDocument(written.body, written.revision);
}

function placed({ plane: { intents } }: MemoryPlane, place: Place): Place {
  const { apiVersion, kind, name, namespace = "default" } = place;
  const { target } = targetFor(intents, { apiVersion, kind, metadata: { name } });
  return target.served.kind.scope === "Cluster" ? place : { ...place, namespace };
}
