import assert from "node:assert/strict";
import { test } from "node:test";
import type { Row } from "../api/types.ts";
import { appendRows, holdRows, patchRows } from "./held-rows.ts";

const row = (uid: string, revision = 1): Row => ({
  uid,
  name: uid,
  revision,
  created: "2026-01-01T00:00:00Z",
  state: "Ready",
  columns: {},
});
const uids = (rows: readonly Row[]): string => rows.map(({ uid }) => uid).join("");

test("changed rows keep their place, and unchanged ones are the same objects", () => {
  const first = holdRows([row("a"), row("b"), row("c")]);
  const next = patchRows(first, [row("c", 5), row("a"), row("b")]);
  assert.equal(uids(next.rows), "abc");
  assert.equal(next.rows[0], first.rows[0]);
  assert.equal(next.rows[2]?.revision, 5);
  assert.equal(next.news, 0);
});

test("a row that no longer matches stays muted, and new rows are counted until shown", () => {
  const next = patchRows(holdRows([row("a"), row("b")]), [row("d"), row("b"), row("e")]);
  assert.equal(uids(next.rows), "ab");
  assert.deepEqual([...next.muted], ["a"]);
  assert.equal(next.news, 2);
  const shown = holdRows(next.fresh);
  assert.equal(uids(shown.rows), "dbe");
  assert.equal(shown.muted.size, 0);
});

test("a further page adds no row twice", () => {
  assert.equal(uids(appendRows(holdRows([row("a"), row("b")]), [row("b"), row("c")]).rows), "abc");
});
