// Positions and sizes in CEL are characters, which are code points. Each function is compared with
// the same one over a list of characters, so that none can count UTF-16 units.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { limits } from "../../limits.ts";
import { compileExpression } from "../environment.ts";
import { stringType } from "../types.ts";
import { items } from "../values.ts";
import type { CelValue } from "../values.ts";

const characters = ["a", "b", "é", "😀", "𝒳", "\ufffd", "\ue000"];
const text = fc.array(fc.constantFrom(...characters), { maxLength: 8 });
const part = fc.array(fc.constantFrom(...characters), { minLength: 1, maxLength: 2 });

/** The value, or the text "error". */
function evaluated(source: string, x: string, y: string): CelValue {
  const variables = { x: stringType, y: stringType };
  const compiled = compileExpression(source, { variables });
  assert.equal(compiled.kind, "compiled", source);
  if (compiled.kind !== "compiled") return "error";
  const result = compiled.program.evaluate({ x, y }, limits.maxCelCallCost);
  return result.kind === "value" ? result.value : "error";
}

function startsAt(on: readonly string[], at: number, wanted: readonly string[]): boolean {
  return wanted.every((character, i) => on[at + i] === character);
}

function listOf(value: CelValue): readonly CelValue[] {
  return typeof value === "object" && value?.kind === "list" ? items(value) : [];
}

test("positions, sizes and parts of texts count characters", () => {
  fc.assert(
    fc.property(text, part, fc.nat(9), fc.nat(9), (on, wanted, from, more) => {
      const [x, y] = [on.join(""), wanted.join("")];
      const check = (source: string, expected: unknown): void => {
        assert.deepEqual(evaluated(source, x, y), expected, `${source} of ${x} and ${y}`);
      };
      const places = on.flatMap((_, i) => (startsAt(on, i, wanted) ? [i] : []));
      const to = from + more;
      check("size(x)", on.length);
      check("x.indexOf(y)", places[0] ?? -1);
      check("x.lastIndexOf(y)", places.at(-1) ?? -1);
      check(`x.indexOf(y, ${from})`, places.find((place) => place >= from) ?? -1);
      const before = places.findLast((place) => place <= from);
      check(`x.lastIndexOf(y, ${from})`, from >= on.length ? -1 : (before ?? -1));
      check(`x.charAt(${from})`, from > on.length ? "error" : (on[from] ?? ""));
      check(`x.substring(${from})`, from > on.length ? "error" : on.slice(from).join(""));
      const isInside = to <= on.length;
      check(`x.substring(${from}, ${to})`, isInside ? on.slice(from, to).join("") : "error");
      check("x.replace('', '-')", ["", ...on, ""].join("-"));
      assert.deepEqual(listOf(evaluated("x.split('')", x, y)), on);
      assert.deepEqual(listOf(evaluated("x.findAll('.')", x, y)), on);
      assert.equal(listOf(evaluated("x.findAll('')", x, y)).length, on.length + 1);
      check("x < y", Buffer.compare(Buffer.from(x), Buffer.from(y)) < 0);
    }),
  );
});

test("a long part is found from the end, whatever it begins with", () => {
  const run = "a".repeat(500_000);
  assert.equal(evaluated("x.lastIndexOf(y)", run + run, `${run}b`), -1);
  assert.equal(evaluated("x.lastIndexOf(y)", run + run, `b${run}`), -1);
  assert.equal(evaluated("x.lastIndexOf(y)", `${run}b${run}`, `b${run}`), run.length);
  const x = `😀${"ab".repeat(50)}😀${"ab".repeat(50)}`;
  assert.equal(evaluated("x.lastIndexOf(y)", x, "ab".repeat(40)), 122);
  assert.equal(evaluated("x.lastIndexOf(y, 100)", x, "ab".repeat(40)), 21);
  assert.equal(evaluated("x.lastIndexOf(y, 101)", x, `😀${"ab".repeat(40)}`), 101);
});
