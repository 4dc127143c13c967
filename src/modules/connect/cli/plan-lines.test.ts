// A plan is told in lines that are true one by one.
import assert from "node:assert/strict";
import { it } from "node:test";
import { planLines } from "./plan-lines.ts";

it("tells the request, each field and the reason", () => {
  const plan = {
    action: "update",
    message: "PATCH accepts every changed field",
    request: { method: "PATCH", path: "/things/a" },
    changes: [
      { path: "/color", why: "wanted", before: "red", after: "blue" },
      { path: "/old", why: "removed", before: 1 },
    ],
    drift: [{ path: "/size", why: "drift", before: 2, after: 1 }],
  };
  assert.deepEqual(planLines(plan), [
    "update: PATCH /things/a (PATCH accepts every changed field)",
    '  /color: "red" -> "blue" (spec changed)',
    "  /old: 1 -> nothing (removed from the spec)",
    "  not corrected: /size is 2, spec has 1",
  ]);
});

it("tells what would be done once the wait is over", () => {
  const afterwards = {
    action: "delete",
    message: "the resource is being deleted",
    request: { method: "DELETE", path: "/things/a" },
  };
  assert.deepEqual(planLines({ action: "wait", message: "paused", afterwards }), [
    "wait: no request (paused)",
    "then delete: DELETE /things/a (the resource is being deleted)",
  ]);
});
