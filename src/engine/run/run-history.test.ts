import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { RunHistory } from "./run-history.ts";
import type { EndedRun } from "./run-history.ts";

function run(name: string): EndedRun {
  return {
    key: { kind: "widgets.test", namespace: "team", name },
    what: "reconcile",
    outcome: "done",
    reason: undefined,
    message: undefined,
    attempt: 1,
    startedMs: 0,
    tookMs: 1,
  };
}

test("the newest runs are kept, the newest first", () => {
  const property = fc.property(fc.integer({ min: 1, max: 5 }), fc.nat(20), (most, count) => {
    const history = new RunHistory(most);
    const names = Array.from({ length: count }, (_, index) => `r${index}`);
    for (const name of names) history.add(run(name));
    assert.deepEqual(
      history.recent().map(({ key }) => key.name),
      names.toReversed().slice(0, most),
    );
  });
  fc.assert(property);
});
