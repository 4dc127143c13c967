// Events of resources that cannot be shown: they are published without the resource.
import assert from "node:assert/strict";
import { test } from "node:test";
import { openMemoryPlane } from "../../src/app/memory-plane.ts";
import type { ServedKind } from "../../src/intents/kinds/served-kind.ts";
import type { Json } from "../../src/kernel/json.ts";
import { objectAt, textAt } from "../../src/kernel/json-read.ts";
import { eventReader } from "../../src/modules/bus/outbox/event-reader.ts";
import type { Change } from "../../src/store/port.ts";

test("an event has no resource that cannot be converted, is too large or has no kind", async () => {
  await using memory = await openMemoryPlane();
  const { kinds } = memory.plane.intents;
  const served = kinds.byId("configmaps");
  assert.ok(served !== undefined);
  const object = { apiVersion: "v1", kind: "ConfigMap" };
  const at = { name: "one", namespace: "default" };
  await memory.create({ ...object, metadata: at, data: { value: "shown" } });
  const [change] = await memory.store.history({ kind: "configmaps", ...at });
  assert.ok(change !== undefined);
  const dataOf = async (given: Change, kind: ServedKind | undefined): Promise<Json> => {
    const eventsOf = eventReader({
      store: memory.store,
      kinds: { byId: () => kind },
      wanted: () => true,
      exchange: "events",
      source: "/test",
    });
    const [event] = await eventsOf(given);
    assert.ok(event !== undefined);
    return objectAt(JSON.parse(event.message.body.toString()) as Json, "data");
  };
  const shown = await dataOf(change, served);
  assert.equal(textAt(shown, "resource", "data", "value"), "shown");
  // Of an older version, which the kind cannot convert any more.
  const broken = { ...served, cleanSince: Infinity, storage: undefined as never };
  const large = { ...change, body: Buffer.concat([change.body, Buffer.alloc(300_000, " ")]) };
  for (const data of [
    await dataOf(change, broken),
    await dataOf(change, undefined),
    await dataOf(large, served),
  ]) {
    assert.equal(objectAt(data)["resourceOmitted"], true);
    assert.equal(objectAt(data)["resource"], undefined);
    assert.equal(textAt(data, "name"), "one");
  }
});
