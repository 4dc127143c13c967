import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { parseReliably } from "./reliable-json.ts";

test("a key that ends with a backslash does not rename keys of later objects", () => {
  for (const [first, second] of [
    ["x\\", "x\n"],
    ["\\", '"'],
    ["k\\", "k\u00e9"],
    ["x\\", "x\\"],
  ] as const) {
    assert.deepEqual(parseReliably(`{"a":1,${JSON.stringify(first)}:1}`), { a: 1, [first]: 1 });
    const key = JSON.stringify(second).replace("\u00e9", "\\u00e9");
    assert.deepEqual(parseReliably(`{"a":1,${key} : 2}`), { a: 1, [second]: 2 });
    const both = `[{"b":1,${JSON.stringify(first)}:1},{"b":1,${key}:2}]`;
    assert.deepEqual(parseReliably(both), [
      { b: 1, [first]: 1 },
      { b: 1, [second]: 2 },
    ]);
  }
});

test("a document with such keys is parsed as any other", () => {
  const text = '{"\\\\":{"__proto__":[1,"a: \\"b\\":"],"":null,"\\\\":1,"\\\\":2},"s":"\\\\"}';
  const parsed = parseReliably(text) as Record<string, Record<string, unknown>>;
  assert.deepEqual(Object.keys(parsed), ["\\", "s"]);
  assert.deepEqual(Object.keys(parsed["\\"] ?? {}), ["__proto__", "", "\\"]);
  assert.equal(parsed["\\"]?.["\\"], 2, "the last of two equal keys counts");
});

test("every document is what it was written from", () => {
  const key = fc.string({ unit: fc.constantFrom("a", "\\", '"', "\n", "\u00e9", ":") });
  const { document } = fc.letrec<{ readonly document: unknown }>((tie) => ({
    document: fc.oneof(
      { maxDepth: 4 },
      fc.string(),
      fc.integer(),
      fc.array(tie("document"), { maxLength: 4 }),
      fc.dictionary(key, tie("document"), { maxKeys: 4 }),
    ),
  }));
  fc.assert(
    fc.property(document, (value) => {
      const text = JSON.stringify(value);
      assert.equal(JSON.stringify(parseReliably(text)), text);
    }),
  );
});
