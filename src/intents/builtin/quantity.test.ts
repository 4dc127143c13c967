import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as fc from "fast-check";
import { isQuantity, milliValue, parseQuantity, roundedToMilli } from "./quantity.ts";
import type { Quantity } from "./quantity.ts";

function quantity(text: string): Quantity {
  const parsed = parseQuantity(text);
  assert.ok(isQuantity(parsed), text);
  return parsed;
}

describe("quantities", () => {
  it("are written in their short form, as by the API server", () => {
    const forms = {
      "1000m": "1",
      "0.5": "500m",
      "1.5": "1500m",
      "1024Mi": "1Gi",
      "1.5Gi": "1536Mi",
      "0.1Ki": "102400m",
      "1000k": "1M",
      "1e6": "1e6",
      "12e-3": "12e-3",
      "1.5e3": "1500",
      "2000000": "2M",
      "1500": "1500",
      "512Ki": "512Ki",
      "0.0": "0",
      "0m": "0",
      "-0": "0",
      "5.": "5.",
      ".5": "500m",
      "9Ei": "9223372036854775807",
    };
    const written = Object.keys(forms).map((text) => [text, quantity(text).text]);
    assert.deepEqual(Object.fromEntries(written), forms);
  });

  it("keep a text that needs no change", () => {
    for (const text of ["1", "+5", "007", "1.500", "3Ki", "100m", "1E", "7Gi"]) {
      assert.equal(quantity(text).text, text);
    }
  });

  it("are the same amount in their short form", () => {
    const units = fc.constantFrom("", "m", "k", "M", "G", "Ki", "Mi", "e3", "e-2", "u");
    const numbers = fc.tuple(fc.constantFrom("", "-"), fc.nat(), fc.option(fc.nat(999)), units);
    fc.assert(
      fc.property(numbers, ([sign, whole, fraction, unit]) => {
        const text = `${sign}${whole}${fraction === null ? "" : `.${fraction}`}${unit}`;
        const first = quantity(text);
        const again = quantity(first.text);
        assert.equal(again.nanos, first.nanos);
        assert.equal(again.text, first.text);
      }),
    );
  });

  it("round up what is finer than they can be", () => {
    assert.equal(quantity("0.1n").nanos, 1n);
    assert.equal(milliValue(quantity("1n")), 1n);
    assert.equal(roundedToMilli(quantity("1.0001")).text, "1001m");
  });

  it("say what is wrong with a text", () => {
    assert.deepEqual(parseQuantity("abc"), {
      problem:
        "quantities must match the regular expression " +
        "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    });
    assert.deepEqual(parseQuantity("1Ku"), { problem: "unable to parse quantity's suffix" });
  });
});
