import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../../kernel/json.ts";
import { objectsAt, textAt, valueAt } from "../../../kernel/json-read.ts";
import { instanceObject, namespaceObject, readObserved } from "./applied-object.ts";
import type { ObservedObject } from "./applied-object.ts";
import { readDesired } from "./desired-instance.ts";
import type { DesiredInstance } from "./desired-instance.ts";
import { deletedReport, refusedReport, reportOf } from "./instance-report.ts";

const view = {
  id: "i1",
  kind: "ManagedDinosaur",
  metadata: {
    name: "rex",
    namespace: "dinosaur-i1",
    annotations: { "mas/id": "i1", "mas/placementId": "p1" },
    resource_version: "7",
  },
  spec: { owners: ["ann"], endpoint: { host: "rex.example.com" }, deleted: false },
};

const settings = {
  cluster: "east-1",
  offering: "dinosaurs",
  applies: { apiVersion: "dinosaurs.example.dev/v1", kind: "ManagedDinosaur" },
  namespace: undefined,
};

function desired(spec: JsonObject = {}): DesiredInstance {
  const read = readDesired({ ...view, spec: { ...view.spec, ...spec } });
  assert.ok(read !== undefined);
  return read;
}

function observed(status: JsonObject, metadata: JsonObject = {}): ObservedObject {
  const object = instanceObject(settings, desired());
  const own = { generation: 2, uid: "u1", ...(object["metadata"] as JsonObject), ...metadata };
  const read = readObserved({ ...object, metadata: own, status });
  assert.ok(read !== undefined);
  return read;
}

test("an instance becomes one object with its spec, and labels that name it", () => {
  const object = instanceObject(settings, desired());
  assert.equal(textAt(object, "metadata", "name"), "i1");
  assert.equal(textAt(object, "metadata", "namespace"), "dinosaur-i1");
  assert.deepEqual(valueAt(object, "metadata", "labels"), {
    "fleet.setpoint.dev/cluster": "east-1",
    "fleet.setpoint.dev/offering": "dinosaurs",
    "fleet.setpoint.dev/instance": "i1",
  });
  assert.deepEqual(valueAt(object, "spec"), {
    owners: ["ann"],
    endpoint: { host: "rex.example.com" },
    placementId: "p1",
  });
  const shared = instanceObject({ ...settings, namespace: "shared" }, desired());
  assert.equal(textAt(shared, "metadata", "namespace"), "shared");
  assert.equal(textAt(namespaceObject(settings, desired()), "metadata", "name"), "dinosaur-i1");
});

test("what is not an instance is left out, and does not stop the others", () => {
  for (const wrong of [undefined, null, 7, {}, { ...view, id: "Not a name" }, { id: "i1" }]) {
    assert.equal(readDesired(wrong), undefined);
  }
});

test("the digest changes with the spec and the placement, and not with the deletion", () => {
  const { digest } = desired();
  assert.equal(desired({ deleted: true }).digest, digest);
  assert.notEqual(desired({ owners: ["bob"] }).digest, digest);
});

test("conditions, versions and routes of the object are reported", () => {
  const status = {
    conditions: [{ type: "Ready", status: "True", reason: "Up", message: "", extra: 1 }],
    versions: { dinosaur: "1.0.0" },
    routes: [{ prefix: "", router: "r.example.com" }],
  };
  assert.deepEqual(reportOf(desired(), observed(status)), {
    placementId: "p1",
    conditions: [{ type: "Ready", status: "True", reason: "Up", message: "" }],
    versions: { dinosaur: "1.0.0" },
    routes: [{ prefix: "", router: "r.example.com" }],
  });
});

test("an object without a Ready condition is reported as installing", () => {
  const report = reportOf(desired(), observed({ conditions: [{ type: "Other" }] }));
  assert.equal(textAt(objectsAt(report, "conditions")[0], "reason"), "Installing");
});

test("a failure that is about an earlier spec is not reported", () => {
  const conditions = [{ type: "Ready", status: "False", reason: "Rejected" }];
  const reason = (status: JsonObject): string =>
    textAt(objectsAt(reportOf(desired(), observed(status)), "conditions")[0], "reason");
  assert.equal(reason({ observedGeneration: 1, conditions }), "Installing");
  assert.equal(reason({ observedGeneration: 2, conditions }), "Rejected");
  assert.equal(reason({ conditions }), "Rejected");
});

test("nothing is reported about a deleted instance or an object of an earlier placement", () => {
  const conditions = [{ type: "Ready", status: "True" }];
  const old = { annotations: { "fleet.setpoint.dev/placement": "p0" } };
  assert.equal(reportOf(desired(), observed({ conditions }, old)), undefined);
  assert.equal(reportOf(desired({ deleted: true }), observed({ conditions })), undefined);
  assert.equal(reportOf(desired(), undefined), undefined);
  assert.equal(textAt(objectsAt(deletedReport(desired()), "conditions")[0], "reason"), "Deleted");
  const refused = objectsAt(refusedReport(desired(), "x".repeat(5_000)), "conditions")[0];
  assert.equal(textAt(refused, "message").length, 1_024);
});
