// The start of built-in modules: which kinds are installed, and what `setpoint dev` wakes.
import assert from "node:assert/strict";
import { it } from "node:test";
import type { BuiltInModule } from "../contract/module.ts";
import { done, failed } from "../engine/outcome.ts";
import type { Outcome } from "../engine/outcome.ts";
import type { KindInput } from "../kernel/kind.ts";
import { logger } from "../telemetry/log.ts";
import { openMemoryPlane } from "./memory-plane.ts";
import type { MemoryPlane } from "./memory-plane.ts";
import { startReconciling } from "./reconciling.ts";
import { strictModules } from "./user-modules.ts";
import type { Reconciling } from "./reconciling.ts";

const group = "tests.example.dev";

const kindOf = (plural: string, kind: string): KindInput => ({
  group,
  names: { plural, kind },
  scope: "Namespaced",
  subresources: { status: true },
  versions: [{ name: "v1", served: true, storage: true, schema: { type: "object" } }],
});

async function start(memory: MemoryPlane, startsFresh: boolean): Promise<Reconciling> {
  const { plane, surroundings } = memory;
  const bounds = { slots: undefined, perNamespace: undefined, leaseMs: undefined };
  const config = { isWorker: true, ...bounds, graceMs: 0, startsFresh };
  const log = logger(() => undefined, surroundings.clock);
  return await startReconciling({ plane, modules: strictModules([]), config, surroundings, log });
}

it("a server installs the kinds of the modules that it starts, and no others", async () => {
  const started: BuiltInModule = {
    name: "started",
    version: 1,
    kinds: [{ kind: kindOf("apples", "Apple"), isReconciled: false }],
  };
  const idle: BuiltInModule = {
    name: "idle",
    version: 1,
    kinds: [{ kind: kindOf("pears", "Pear"), isReconciled: false }],
    isStarted: () => false,
  };
  await using memory = await openMemoryPlane({ builtIn: [started, idle], hasEngine: false });
  await using running = await start(memory, false);
  assert.ok(running.worker.isWorker);
  const { kinds } = memory.plane.intents;
  assert.ok(kinds.byId(`apples.${group}`) !== undefined);
  assert.equal(kinds.byId(`pears.${group}`), undefined);
});

for (const startsFresh of [true, false]) {
  const what = startsFresh ? "is reconciled" : "is not reconciled";
  it(`a failed resource of a built-in module ${what} if startsFresh=${startsFresh}`, async () => {
    const seen: string[] = [];
    let outcome: Outcome = failed("Broken", "", { retry: "never" });
    const kind = `apples.${group}`;
    const orchard: BuiltInModule = {
      name: "orchard",
      version: 1,
      kinds: [{ kind: kindOf("apples", "Apple"), isReconciled: true }],
      open: async () => ({
        start: async ({ engine }) => {
          const remove = engine.add({
            kind,
            reconcile: async ({ metadata }) => {
              seen.push(metadata.name);
              return outcome;
            },
          });
          return { [Symbol.asyncDispose]: async () => remove() };
        },
      }),
    };
    await using memory = await openMemoryPlane({ builtIn: [orchard], hasEngine: false });
    const { timers } = memory.surroundings;
    {
      await using first = await start(memory, false);
      // The adoption of a new kind ends before the resource exists.
      await timers.advance(120_000);
      const metadata = { name: "pink", namespace: "default" };
      await memory.create({ apiVersion: `${group}/v1`, kind: "Apple", metadata });
      await timers.advance(1_100);
      assert.ok(first.worker.kinds.has(kind));
      assert.deepEqual(seen, ["pink"]);
    }
    outcome = done();
    await using second = await start(memory, startsFresh);
    await timers.advance(500);
    assert.ok(second.worker.kinds.has(kind));
    assert.deepEqual(seen, startsFresh ? ["pink", "pink"] : ["pink"]);
  });
}
