import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject } from "../../kernel/json.ts";
import { messageOf } from "./catalogue.ts";
import { normalDocument } from "./normal-form.ts";
import { timeProblem } from "./time-problem.ts";
import { checkTypes, typeProblem } from "./typed-decoding.ts";

describe("typed decoding", () => {
  it("refuses a document as the API server's decoder does", () => {
    const document = { apiVersion: "v1", kind: "ConfigMap", data: { a: 1 } };
    assert.throws(() => checkTypes(document), {
      code: "request.invalid",
      message:
        'ConfigMap in version "v1" cannot be handled as a ConfigMap: ' +
        "json: cannot unmarshal number into Go struct field ConfigMap.data of type string",
    });
  });

  it("names the innermost type and the way to the field", () => {
    const field = "json: cannot unmarshal number into Go struct field";
    const owners = { metadata: { ownerReferences: [{ name: 1 }] } };
    const path = "OwnerReference.metadata.ownerReferences.name";
    assert.equal(problemOf("v1", "ConfigMap", owners), `${field} ${path} of type string`);
    const rules = { rules: [{ verbs: [1] }] };
    const verbs = `${field} PolicyRule.rules.verbs of type string`;
    assert.equal(problemOf("rbac.authorization.k8s.io/v1", "Role", rules), verbs);
  });

  it("shows where the fields of inlined types come from", () => {
    const webhooks = { webhooks: [{ rules: [{ apiGroups: "x" }] }] };
    assert.equal(
      problemOf("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", webhooks),
      "json: cannot unmarshal string into Go struct field " +
        "RuleWithOperations.webhooks.rules.Rule.apiGroups of type []string",
    );
  });

  it("goes into the schemas of definitions", () => {
    const schema = { properties: { a: { items: { type: 5 } } } };
    const spec = { versions: [{ schema: { openAPIV3Schema: schema } }] };
    assert.equal(
      problemOf("apiextensions.k8s.io/v1", "CustomResourceDefinition", { spec }),
      "json: cannot unmarshal number into Go struct field " +
        "JSONSchemaProps.spec.versions.schema.openAPIV3Schema.properties.items.type of type string",
    );
    const wrong = { versions: [{ schema: { openAPIV3Schema: { additionalProperties: "x" } } }] };
    assert.equal(
      problemOf("apiextensions.k8s.io/v1", "CustomResourceDefinition", { spec: wrong }),
      "boolean or JSON schema expected",
    );
  });

  it("knows the range of integers and the alphabet of base64", () => {
    const lease = { spec: { leaseDurationSeconds: 5_000_000_000 } };
    assert.equal(
      problemOf("coordination.k8s.io/v1", "Lease", lease),
      "json: cannot unmarshal number 5000000000 into Go struct field " +
        "LeaseSpec.spec.leaseDurationSeconds of type int32",
    );
    const positions = Object.entries({ "***": 0, "AAA*": 3, AAAAA: 4, "A===": 1 });
    for (const [text, position] of positions) {
      const found = problemOf("v1", "Secret", { data: { a: text } });
      assert.equal(found, `illegal base64 data at input byte ${position}`);
    }
    for (const text of ["", "AA==", "AAA=", "AA\nAA"]) {
      assert.equal(problemOf("v1", "Secret", { data: { a: text } }), undefined);
    }
  });

  it("leaves nulls, unknown fields and custom kinds alone", () => {
    const document = { metadata: null, data: { a: null }, other: 5 };
    assert.equal(problemOf("v1", "ConfigMap", document), undefined);
    checkTypes({ apiVersion: "example.dev/v1", kind: "Widget", metadata: 5 });
  });
});

describe("times", () => {
  it("are refused at the part that does not fit", () => {
    const seconds = 'as "2006-01-02T15:04:05Z07:00": cannot parse';
    const micros = 'as "2006-01-02T15:04:05.000000Z07:00": cannot parse';
    const cases: readonly (readonly [string, boolean, string])[] = [
      ["yesterday", false, `${seconds} "yesterday" as "2006"`],
      ["2024-01-01T00:00:00", false, `${seconds} "" as "Z07:00"`],
      ["2024-01-01T00:00:00Z", true, `${micros} "Z" as ".000000"`],
      ["2024-01-01T00:00:00.1234567Z", true, `${micros} "7Z" as "Z07:00"`],
    ];
    for (const [text, isMicro, problem] of cases) {
      assert.equal(timeProblem(text, isMicro), `parsing time "${text}" ${problem}`);
    }
    const range = timeProblem("2024-02-30T00:00:00Z", false);
    assert.equal(range, 'parsing time "2024-02-30T00:00:00Z": day out of range');
  });

  it("come out in UTC and in the precision of their type", () => {
    const message = messageOf("coordination.k8s.io/v1", "Lease");
    assert.ok(message !== undefined);
    const metadata = { creationTimestamp: "2024-01-01T01:00:00.9+01:00" };
    const spec = { renewTime: "2024-01-01T01:00:00.123456+01:00" };
    assert.deepEqual(normalDocument(message, { metadata, spec }), {
      metadata: { creationTimestamp: "2024-01-01T00:00:00Z" },
      spec: { renewTime: "2024-01-01T00:00:00.123456Z" },
    });
  });
});

describe("the normal form", () => {
  it("leaves out what is empty and keeps what is always there", () => {
    const message = messageOf("v1", "Event");
    assert.ok(message !== undefined);
    const event = {
      kind: "Event",
      apiVersion: "v1",
      count: 0,
      series: null,
      message: "",
      type: "A",
    };
    assert.deepEqual(normalDocument(message, event), {
      kind: "Event",
      apiVersion: "v1",
      metadata: {},
      involvedObject: {},
      source: {},
      firstTimestamp: null,
      lastTimestamp: null,
      type: "A",
      eventTime: null,
      reportingComponent: "",
      reportingInstance: "",
    });
  });
});

function problemOf(apiVersion: string, kind: string, document: JsonObject): string | undefined {
  const message = messageOf(apiVersion, kind);
  assert.ok(message !== undefined);
  return typeProblem(message, document);
}
