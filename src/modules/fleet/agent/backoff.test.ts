import assert from "node:assert/strict";
import { test } from "node:test";
import { Backoff } from "./backoff.ts";

test("pauses grow by half from 1 s to 10 min, and begin again after a success", () => {
  const backoff = new Backoff({ next: () => 0.5, bytes: () => new Uint8Array() });
  const pauses = Array.from({ length: 30 }, () => backoff.nextMs());
  assert.deepEqual(pauses.slice(0, 4), [1_000, 1_500, 2_250, 3_375]);
  assert.equal(pauses.at(-1), 600_000);
  assert.equal(backoff.failures, 30);
  backoff.succeeded();
  assert.equal(backoff.nextMs(), 1_000);
});
