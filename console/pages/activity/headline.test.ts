import assert from "node:assert/strict";
import { test } from "node:test";
import type { OperationRun } from "../../api/insight.ts";
import { headlineOf } from "./headline.ts";

const run: OperationRun = { kind: "Database", resource: "databases", name: "a", what: "reconcile" };
const queue = { kind: "Database", resource: "databases", due: 2, oldestDueMs: 4_200 };

test("the headline states what runs and what waits", () => {
  assert.equal(
    headlineOf({ running: [], queues: [] }),
    "No run in progress on this server; nothing is due",
  );
  assert.equal(
    headlineOf({ running: [run], queues: [queue, { ...queue, due: 1, oldestDueMs: 900 }] }),
    "1 run in progress on this server; 3 resources are due, the oldest for 4 s",
  );
});
