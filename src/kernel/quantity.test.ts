import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { compareQuantities, formatQuantity, parseQuantity, quantityProblem } from "./quantity.ts";

const canonical = (text: string): string => formatQuantity(parseQuantity(text));

test("amounts are written as Kubernetes writes them", () => {
  const pairs: readonly (readonly [string, string])[] = [
    ["0", "0"],
    ["0.5", "500m"],
    ["1.5", "1500m"],
    ["1.5Gi", "1536Mi"],
    ["1024Mi", "1Gi"],
    ["100Mi", "100Mi"],
    ["1000m", "1"],
    ["1000k", "1M"],
    ["0.1n", "1n"],
    ["1e3", "1e3"],
    ["1000e3", "1e6"],
    ["12e2", "1200"],
    ["0.5Ki", "512"],
    ["1Ki", "1Ki"],
    ["-5", "-5"],
    ["9999999999999999999Ei", "9223372036854775807"],
  ];
  for (const [given, wanted] of pairs) assert.equal(canonical(given), wanted, given);
});

test("amounts are compared across units", () => {
  const compare = (a: string, b: string) => compareQuantities(parseQuantity(a), parseQuantity(b));
  assert.equal(compare("1", "1000m"), 0);
  assert.equal(compare("1Gi", "1G"), 1);
  assert.equal(compare("-1", "0"), -1);
});

test("what is no amount is refused in the words of Kubernetes", () => {
  const format =
    "quantities must match the regular expression " +
    "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
  for (const text of ["", "x", "1 ", "1.2.3", "1Xi"]) assert.equal(quantityProblem(text), format);
  for (const text of ["1mi", "1e", "1e99999999999"]) {
    assert.equal(quantityProblem(text), "unable to parse quantity's suffix");
  }
});

test("a canonical text is its own canonical text, and the same amount", () => {
  const suffix = fc.constantFrom("", "n", "u", "m", "k", "M", "E", "Ki", "Mi", "Ei", "e3", "e-2");
  const digits = fc.tuple(fc.nat(99_999), fc.constantFrom("", ".5", ".25", ".001"), suffix);
  fc.assert(
    fc.property(digits, ([whole, fraction, unit]) => {
      const given = `${whole}${fraction}${unit}`;
      const text = canonical(given);
      assert.equal(canonical(text), text);
      assert.equal(compareQuantities(parseQuantity(given), parseQuantity(text)), 0);
    }),
  );
});
