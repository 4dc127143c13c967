// Reports are judged by the rules that existing agents rely on. A property then checks that no
// input causes an exception, and that the result is bounded whatever an agent sends.

import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { anyJson } from "../../../kernel/arbitraries.ts";
import type { Json, JsonObject } from "../../../kernel/json.ts";
import { valueAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { fleetLimits } from "../limits.ts";
import { readReport, withInstanceReport } from "./report.ts";

function reported(status: Json, reason: Json = "", message: Json = ""): Json {
  return { conditions: [{ type: "Ready", status, reason, message }] };
}

const kinds: readonly (readonly [string | boolean | null, string, string])[] = [
  ["True", "", "ready"],
  ["true", "Error", "ready"],
  ["Unknown", "Deleted", "unknown"],
  ["False", "Installing", "installing"],
  ["FALSE", "DELETED", "deleted"],
  ["False", "error", "error"],
  ["False", "Rejected", "rejected"],
  ["False", "Pending", "installing"],
  ["False", "", "installing"],
  ["True", "Suspended", "suspended"],
  ["Unknown", "suspended", "suspended"],
  ["maybe", "Deleted", "unknown"],
  [true, "", "unknown"],
  [null, "Error", "unknown"],
];

for (const [status, reason, kind] of kinds) {
  test(`a Ready condition ${status} with reason "${reason}" means ${kind}`, () => {
    assert.equal(readReport(reported(status, reason)).kind, kind);
  });
}

test("the first Ready condition counts, and its type is compared without regard to case", () => {
  const conditions = [
    { type: "Healthy", status: "False", reason: "Error" },
    { type: "READY", status: "True" },
    { type: "Ready", status: "False", reason: "Deleted" },
  ];
  assert.equal(readReport({ conditions }).kind, "ready");
});

test("conditions without Ready mean installing, and no list of conditions means unknown", () => {
  assert.equal(readReport({ conditions: [] }).kind, "installing");
  assert.equal(readReport({ conditions: ["Ready", 7, null] }).kind, "installing");
  for (const report of [undefined, null, {}, [], "Ready", { conditions: { type: "Ready" } }]) {
    assert.equal(readReport(report).kind, "unknown");
  }
});

test("a rejection for lack of room is recognised by its message", () => {
  const rejected = (message: string) => readReport(reported("False", "Rejected", message));
  assert.equal(rejected("Cluster has insufficient resources").isFull, true);
  assert.equal(rejected("The cluster is full.").isFull, true);
  assert.equal(rejected("the version is not supported").isFull, false);
  assert.equal(readReport(reported("False", "Error", "insufficient resources")).isFull, false);
});

test("a reason that ends in Updating names the part that is updated", () => {
  const updating = (reason: string) => readReport(reported("True", reason)).updating;
  assert.deepEqual(updating("DinosaurUpdating"), { product: true, operator: false });
  assert.deepEqual(updating("dinosaurOperatorUpdating"), { product: false, operator: true });
  assert.deepEqual(updating("Ready"), { product: false, operator: false });
});

test("a message keeps no control characters and is bounded", () => {
  const { message } = readReport(reported("False", "Error", "disk\u0000\n\u001b[31m full"));
  assert.equal(message, "disk [31m full");
  const long = readReport(reported("False", "Error", "x".repeat(100_000)));
  assert.equal(long.message.length, fleetLimits.maxReportMessageChars);
});

test("versions that are not short texts are left out", () => {
  const versions = { product: "1.2.3", operator: "", other: 7, "a b": "1", long: "9".repeat(129) };
  assert.deepEqual(readReport({ conditions: [], versions }).versions, { product: "1.2.3" });
});

test("a report with an invalid route has no routes and states the problem", () => {
  const report = {
    conditions: [],
    routes: [{ prefix: "", router: "r.example.com" }, { router: 5 }],
  };
  const { routes, routesProblem } = readReport(report);
  assert.deepEqual(routes, []);
  assert.match(routesProblem ?? "", /^routes\[1\] is not/);
});

test("any input is read without an exception, into a bounded result that is JSON", () => {
  const condition = fc.record({
    type: fc.oneof(fc.constantFrom("Ready", "ready", "Other"), anyJson),
    status: fc.oneof(fc.constantFrom("True", "False", "Unknown", "true"), anyJson),
    reason: fc.oneof(fc.constantFrom("Deleted", "Error", "Suspended", "XUpdating"), anyJson),
    message: anyJson,
  });
  const report = fc.oneof(
    anyJson,
    fc.record({
      conditions: fc.oneof(fc.array(fc.oneof(condition, anyJson)), anyJson),
      versions: anyJson,
      routes: anyJson,
    }),
  );
  fc.assert(
    fc.property(report, (given) => {
      const read = readReport(given);
      assert.ok(JSON.stringify(read).length < 20_000);
      assert.ok(Object.keys(read.versions).length <= fleetLimits.maxReportVersions);
      if (read.kind === "unknown") assert.equal(read.routes.length, 0);
    }),
  );
});

test("a stored report is also the condition Ready, with the time at which it became so", () => {
  const created = { metadata: { name: "a" }, status: {} } as unknown as Resource;
  const report = (status: string, reason: string) =>
    reported(status, reason, "2 of 3 pods") as JsonObject;
  const installing = withInstanceReport(created, report("False", "Installing"), 1_000);
  const ready = withInstanceReport(installing, report("True", ""), 2_000);
  const again = withInstanceReport(ready, report("True", "Other"), 3_000);
  assert.deepEqual(
    [installing, ready, again].map(({ status }) => valueAt(status, "conditions")),
    [
      ["False", "Installing", "1970-01-01T00:00:01Z"],
      ["True", "Ready", "1970-01-01T00:00:02Z"],
      ["True", "Ready", "1970-01-01T00:00:02Z"],
    ].map(([status, reason, lastTransitionTime]) => [
      { type: "Ready", status, reason, message: "2 of 3 pods", lastTransitionTime },
    ]),
  );
});

test("a report that is not understood leaves the condition Ready as it was", () => {
  const before = { metadata: { name: "a" }, status: { conditions: [] } } as unknown as Resource;
  const after = withInstanceReport(before, { conditions: "none" }, 1_000);
  assert.deepEqual(after.status, { conditions: [], report: { conditions: "none" } });
});
