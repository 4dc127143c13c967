// What may change in a definition. The expected texts are those of kube-apiserver 1.36.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { FieldError } from "../../kernel/field-error.ts";
import type { JsonObject } from "../../kernel/json.ts";
import {
  definitionErrors,
  definitionStatusErrors,
  definitionUpdateErrors,
} from "./definition-check.ts";
import { definitionOf, label, schema, spec, version, webhook } from "./definition-samples.ts";
import { definitionStatus } from "./definition-status.ts";
import { fieldErrorText } from "../../kernel/field-error-text.ts";

const before = spec({
  versions: [version({}), version({ name: "v2", storage: false })],
  conversion: webhook({ url: "https://a.b" }),
});
const status = definitionStatus(definitionOf(before), { others: [], nowMs: 0 });
const old = definitionOf(before, status);
const names = { plural: "widgets", singular: "widget", kind: "Widget", listKind: "WidgetList" };

function changed(change: JsonObject, from: JsonObject = old): readonly string[] {
  return texts(definitionUpdateErrors(definitionOf({ ...before, ...change }), from));
}

function texts(errors: readonly FieldError[]): readonly string[] {
  return errors.map(fieldErrorText);
}

function pem(type: string): string {
  const text = `-----BEGIN ${type}-----\nAAAA\n-----END ${type}-----\n`;
  return Buffer.from(text).toString("base64");
}

test("an unchanged definition is accepted", () => {
  assert.deepEqual(changed({}), []);
});

test("what documents and names depend on is fixed", () => {
  assert.deepEqual(changed({ scope: "Cluster" }), [
    'spec.scope: Invalid value: "Cluster": field is immutable',
  ]);
  assert.deepEqual(changed({ names: { ...names, kind: "Gadget" } }), [
    'spec.names.kind: Invalid value: "Gadget": field is immutable',
  ]);
  assert.deepEqual(changed({ group: "x.example.dev" }), [
    'spec.group: Invalid value: "x.example.dev": field is immutable',
  ]);
  assert.deepEqual(changed({ names: { ...names, plural: "gadgets" } }), [
    'spec.names.plural: Invalid value: "gadgets": field is immutable',
  ]);
});

test("scope and kind may change until the definition is established", () => {
  const unserved = definitionOf(before, { storedVersions: ["v1"] });
  const change = { scope: "Cluster", names: { ...names, kind: "Gadget" } };
  assert.deepEqual(changed(change, unserved), []);
});

test("a version that documents may be stored in cannot leave", () => {
  assert.deepEqual(changed({ versions: [version({ name: "v2" })] }), [
    'status.storedVersions[0]: Invalid value: "v1": missing from spec.versions; v1 was ' +
      "previously a storage version, and must remain in spec.versions until a storage " +
      "migration ensures no data remains persisted in v1 and removes v1 from status.storedVersions",
  ]);
  const moved = definitionOf(before, { ...status, storedVersions: ["v2"] });
  assert.deepEqual(changed({ versions: [version({ name: "v2" })] }, moved), []);
});

test("versions of one name are judged one after the other", () => {
  const twice = definitionOf(spec({ versions: [version({}), version({})] }));
  assert.deepEqual(
    texts(definitionErrors(twice)).filter((text) => text.startsWith("status")),
    ['status.storedVersions: Invalid value: ["v1"]: must have the storage version v1'],
  );
});

test("an established definition needs readable certificates", () => {
  const cases = [
    ["AAAA", "unable to parse bytes as PEM block"],
    ["Cg==", "unable to parse bytes as PEM block"],
    [pem("CERTIFICATE"), "failed to parse certificate: x509: malformed certificate"],
    [pem("X"), "no valid certificate authority data seen"],
  ] as const;
  for (const [caBundle, problem] of cases) {
    const conversion = webhook({ url: "https://a.b", caBundle });
    assert.deepEqual(changed({ conversion }), [
      `spec.conversion.webhookClientConfig.caBundle: Invalid value: "${caBundle}": ` +
        `unable to load root certificates: ${problem}`,
    ]);
    const broken = definitionOf({ ...before, conversion }, status);
    assert.deepEqual(changed({ conversion }, broken), []);
  }
});

test("unknown fields cannot be preserved by the old switch", () => {
  assert.deepEqual(changed({ preserveUnknownFields: true }), [
    'spec.conversion.strategy: Invalid value: "Webhook": must be None if ' +
      "spec.preserveUnknownFields is true",
    "spec.preserveUnknownFields: Invalid value: true: cannot set to true, set " +
      "x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead",
  ]);
});

test("a status may shrink its stored versions, but its names must be names", () => {
  const shrunk = definitionOf(before, { ...status, storedVersions: ["v9"] });
  assert.deepEqual(definitionStatusErrors(shrunk), []);
  const acceptedNames = { plural: "W", kind: "1", shortNames: ["A"] };
  const bad = definitionOf(before, { ...status, acceptedNames });
  assert.deepEqual(texts(definitionStatusErrors(bad)), [
    `status.acceptedNames.plural: Invalid value: "W": ${label}`,
    'status.acceptedNames.kind: Invalid value: "1": may have mixed case, but should otherwise ' +
      `match: ${label}`,
    `status.acceptedNames.shortNames[0]: Invalid value: "A": ${label}`,
  ]);
});

