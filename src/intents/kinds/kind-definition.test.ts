import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject } from "../../kernel/json.ts";
import { objectAt, valueAt } from "../../kernel/json-read.ts";
import { defineKind } from "../../kernel/kind.ts";
import type { KindInput } from "../../kernel/kind.ts";
import { defaultDefinition } from "./definition-defaults.ts";
import { kindOfDefinition } from "./definition.ts";
import { definitionOfKind, kindInputProblem } from "./kind-definition.ts";

const text = { type: "string" };

function kind(schema: JsonObject, more: Partial<KindInput> = {}): KindInput {
  return {
    group: "tests.example.dev",
    names: { plural: "things", kind: "Thing", shortNames: ["th"] },
    scope: "Namespaced",
    versions: [{ name: "v1", served: true, storage: true, schema }],
    ...more,
  };
}

const spec = {
  type: "object",
  properties: {
    password: text,
    keys: { type: "object", additionalProperties: text },
    hosts: { type: "array", items: { type: "object", properties: { name: text } } },
  },
};
const schema = { type: "object", properties: { spec } };

function schemaIn(definition: JsonObject): JsonObject {
  const [version] = objectAt(definition, "spec")["versions"] as readonly JsonObject[];
  return objectAt(version, "schema", "openAPIV3Schema");
}

describe("a kind written in TypeScript", () => {
  it("becomes a definition that is accepted and read as the same kind", () => {
    const input = kind(schema, { fieldRules: [{ path: "/spec/password", rule: "secret" }] });
    assert.equal(kindInputProblem(input), undefined);
    const read = defineKind(kindOfDefinition(defaultDefinition(definitionOfKind(input))));
    const given = defineKind(input);
    assert.deepEqual(read.names, given.names);
    assert.deepEqual(read.fieldRules, given.fieldRules);
    assert.equal(read.versions[0]?.subresources.status, true);
  });

  it("says that it is reconciled", () => {
    const { metadata } = definitionOfKind(kind(schema));
    assert.deepEqual(metadata, {
      name: "things.tests.example.dev",
      annotations: { "setpoint.dev/reconciled": "true" },
    });
  });

  it("has room in its status for the engine beside what the author put there", () => {
    const status = { type: "object", properties: { url: text, conditions: text } };
    const own = { ...schema, properties: { spec, status } };
    const made = schemaIn(definitionOfKind(kind(own)));
    const fields = objectAt(made, "properties", "status", "properties");
    assert.deepEqual(Object.keys(fields), ["url", "conditions", "observedGeneration", "reconcile"]);
    assert.equal(valueAt(fields, "conditions", "type"), "array");
    assert.deepEqual(fields["url"], text);
  });

  it("shows whether it is ready when the author chose no columns", () => {
    const columnsOf = (input: KindInput): readonly unknown[] => {
      const versions = objectAt(definitionOfKind(input), "spec")["versions"];
      const [version] = versions as readonly JsonObject[];
      const columns = version?.["additionalPrinterColumns"] as readonly JsonObject[];
      return columns.map(({ name }) => name);
    };
    assert.deepEqual(columnsOf(kind(schema)), ["Ready", "Synced", "Reason", "Age"]);
    const size = { name: "Size", type: "integer", jsonPath: ".spec.size" } as const;
    const [version] = kind(schema).versions;
    assert.ok(version !== undefined);
    const versions = [{ ...version, printerColumns: [size] }];
    assert.deepEqual(columnsOf(kind(schema, { versions })), ["Size"]);
  });

  it("has its field rules in the schema, in maps and lists too", () => {
    const rules = [
      { path: "/spec/keys/*", rule: "secret" },
      { path: "/spec/hosts/*/name", rule: "create-only" },
    ] as const;
    const made = schemaIn(definitionOfKind(kind(schema, { fieldRules: rules })));
    const fields = objectAt(made, "properties", "spec", "properties");
    const key = "x-setpoint-field-rule";
    assert.equal(valueAt(fields, "keys", "additionalProperties", key), "secret");
    const name = objectAt(fields, "hosts", "items", "properties", "name");
    assert.equal(name[key], "create-only");
  });
});

describe("what is wrong with a kind", () => {
  it("is told with the field", () => {
    const broken = { ...schema, properties: { spec: { type: "object", properties: { a: {} } } } };
    const problem = kindInputProblem(kind(broken)) ?? "";
    assert.match(problem, /openAPIV3Schema\.properties\[spec\]\.properties\[a\]\.type: Required/);
    const names = { plural: "Things", kind: "Thing" };
    assert.match(kindInputProblem(kind(schema, { names })) ?? "", /names\.plural/);
    const fieldRules = [{ path: "/spec/nothing", rule: "secret" }] as const;
    const lost = kindInputProblem(kind(schema, { fieldRules }));
    assert.equal(lost, "fieldRules: /spec/nothing is not in the schema of any version");
  });
});
