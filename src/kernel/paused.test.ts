import assert from "node:assert/strict";
import { test } from "node:test";
import { annotations } from "./annotations.ts";
import { isPaused, pausedPath, pausedTerms } from "./paused.ts";
import type { Resource } from "./resource.ts";

function noted(given?: Readonly<Record<string, string>>): Resource {
  const own = { name: "a", uid: "u", generation: 1, creationTimestamp: "2026-01-01T00:00:00Z" };
  const metadata = given === undefined ? own : { ...own, annotations: given };
  return { apiVersion: "v1", kind: "Widget", metadata };
}

test("any value of the annotation but false pauses, and is found in the index", () => {
  for (const value of ["true", "yes", "True", "FALSE", "0", ""]) {
    const resource = noted({ [annotations.paused]: value });
    assert.equal(isPaused(resource), true, value);
    assert.deepEqual(pausedTerms(resource), [{ path: pausedPath, value: true }]);
  }
  for (const resource of [noted(), noted({}), noted({ [annotations.paused]: "false" })]) {
    assert.equal(isPaused(resource), false);
    assert.deepEqual(pausedTerms(resource), []);
  }
});
