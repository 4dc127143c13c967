import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../kernel/json.ts";
import { defineKind } from "../../kernel/kind.ts";
import { definitionOf, widgetSpec, widgetVersion } from "./definition-samples.ts";
import { kindOfDefinition } from "./definition.ts";

const rich: JsonObject = {
  ...widgetSpec,
  names: { plural: "widgets", kind: "Widget", shortNames: ["wd"], categories: ["all"] },
  scope: "Cluster",
  versions: [
    { ...widgetVersion, name: "v1beta1", storage: false, deprecated: true },
    {
      ...widgetVersion,
      name: "v2",
      subresources: {
        status: {},
        scale: { specReplicasPath: ".spec.size", statusReplicasPath: ".status.size" },
      },
      additionalPrinterColumns: [
        { name: "Size", type: "integer", jsonPath: ".spec.size", priority: 1, format: "int32" },
      ],
      selectableFields: [{ jsonPath: ".spec.color" }],
    },
    {
      ...widgetVersion,
      name: "v1",
      storage: false,
      served: false,
      deprecated: true,
      deprecationWarning: "use v2",
    },
  ],
};

test("a definition becomes a kind with all that its versions say", () => {
  const kind = defineKind(kindOfDefinition(definitionOf(rich)));
  assert.equal(kind.scope, "Cluster");
  assert.deepEqual(kind.names, {
    plural: "widgets",
    singular: "widget",
    kind: "Widget",
    listKind: "WidgetList",
    shortNames: ["wd"],
    categories: ["all"],
  });
  const [v2] = kind.versions;
  assert.deepEqual(v2?.subresources, {
    status: true,
    scale: { specReplicasPath: ".spec.size", statusReplicasPath: ".status.size" },
  });
  assert.deepEqual(v2.selectableFields, [".spec.color"]);
  assert.deepEqual(v2.printerColumns, [
    { name: "Size", type: "integer", jsonPath: ".spec.size", priority: 1, format: "int32" },
  ]);
  assert.equal(v2.deprecationWarning, undefined);
});

test("versions come in the order of preference, with the warnings of the deprecated ones", () => {
  const old = "example.dev/v1beta1 Widget";
  const { versions } = kindOfDefinition(definitionOf(rich));
  assert.deepEqual(
    versions.map(({ name, served, storage, deprecationWarning }) => [
      name,
      served,
      storage,
      deprecationWarning,
    ]),
    [
      ["v2", true, true, undefined],
      ["v1", false, false, "use v2"],
      ["v1beta1", true, false, `${old} is deprecated; use example.dev/v2 Widget`],
    ],
  );
});

test("accepted names are served, not the names asked for", () => {
  const status = { acceptedNames: { plural: "widgets", kind: "Widget", shortNames: ["old"] } };
  const { names } = kindOfDefinition(definitionOf(rich, status));
  assert.deepEqual(names.shortNames, ["old"]);
  assert.equal(names.listKind, "WidgetList");
});

test("field rules are found in properties, items and free keys of every version", () => {
  const openAPIV3Schema = {
    type: "object",
    properties: {
      spec: {
        type: "object",
        properties: {
          "a/b": { type: "string", "x-setpoint-field-rule": "create-only" },
          users: {
            type: "array",
            items: {
              type: "object",
              properties: { password: { type: "string", "x-setpoint-field-rule": "secret" } },
            },
          },
          tokens: {
            type: "object",
            additionalProperties: { type: "string", "x-setpoint-field-rule": "write-only" },
          },
          other: { type: "string", "x-setpoint-field-rule": "nonsense" },
        },
      },
      __proto__: { type: "string" },
    },
  };
  const second = {
    type: "object",
    properties: { status: { type: "object", "x-setpoint-field-rule": "read-only" } },
  };
  const versions = [
    { ...widgetVersion, schema: { openAPIV3Schema } },
    { ...widgetVersion, name: "v2", storage: false, schema: { openAPIV3Schema: second } },
    { ...widgetVersion, name: "v3", storage: false, schema: { openAPIV3Schema } },
  ];
  const { fieldRules } = kindOfDefinition(definitionOf({ ...widgetSpec, versions }));
  assert.deepEqual(fieldRules, [
    { path: "/spec/a~1b", rule: "create-only" },
    { path: "/spec/users/*/password", rule: "secret" },
    { path: "/spec/tokens/*", rule: "write-only" },
    { path: "/status", rule: "read-only" },
  ]);
});

test("kinds with unusual but valid names are kinds", () => {
  const names = { plural: "widgets", kind: "my-widget", singular: "w", listKind: "my-widgetlist" };
  const kind = defineKind(kindOfDefinition(definitionOf({ ...widgetSpec, names })));
  assert.equal(kind.names.kind, "my-widget");
});
