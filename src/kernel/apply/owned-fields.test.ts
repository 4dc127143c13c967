import { test } from "node:test";
import assert from "node:assert/strict";
import { isSetpointError } from "../errors.ts";
import type { JsonObject } from "../json.ts";
import { limits } from "../limits.ts";
import { atOnce } from "../sliced.ts";
import { applyConfiguration, recordUpdate } from "./managers.ts";
import { objectType } from "./type-schema.ts";

const schema: JsonObject = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      properties: {
        free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
        set: { type: "array", "x-kubernetes-list-type": "set", items: { type: "integer" } },
        atomic: { type: "array", "x-kubernetes-list-type": "atomic", items: { type: "integer" } },
      },
    },
  },
};
const context = {
  manager: "test",
  apiVersion: "example.dev/v1",
  type: objectType(schema),
  now: "2026-01-31T12:00:00Z",
};

function thing(spec: JsonObject, metadata: JsonObject = {}): JsonObject {
  return {
    apiVersion: "example.dev/v1",
    kind: "Thing",
    metadata: { name: "a", ...metadata },
    spec,
  };
}

function fields(count: number, prefix = "k"): JsonObject {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`${prefix}${index}`, 1]));
}

const numbers = Array.from({ length: limits.maxOwnedFields + 1 }, (_, index) => index);

function isTooLarge(error: unknown): boolean {
  return isSetpointError(error, "request.too_large");
}

test("a document with more owned fields than the limit is refused, in maps and in sets", () => {
  const tooMany = fields(limits.maxOwnedFields);
  for (const spec of [{ free: tooMany }, { set: numbers }]) {
    const next = thing(spec);
    assert.throws(() => atOnce(recordUpdate({ ...context, live: undefined, next })), isTooLarge);
    assert.throws(() => atOnce(recordUpdate({ ...context, live: thing({}), next })), isTooLarge);
    const apply = { ...context, live: undefined, config: next, force: false };
    assert.throws(() => atOnce(applyConfiguration(apply)), isTooLarge);
  }
});

test("an atomic list of any length is one owned field", () => {
  const next = thing({ atomic: numbers });
  const tracked = atOnce(recordUpdate({ ...context, live: undefined, next }));
  assert.ok(JSON.stringify(tracked["metadata"]).includes('"f:atomic":{}'));
});

test("applies that add up to more owned fields than the limit are refused", () => {
  const half = Math.ceil(limits.maxOwnedFields * 0.6);
  const first = {
    ...context,
    live: undefined,
    config: thing({ free: fields(half) }),
    force: false,
  };
  const applied = atOnce(applyConfiguration(first));
  assert.ok(applied.kind === "applied");
  const config = thing({ free: fields(half, "other") });
  const second = { ...context, manager: "second", live: applied.object, config, force: false };
  assert.throws(() => atOnce(applyConfiguration(second)), isTooLarge);
});

test("managedFields of a client with too many entries are refused", () => {
  const entry = {
    manager: "forged",
    operation: "Update",
    apiVersion: "example.dev/v1",
    fieldsType: "FieldsV1",
    fieldsV1: { "f:spec": { "f:free": fields(2 * limits.maxOwnedFields, "f:k") } },
  };
  const next = thing({}, { managedFields: [entry] });
  assert.throws(() => atOnce(recordUpdate({ ...context, live: thing({}), next })), isTooLarge);
  assert.throws(() => atOnce(recordUpdate({ ...context, live: undefined, next })), isTooLarge);
});

test("a document that was stored with too many owned fields can still be changed", () => {
  const live = thing({ free: fields(limits.maxOwnedFields) });
  const next = thing({ free: { ...fields(limits.maxOwnedFields), k0: 2 } });
  assert.doesNotThrow(() => atOnce(recordUpdate({ ...context, live, next })));
});
