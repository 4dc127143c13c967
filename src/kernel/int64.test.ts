import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { anyInteger, anyJson, anyResource } from "./arbitraries.ts";
import { canonicalJson } from "./canonical-json.ts";
import { decodeDocument, encodeDocument } from "./document.ts";
import { compareNumbers, hasLongInteger, integerOf, maxInt64, parseExact } from "./int64.ts";
import { equalJson, jsonProblem } from "./json.ts";
import type { Json } from "./json.ts";
import { parseJson } from "./strict-json.ts";
import { formatYaml, parseYaml } from "./yaml.ts";

test("an int64 is a number while that is exact and a bigint beyond", () => {
  const text = "[9007199254740991, 9007199254740992, -9007199254740993, 9223372036854775807]";
  assert.deepEqual(parseExact(text), [2 ** 53 - 1, 2n ** 53n, -(2n ** 53n) - 1n, 2n ** 63n - 1n]);
  assert.deepEqual(parseExact("-9223372036854775808"), -(2n ** 63n));
});

test("a whole number beyond int64, a fraction and an exponent are floats", () => {
  const text = "[9223372036854775808, -9223372036854775809, 18446744073709551616, 1e17, 1.5e300]";
  assert.deepEqual(parseExact(text), [2 ** 63, -(2 ** 63), 2 ** 64, 1e17, 1.5e300]);
  assert.equal(parseExact("12345678901234567.25"), Number("12345678901234567.25"));
  const seen: string[] = [];
  const huge = "9".repeat(1_000_000);
  assert.equal(
    parseExact(`[${huge}]`, (digits) => seen.push(digits))?.constructor,
    Array,
    "a number of very many digits becomes no BigInt",
  );
  assert.deepEqual(seen, [huge]);
});

test("digits in a string or a key do not change", () => {
  const text = '{"9007199254740993":" 9007199254740993 ","a":"x: 9007199254740993,"}';
  const expected = { "9007199254740993": " 9007199254740993 ", a: "x: 9007199254740993," };
  assert.deepEqual(parseExact(text), expected);
});

test("strings around a long integer do not change, whatever they contain", () => {
  const inside = ['x":9007199254740993,', "\\", '\\":[9007199254740993]', '"'];
  for (const text of inside) {
    const value = { a: text, b: [9_007_199_254_740_993n, text], c: maxInt64 };
    assert.deepEqual(parseExact(JSON.stringify(value)), value);
    assert.deepEqual(parseExact(JSON.stringify(value, undefined, 1)), value);
  }
  const proto = '{"__proto__":9007199254740993,"constructor":{"x":9007199254740993}}';
  assert.equal(JSON.stringify(parseExact(proto)), proto);
});

test("nesting is read as deep as the platform reads it", () => {
  const depth = 5_000;
  const text = "[".repeat(depth) + "9007199254740993" + "]".repeat(depth);
  assert.equal(hasLongInteger(text), true);
  let at = parseExact(text);
  while (Array.isArray(at)) [at] = at as unknown[];
  assert.equal(at, 9_007_199_254_740_993n);
});

test("digits beyond int64 may be kept by the caller", () => {
  const keep = (digits: string): string => digits;
  assert.deepEqual(parseExact("[18446744073709551616, 9007199254740993, 1]", keep), [
    "18446744073709551616",
    9_007_199_254_740_993n,
    1,
  ]);
});

test("a document without a long integer is parsed once", () => {
  const ordinary = {
    uid: "11111111-1111-1111-1111-111111111111",
    id: "1234567890123456789",
    time: "2026-11-18T08:18:23Z",
    size: 123456789012345,
    share: 1 / 3,
  };
  assert.equal(hasLongInteger(JSON.stringify(ordinary)), false);
  assert.equal(hasLongInteger(JSON.stringify(ordinary, undefined, 2)), false);
});

test("a long integer is found wherever it begins", () => {
  fc.assert(
    fc.property(fc.nat(70), fc.nat(70), fc.integer({ min: 16, max: 40 }), (before, after, size) => {
      const text = `["${"x".repeat(before)}",${"7".repeat(size)},"${"1".repeat(after)}"]`;
      assert.equal(hasLongInteger(text), true);
      assert.equal(hasLongInteger(text.replace(/,7+/, ",777777777777777")), false);
    }),
  );
});

test("every JSON value survives text, bytes and YAML", () => {
  fc.assert(
    fc.property(anyJson, (value) => {
      const text = JSON.stringify(value);
      assert.ok(equalJson(parseExact(text) as Json, value));
      assert.equal(JSON.stringify(parseExact(text)), text);
      assert.equal(canonicalJson(parseExact(text) as Json), canonicalJson(value));
      assert.deepEqual(structuredClone(value), value);
    }),
  );
});

test("every integer of 64 bits survives a request as JSON and as YAML", () => {
  fc.assert(
    fc.property(anyInteger, fc.boolean(), (value, isKey) => {
      const document = isKey ? { [String(value)]: value } : { spec: { list: [value] } };
      const strict = parseJson(JSON.stringify(document), { strict: true });
      assert.deepEqual(strict.value, document);
      assert.deepEqual(parseYaml(formatYaml(document)).value, document);
      assert.deepEqual(parseYaml(isKey ? `${value}: ${value}` : `spec: {list: [${value}]}`), {
        value: document,
        duplicates: [],
      });
    }),
  );
});

test("every resource survives the bytes of the store", () => {
  fc.assert(
    fc.property(anyResource, (resource) => {
      const bytes = encodeDocument(resource);
      const again = encodeDocument(decodeDocument(bytes, 7));
      assert.equal(again.toString(), bytes.toString());
    }),
  );
});

test("a float that is written as a whole number equals what is read from it", () => {
  assert.ok(equalJson(1e17, 10n ** 17n));
  assert.ok(equalJson({ a: [10n ** 17n] }, { a: [1e17] }));
  assert.equal(equalJson(10n ** 17n, "100000000000000000"), false);
  assert.equal(equalJson(2n ** 53n, 2n ** 53n + 1n), false);
  assert.equal(equalJson(2 ** 53, 2n ** 53n + 1n), false);
});

test("numbers of both types are compared by value", () => {
  const sorted = [maxInt64, 1, -(2n ** 60n), 2 ** 53, 2n ** 53n + 1n].sort(compareNumbers);
  assert.deepEqual(sorted, [-(2n ** 60n), 1, 2 ** 53, 2n ** 53n + 1n, maxInt64]);
});

test("YAML in other bases keeps its digits", () => {
  const { value } = parseYaml(
    "{a: 0x7fffffffffffffff, b: +9007199254740993, c: -9007199254740993}",
  );
  assert.deepEqual(value, { a: maxInt64, b: 2n ** 53n + 1n, c: -(2n ** 53n) - 1n });
});

test("a bigint of more than 64 bits is not JSON", () => {
  assert.equal(jsonProblem({ a: maxInt64 }, 5), undefined);
  assert.equal(jsonProblem([maxInt64 + 1n], 5), "an integer has more than 64 bits");
  assert.equal(integerOf(maxInt64 + 1n), 2 ** 63);
});

test("a library cannot make the documents of this process write strings", () => {
  // The recipe that many libraries contain.
  Reflect.set(BigInt.prototype, "toJSON", function toText(this: bigint) {
    return this.toString();
  });
  assert.equal(JSON.stringify({ a: maxInt64 }), '{"a":9223372036854775807}');
});
