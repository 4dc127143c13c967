import assert from "node:assert/strict";
import { test } from "node:test";
import { limits } from "../../kernel/limits.ts";
import { warningHeaders } from "./warnings.ts";

test("a warning is quoted, and what a header cannot hold is replaced", () => {
  assert.deepEqual(warningHeaders(['unknown field "spec.ä"']), [
    '299 - "unknown field \\"spec.?\\""',
  ]);
});

test("long warnings are shortened only when all together are too long", () => {
  const long = "x".repeat(limits.maxShortWarningChars + 1);
  assert.deepEqual(warningHeaders([long]), [`299 - "${long}"`]);
  const many = Array.from({ length: 20 }, (_, i) => `${i}${long}`);
  const shown = warningHeaders(many);
  assert.equal(shown.length, limits.maxWarningChars / limits.maxShortWarningChars);
  assert.ok(shown.every((text) => text.length === '299 - ""'.length + 256));
});

test("very many and very long warnings cost little and leave room for other headers", () => {
  const before = process.cpuUsage();
  const many = Array.from({ length: 200_000 }, (_, i) => `unknown field "f${i}"`);
  assert.equal(warningHeaders(many).length, limits.maxWarnings);
  assert.equal(warningHeaders(["🙂".repeat(5_000_000)]).length, 1);
  assert.ok(process.cpuUsage(before).user < 5_000_000);
});
