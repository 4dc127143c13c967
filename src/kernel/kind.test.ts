import assert from "node:assert/strict";
import { test } from "node:test";
import type { SetpointError } from "./errors.ts";
import type { JsonObject } from "./json.ts";
import { apiVersionOf, defineKind, kindId } from "./kind.ts";
import type { KindInput } from "./kind.ts";

const version = { name: "v1", served: true, storage: true, schema: { type: "object" } };
const input: KindInput = {
  group: "example.dev",
  names: { plural: "widgets", kind: "Widget" },
  scope: "Namespaced",
  versions: [version],
};

test("a kind is completed from the little that must be said", () => {
  const kind = defineKind(input);
  assert.deepEqual(kind.names, {
    singular: "widget",
    listKind: "WidgetList",
    shortNames: [],
    categories: [],
    plural: "widgets",
    kind: "Widget",
  });
  assert.deepEqual(kind.versions[0]?.subresources, { status: false });
  assert.deepEqual(kind.versions[0]?.selectableFields, []);
});

test("a kind is frozen to its depths, and what it was made from is not", () => {
  const schema = { properties: { spec: { type: "object" } } };
  const kind = defineKind({ ...input, versions: [{ ...version, schema }] });
  assert.throws(() => Object.assign(kind.names, { plural: "x" }), TypeError);
  const stored = kind.versions[0]?.schema["properties"];
  assert.throws(() => Object.assign(stored as object, { spec: 1 }), TypeError);
  assert.doesNotThrow(() => Object.assign(schema.properties, { status: {} }));
});

test("the id leaves the core group out", () => {
  assert.equal(kindId(defineKind(input)), "widgets.example.dev");
  const core = defineKind({ ...input, group: "", names: { plural: "configmaps", kind: "Config" } });
  assert.equal(kindId(core), "configmaps");
  assert.equal(apiVersionOf(core, "v1"), "v1");
  assert.equal(apiVersionOf(defineKind(input), "v1"), "example.dev/v1");
});

const wrong: readonly (readonly [string, Partial<KindInput>])[] = [
  ["group", { group: "Example" }],
  ["names.plural", { names: { plural: "Widgets", kind: "Widget" } }],
  ["names.kind", { names: { plural: "widgets", kind: "1Widget" } }],
  ["names.listKind", { names: { plural: "widgets", kind: "Widget", listKind: "Widget" } }],
  ["names.shortNames", { names: { plural: "widgets", kind: "Widget", shortNames: ["W"] } }],
  ["scope", { scope: "Galaxy" as "Cluster" }],
  ["versions: exactly one", { versions: [] }],
  ["versions: exactly one", { versions: [version, { ...version, name: "v2" }] }],
  ["versions: names must be unique", { versions: [version, { ...version, storage: false }] }],
  ["versions[0].name", { versions: [{ ...version, name: "V1" }] }],
  ["versions[0].schema", { versions: [{ ...version, schema: [] as unknown as JsonObject }] }],
  [
    "versions[0].selectableFields",
    { versions: [{ ...version, selectableFields: [".spec.list[0]"] }] },
  ],
  [
    "versions[0].selectableFields: at most",
    { versions: [{ ...version, selectableFields: Array.from("abcdefghi", (c) => `.${c}`) }] },
  ],
  [
    "versions[0].printerColumns",
    { versions: [{ ...version, printerColumns: [{ name: "A", type: "date", jsonPath: "x" }] }] },
  ],
  ["fieldRules[0].path", { fieldRules: [{ path: "spec", rule: "secret" }] }],
  ["fieldRules[0].path", { fieldRules: [{ path: "", rule: "secret" }] }],
  [
    "subresources.scale.specReplicasPath",
    {
      subresources: {
        status: true,
        scale: { specReplicasPath: "replicas", statusReplicasPath: ".status.replicas" },
      },
    },
  ],
];

test("a kind that breaks a rule is refused with the field named", () => {
  for (const [field, change] of wrong) {
    assert.throws(
      () => defineKind({ ...input, ...change }),
      (error: SetpointError) => error.code === "resource.invalid" && error.message.includes(field),
      field,
    );
  }
});

test("all problems of a kind are reported at once", () => {
  assert.throws(
    () => defineKind({ ...input, group: "Bad", versions: [] }),
    (error: SetpointError) => (error.details["problems"] as string[]).length === 2,
  );
});
