import assert from "node:assert/strict";
import { test } from "node:test";
import { memoryIn } from "./group-memory.ts";

test("the group and the resident memory are read from the status of a process", () => {
  const status = "Name:\tsh\nPid:\t41\nNSpgid:\t40\t3\nVmHWM:\t 9000 kB\nVmRSS:\t    1772 kB\n";
  assert.deepEqual(memoryIn(status), { group: 40, bytes: 1_772 * 1_024 });
});

test("a process that has ended uses no memory", () => {
  assert.equal(memoryIn("Name:\tsh\nState:\tZ (zombie)\nNSpgid:\t40\n"), undefined);
  assert.equal(memoryIn(""), undefined);
});
