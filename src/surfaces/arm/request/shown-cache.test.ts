// What was shown is shown again only by the same rules, and old answers make room.
import assert from "node:assert/strict";
import { it } from "node:test";
import { ShownCache } from "./shown-cache.ts";
import type { ShownBy } from "./shown-cache.ts";

function rules(): ShownBy {
  return { face: {}, version: {}, served: {} } as unknown as ShownBy;
}

it("finds what was kept, by its revision and the same rules", () => {
  const cache = new ShownCache();
  const by = rules();
  const seven = Buffer.from("seven");
  cache.keep(7, "/a", by, seven);
  assert.equal(cache.find(7, { ...by }), seven);
  assert.equal(cache.find(8, by), undefined);
  for (const part of ["face", "version", "served"]) {
    assert.equal(cache.find(7, { ...by, [part]: {} }), undefined, part);
  }
  assert.equal(cache.isOf(7, "/a"), true);
  assert.equal(cache.isOf(7, "/b"), false);
  assert.equal(cache.isOf(8, "/a"), false);
});

it("forgets the oldest when it is full, and keeps nothing that is huge", () => {
  const cache = new ShownCache();
  const by = rules();
  const bytes = Buffer.alloc(500_000);
  for (let revision = 1; revision <= 20; revision += 1) cache.keep(revision, "/a", by, bytes);
  assert.equal(cache.find(4, by), undefined);
  assert.equal(cache.find(5, by), bytes);
  for (let again = 0; again < 50; again += 1) cache.keep(20, "/a", by, bytes);
  assert.equal(cache.find(6, by), bytes, "the same again takes no more room");
  cache.keep(21, "/a", by, Buffer.alloc(900_000));
  assert.equal(cache.find(21, by), undefined);
});
