/**
 * The entry of the thread of one user module. It imports the file, describes the module to the main
 * thread, and executes its functions when the main thread calls them. Errors that no code handles
 * are reported with the run they belong to, as on the main thread. An error that belongs to no run
 * ends the thread: the state of the module is unknown.
 */
import { isDeepStrictEqual } from "node:util";
import { parentPort, workerData } from "node:worker_threads";
import { assert } from "../../kernel/assert.ts";
import { importModule } from "../import-module.ts";
import { localFiles } from "../module-resolution.ts";
import { activityKey } from "./inspect-module.ts";
import { isolationLimits } from "./limits.ts";
import { Link, currentIncoming } from "./link.ts";
import type { Message } from "./link.ts";
import { pack } from "./packed.ts";
import type { Callable, Packed } from "./packed.ts";
import { WorkerContext } from "./worker-context.ts";

export interface ModuleThreadData {
  readonly file: string;
  /** One Int32: the number of beats. */
  readonly beats: SharedArrayBuffer;
}

const { file, beats } = workerData as ModuleThreadData;
const port = parentPort;
assert(port !== null, "module-thread.ts is started as a thread");

const counter = new Int32Array(beats);
setInterval(() => Atomics.add(counter, 0, 1), isolationLimits.beatMs);

/** The functions of the module, by their paths in it. */
const functions = new Map<string, Callable>();
/** The contexts of runs that execute. */
const contexts = new Map<number, WorkerContext>();

const link: Link = new Link({
  // oxlint-disable-next-line require-post-message-target-origin -- a thread has no origin
  send: (message) => port.postMessage(message),
  named: (target) => own.get(target) ?? functions.get(target),
  makeContext: (head, signal, call) => {
    const context = new WorkerContext(link, call, head, signal);
    contexts.set(call.id, context);
    return context;
  },
});

const own: ReadonlyMap<string, Callable> = new Map<string, Callable>([
  ["describe", describe],
  ["files", () => [...localFiles(file)]],
  ["superseded", (call, reason) => contexts.get(call as number)?.supersede(reason)],
]);

async function describe(): Promise<Packed> {
  const value = await importModule(file);
  return pack(value, {
    function: (found, path) => {
      const name = path.join(".");
      functions.set(name, prepared(name, found));
      return name;
    },
    signal: () => refused("an AbortSignal"),
    error: () => refused("an Error"),
    context: () => undefined,
  });
}

function refused(what: string): never {
  throw new TypeError(`a module must not contain ${what}`);
}

function prepared(name: string, found: Callable): Callable {
  // Its `next` returns a value: the main thread has called it before. See isolated-module.ts.
  if (name.endsWith(".validate")) {
    return (change, verdict) => found(change, nextOf(change, verdict));
  }
  return async (...given) => {
    if (given[1] instanceof WorkerContext) deepFreeze(given[0]);
    try {
      return await found(...given);
    } finally {
      contexts.delete(currentIncoming()?.id ?? 0);
    }
  };
}

function nextOf(change: unknown, verdict: unknown): Callable {
  return (given) => {
    if (given === change || isDeepStrictEqual(given, change)) return verdict;
    throw new TypeError("next must be called with the change that the hook received");
  };
}

function deepFreeze(value: unknown): void {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return;
  Object.freeze(value);
  for (const part of Object.values(value)) deepFreeze(part);
}

port.on("message", (message: Message) => link.receive(message));

/** Evaluated by the main thread when this one is blocked. */
Object.defineProperty(globalThis, Symbol.for(activityKey), {
  value: () => String(currentIncoming()?.root ?? ""),
});

process.on("unhandledRejection", (error) => stray("rejection", error));
process.on("uncaughtException", (error) => stray("exception", error));

function stray(what: "rejection" | "exception", error: unknown): void {
  const root = currentIncoming()?.root;
  link.tell("stray", [what, error], root);
  if (what === "exception" && root === undefined) process.exit(1);
}
