import assert from "node:assert/strict";
import { test } from "node:test";
import { fieldErrorText } from "../field-error-text.ts";
import type { JsonObject } from "../json.ts";
import { compileSchema } from "./compile.ts";
import { coerceEmbedded, embeddedProblems } from "./embedded.ts";
import { coerceMetadata } from "./metadata.ts";

const schema = compileSchema({
  type: "object",
  properties: {
    spec: {
      type: "object",
      properties: {
        template: {
          type: "object",
          "x-kubernetes-embedded-resource": true,
          "x-kubernetes-preserve-unknown-fields": true,
        },
      },
    },
  },
});

const around = (template: JsonObject): JsonObject => ({ spec: { template } });
const show = fieldErrorText;

test("metadata loses what it does not have, and what is empty", () => {
  const { value, unknown, problem } = coerceMetadata({
    name: "a",
    foo: 1,
    labels: {},
    annotations: { a: "b" },
    creationTimestamp: null,
    deletionTimestamp: "2020-01-01T01:00:00.5+01:00",
    ownerReferences: [{ name: "o", bar: 1 }],
  });
  assert.equal(problem, undefined);
  assert.deepEqual(unknown, ["metadata.foo", "metadata.ownerReferences[0].bar"]);
  assert.deepEqual(value, {
    name: "a",
    annotations: { a: "b" },
    deletionTimestamp: "2020-01-01T00:00:00Z",
    ownerReferences: [{ apiVersion: "", kind: "", name: "o", uid: "" }],
  });
});

test("metadata of a wrong type is refused in the words of Go", () => {
  const problems = [
    [{ labels: { a: 1 } }, "number into Go struct field ObjectMeta.labels of type string"],
    [{ labels: [] }, "array into Go struct field ObjectMeta.labels of type map[string]string"],
    [{ name: {} }, "object into Go struct field ObjectMeta.name of type string"],
    [{ uid: true }, "bool into Go struct field ObjectMeta.uid of type types.UID"],
    [{ generation: 1.5 }, "number 1.5 into Go struct field ObjectMeta.generation of type int64"],
    ["x", "string into Go value of type v1.ObjectMeta"],
    [
      { creationTimestamp: 5, annotations: 1 },
      "number into Go struct field ObjectMeta.creationTimestamp of type string",
    ],
    [
      { ownerReferences: [{ name: 1 }] },
      "number into Go struct field OwnerReference.ownerReferences.name of type string",
    ],
  ] as const;
  for (const [metadata, problem] of problems) {
    assert.equal(coerceMetadata(metadata).problem, `json: cannot unmarshal ${problem}`);
  }
  assert.equal(
    coerceMetadata({ creationTimestamp: "x" }).problem,
    'parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"',
  );
});

test("embedded metadata is read like any other", () => {
  const read = coerceEmbedded(schema, around({ kind: "A", metadata: { name: "a", x: 1 } }));
  assert.deepEqual(read.value, around({ kind: "A", metadata: { name: "a" } }));
  assert.deepEqual(read.unknown, ["spec.template.metadata.x"]);
  const bad = coerceEmbedded(schema, around({ metadata: { labels: 1 } }));
  assert.equal(
    bad.error && show(bad.error),
    'spec.template.metadata: Invalid value: {"labels":1}: json: cannot unmarshal number into ' +
      "Go struct field ObjectMeta.labels of type map[string]string",
  );
});

test("embedded resources have a type and sound names", () => {
  assert.deepEqual(embeddedProblems(schema, around({})).map(show), [
    "spec.template.apiVersion: Required value",
    "spec.template.kind: Required value",
  ]);
  const template = { apiVersion: "a/b/c", kind: "A", metadata: { name: "a/b" } };
  assert.deepEqual(embeddedProblems(schema, around(template)).map(show), [
    'spec.template.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c',
    "spec.template.metadata.name: Invalid value: \"a/b\": may not contain '/'",
  ]);
});
