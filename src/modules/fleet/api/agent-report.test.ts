// Each rule about the authority of an agent is a case. A property then checks that every input is
// judged without an exception, and that what would be stored fits the schema.

import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { anyJson } from "../../../kernel/arbitraries.ts";
import type { Json, JsonObject } from "../../../kernel/json.ts";
import { objectAt, objectsAt, textAt, valueAt } from "../../../kernel/json-read.ts";
import { compileSchema } from "../../../kernel/schema/compile.ts";
import { validateValue } from "../../../kernel/schema/validate.ts";
import { sampleManaged } from "../clusters/sample-cluster.ts";
import { managedInstanceKind } from "../kinds/managed-instance-kind.ts";
import { readOffering } from "../offering.ts";
import { sampleOffering } from "../sample-offering.ts";
import { judgeReport } from "./agent-report.ts";
import type { ReportInput, Verdict } from "./agent-report.ts";

const offering = readOffering(sampleOffering());
const deleting = { deletionTimestamp: "2026-01-02T00:00:00Z" };

function judged(sent: Json, given: Partial<ReportInput> = {}): Verdict {
  const resource = sampleManaged();
  return judgeReport({ resource, sent, offering, domain: "apps.x.io", nowMs: 0, ...given });
}

function ready(status: string, reason = "", message = ""): JsonObject {
  return { conditions: [{ type: "Ready", status, reason, message }] };
}

function refusal(verdict: Verdict): string {
  return verdict.kind === "refused" ? verdict.reason : `${verdict.kind} instead of refused`;
}

test("a report about the current placement is stored with the names of the module", () => {
  const sent = {
    ...ready("True", "Running", "ok"),
    versions: { dinosaur: "1.2.3", dinosaurOperator: "4.5.6" },
    routes: [{ name: "web", prefix: "", router: "R.apps.x.io" }],
  };
  const verdict = judged(sent);
  assert.deepEqual(verdict, {
    kind: "store",
    report: {
      placementId: "p1",
      conditions: [{ type: "Ready", status: "True", reason: "Running", message: "ok" }],
      versions: { product: "1.2.3", operator: "4.5.6" },
      routes: [{ name: "web", prefix: "", router: "r.apps.x.io" }],
      at: "1970-01-01T00:00:00.000Z",
    },
  });
});

test("a report that says what is stored already changes nothing", () => {
  const sent = ready("True");
  const first = judged(sent);
  assert.ok(first.kind === "store");
  const resource = sampleManaged({}, first.report);
  assert.deepEqual(judged(sent, { resource, nowMs: 60_000 }), { kind: "unchanged" });
});

test("a report about an unknown instance or one of another Offering is refused", () => {
  assert.match(refusal(judged(ready("True"), { resource: undefined })), /no such instance/);
  const resource = sampleManaged({ offering: "birds" });
  assert.match(refusal(judged(ready("True"), { resource })), /no such instance/);
});

test("a report about an earlier placement is refused", () => {
  const sent = { placementId: "p0", ...ready("True") };
  assert.match(refusal(judged(sent)), /earlier placement/);
  assert.equal(judged({ ...sent, placementId: "p1" }).kind, "store");
});

test("Deleted is refused for an instance that is not being deleted", () => {
  assert.match(refusal(judged(ready("False", "Deleted"))), /it is not being deleted/);
  assert.match(refusal(judged(ready("false", "dELETED"))), /it is not being deleted/);
  const resource = sampleManaged({}, undefined, deleting);
  assert.equal(judged(ready("False", "Deleted"), { resource }).kind, "store");
});

test("a condition that is not understood changes nothing", () => {
  for (const sent of [
    {},
    { conditions: "Ready" },
    ready("Unknown"),
    ready("maybe"),
    { conditions: [{ type: "Ready", status: true }] },
  ]) {
    assert.match(refusal(judged(sent)), /is not understood/);
  }
  for (const sent of [null, [], "True", 7]) assert.match(refusal(judged(sent)), /not an object/);
});

test("routes outside of the domain of the cluster are left out, with a condition", () => {
  const routes = [{ prefix: "", router: "bank.example.com" }];
  const verdict = judged({ ...ready("True"), routes });
  assert.ok(verdict.kind === "store");
  assert.equal(valueAt(verdict.report, "routes"), undefined);
  const [, condition] = objectsAt(verdict.report, "conditions");
  assert.equal(textAt(condition, "type"), "RoutesValid");
  assert.match(textAt(condition, "message"), /bank\.example\.com is not below the domain/);
});

test("every input is judged, and what is stored fits the schema of ManagedInstances", () => {
  const [version] = managedInstanceKind.versions;
  const status = objectAt(version?.schema, "properties", "status", "properties", "report");
  const schema = compileSchema(status);
  const text = fc.oneof(fc.string({ maxLength: 2_000 }), anyJson);
  const condition = fc.record({
    type: fc.oneof(fc.constant("Ready"), text),
    status: fc.oneof(fc.constantFrom("True", "False"), text),
    reason: fc.oneof(fc.constantFrom("Deleted", "Error"), text),
    message: text,
  });
  const route = fc.record({ name: text, prefix: text, router: fc.constant("a.apps.x.io") });
  const sent = fc.oneof(
    anyJson,
    fc.record(
      {
        placementId: fc.constantFrom("p1", "p0"),
        conditions: fc.array(fc.oneof(condition, anyJson), { maxLength: 60 }),
        versions: fc.oneof(fc.dictionary(fc.string(), text), anyJson),
        routes: fc.oneof(fc.array(fc.oneof(route, anyJson), { maxLength: 40 }), anyJson),
      },
      { requiredKeys: [] },
    ),
  );
  fc.assert(
    fc.property(sent, fc.boolean(), (given, isDeleting) => {
      const resource = sampleManaged({}, undefined, isDeleting ? deleting : {});
      const verdict = judged(given, { resource });
      if (verdict.kind !== "store") return;
      assert.deepEqual(validateValue(schema, verdict.report), []);
      assert.equal(textAt(verdict.report, "placementId"), "p1");
    }),
  );
});
