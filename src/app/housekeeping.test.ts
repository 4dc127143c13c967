// What the engine does for the server's own kinds, on a control plane in memory: what is due after
// which write, that existing data is picked up, and that nothing is written once all is done.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject } from "../kernel/json.ts";
import type { ResourceKey } from "../kernel/resource.ts";
import { logger } from "../telemetry/log.ts";
import { openMemoryPlane } from "./memory-plane.ts";
import type { MemoryPlane, Place } from "./memory-plane.ts";
import { startOwnEngine } from "./own-engine.ts";
import type { OwnEngine } from "./own-engine.ts";

const definitions = "customresourcedefinitions.apiextensions.k8s.io";
const version = "apiextensions.k8s.io/v1";

function namespace(name: string): JsonObject {
  return { apiVersion: "v1", kind: "Namespace", metadata: { name } };
}

function map(name: string, within: string, more: JsonObject = {}): JsonObject {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: within, ...more } };
}

function definition(plural: string, kind: string): JsonObject {
  const schema = { openAPIV3Schema: { type: "object" } };
  return {
    apiVersion: version,
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.tests.dev` },
    spec: {
      group: "tests.dev",
      scope: "Namespaced",
      names: { plural, kind },
      versions: [{ name: "v1", served: true, storage: true, schema }],
    },
  };
}

const at = {
  namespace: (name: string): Place => ({ apiVersion: "v1", kind: "Namespace", name }),
  definition: (name: string): Place => ({
    apiVersion: version,
    kind: "CustomResourceDefinition",
    name,
  }),
  account: (within: string): Place => ({
    apiVersion: "v1",
    kind: "ServiceAccount",
    namespace: within,
    name: "default",
  }),
  map: (name: string, within: string): Place => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    namespace: within,
    name,
  }),
};

function startEngine({ plane, surroundings }: MemoryPlane, owner = "one"): OwnEngine {
  const log = logger(() => undefined, surroundings.clock);
  return startOwnEngine({ plane, surroundings, log, options: { owner, graceMs: 0 } });
}

/** Claims all that is due, as a worker does, and gives it back as settled. */
async function takeDue({ store }: MemoryPlane, kind: string): Promise<readonly string[]> {
  const claims = await store.claim({ owner: "test", kinds: [kind], limit: 100, leaseMs: 1_000 });
  const due = { kind: "release", attempts: "reset" } as const;
  for (const { key, token } of claims) {
    const when = { kind: "exists" } as const;
    await store.commit([{ kind: "schedule", key, when, claim: { key, token }, due }]);
  }
  return claims.map(({ key }) => key.name);
}

describe("a write of one of the server's own kinds", () => {
  it("makes a namespace due when it is created and in deletion, and not for a label", async () => {
    await using memory = await openMemoryPlane({ hasEngine: false });
    await takeDue(memory, "namespaces");
    await memory.create(namespace("team"));
    assert.deepEqual(await takeDue(memory, "namespaces"), ["team"]);
    await memory.patch(at.namespace("team"), { metadata: { labels: { a: "b" } } });
    assert.deepEqual(await takeDue(memory, "namespaces"), []);
    await memory.remove(at.namespace("team"));
    assert.deepEqual(await takeDue(memory, "namespaces"), ["team"]);
    await memory.patch(at.namespace("team"), { metadata: { labels: { a: "c" } } });
    assert.deepEqual(await takeDue(memory, "namespaces"), ["team"]);
  });

  it("makes a definition due in deletion only", async () => {
    await using memory = await openMemoryPlane({ hasEngine: false });
    await memory.create(definition("things", "Thing"));
    assert.deepEqual(await takeDue(memory, definitions), []);
    await memory.remove(at.definition("things.tests.dev"));
    assert.deepEqual(await takeDue(memory, definitions), ["things.tests.dev"]);
  });

  it("makes nothing due that a run writes about its own resource", async () => {
    await using memory = await openMemoryPlane({ hasEngine: false });
    await memory.create(map("held", "default", { finalizers: ["tests.dev/hold"] }));
    await takeDue(memory, "namespaces");
    await memory.create(namespace("team"));
    await memory.remove(at.namespace("team"));
    const request = { owner: "test", kinds: ["namespaces"], limit: 1, leaseMs: 1_000 };
    const [held] = await memory.store.claim(request);
    assert.ok(held !== undefined);
    const claim = { key: held.key, token: held.token };
    await memory.patch(at.namespace("team"), { metadata: { labels: { a: "b" } } }, { claim });
    const due = { kind: "release", attempts: "reset" } as const;
    const when = { kind: "exists" } as const;
    await memory.store.commit([{ kind: "schedule", key: held.key, when, claim, due }]);
    assert.deepEqual(await takeDue(memory, "namespaces"), []);
  });
});

describe("the engine of a server", () => {
  it("makes the default account of a new namespace, and again after it was deleted", async () => {
    await using memory = await openMemoryPlane();
    const { timers } = memory.surroundings;
    await memory.create(namespace("team"));
    await timers.advance(10);
    const first = await memory.read(at.account("team"));
    assert.ok(first !== undefined);
    await memory.remove(at.account("team"));
    await timers.advance(10);
    const second = await memory.read(at.account("team"));
    assert.ok(second !== undefined && second.metadata.uid !== first.metadata.uid);
  });

  it("finishes deletions that an older release began and left, without a due time", async () => {
    await using memory = await openMemoryPlane({ hasEngine: false });
    await memory.create(definition("things", "Thing"));
    await memory.create(namespace("team"));
    await memory.create(map("a", "team"));
    const thing = { apiVersion: "tests.dev/v1", kind: "Thing" };
    await memory.create({ ...thing, metadata: { name: "t", namespace: "default" } });
    await memory.remove(at.namespace("team"));
    await memory.remove(at.definition("things.tests.dev"));
    await takeDue(memory, "namespaces");
    await takeDue(memory, definitions);
    await using running = new AsyncDisposableStack();
    running.use(startEngine(memory));
    await memory.surroundings.timers.advance(5_000);
    assert.equal(await memory.read(at.namespace("team")), undefined);
    assert.equal(await memory.read(at.definition("things.tests.dev")), undefined);
  });

  it("finishes what a process of an older release began beside it", async () => {
    await using memory = await openMemoryPlane({ hasEngine: false });
    const { timers } = memory.surroundings;
    {
      await using running = new AsyncDisposableStack();
      running.use(startEngine(memory));
      // All existing resources were made due once, and will not be again.
      await timers.advance(120_000);
      await memory.create(namespace("team"));
      await timers.advance(10);
    }
    await memory.remove(at.namespace("team"));
    await takeDue(memory, "namespaces");
    await using running = new AsyncDisposableStack();
    running.use(startEngine(memory, "two"));
    await timers.advance(120_000);
    assert.equal(await memory.read(at.namespace("team")), undefined);
  });

  it("writes nothing while a deletion waits, and nothing when all is done", async () => {
    await using memory = await openMemoryPlane();
    const { timers } = memory.surroundings;
    await memory.create(namespace("team"));
    await memory.create(map("held", "team", { finalizers: ["tests.dev/hold"] }));
    await timers.advance(120_000);
    await memory.remove(at.namespace("team"));
    await timers.advance(10_000);
    const waiting = await memory.store.head();
    await timers.advance(60_000);
    assert.equal((await memory.store.head()).revision, waiting.revision);
    await memory.patch(at.map("held", "team"), { metadata: { finalizers: null } });
    await timers.advance(10_000);
    assert.equal(await memory.read(at.namespace("team")), undefined);
    const settled = await memory.store.head();
    await timers.advance(3_600_000);
    assert.equal((await memory.store.head()).revision, settled.revision);
    assert.equal(await memory.store.nextDue(["namespaces", definitions]), undefined);
  });

  it("collects garbage that was left while another process was the leader", async () => {
    await using memory = await openMemoryPlane({ hasEngine: false });
    const { timers } = memory.surroundings;
    await using running = new AsyncDisposableStack();
    const one = startEngine(memory, "one");
    await timers.advance(5_000);
    running.use(startEngine(memory, "two"));
    const { apiVersion, kind, metadata } = await memory.create(map("owner", "default"));
    const { name, uid } = metadata;
    const ownerReferences = [{ apiVersion, kind, name, uid }];
    await memory.create(map("child", "default", { ownerReferences }));
    await timers.advance(5_000);
    const stopping = one[Symbol.asyncDispose]();
    await memory.remove(at.map("owner", "default"));
    await stopping;
    await timers.advance(30_000);
    assert.equal(await memory.read(at.map("child", "default")), undefined);
  });

  it("keeps trying, further and further apart, and counts the failures", async () => {
    await using memory = await openMemoryPlane({ hasEngine: false });
    const { timers } = memory.surroundings;
    const { plane } = memory;
    const refusing = {
      ...plane.intents.admission,
      validate: () => Promise.reject(new Error("no")),
    };
    const intents = { ...plane.intents, admission: refusing };
    const key: ResourceKey = { kind: "namespaces", namespace: "", name: "team" };
    await memory.create(namespace("team"));
    await using running = new AsyncDisposableStack();
    running.use(startEngine({ ...memory, plane: { ...plane, intents } }));
    await timers.advance(10_000);
    const [work] = await memory.store.workOf([key]);
    assert.ok((work?.attempts ?? 0) > 2);
    assert.ok((work?.dueInMs ?? 0) > 1_000);
  });
});
