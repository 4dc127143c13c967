import assert from "node:assert/strict";
import { test } from "node:test";
import { RecentMap } from "./recent-map.ts";

test("keeps the newest, within its bound", () => {
  const map = new RecentMap<number>(10);
  for (let i = 0; i < 100; i += 1) map.set(`k${i}`, i);
  const kept = Array.from({ length: 100 }, (_, i) => map.get(`k${i}`)).filter(Boolean);
  assert.ok(kept.length >= 5 && kept.length <= 10, `${kept.length} are kept`);
  assert.equal(map.get("k99"), 99);
  assert.equal(map.get("k0"), undefined);
});

test("keeps what is asked for, and its newest value", () => {
  const map = new RecentMap<number>(10);
  map.set("hot", 1);
  for (let i = 0; i < 100; i += 1) {
    map.set(`k${i}`, i);
    assert.equal(map.get("hot"), 1);
  }
  map.set("hot", 2);
  assert.equal(map.get("hot"), 2);
});
