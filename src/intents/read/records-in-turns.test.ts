import assert from "node:assert/strict";
import { it } from "node:test";
import { limits } from "../../kernel/limits.ts";
import { nextTurn } from "../../kernel/pauses.ts";
import type { ResourceKey } from "../../kernel/resource.ts";
import type { StoredRecord } from "../../store/port.ts";
import { recordsAtOnce, recordsInTurns } from "./records-in-turns.ts";

const keys = Array.from({ length: 3 * recordsAtOnce }, (_, at) => ({
  kind: "configmaps",
  namespace: "shop",
  name: `map-${at}`,
}));

function storeOf(bodyBytes: number): {
  readonly sizes: number[];
  getMany(asked: readonly ResourceKey[]): Promise<readonly (StoredRecord | undefined)[]>;
} {
  const sizes: number[] = [];
  const body = Buffer.alloc(bodyBytes);
  return {
    sizes,
    getMany: (asked) => {
      sizes.push(asked.length);
      const known = { revision: 1, uid: "", body } as const;
      const record = (key: ResourceKey): StoredRecord => ({ key, ...known });
      return Promise.resolve(asked.map((key) => (key.name === "map-1" ? undefined : record(key))));
    },
  };
}

it("large documents are read a few at a time, with turns for other tenants", async () => {
  const store = storeOf(limits.minSlicedBytes);
  const names: (string | undefined)[] = [];
  const other: number[] = [];
  const others = (async () => {
    for (let step = 0; step < keys.length; step += 1) {
      await nextTurn("namespace other");
      other.push(names.length);
    }
  })();
  for await (const record of recordsInTurns(store, keys, "namespace shop")) {
    names.push(record?.key.name);
  }
  await others;
  const expected = keys.map(({ name }) => (name === "map-1" ? undefined : name));
  assert.deepEqual(names, expected);
  assert.deepEqual(store.sizes, [recordsAtOnce, recordsAtOnce, recordsAtOnce]);
  // The turn belongs to the tenant that has used less time, which is not always the other one.
  assert.ok(new Set(other).size > keys.length / 4, other.join(" "));
});

it("small documents are read without turns", async () => {
  let hasTurned = false;
  void nextTurn("namespace other").then(() => (hasTurned = true));
  for await (const record of recordsInTurns(storeOf(100), keys, "namespace shop")) void record;
  assert.equal(hasTurned, false);
});
