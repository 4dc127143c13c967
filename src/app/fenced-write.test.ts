// Writes of a built-in module in other namespaces, under the claim of its run.
import assert from "node:assert/strict";
import { it } from "node:test";
import type { BuiltInModule } from "../contract/module.ts";
import { done } from "../engine/outcome.ts";
import type { Context } from "../engine/reconciler.ts";
import { fencedWrite } from "../engine/run/fenced-write.ts";
import { systemCallerFor, systemOptions, targetFor } from "../intents/bootstrap.ts";
import type { Intents, Written } from "../intents/request.ts";
import { createResource } from "../intents/write/create.ts";
import { deleteResource } from "../intents/write/delete.ts";
import { isSetpointError } from "../kernel/errors.ts";
import { keyText } from "../kernel/resource.ts";
import type { Resource } from "../kernel/resource.ts";
import { logger } from "../telemetry/log.ts";
import { openMemoryPlane } from "./memory-plane.ts";
import type { MemoryPlane } from "./memory-plane.ts";
import { startReconciling } from "./reconciling.ts";
import type { Reconciling } from "./reconciling.ts";
import { strictModules } from "./user-modules.ts";

const group = "tests.example.dev";
const kind = `apples.${group}`;
const apple = { kind, namespace: "default", name: "pink" };
const placed = { kind: "configmaps", namespace: "other", name: "pink" };

type Reconcile = (intents: Intents, resource: Resource, context: Context) => Promise<void>;

function orchard(reconcile: Reconcile): BuiltInModule {
  return {
    name: "orchard",
    version: 1,
    kinds: [
      {
        isReconciled: true,
        kind: {
          group,
          names: { plural: "apples", kind: "Apple" },
          scope: "Namespaced",
          subresources: { status: true },
          versions: [{ name: "v1", served: true, storage: true, schema: { type: "object" } }],
        },
      },
    ],
    open: async () => ({
      start: async ({ engine, intents }) => {
        const end = engine.add({
          kind,
          reconcile: async (resource, context) => {
            await reconcile(intents, resource, context);
            return done();
          },
        });
        return { [Symbol.asyncDispose]: async () => end() };
      },
    }),
  };
}

function create(intents: Intents, context: Context): Promise<Written> {
  const body = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "pink", namespace: "other" },
  };
  return fencedWrite(context, ({ claim, cause }) =>
    createResource(intents, {
      caller: systemCallerFor(cause),
      target: targetFor(intents, body).target,
      body,
      options: { ...systemOptions, claim },
      decodeProblems: [],
    }),
  );
}

function remove(intents: Intents, context: Context): Promise<Written> {
  const served = intents.kinds.byId("configmaps");
  assert.ok(served !== undefined);
  const target = { served, version: served.storage, ...placed, subresource: "" };
  const options = { isDryRun: false, propagation: undefined, preconditions: {}, raw: {} };
  return fencedWrite(context, ({ claim, cause }) => {
    const caller = systemCallerFor(cause);
    return deleteResource(intents, { caller, target, options: { ...options, claim } });
  });
}

async function start(memory: MemoryPlane): Promise<Reconciling> {
  const { plane, surroundings } = memory;
  const config = { isWorker: true, slots: undefined, perNamespace: undefined, leaseMs: undefined };
  const log = logger(() => undefined, surroundings.clock);
  const modules = strictModules([]);
  const all = { ...config, graceMs: 0 };
  const running = await startReconciling({ plane, modules, config: all, surroundings, log });
  await memory.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: "other" } });
  const metadata = { name: "pink", namespace: "default" };
  await memory.create({ apiVersion: `${group}/v1`, kind: "Apple", metadata });
  return running;
}

it("a module writes in another namespace with the claim and the cause of its run", async () => {
  const causes: unknown[] = [];
  const module = orchard(async (intents, _resource, context) => {
    const { revision } = await create(intents, context);
    causes.push(intents.store.recentCause(revision));
    await fencedWrite(context, async ({ key, cause }) => {
      assert.deepEqual(key, apple);
      causes.push(cause);
    });
    await remove(intents, context);
    await create(intents, context);
  });
  await using memory = await openMemoryPlane({ builtIn: [module], hasEngine: false });
  await using running = await start(memory);
  await memory.surroundings.timers.advance(1_100);
  assert.ok(running.worker.kinds.has(kind));
  assert.ok((await memory.store.get(placed)) !== undefined);
  const [stored, ofRun] = causes;
  assert.deepEqual(stored, ofRun);
  assert.equal((ofRun as { surface?: string }).surface, "engine");
});

it("a write under a lost claim is refused and aborts the run", async () => {
  const errors: unknown[] = [];
  const aborted: boolean[] = [];
  let calls = 0;
  const module = orchard(async (intents, _resource, context) => {
    calls += 1;
    if (calls > 1) return;
    steal();
    for (const write of [create, remove, create]) {
      await write(intents, context).catch((error: unknown) => errors.push(error));
      aborted.push(context.signal.aborted);
    }
  });
  await using memory = await openMemoryPlane({ builtIn: [module], hasEngine: false });
  const steal = (): void => {
    const work = memory.store.state.live.get(keyText(apple))?.work;
    assert.ok(work?.claim !== undefined);
    const expiresAtMs = memory.surroundings.clock.nowMs() + 5_000;
    work.claim = { token: 1_000_000, owner: "other", expiresAtMs };
  };
  await using running = await start(memory);
  await memory.surroundings.timers.advance(1_100);
  assert.ok(running.worker.kinds.has(kind));
  assert.ok(isSetpointError(errors[0], "claim.lost"));
  assert.deepEqual(aborted, [true, true, true]);
  assert.equal((errors[1] as Error).name, "AbortError", "an aborted run writes nothing more");
  assert.equal(await memory.store.get(placed), undefined);
});

it("a context that no engine of the process created has no claim", () => {
  const copy = Object.create(null) as Context;
  assert.throws(() => fencedWrite(copy, () => Promise.resolve()), /does not belong to a run/);
});
