import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { compareQuantities, isQuantity, milliValue } from "./quantity.ts";
import { parseQuantity, roundedToMilli } from "./quantity.ts";
import type { Quantity } from "./quantity.ts";

function quantity(text: string): Quantity {
  const parsed = parseQuantity(text);
  assert.ok(isQuantity(parsed), text);
  return parsed;
}

const canonical = (text: string): string => quantity(text).text;

function problemOf(text: string): string | undefined {
  const parsed = parseQuantity(text);
  return isQuantity(parsed) ? undefined : parsed.problem;
}

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
    ["1.953125Ki", "2k"],
    ["1000e18", "1e21"],
    ["007Pi", "7Pi"],
    ["15.500E", "15.500E"],
    ["1Ki", "1Ki"],
    ["-5", "-5"],
    ["9999999999999999999Ei", "9223372036854775807"],
    ["0.1Ki", "102400m"],
    ["1e6", "1e6"],
    ["12e-3", "12e-3"],
    ["1.5e3", "1500"],
    ["2000000", "2M"],
    ["1500", "1500"],
    ["512Ki", "512Ki"],
    ["0.0", "0"],
    ["0m", "0"],
    ["-0", "0"],
    ["5.", "5."],
    [".5", "500m"],
    ["9Ei", "9223372036854775807"],
  ];
  for (const [given, wanted] of pairs) assert.equal(canonical(given), wanted, given);
});

test("amounts are compared across units", () => {
  const compare = (a: string, b: string) => compareQuantities(quantity(a), quantity(b));
  assert.equal(compare("1", "1000m"), 0);
  assert.equal(compare("1Gi", "1G"), 1);
  assert.equal(compare("-1", "0"), -1);
});

test("what is no amount is refused in the words of Kubernetes", () => {
  const format =
    "quantities must match the regular expression " +
    "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
  for (const text of ["", "x", "1 ", "1.2.3", "1Xi", "abc", "1".repeat(1_025)]) {
    assert.equal(problemOf(text), format);
  }
  for (const text of ["1mi", "1e", "1e99999999999", "1Ku"]) {
    assert.equal(problemOf(text), "unable to parse quantity's suffix");
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
      assert.equal(compareQuantities(quantity(given), quantity(text)), 0);
    }),
  );
});

test("a text that needs no change is kept letter by letter", () => {
  for (const text of ["1", "+5", "007", "1.500", "3Ki", "100m", "1E", "7Gi"]) {
    assert.equal(canonical(text), text);
  }
});

test("any amount keeps its size and its text when it is written and read again", () => {
  const units = fc.constantFrom("", "m", "k", "M", "G", "Ki", "Mi", "e3", "e-2", "u");
  const numbers = fc.tuple(fc.constantFrom("", "-"), fc.nat(), fc.option(fc.nat(999)), units);
  fc.assert(
    fc.property(numbers, ([sign, whole, fraction, unit]) => {
      const first = quantity(`${sign}${whole}${fraction === null ? "" : `.${fraction}`}${unit}`);
      const again = quantity(first.text);
      assert.equal(again.nanos, first.nanos);
      assert.equal(again.text, first.text);
    }),
  );
});

test("what is finer than an amount can be is rounded away from zero", () => {
  assert.equal(quantity("0.1n").nanos, 1n);
  assert.equal(milliValue(quantity("1n")), 1n);
  assert.equal(milliValue(quantity("-1n")), -1n);
  assert.equal(roundedToMilli(quantity("1.0001")).text, "1001m");
});
