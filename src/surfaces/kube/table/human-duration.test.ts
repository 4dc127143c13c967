import assert from "node:assert/strict";
import { test } from "node:test";
import { ageOf, humanDuration } from "./human-duration.ts";

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
const year = 365 * day;

const cases: readonly (readonly [number, string])[] = [
  [-2 * second, "<invalid>"],
  [-1.5 * second, "0s"],
  [0, "0s"],
  [999, "0s"],
  [5 * second, "5s"],
  [119 * second, "119s"],
  [2 * minute, "2m"],
  [150 * second, "2m30s"],
  [10 * minute - second, "9m59s"],
  [10 * minute + 30 * second, "10m"],
  [179 * minute, "179m"],
  [3 * hour, "3h"],
  [3 * hour + 5 * minute, "3h5m"],
  [8 * hour - minute, "7h59m"],
  [8 * hour + 30 * minute, "8h"],
  [47 * hour, "47h"],
  [2 * day, "2d"],
  [2 * day + 5 * hour, "2d5h"],
  [8 * day - hour, "7d23h"],
  [8 * day, "8d"],
  [400 * day, "400d"],
  [2 * year - hour, "729d"],
  [2 * year, "2y"],
  [2 * year + 3 * day, "2y3d"],
  [8 * year, "8y"],
  [9 * year + 40 * day, "9y"],
];

for (const [ms, expected] of cases) {
  test(`${ms} ms are shown as ${expected}`, () => {
    assert.equal(humanDuration(ms), expected);
  });
}

test("an age is unknown without a time and invalid when the text is no time", () => {
  const now = Date.parse("2026-01-01T00:00:10Z");
  assert.equal(ageOf(undefined, now), "<unknown>");
  assert.equal(ageOf("", now), "<unknown>");
  assert.equal(ageOf("0001-01-01T00:00:00Z", now), "<unknown>");
  assert.equal(ageOf("yesterday", now), "<invalid>");
  assert.equal(ageOf("2026-13-01T00:00:00Z", now), "<invalid>");
  assert.equal(ageOf("2026-01-01T01:00:00+01:00", now), "10s");
  assert.equal(ageOf("2026-01-01T00:00:00.123456Z", now), "9s");
});
