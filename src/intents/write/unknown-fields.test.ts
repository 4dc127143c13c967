import assert from "node:assert/strict";
import { test } from "node:test";
import type { FieldValidation } from "../request.ts";
import type { ServedKind } from "../kinds/served-kind.ts";
import { strictProblem } from "./unknown-fields.ts";

const served = {
  kind: { group: "a.b", names: { kind: "C" }, fieldRules: [] },
} as unknown as ServedKind;

function report(
  mode: FieldValidation,
  decodeProblems: readonly string[] = [],
  unknown: readonly string[] = ["spec.a"],
): readonly unknown[] {
  const warnings: string[] = [];
  const user = { name: "u", groups: [], extra: {} };
  const caller = { user, surface: "kube", warn: (text: string): void => void warnings.push(text) };
  return [strictProblem(caller, { served }, unknown, { mode, decodeProblems }), warnings];
}

test("strict refuses, warn warns, ignore is silent", () => {
  const twice = 'duplicate field "spec.b"';
  const refused = `strict decoding error: ${twice}, unknown field "spec.a"`;
  assert.deepEqual(report("Strict", [twice]), [refused, []]);
  assert.deepEqual(report("Warn", [twice]), [undefined, [twice, 'unknown field "spec.a"']]);
  assert.deepEqual(report("Ignore", [twice]), [undefined, []]);
});

test("problems of YAML stand in the words of its decoder", () => {
  const line = 'line 7: key "a" already set in map';
  const text = `strict decoding error: yaml: unmarshal errors:\n  ${line}, unknown field "spec.a"`;
  assert.deepEqual(report("Strict", [line]), [text, []]);
});

test("of very many unknown fields the first are named", () => {
  const unknown = Array.from({ length: 200_000 }, (_, i) => `spec.f${i}`);
  const [problem, none] = report("Strict", [], unknown);
  assert.match(String(problem), /, unknown field "spec.f99", and 199900 more unknown fields$/);
  assert.deepEqual(none, []);
  const [, warnings] = report("Warn", [], unknown);
  assert.ok(Array.isArray(warnings));
  assert.equal(warnings.length, 100);
});
