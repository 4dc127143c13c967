// Garbage collection that starts while owners wait for their dependents: an owner is released only
// after every resource that may hold it was listed.
import assert from "node:assert/strict";
import { it } from "node:test";
import { followOwners } from "../intents/housekeeping/follow-owners.ts";
import type { JsonObject } from "../kernel/json.ts";
import type { Store } from "../store/port.ts";
import { logger } from "../telemetry/log.ts";
import { openMemoryPlane } from "./memory-plane.ts";
import type { Place } from "./memory-plane.ts";
import { startOwnEngine } from "./own-engine.ts";

const namespace = "default";
const owner = { apiVersion: "v1", kind: "ConfigMap", namespace, name: "owner" };
const child = { apiVersion: "v1", kind: "Secret", namespace, name: "child" };

function documentOf({ apiVersion, kind }: Place, metadata: JsonObject): JsonObject {
  return { apiVersion, kind, metadata };
}

for (const [way, finalizer] of [
  ["in the foreground", "foregroundDeletion"],
  ["around others", "setpoint.dev/nested"],
] as const) {
  it(`keeps an owner ${way} until its dependents were listed, too`, async () => {
    await using memory = await openMemoryPlane({ hasEngine: false });
    const { plane, store, surroundings } = memory;
    const { timers } = surroundings;
    const metadata = { name: owner.name, namespace, finalizers: [finalizer] };
    const { apiVersion, kind, metadata: made } = await memory.create(documentOf(owner, metadata));
    const { name, uid } = made;
    const ownerReferences = [{ apiVersion, kind, name, uid, blockOwnerDeletion: true }];
    const held = { name: child.name, namespace, ownerReferences, finalizers: ["tests.dev/hold"] };
    await memory.create(documentOf(child, held));
    await memory.remove(owner);
    const listed = Promise.withResolvers<void>();
    const list: Store["list"] = async (query) => {
      if (query.kind === "secrets") await listed.promise;
      return await store.list(query);
    };
    const slow = new Proxy(store, {
      get: (target, key) => {
        const value: unknown = key === "list" ? list : Reflect.get(target, key, target);
        return typeof value === "function" ? (value.bind(target) as unknown) : value;
      },
    });
    await using owners = followOwners({
      intents: { ...plane.intents, store: slow },
      feed: plane.feed,
      timers,
      onError: (error) => assert.fail(String(error)),
      onUnopened: (error) => assert.fail(String(error)),
    });
    await using running = new AsyncDisposableStack();
    const engine = startOwnEngine({
      plane: { ...plane, owners },
      surroundings,
      log: logger((line) => assert.fail(line), surroundings.clock, "warn"),
      options: { owner: "one" },
    });
    running.use(engine);
    await timers.advance(2_000);
    const early = await memory.read(owner);
    listed.resolve();
    assert.deepEqual(early?.metadata.finalizers, [finalizer]);
    await timers.advance(10_000);
    assert.deepEqual((await memory.read(owner))?.metadata.finalizers, [finalizer]);
    assert.equal(owners.dependentsOf(uid).length, 1);
    await memory.patch(child, { metadata: { finalizers: null } });
    await timers.advance(10_000);
    assert.equal(await memory.read(owner), undefined);
    assert.equal(await memory.read(child), undefined);
  });
}
