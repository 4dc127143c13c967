// Documents of one chunk of a list share their memory, so a chunk is bounded in bytes: a client
// that keeps one small document must not keep many large ones, and no chunk blocks for long.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { limits } from "../../src/kernel/limits.ts";
import { commit, key, put, widgets } from "../../src/store/contract/samples.ts";
import { newSealKey } from "../../src/store/key-ring.ts";
import { temporaryFolder } from "../../src/store/sqlite/harness.ts";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";

const keys = [newSealKey()];
const largeBytes = 400_000;

test("a list keeps no more memory than its page, whatever the order of sizes", async () => {
  using folder = temporaryFolder();
  await using store = await openSqliteStore({ path: join(folder.path, "store.db"), keys });
  const small = Array.from({ length: 40 }, (_, at) => `a${at}`);
  const large = Array.from({ length: 20 }, (_, at) => `b${at}`);
  const spec = "x".repeat(largeBytes);
  for (const name of small) await commit(store, put(key(name), { content: { spec: "x" } }));
  for (const name of large) await commit(store, put(key(name), { content: { spec } }));
  const names: string[] = [];
  let page = await store.list({ kind: widgets, limit: 1_000 });
  for (;;) {
    const kept = new Set(page.records.map(({ body }) => body.buffer));
    const bytes = [...kept].reduce((sum, { byteLength }) => sum + byteLength, 0);
    assert.ok(bytes <= limits.maxPageBytes + 2 * largeBytes, `${bytes} bytes are kept`);
    names.push(...page.records.map((record) => record.key.name));
    if (page.next === undefined) break;
    page = await store.list({ kind: widgets, limit: 1_000, from: page.next });
  }
  assert.deepEqual(names, [...small, ...large].toSorted());
});
