import assert from "node:assert/strict";
import { test } from "node:test";
import { retryDelayMs } from "./retry-delay.ts";

test("retries begin at a quarter of a second and end at five", () => {
  assert.deepEqual(
    [0, 1, 2, 3, 4, 5, 60].map(retryDelayMs),
    [250, 500, 1_000, 2_000, 4_000, 5_000, 5_000],
  );
});
