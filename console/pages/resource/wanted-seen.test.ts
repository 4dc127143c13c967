import assert from "node:assert/strict";
import { test } from "node:test";
import { wantedAndSeen } from "./wanted-seen.ts";

test("numbers of the spec are compared with those of the status", () => {
  const pairs = wantedAndSeen({
    spec: { replicas: 3, storageGiB: 20, name: "x", other: 1 },
    status: { readyReplicas: 1, storageGiB: 20 },
  });
  assert.deepEqual(
    pairs.map(({ label, text }) => `${label}: ${text}`),
    ["Replicas: 1 seen, 3 wanted", "Storage GiB: 20, as wanted"],
  );
});

test("the steps of a run are such a pair", () => {
  const status = { reconcile: { progress: { done: 2, of: 5, message: "copying" } } };
  assert.deepEqual(wantedAndSeen({ status }), [
    { label: "Steps", wanted: 5, seen: 2, most: 5, text: "2 of 5 done" },
  ]);
});
