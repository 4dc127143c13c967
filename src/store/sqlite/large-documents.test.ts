// Large documents of a list are read one by one, and only those that are in the page: the database
// is read on the event loop.
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { manualClock } from "../../kernel/clock.ts";
import { parseSelector } from "../../kernel/selector.ts";
import type { ListQuery, StoredRecord } from "../port.ts";
import { draft, key, put, widgets } from "../contract/samples.ts";
import type { Content } from "../contract/samples.ts";
import { keyRing, newSealKey } from "../key-ring.ts";
import { prepareCommit } from "../prepare.ts";
import { batchOf } from "./batch.ts";
import { Core } from "./core.ts";
import { databaseClock } from "./clock.ts";
import { list } from "./list.ts";
import { Reader } from "./reader.ts";
import { prepareFile } from "./schema.ts";

const count = 8;
const bytes = 400_000;

/** Counts the bytes of the documents that it reads by themselves. */
class CountingReader extends Reader {
  readBytes = 0;

  override recordWithin(...given: Parameters<Reader["recordWithin"]>): StoredRecord | undefined {
    const record = super.recordWithin(...given);
    this.readBytes += record?.body.length ?? 0;
    return record;
  }
}

function readerOf(): CountingReader {
  return filledReader(count, { spec: "x".repeat(bytes), labels: { side: "left" } });
}

function filledReader(documents: number, content: Content): CountingReader {
  const db = new DatabaseSync(":memory:");
  const clock = manualClock();
  prepareFile(db, ":memory:", clock);
  const core = new Core({ path: ":memory:", clock: databaseClock(clock), connect: () => db });
  const ring = keyRing([newSealKey()]);
  for (let at = 0; at < documents; at += 1) {
    const writes = [put(key(`n${at}`), { content })];
    core.commit(at + 1, batchOf(prepareCommit(ring, writes, { atomic: true })));
  }
  return new CountingReader(db, (_identity, document) => document);
}

const { body } = draft(key("n0"), { spec: "x".repeat(bytes) });
const left = { labels: parseSelector("side=left") };
const queries: { readonly [what: string]: Partial<ListQuery> } = {
  "the first page": {},
  "a later page": { from: { revision: count, namespace: "team", name: "n1" } },
  "a page of a selector": left,
  "a page of the past": { at: count - 1 },
};

for (const [what, query] of Object.entries(queries)) {
  test(`${what} of large documents reads those in the page alone`, () => {
    const reader = readerOf();
    const { records, next } = list(reader, { kind: widgets, ...query });
    assert.equal(records.length, 2);
    assert.notEqual(next, undefined);
    assert.ok(records.every((record) => record.body.length === body.length));
    assert.equal(reader.readBytes, 2 * body.length);
    reader.db.close();
  });
}

test("a page looks at no more labels than can be read at once, and continues behind them", () => {
  const prefix = `${"long-prefix".repeat(15)}/name-`;
  const labels = Object.fromEntries(
    Array.from({ length: 900 }, (_, at) => [`${prefix}${at}`, "v".repeat(60)]),
  );
  const documents = 40;
  const reader = filledReader(documents, { spec: "x", labels });
  const query: ListQuery = { kind: widgets, labels: parseSelector(`!${prefix}0`) };
  const page = list(reader, query);
  assert.deepEqual(page.records, []);
  assert.notEqual(page.next, undefined);
  const all = { kind: widgets, labels: parseSelector("absent!=here") };
  const names: string[] = [];
  let found = list(reader, all);
  let pages = 1;
  for (; found.next !== undefined; pages += 1) {
    names.push(...found.records.map(({ key: { name } }) => name));
    found = list(reader, { ...all, from: found.next });
  }
  names.push(...found.records.map(({ key: { name } }) => name));
  assert.equal(names.length, documents);
  assert.ok(pages > 4, `${pages} pages`);
  reader.db.close();
});
