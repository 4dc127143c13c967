import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { outputCollector } from "./collect-output.ts";

function collected(
  chunks: readonly Buffer[],
  { maxBytes = 1_000, maxLineBytes = 1_000 } = {},
): { readonly lines: readonly string[]; readonly text: string; readonly isTruncated: boolean } {
  const lines: string[] = [];
  const collector = outputCollector({ maxBytes, maxLineBytes, onLine: (line) => lines.push(line) });
  for (const chunk of chunks) collector.push(chunk);
  collector.end();
  const { bytes, isTruncated } = collector.output();
  return { lines, text: bytes.toString("utf8"), isTruncated };
}

test("lines are the same wherever the output is cut into chunks", () => {
  const texts = fc.array(fc.constantFrom("", "a", "zwölf", "🙂 ok", "x".repeat(40)), {
    minLength: 1,
    maxLength: 8,
  });
  fc.assert(
    fc.property(texts, fc.integer({ min: 1, max: 9 }), (lines, size) => {
      const whole = Buffer.from(`${lines.join("\n")}\n`);
      const chunks: Buffer[] = [];
      for (let at = 0; at < whole.length; at += size) chunks.push(whole.subarray(at, at + size));
      const result = collected(chunks);
      assert.deepEqual(result.lines, lines);
      assert.equal(result.text, whole.toString("utf8"));
    }),
  );
});

test("a last line without a line break and lines of Windows are reported", () => {
  assert.deepEqual(collected([Buffer.from("one\r\ntw"), Buffer.from("o")]).lines, ["one", "two"]);
});

test("a line beyond the limit is reported in pieces", () => {
  const { lines } = collected([Buffer.from("abcdefg\nh\n")], { maxLineBytes: 3 });
  assert.deepEqual(lines, ["abc", "def", "g", "h"]);
});

test("output beyond the limit is dropped and marked", () => {
  const { text, lines, isTruncated } = collected([Buffer.from("abc\nd"), Buffer.from("efg\n")], {
    maxBytes: 6,
  });
  assert.deepEqual([text, lines, isTruncated], ["abc\nde", ["abc", "de"], true]);
  assert.equal(collected([Buffer.from("abcdef")], { maxBytes: 6 }).isTruncated, false);
});
