import assert from "node:assert/strict";
import { test } from "node:test";
import { versionChangeProblem } from "./version-change.ts";
import type { VersionChange } from "./version-change.ts";

const operators = [
  { version: "1.0.0", isReady: true, versions: ["1.0.0", "1.1.0"] },
  { version: "2.0.0", isReady: true, versions: ["1.1.0", "2.0.0"] },
  { version: "3.0.0", isReady: false, versions: ["3.0.0"] },
];
const running = { product: "1.1.0", operator: "1.0.0" };

function problem(wanted: Record<string, string>, more: Partial<VersionChange> = {}): string {
  const change = { wanted, desired: running, actual: running, operators, ...more };
  const found = versionChangeProblem(change);
  return found === undefined ? "" : `${found.component}: ${found.reason}`;
}

test("versions that the cluster has are allowed", () => {
  assert.equal(problem({ product: "1.1.0" }), "");
  assert.equal(problem({ operator: "2.0.0" }), "");
  assert.equal(problem({ product: "2.0.0", operator: "2.0.0" }), "");
});

test("an operator that is absent or not ready is refused", () => {
  assert.match(problem({ operator: "9.0.0" }), /operator: the cluster does not have/);
  assert.match(problem({ operator: "3.0.0" }), /operator: the cluster reports as not ready/);
});

test("a product version that its operator does not run is refused", () => {
  assert.match(problem({ product: "2.0.0" }), /product: the operator 1.0.0 .* does not run/);
  assert.equal(problem({ product: "2.0.0", operator: "2.0.0" }), "");
  assert.match(problem({ product: "1.1.0" }, { desired: {} }), /no operator of the cluster runs/);
});

test("a patch may be older, a minor or major version may not", () => {
  const actual = { product: "1.1.5" };
  assert.equal(problem({ product: "1.1.0" }, { actual }), "");
  assert.match(problem({ product: "1.0.0" }, { actual }), /product: 1.0.0 is older than 1.1.5/);
  assert.match(problem({ product: "1.1.0" }, { actual: { product: "2.0.0" } }), /is older than/);
  assert.equal(problem({ product: "1.1.0" }, { actual: {} }), "");
});

test("versions that are not numbers are not compared", () => {
  const named = [{ version: "1.0.0", isReady: true, versions: ["nightly"] }];
  assert.equal(problem({ product: "nightly" }, { operators: named }), "");
});
