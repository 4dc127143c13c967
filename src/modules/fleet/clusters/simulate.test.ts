// The simulator is followed through time: each report is stored as an agent's would be, and the
// next call sees it.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../../kernel/json.ts";
import { objectsAt, textAt, valueAt } from "../../../kernel/json-read.ts";
import type { Metadata } from "../../../kernel/resource.ts";
import { readManagedInstance } from "./managed-instance.ts";
import { readReport } from "./report.ts";
import { sampleManaged } from "./sample-cluster.ts";
import { simulate, simulatedClusterReport } from "./simulate.ts";
import type { Simulated } from "./simulate.ts";

const domain = "apps.east-1.example.com";

interface Given {
  readonly settings?: JsonObject;
  readonly spec?: JsonObject;
  readonly report?: JsonObject | undefined;
  readonly metadata?: Partial<Metadata>;
  readonly nowMs?: number;
}

function at({ settings = {}, spec = {}, report, metadata, nowMs = 0 }: Given): Simulated {
  const instance = readManagedInstance(sampleManaged(spec, report, metadata));
  return simulate({ instance, settings, domain, nowMs });
}

function reasonOf({ report }: Simulated): string {
  return textAt(objectsAt(report, "conditions")[0], "reason");
}

test("an instance is ready at once with routes and versions, and is not reported again", () => {
  const { report, againMs } = at({});
  const read = readReport(report);
  assert.equal(read.kind, "ready");
  assert.deepEqual(read.versions, { product: "1.0.0", operator: "1.0.0" });
  assert.deepEqual(read.routes, [
    { name: "default", prefix: "", router: "router.apps.east-1.example.com" },
  ]);
  assert.equal(againMs, undefined);
  assert.deepEqual(at({ report, nowMs: 5_000 }), { report: undefined, againMs: undefined });
});

test("an installation takes its time", () => {
  const settings = { installMs: 1_000, routes: ["", "admin"] };
  const first = at({ settings });
  assert.equal(reasonOf(first), "Installing");
  assert.equal(first.againMs, 1_000);
  const { report } = first;
  assert.deepEqual(at({ settings, report, nowMs: 400 }), { report: undefined, againMs: 600 });
  const done = at({ settings, report, nowMs: 1_000 });
  assert.equal(readReport(done.report).routes.length, 2);
});

test("a new placement is installed again", () => {
  const { report } = at({});
  const again = at({ report, spec: { placementId: "p2" } });
  assert.equal(textAt(again.report, "placementId"), "p2");
});

test("a change of versions is reported as an update, and then as the new version", () => {
  const settings = { updateMs: 500 };
  const { report } = at({ settings });
  const spec = { versions: { product: "2.0.0", operator: "1.0.0" } };
  const updating = at({ settings, spec, report, nowMs: 100 });
  const read = readReport(updating.report);
  assert.deepEqual(
    [read.kind, read.updating.product, read.versions["product"]],
    ["ready", true, "1.0.0"],
  );
  const during = at({ settings, spec, report: updating.report, nowMs: 300 });
  assert.deepEqual(during, { report: undefined, againMs: 300 });
  const after = readReport(at({ settings, spec, report: updating.report, nowMs: 600 }).report);
  assert.deepEqual([after.updating.product, after.versions["product"]], [false, "2.0.0"]);
});

test("an instance is suspended and resumed", () => {
  const { report } = at({ spec: { isSuspended: true } });
  assert.equal(readReport(report).kind, "suspended");
  assert.equal(readReport(at({ report }).report).kind, "ready");
});

test("a deleted instance is reported as deleted after its time", () => {
  const metadata = { deletionTimestamp: "1970-01-01T00:00:01Z" };
  const settings = { deleteMs: 2_000 };
  assert.deepEqual(at({ settings, metadata, nowMs: 1_500 }), { report: undefined, againMs: 1_500 });
  assert.equal(readReport(at({ settings, metadata, nowMs: 3_000 }).report).kind, "deleted");
});

test("failures are chosen by name, and the first match decides", () => {
  const failures = [
    { names: ["bad-*"], result: "error", message: "disk full" },
    { names: ["*-full", "x*y*z"], result: "full" },
    { names: ["mute"], result: "silent" },
    { names: ["odd"], result: "rejected" },
  ];
  const named = (name: string) =>
    at({ settings: { failures }, spec: { instance: { name, namespace: "o", uid: "u" } } });
  const error = readReport(named("bad-one").report);
  assert.deepEqual([error.kind, error.message], ["error", "disk full"]);
  assert.equal(readReport(named("is-full").report).isFull, true);
  assert.equal(readReport(named("xaybz").report).isFull, true);
  assert.equal(readReport(named("xazby").report).kind, "ready");
  assert.equal(readReport(named("odd").report).kind, "rejected");
  assert.deepEqual(named("mute"), { report: undefined, againMs: undefined });
  assert.equal(readReport(named("good").report).kind, "ready");
});

test("a failure that happens once is followed by success", () => {
  const settings = { failures: [{ result: "rejected", isOnce: true }] };
  const { report, againMs } = at({ settings });
  assert.equal(readReport(report).kind, "rejected");
  assert.equal(againMs, 1_000);
  assert.equal(
    readReport(at({ settings, report, spec: { placementId: "p2" } }).report).kind,
    "ready",
  );
});

test("a fraction of all placements fails, the same ones each time", () => {
  const settings = { failures: [{ fraction: 0.25, result: "error" }] };
  const fails = (id: number): boolean =>
    readReport(at({ settings, metadata: { name: `i${id}` } }).report).kind === "error";
  const ids = Array.from({ length: 400 }, (_, id) => id);
  const failed = ids.filter(fails);
  assert.ok(failed.length > 60 && failed.length < 140, `${failed.length} of 400`);
  assert.deepEqual(ids.filter(fails), failed);
});

test("the simulated agent reports its cluster as ready with one operator by default", () => {
  const plain = simulatedClusterReport({});
  assert.equal(valueAt(plain, "isReady"), true);
  assert.equal(objectsAt(plain, "operators").length, 1);
  assert.equal(valueAt(simulatedClusterReport({ isReady: false }), "isReady"), false);
});
