// A server in memory for the tests of a module: its kinds are installed, its reconcilers run, and
// everything is as in a real server but for time and chance, which belong to the test. A test takes
// milliseconds, gives the same result each time, and can let an hour pass.

import { prepareArm } from "../app/arm/arm-surface.ts";
import { connectHooksOf, facesOf, kindsOf, loadedModule } from "../app/load-modules.ts";
import { openMemoryPlane } from "../app/memory-plane.ts";
import type { MemoryPlane, Place } from "../app/memory-plane.ts";
import { startReconciling } from "../app/reconciling.ts";
import type { Module } from "../engine/module.ts";
import { systemCaller, systemOptions, targetFor } from "../intents/bootstrap.ts";
import { applyResource } from "../intents/write/apply.ts";
import { decodeDocument } from "../kernel/document.ts";
import { isSetpointError } from "../kernel/errors.ts";
import type { Json, JsonObject } from "../kernel/json.ts";
import type { Resource } from "../kernel/resource.ts";
import type { Exchange } from "../surfaces/http/exchange.ts";
import { logger } from "../telemetry/log.ts";
import { anybody, exchangeFor } from "./arm-call.ts";
import type { ArmCall, ArmReply } from "./arm-call.ts";
import { troubleOf } from "./trouble.ts";

export type { Place } from "../app/memory-plane.ts";
export type { ArmReply } from "./arm-call.ts";

export interface TestServer extends AsyncDisposable {
  /** As `kubectl apply`: creates the object or changes it. Its namespace is "default" if unsaid. */
  apply(object: JsonObject): Promise<Resource>;
  /** As `kubectl patch --type merge`; with `subresource: "status"` also what others observe. */
  patch(place: Place, patch: Json): Promise<Resource>;
  /** As `kubectl delete --wait=false`; false when there is no such object. */
  delete(place: Place): Promise<boolean>;
  get(place: Place): Promise<Resource | undefined>;
  /**
   * A request to the Resource Manager surface, by somebody who may do everything. The path begins
   * with "/subscriptions/" or "/providers/", or is a URL that an answer told. While the server lets
   * the client wait, as it does with who asks for an operation too soon, time passes.
   */
  arm(
    method: string,
    path: string,
    body?: Json,
    headers?: Readonly<Record<string, string>>,
  ): Promise<ArmReply>;
  /** Lets time pass; everything that becomes due on the way is done. A second if unsaid. */
  pass(ms?: number): Promise<void>;
  nowMs(): number;
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
  const arm = prepareArm(armConfig, loaded);
  const memory = await openMemoryPlane({
    seed,
    reconciled: kindsOf(arm.modules),
    connectHooks: connectHooksOf(loaded),
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
    modules: arm.modules,
    config: oneWorker,
    surroundings,
    log,
  });
  // A face that no server would serve fails here, too.
  const observed = { onArmRequest: () => () => undefined };
  const shared = { plane, log, audit: undefined, observed, timers };
  const surface = await arm.start({ ...shared, authentication: anybody });
  const answer = surface.before((exchange) =>
    Promise.reject(
      new Error(`${exchange.method} ${exchange.url} is no path of the Resource Manager`),
    ),
  );
  return {
    arm: async (method, path, body, headers = {}) => {
      if (facesOf(loaded).length === 0) throw new Error("no kind of the modules has a face: arm");
      return await armReply(answer, timers, { method, path, body, headers });
    },
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
    log: lines,
    async [Symbol.asyncDispose]() {
      await surface[Symbol.asyncDispose]();
      const ended = Promise.resolve(reconciling[Symbol.asyncDispose]());
      // Whoever still runs is told to stop once its time is over, and time passes only here.
      await timers.advance(oneWorker.graceMs);
      await ended;
      await memory[Symbol.asyncDispose]();
    },
  };
}

async function armReply(
  answer: (exchange: Exchange) => Promise<void>,
  timers: MemoryPlane["surroundings"]["timers"],
  call: ArmCall,
): Promise<ArmReply> {
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

const armConfig = {
  arm: { isWanted: false, clients: [], retryAfterSeconds: 10 },
  historyMs: undefined,
} as const;

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