test("the approval of a protected group may stay as it is, but not become worse", () => {
  const group = "widgets.k8s.io";
  const own = definitionOf({ ...before, group }, status);
  assert.deepEqual(definitionUpdateErrors(own, own), []);
  const annotations = { "api-approved.kubernetes.io": "unapproved" };
  const approved = { ...own, metadata: { ...own.metadata, annotations } };
  assert.deepEqual(definitionUpdateErrors(approved, own), []);
  assert.equal(definitionUpdateErrors(own, approved)[0]?.kind, "required");
});

test("field rules are told apart from other words, and have their place", () => {
  const rule = (name: string): JsonObject => ({ type: "string", "x-setpoint-field-rule": name });
  const root = {
    type: "object",
    "x-setpoint-field-rule": "secret",
    properties: {
      metadata: { type: "object", properties: { name: rule("secret") } },
      spec: { type: "object", properties: { a: rule("create-only"), b: rule("hidden") } },
    },
  };
  const definition = definitionOf(spec({ versions: [version(schema(root))] }));
  const path = "spec.validation.openAPIV3Schema";
  const found = texts(definitionErrors(definition));
  assert.deepEqual(
    found.filter((text) => text.includes("x-setpoint-field-rule")),
    [
      `${path}.x-setpoint-field-rule: Forbidden: must not be used at the root`,
      `${path}.properties[metadata].properties[name].x-setpoint-field-rule: Forbidden: must not ` +
        "be used inside of resource meta",
      `${path}.properties[spec].properties[b].x-setpoint-field-rule: Unsupported value: ` +
        '"hidden": supported values: "read-only", "create-only", "write-only", "secret"',
    ],
  );
});

const secretRule = { "x-setpoint-field-rule": "secret" };
const textSchema = { type: "string" };

test("what is hidden is in no list, whose items are told apart by position or content", () => {
  const list = (items: JsonObject, more: JsonObject = {}): JsonObject => ({
    type: "array",
    items,
    ...more,
  });
  const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
    type: "object",
    properties,
    ...more,
  });
  const set = list(textSchema, { "x-kubernetes-list-type": "set" });
  const hidden = { ...textSchema, "x-setpoint-field-rule": "write-only" };
  const fields = {
    a: list(object({ password: hidden })),
    b: list(hidden),
    c: { ...set, ...secretRule },
    d: object({ inner: set }, secretRule),
    fine: list(textSchema, secretRule),
    map: { type: "object", additionalProperties: object({ password: hidden }) },
    open: list({ ...textSchema, "x-setpoint-field-rule": "create-only" }),
  };
  const root = object({ spec: object(fields) });
  const definition = definitionOf(spec({ versions: [version(schema(root))] }));
  const at = "spec.validation.openAPIV3Schema.properties[spec].properties";
  const key = "x-setpoint-field-rule: Forbidden: must not be secret or write-only";
  const items =
    `${key} in list items, which are identified only by position: ` +
    "use a map (additionalProperties) instead";
  const named =
    `${key} on or above a list of type set or map, whose items appear in ` +
    "metadata.managedFields: use a map (additionalProperties) instead";
  assert.deepEqual(texts(definitionErrors(definition)), [
    `${at}[a].items.properties[password].${items}`,
    `${at}[b].items.${items}`,
    `${at}[c].${named}`,
    `${at}[d].${named}`,
  ]);
});

test("neither selectors nor scales lead to what is hidden", () => {
  const number = { type: "integer" };
  const fields = { pin: { ...textSchema, ...secretRule }, size: { ...number, ...secretRule } };
  const part = { type: "object", properties: fields };
  const root = { type: "object", properties: { spec: part, status: { type: "object" } } };
  const scale = { specReplicasPath: ".spec.size", statusReplicasPath: ".status.size" };
  const one = version({
    ...schema(root),
    selectableFields: [{ jsonPath: ".spec.pin" }],
    subresources: { status: {}, scale },
  });
  const why = "Forbidden: must not point to a hidden field";
  assert.deepEqual(texts(definitionErrors(definitionOf(spec({ versions: [one] })))), [
    `spec.selectableFields[0].jsonPath: ${why}`,
    `spec.subresources.scale.specReplicasPath: ${why}`,
  ]);
});

test("a rule of one version closes the same path in all", () => {
  const of = (field: JsonObject): JsonObject => {
    const part = { type: "object", properties: { pin: field } };
    return schema({ type: "object", properties: { spec: part } });
  };
  const selectableFields = [{ jsonPath: ".spec.pin" }];
  const versions = [
    version(of({ ...textSchema, ...secretRule })),
    version({ ...of(textSchema), name: "v2", storage: false, selectableFields }),
  ];
  assert.deepEqual(texts(definitionErrors(definitionOf(spec({ versions })))), [
    "spec.versions[1].selectableFields[0].jsonPath: Forbidden: must not point to a hidden " +
      "field",
  ]);
});
