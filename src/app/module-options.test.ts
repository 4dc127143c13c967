// The numbers of modules: which are taken, and how the others are refused.
import assert from "node:assert/strict";
import { it } from "node:test";
import { reconcilerProblem, systemProblem } from "./module-options.ts";

it("sound numbers are taken, and so are those left out", () => {
  const all = { version: 2, concurrency: 1, timeoutMs: 600_000, resyncMs: 60_000 };
  for (const given of [{}, all, { resyncMs: 0 }, { concurrency: undefined }, { own: "x" }]) {
    assert.equal(reconcilerProblem("r", given), undefined);
  }
  assert.equal(
    reconcilerProblem("r", { retry: { soonFirstMs: 200, soonMostMs: 2_000 } }),
    undefined,
  );
  assert.equal(systemProblem("a", { failureRate: 0.5, queue: 0, calls: 4 }), undefined);
});

it("others are refused with the field", () => {
  const wrong: Readonly<Record<string, readonly unknown[]>> = {
    version: ["2", NaN, -1, 1.5],
    concurrency: [0, NaN, "x", Infinity, 2.5],
    timeoutMs: [NaN, -1, 0, Infinity, 2 ** 31, null],
    resyncMs: [1, "10s", NaN, -1, Infinity],
  };
  for (const [name, values] of Object.entries(wrong)) {
    for (const value of values) {
      const problem = reconcilerProblem("r", { [name]: value }) ?? "";
      assert.ok(problem.startsWith(`r.${name} must be `), `${name}: ${String(value)} ${problem}`);
    }
  }
  for (const value of [-5, NaN, 0, "1s"]) {
    assert.match(reconcilerProblem("r", { retry: { slowMostMs: value } }) ?? "", /r\.retry\.slowM/);
  }
  assert.match(
    reconcilerProblem("r", { retry: 5 }) ?? "",
    /^r\.retry must be an object of options$/,
  );
  assert.match(systemProblem("a.b", { failureRate: 50 }) ?? "", /^systems\["a\.b"\]\.failureRate/);
  assert.match(systemProblem("a", { waitMs: NaN }) ?? "", /integer from 0 to 86400000, not NaN$/);
});

it("names that are no options are refused where nothing else may be", () => {
  assert.match(reconcilerProblem("r", { retry: { firstMs: 5 } }) ?? "", /r\.retry\.firstMs is no/);
  assert.match(
    systemProblem("a", { toString: 1 }) ?? "",
    /toString is not an option; options: cons/,
  );
});
