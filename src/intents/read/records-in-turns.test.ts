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

it("documents are read a few at a time, with a pause after each is used", async () => {
  const store = storeOf(1_000);
  const names: (string | undefined)[] = [];
  const pauses: (readonly [used: number, bytes: number])[] = [];
  const pause = async (bytes: number): Promise<void> => {
    pauses.push([names.length, bytes]);
    await Promise.resolve();
  };
  for await (const record of recordsInTurns(store, keys, "namespace shop", pause)) {
    names.push(record?.key.name);
  }
  const expected = keys.map(({ name }) => (name === "map-1" ? undefined : name));
  assert.deepEqual(names, expected);
  assert.deepEqual(store.sizes, [recordsAtOnce, recordsAtOnce, recordsAtOnce]);
  const isFound = (at: number): boolean => expected[at] !== undefined;
  assert.deepEqual(
    pauses,
    keys.map((_key, at) => [at + 1, isFound(at) ? 1_000 : 0]),
  );
});

it("small documents are read without turns, and large ones with turns", async () => {
  let hasTurned = false;
  // Tenants that no other test uses: the one that has used less time has the next turn.
  const [tenant, other] = ["namespace records-in-turns", "namespace beside-records-in-turns"];
  void nextTurn(other).then(() => (hasTurned = true));
  const read = async (bytes: number): Promise<void> => {
    for await (const record of recordsInTurns(storeOf(bytes), keys, tenant)) void record;
  };
  await read(100);
  assert.equal(hasTurned, false);
  await read(limits.minSlicedBytes);
  assert.equal(hasTurned, true);
});
