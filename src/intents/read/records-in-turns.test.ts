import assert from "node:assert/strict";
import { it } from "node:test";
import { limits } from "../../kernel/limits.ts";
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
      return Promise.resolve(
        asked.map((key) => (key.name === "map-1" ? undefined : ({ key, ...known } as never))),
      );
    },
  };
}

it("large documents are read a few at a time, with a turn of the event loop after each", async () => {
  const store = storeOf(limits.minSlicedBytes);
  const names: (string | undefined)[] = [];
  let turns = 0;
  const count = (): void => {
    turns += 1;
    counting = setImmediate(count);
  };
  let counting = setImmediate(count);
  const before: number[] = [];
  for await (const record of recordsInTurns(store, keys, "namespace shop")) {
    names.push(record?.key.name);
    before.push(turns);
  }
  clearImmediate(counting);
  assert.deepEqual(
    names,
    keys.map(({ name }) => (name === "map-1" ? undefined : name)),
  );
  assert.deepEqual(store.sizes, [recordsAtOnce, recordsAtOnce, recordsAtOnce]);
  const isLater = (at: number): boolean => (before[at] ?? 0) > (before[at - 1] ?? 0);
  // After what does not exist, there is nothing to wait for.
  for (let at = 3; at < keys.length; at += 1) assert.ok(isLater(at), `record ${at}`);
});

it("small documents are read without turns of the event loop", async () => {
  let hasTurned = false;
  const turn = setImmediate(() => (hasTurned = true));
  for await (const record of recordsInTurns(storeOf(100), keys, "namespace shop")) void record;
  clearImmediate(turn);
  assert.equal(hasTurned, false);
});
