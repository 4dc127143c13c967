import assert from "node:assert/strict";
import { test } from "node:test";
import { isEnding, mayMove, moved, phases, transitions } from "./phases.ts";
import type { Phase } from "./phases.ts";

test("an instance that is being removed never returns to an earlier phase", () => {
  for (const from of phases.filter(isEnding)) {
    for (const to of phases.filter((phase) => !isEnding(phase))) {
      assert.equal(mayMove(from, to), false, `${from} to ${to}`);
    }
  }
  assert.equal(mayMove("deleting", "deprovision"), false);
});

test("an instance can be removed from every phase", () => {
  const reaches = (from: Phase): boolean =>
    from === "deleting" || transitions[from].some((to) => isEnding(to));
  assert.deepEqual(
    phases.filter((phase) => !reaches(phase)),
    [],
  );
});

test("a move outside of the table is an assertion failure", () => {
  assert.equal(moved("provisioning", "ready"), "ready");
  assert.throws(() => moved("deleting", "deprovision"), /cannot move from deleting/);
});
