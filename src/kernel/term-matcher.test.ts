import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as fc from "fast-check";
import { matchesSelector, parseSelector } from "./selector.ts";
import { termMatcher } from "./term-matcher.ts";
import { termsOf } from "./terms.ts";

const keys = ["a", "ab", "b", "x.dev/a"];
const values = ["", "1", "2", "10", "abc", "a.b"];

/** Enough other terms for an index, or none. */
function others(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`other-${at}`, `${at}`]));
}

describe("a selector judged on terms", () => {
  it("selects what it selects on labels, with few terms and with many", () => {
    const requirement = fc.oneof(
      fc.tuple(fc.constantFrom(...keys), fc.constantFrom("=", "!="), fc.constantFrom(...values)),
      fc.tuple(
        fc.constantFrom(...keys),
        fc.constantFrom(" in ", " notin "),
        fc
          .uniqueArray(fc.constantFrom(...values), { minLength: 1 })
          .map((list) => `(${list.join(",")})`),
      ),
      fc.tuple(fc.constantFrom(...keys), fc.constantFrom(">", "<"), fc.constant("2")),
      fc.tuple(fc.constantFrom("", "!"), fc.constantFrom(...keys)),
    );
    const labels = fc.dictionary(fc.constantFrom(...keys), fc.constantFrom(...values));
    const selectors = fc.array(requirement, { maxLength: 3 });
    fc.assert(
      fc.property(selectors, labels, fc.constantFrom(0, 50), (parts, given, count) => {
        const requirements = parseSelector(parts.map((part) => part.join("")).join(","));
        const all = { ...given, ...others(count) };
        const matches = termMatcher({ labels: requirements }) ?? (() => true);
        assert.equal(matches(termsOf({ labels: all })), matchesSelector(requirements, all));
      }),
    );
  });

  it("selects by fields and owners, exactly", () => {
    for (const count of [0, 50]) {
      const terms = termsOf({
        labels: others(count),
        owners: ["uid-10"],
        fields: [{ path: ".spec.color", value: "red" }],
      });
      const isMatched = (selection: Parameters<typeof termMatcher>[0]): boolean | undefined =>
        termMatcher(selection)?.(terms);
      const field = (operator: "in" | "notin", value: string): boolean | undefined =>
        isMatched({ fields: [{ path: ".spec.color", operator, values: [value] }] });
      assert.deepEqual(
        [field("in", "red"), field("in", "re"), field("notin", "red"), field("notin", "re")],
        [true, false, false, true],
      );
      assert.deepEqual(
        [isMatched({ owner: "uid-10" }), isMatched({ owner: "uid-1" })],
        [true, false],
      );
    }
  });

  it("selects everything without requirements, at no cost", () => {
    assert.equal(termMatcher({ labels: [], fields: [] }), undefined);
  });

  it("does not compare each value with each term", () => {
    const terms = new CountedTerms(...termsOf({ labels: others(1_000) }));
    const listed = Array.from({ length: 1_000 }, (_, at) => `v${at}`).join(",");
    const matches = termMatcher({ labels: parseSelector(`other-7 notin (${listed})`) });
    assert.equal(matches?.(terms), true);
    const indexed = terms.walks;
    for (let watch = 0; watch < 1_000; watch++) assert.equal(matches(terms), true);
    assert.equal(terms.walks, indexed, "the terms are walked once, by the first watch");
  });
});

class CountedTerms extends Array<string> {
  walks = 0;
  static override get [Symbol.species](): ArrayConstructor {
    return Array;
  }
  override [Symbol.iterator](): ArrayIterator<string> {
    this.walks += 1;
    return super[Symbol.iterator]();
  }
  override filter(...given: Parameters<string[]["filter"]>): string[] {
    this.walks += 1;
    return super.filter(...given);
  }
}
