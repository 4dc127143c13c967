// What the tests of this folder share: a kind that has every sort of field that merging tells
// apart, and short ways to write to an object of it and to look at who owns its fields.

import assert from "node:assert/strict";
import { isJsonArray, isJsonObject } from "../json.ts";
import type { Json, JsonObject } from "../json.ts";
import { atOnce } from "../sliced.ts";
import { applyConfiguration, recordUpdate } from "./managers.ts";
import type { ApplyOutcome, WriteContext } from "./managers.ts";
import { objectType } from "./type-schema.ts";

export const apiVersion = "example.dev/v1";

const text: JsonObject = { type: "string" };
const item: JsonObject = {
  type: "object",
  properties: { name: text, value: text, tags: setOfText() },
};

const widgetSchema: JsonObject = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      properties: {
        text,
        count: { type: "integer" },
        nested: {
          type: "object",
          properties: { inner: { type: "object", properties: { x: text } } },
        },
        atomic: { type: "object", "x-kubernetes-map-type": "atomic", properties: { a: text } },
        map: { type: "object", additionalProperties: text },
        list: { type: "array", items: text },
        set: setOfText(),
        items: {
          type: "array",
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["name"],
          items: item,
        },
        ports: {
          type: "array",
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["port", "protocol"],
          items: {
            type: "object",
            properties: {
              port: { type: "integer" },
              protocol: { type: "string", default: "TCP" },
              name: text,
            },
          },
        },
        free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
      },
    },
    status: { type: "object", properties: { ready: { type: "boolean" } } },
  },
};

export const widgetType = objectType(widgetSchema);

function setOfText(): JsonObject {
  return { type: "array", "x-kubernetes-list-type": "set", items: { type: "string" } };
}

export function widget(spec: JsonObject, metadata: JsonObject = {}): JsonObject {
  return { apiVersion, kind: "Widget", metadata: { name: "w", ...metadata }, spec };
}

type Overrides = Partial<WriteContext> & { readonly force?: boolean };

function context(manager: string, overrides: Overrides): WriteContext {
  return { manager, apiVersion, type: widgetType, now: "2026-01-01T00:00:00Z", ...overrides };
}

export function update(
  live: JsonObject | undefined,
  next: JsonObject,
  manager: string,
  overrides: Overrides = {},
): JsonObject {
  return atOnce(recordUpdate({ ...context(manager, overrides), live, next }));
}

export function tryApply(
  live: JsonObject | undefined,
  config: JsonObject,
  manager: string,
  overrides: Overrides = {},
): ApplyOutcome {
  const { force = false } = overrides;
  return atOnce(applyConfiguration({ ...context(manager, overrides), live, config, force }));
}

export function apply(
  live: JsonObject | undefined,
  config: JsonObject,
  manager: string,
  overrides: Overrides = {},
): JsonObject {
  const outcome = tryApply(live, config, manager, overrides);
  assert.equal(outcome.kind, "applied", JSON.stringify(outcome));
  return outcome.kind === "applied" ? outcome.object : {};
}

export function entriesOf(object: JsonObject): readonly JsonObject[] {
  const metadata = object["metadata"];
  const entries = isJsonObject(metadata) ? metadata["managedFields"] : undefined;
  return isJsonArray(entries) ? entries.filter(isJsonObject) : [];
}

/** The fields of each manager by name; appliers and updaters have names of their own in tests. */
export function ownersOf(object: JsonObject): JsonObject {
  const owners: { [name: string]: Json } = {};
  for (const { manager, fieldsV1 } of entriesOf(object)) {
    if (typeof manager === "string") owners[manager] = fieldsV1 ?? null;
  }
  return owners;
}

/** The object without what the server alone decides. */
export function contentOf(object: JsonObject): JsonObject {
  const metadata = isJsonObject(object["metadata"]) ? object["metadata"] : {};
  return { ...object, metadata: { ...metadata, managedFields: null } };
}
