import assert from "node:assert/strict";
import { test } from "node:test";
import type { Explained } from "../api/types.ts";
import { countCauses, countNodes, whyText } from "./why-text.ts";

const volume: Explained = { kind: "Volume", name: "data", state: "Working", message: "step 3" };
const net: Explained = {
  kind: "Network",
  name: "net-1",
  state: "Failing",
  message: "failed 4 times",
  details: ["CreateFailed: quota"],
};
const orders: Explained = {
  kind: "Database",
  name: "orders",
  state: "Waiting",
  message: "waiting",
  blockers: [net, volume],
};

test("the explanation is copied as a tree", () => {
  assert.equal(
    whyText({ ready: false, summary: "Database/orders is not ready", resource: orders }),
    `Database/orders is not ready
├─ Network/net-1: failed 4 times
│    CreateFailed: quota
└─ Volume/data: step 3`,
  );
});

test("the leaves are the causes", () => {
  assert.equal(countNodes(orders), 3);
  assert.equal(countCauses(orders), 2);
  assert.equal(countCauses({ ...volume, state: "Ready" }), 0);
});
