// Reconcilers for kinds whose definitions somebody else makes, before or after the server starts.
import assert from "node:assert/strict";
import { it } from "node:test";
import { done, failed, waiting } from "../engine/outcome.ts";
import type { Outcome } from "../engine/outcome.ts";
import { wakeAll } from "../engine/wakes/wakes.ts";
import type { JsonObject } from "../kernel/json.ts";
import { logger } from "../telemetry/log.ts";
import type { LoadedModule } from "./load-modules.ts";
import { openMemoryPlane } from "./memory-plane.ts";
import type { MemoryPlane } from "./memory-plane.ts";
import { startReconciling } from "./reconciling.ts";
import { strictModules } from "./user-modules.ts";

const group = "tests.example.dev";
const id = `things.${group}`;
const anything = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

const definition: JsonObject = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: id },
  spec: {
    group,
    scope: "Namespaced",
    names: { plural: "things", kind: "Thing" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: "object", properties: { status: anything } } },
        subresources: { status: {} },
      },
    ],
  },
};

const thing = (name: string): JsonObject => ({
  apiVersion: `${group}/v1`,
  kind: "Thing",
  metadata: { name, namespace: "default" },
});

interface Started {
  readonly isWorker?: boolean;
  readonly startsFresh?: boolean;
  readonly outcomeFor?: (name: string) => Outcome;
  /** Given what is logged. */
  readonly tell?: (text: string) => void;
}

/** Starts the module, and returns the names that were reconciled so far. */
async function start(
  memory: MemoryPlane,
  given: Started = {},
): Promise<AsyncDisposable & { readonly seen: readonly string[] }> {
  const { isWorker = true, startsFresh = false, outcomeFor = () => done() } = given;
  const { plane, surroundings } = memory;
  const seen: string[] = [];
  const reconcile: LoadedModule["kinds"][number]["reconciler"]["reconcile"] = async (resource) => {
    seen.push(resource.metadata.name);
    return outcomeFor(resource.metadata.name);
  };
  const kinds = [{ id, reconciler: { kind: id, reconcile } }];
  const modules = strictModules([
    { file: "things.ts", name: "things", version: 1, kinds, systems: {} },
  ]);
  const bounds = { slots: undefined, perNamespace: undefined, leaseMs: undefined };
  const config = { isWorker, ...bounds, graceMs: 0, startsFresh };
  const log = logger(given.tell ?? (() => undefined), surroundings.clock);
  const running = await startReconciling({ plane, modules, config, surroundings, log });
  return { seen, [Symbol.asyncDispose]: () => Promise.resolve(running[Symbol.asyncDispose]()) };
}

/** However often: a resource may be woken more than once when its kind is new to the store. */
function names(seen: readonly string[]): readonly string[] {
  return [...new Set(seen)].sort();
}

it("marks a definition in the write that makes it", async () => {
  await using memory = await openMemoryPlane({ reconciled: new Set([id]), hasEngine: false });
  await using running = await start(memory);
  const made = await memory.create(definition);
  assert.equal(made.metadata.annotations?.["setpoint.dev/reconciled"], "true");
  await memory.create(thing("a"));
  await memory.surroundings.timers.advance(100);
  assert.deepEqual(names(running.seen), ["a"]);
});

it("marks what is there already, and what others make, and wakes what they left", async () => {
  await using memory = await openMemoryPlane({ hasEngine: false });
  await memory.create(definition);
  await memory.create(thing("before"));
  await using running = await start(memory);
  await memory.create(thing("after"));
  await memory.surroundings.timers.advance(60_000);
  assert.deepEqual(names(running.seen), ["after", "before"]);
  const place = { apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition" };
  const marked = await memory.read({ ...place, name: id });
  assert.equal(marked?.metadata.annotations?.["setpoint.dev/reconciled"], "true");
});

it("runs nothing in a process that is no worker, and leaves it due for one that is", async () => {
  await using memory = await openMemoryPlane({ reconciled: new Set([id]), hasEngine: false });
  await memory.create(definition);
  {
    await using running = await start(memory, { isWorker: false });
    await memory.create(thing("a"));
    await memory.surroundings.timers.advance(1_000);
    assert.deepEqual(running.seen, []);
  }
  await using worker = await start(memory);
  await memory.surroundings.timers.advance(1_000);
  assert.deepEqual(names(worker.seen), ["a"]);
});

it("warns when the definition of a kind is deleted while it runs", async () => {
  await using memory = await openMemoryPlane({ reconciled: new Set([id]), hasEngine: false });
  await memory.create(definition);
  let told = "";
  await using running = await start(memory, { tell: (text) => void (told += text) });
  assert.doesNotMatch(told, /is gone/);
  const place = { apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition" };
  await memory.remove({ ...place, name: id });
  await memory.surroundings.timers.advance(1_000);
  assert.match(told, /definition of a module kind deleted.*"module":"things"/);
  assert.deepEqual(running.seen, []);
});

/** One resource of each way to be unready, and one that is ready. */
const outcomes: Readonly<Record<string, Outcome>> = {
  "given-up": failed("Broken", "", { retry: "never" }),
  "in-back-off": failed("Broken", "", { retry: "slow" }),
  ready: done(),
  waits: waiting({ kind: "configmaps", name: "none" }),
};

for (const startsFresh of [true, false]) {
  const what = startsFresh ? "at once at what failed or waits" : "at nothing before its time";
  it(`looks ${what} when it starts${startsFresh ? ", if that is asked for" : ""}`, async () => {
    await using memory = await openMemoryPlane({ reconciled: new Set([id]), hasEngine: false });
    await memory.create(definition);
    {
      await using first = await start(memory, { outcomeFor: (name) => outcomes[name] ?? done() });
      // The first start of all wakes everything; that is over before there is anything.
      await memory.surroundings.timers.advance(120_000);
      for (const name of Object.keys(outcomes)) await memory.create(thing(name));
      await memory.surroundings.timers.advance(1_100);
      assert.deepEqual(names(first.seen), Object.keys(outcomes));
    }
    await using second = await start(memory, { startsFresh });
    await memory.surroundings.timers.advance(500);
    assert.deepEqual(names(second.seen), startsFresh ? ["given-up", "in-back-off", "waits"] : []);
  });
}

it("looks at what failed in the second of its start, and at its own failures once", async () => {
  await using memory = await openMemoryPlane({ reconciled: new Set([id]), hasEngine: false });
  const { timers, clock } = memory.surroundings;
  await memory.create(definition);
  const outcomeFor = (): Outcome => failed("Broken", "", { retry: "never" });
  {
    await using first = await start(memory, { outcomeFor });
    await timers.advance(120_000);
    await timers.advance(1_000 - (clock.nowMs() % 1_000));
    await memory.create(thing("given-up"));
    await timers.advance(100);
    assert.deepEqual(first.seen, ["given-up"]);
  }
  await using second = await start(memory, { outcomeFor, startsFresh: true });
  await timers.advance(100);
  assert.ok(clock.nowMs() % 1_000 < 1_000 - 100, "all of it was in one second");
  assert.deepEqual(second.seen, ["given-up"]);
  await wakeAll(memory.plane.intents.store, id, new AbortController().signal);
  await timers.advance(100);
  assert.deepEqual(second.seen, ["given-up"]);
});
