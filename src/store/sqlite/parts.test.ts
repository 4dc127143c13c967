// The parts that decide without a database: the clock, the packing of batches, whose turn it is.
import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "../../kernel/clock.ts";
import { keyText } from "../../kernel/resource.ts";
import { keyRing, newSealKey } from "../key-ring.ts";
import { claimSome, del, exists, key, put, wake } from "../contract/samples.ts";
import { prepareCommit } from "../prepare.ts";
import { batchOf, packBatch, packResult, unpackBatch, unpackResult } from "./batch.ts";
import type { BatchResult } from "./batch.ts";
import { databaseClock } from "./clock.ts";
import { openSqliteStore } from "./store.ts";
import { RunningKeys } from "./running-keys.ts";

const ring = keyRing([newSealKey()]);

test("the database's time never goes back and never stands still", () => {
  const wall = manualClock(1_000);
  const clock = databaseClock(wall);
  assert.equal(clock.nowMs(), 1_000);
  wall.setMs(400);
  assert.equal(clock.nowMs(), 1_000);
  wall.setMs(450);
  assert.equal(clock.nowMs(), 1_050);
  wall.setMs(5_000);
  assert.equal(clock.nowMs(), 5_600);
});

test("a packed batch is the same after unpacking", () => {
  const held = { names: [{ scope: "s", name: "ü" }], bounds: [{ counter: "c", max: 1 }] };
  const claim = { key: key("a"), token: 7 };
  const writes = [
    put(key("a"), { content: { secrets: { word: "x" } }, ...held, due: wake(5) }),
    put(key("b\u{1f600}"), { claim, when: exists }),
    del(key("c")),
  ];
  const batch = batchOf(prepareCommit(ring, writes, { atomic: true }));
  assert.deepEqual(readable(unpackBatch(packBatch(batch))), readable(batch));
});

/** Bytes as hexadecimal digits, and no fields that are undefined. */
function readable(value: unknown): unknown {
  const text = JSON.stringify(value, function (this: Record<string, unknown>, name, given) {
    const field = this[name];
    return field instanceof Uint8Array ? Buffer.from(field).toString("hex") : (given as unknown);
  });
  return JSON.parse(text);
}

test("packed results are the same after unpacking, and their text alone has the answers", () => {
  const document = new Uint8Array([1, 2, 3]);
  const base = { kind: "committed", previousTerms: undefined, terms: undefined } as const;
  const nothing = { document: null, sealed: null };
  const result: BatchResult = {
    atMs: 5,
    isWoken: true,
    results: [
      [{ ...base, ...nothing, revision: 1, type: "created", previous: null, uid: undefined }],
      [{ kind: "unchanged", revision: 9 }],
      [{ kind: "refused", code: "claim.lost", message: "m", details: { a: 1 } }],
      [{ ...base, revision: 2, type: "deleted", previous: 1, uid: "u", document, sealed: null }],
    ],
  };
  const packed = packResult(result);
  assert.deepEqual(unpackResult(packed), result);
  const bare = unpackResult({ text: packed.text, bytes: new ArrayBuffer(0) });
  assert.deepEqual(bare.results.slice(0, 3), result.results.slice(0, 3));
});

test("claims go around the namespaces, also when there are more than fit", async () => {
  const clock = manualClock();
  await using store = await openSqliteStore({ path: ":memory:", keys: ring, clock });
  const namespaces = Array.from({ length: 9 }, (_, i) => `n${i}`);
  for (const namespace of namespaces) {
    await store.commit(
      Array.from({ length: 20 }, (_, i) => put(key(`r${i}`, namespace), { due: wake() })),
    );
  }
  const turns: string[] = [];
  for (let call = 0; call < 9; call += 1) {
    const claims = await claimSome(store, { limit: 4 });
    turns.push(...claims.map((claim) => claim.key.namespace));
  }
  const counts = namespaces.map((name) => turns.filter((turn) => turn === name).length);
  assert.deepEqual(
    counts,
    namespaces.map(() => 4),
  );
});

test("a key is under way until the last batch that has it is answered", () => {
  const groups = (...names: readonly string[]) =>
    prepareCommit(
      ring,
      names.map((name) => put(key(name))),
    );
  const has = (name: string): boolean => runningKeys.has(keyText(key(name)));
  const runningKeys = new RunningKeys();
  const [first, second] = [groups("a", "b"), groups("b")];
  runningKeys.begin(first);
  runningKeys.begin(second);
  runningKeys.end(first);
  assert.deepEqual([has("a"), has("b")], [false, true]);
  runningKeys.end(second);
  assert.deepEqual([has("a"), has("b")], [false, false]);
});
