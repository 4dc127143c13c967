import assert from "node:assert/strict";
import { test } from "node:test";
import { nextReadMs } from "./pace.ts";

test("reading again takes a fifth of the time at most, and waits ten seconds at most", () => {
  assert.equal(nextReadMs(1_000, 20), 0);
  assert.equal(nextReadMs(100, 20), 150);
  assert.equal(nextReadMs(400, 400), 1_600);
  assert.equal(nextReadMs(0, 60_000), 10_000);
});
