import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { PackedBytes } from "./packed-bytes.ts";

test("every text is there as its bytes, and stays so whatever comes after it", () => {
  // Characters of one to four bytes.
  const unit = fc.constantFrom("a", "é", "€", "𝄞");
  const texts = fc.array(fc.string({ unit, maxLength: 4_000, size: "max" }), {
    minLength: 20,
    maxLength: 60,
  });
  fc.assert(
    fc.property(texts, (all) => {
      const pack = new PackedBytes();
      const packed = all.map((text) => pack.bytesOf(text));
      assert.deepEqual(
        packed.map((bytes) => bytes.toString()),
        all.map((text) => Buffer.from(text).toString()),
      );
    }),
    { numRuns: 20 },
  );
});

test("many share a block, and the first few do not", () => {
  const pack = new PackedBytes();
  const texts = Array.from({ length: 40 }, (_, index) => `${index}`.repeat(1_000));
  const packed = texts.map((text) => pack.bytesOf(text));
  assert.deepEqual(
    packed.map((bytes) => bytes.toString()),
    texts,
  );
  const blocks = new Set(packed.slice(8).map((bytes) => bytes.buffer));
  assert(blocks.size < 4, `${blocks.size} blocks`);
  assert(!blocks.has(packed[0]?.buffer ?? new ArrayBuffer()), "the first has its own");
});
