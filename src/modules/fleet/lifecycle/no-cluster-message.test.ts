import assert from "node:assert/strict";
import { test } from "node:test";
import { fleetLimits } from "../limits.ts";
import { noClusterMessage } from "./no-cluster-message.ts";

const at = { provider: "aws", region: "eu-west-1" };
const against = (...reasons: readonly string[]): Parameters<typeof noClusterMessage>[2] =>
  reasons.map((reason, index) => ({ cluster: `west-${index + 1}`, reason }));

test("the only cluster is named with what is against it", () => {
  assert.equal(noClusterMessage(at, 0, []), "there is no cluster in aws eu-west-1");
  const only = "the only cluster in aws eu-west-1 cannot host the instance";
  assert.equal(
    noClusterMessage(at, 1, against("is not schedulable")),
    `${only}: west-1 is not schedulable`,
  );
  assert.equal(
    noClusterMessage(at, 1, against("the server refuses the instance: no")),
    `${only}: west-1: the server refuses the instance: no`,
  );
});

test("several clusters are counted by reason, the most frequent first", () => {
  const none = "none of the 3 clusters in aws eu-west-1 can host the instance";
  const full = ["is full: 4 of 4 units", "is full: 8 of 8 units"];
  assert.equal(
    noClusterMessage(at, 3, against("is being drained", ...full)),
    `${none}: 2 × is full; 1 × is being drained`,
  );
  assert.equal(
    noClusterMessage(at, 3, against(...Array.from({ length: 3 }, () => "is not schedulable"))),
    `${none}: 3 × is not schedulable`,
  );
});

test("many and long reasons have a bound", () => {
  const reasons = Array.from({ length: 100 }, (_, index) => `${index}`.padEnd(2_000, "x"));
  const message = noClusterMessage(at, 100, against(...reasons));
  assert.ok(message.length <= fleetLimits.maxReportMessageChars);
  const some = noClusterMessage(at, 5, against("is a", "is b", "is c", "is d", "is e"));
  assert.match(some, /1 × is c; and 2 other reasons$/);
});
