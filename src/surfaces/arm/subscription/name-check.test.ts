// Whether a name is free is told by the few records that may have it.
import assert from "node:assert/strict";
import { it } from "node:test";
import { manualClock } from "../../../kernel/clock.ts";
import { encodeDocument } from "../../../kernel/document.ts";
import type { Put, Store } from "../../../store/port.ts";
import { systemCause } from "../../../kernel/cause.ts";
import { ModelStore } from "../../../../tests/arm-memory/memory-arm.ts";
import type { ArmSurface } from "../request/surface-state.ts";
import { saltedName, storedName } from "../../../modules/resource-provider/arm-names.ts";
import type { ArmPlace } from "../../../modules/resource-provider/resource-id.ts";
import { envelopeAnnotation } from "../../../modules/resource-provider/face.ts";
import { isTaken } from "./provider.ts";

const kind = "ovens";
const namespace = "sub-1";

function placeOf(name: string, group: string): ArmPlace {
  return { subscription: "1", group, provider: "A.B", types: ["ovens"], names: [name] };
}

function put(stored: string, name: string | undefined): Put {
  const operation = { id: "", verb: "create", startedAt: "" };
  const envelope = JSON.stringify({ id: `/subscriptions/1/${stored}`, name, operation });
  const body = encodeDocument({
    apiVersion: "a/v1",
    kind: "Oven",
    metadata: {
      namespace,
      name: stored,
      uid: stored,
      generation: 1,
      creationTimestamp: "2026-01-01T00:00:00Z",
      ...(name === undefined ? {} : { annotations: { [envelopeAnnotation]: envelope } }),
    },
  });
  return {
    kind: "put",
    cause: systemCause,
    key: { kind, namespace, name: stored },
    uid: stored,
    draft: { body, terms: [], secrets: [] },
    when: { kind: "absent" },
  };
}

async function filled(puts: readonly Put[]): Promise<{
  readonly ask: (name: string) => Promise<boolean>;
  readonly read: () => number;
}> {
  const model = new ModelStore(manualClock());
  await model.commit(puts);
  let read = 0;
  const list: Store["list"] = async (query) => {
    const page = await model.list(query);
    read += page.records.length;
    return page;
  };
  const store = { head: () => model.head(), list };
  const surface = { intents: { store } } as unknown as ArmSurface;
  return {
    ask: async (name) => await isTaken(surface, namespace, { kind }, name),
    read: () => read,
  };
}

it("is taken in any group and case, also by what came after one that was moved", async () => {
  const { ask } = await filled([
    put(storedName(placeOf("One", "g1")), "One"),
    put(saltedName(placeOf("Two.b", "g2"), "salt"), "Two.b"),
    put(storedName(placeOf("three", "g1")), undefined),
    put("one-of-kubectl", undefined),
  ]);
  assert.equal(await ask("oNE"), true);
  assert.equal(await ask("two.B"), true);
  assert.equal(await ask("two-b"), false, "it is stored under the same words");
  assert.equal(await ask("three"), false, "it was not made through this surface");
  assert.equal(await ask("on"), false);
});

it("reads nothing but what begins like it", async () => {
  const names = Array.from({ length: 900 }, (_, at) => `oven${String(at).padStart(3, "0")}`);
  const { ask, read } = await filled(
    names.map((name) => put(storedName(placeOf(name, "g")), name)),
  );
  assert.equal(await ask("oven450"), true);
  assert.equal(await ask("oven4500"), false);
  assert.ok(read() <= 100, `${read()} records for two names of 900`);
});

it("is told also where the names of very many begin with it", async () => {
  const names = Array.from({ length: 300 }, (_, at) => `oven-${at}`);
  const puts = [...names, "OVEN"].map((name) => put(storedName(placeOf(name, "g")), name));
  assert.equal(await (await filled(puts)).ask("oven"), true);
  assert.equal(await (await filled(puts.slice(0, -1))).ask("oven"), false);
});
