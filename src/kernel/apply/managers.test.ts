import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../json.ts";
import { applyConfiguration, keepTimes, recordUpdate, resetFieldsOf } from "./managers.ts";
import type { ApplyOutcome } from "./managers.ts";
import { objectType } from "./type-schema.ts";

const schema: JsonObject = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      properties: {
        size: { type: "integer" },
        color: { type: "string" },
        tags: { type: "array", "x-kubernetes-list-type": "set", items: { type: "string" } },
        ports: {
          type: "array",
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["port", "protocol"],
          items: {
            type: "object",
            properties: {
              port: { type: "integer" },
              protocol: { type: "string", default: "TCP" },
              name: { type: "string" },
            },
          },
        },
      },
    },
    status: { type: "object", properties: { ready: { type: "boolean" } } },
  },
};
const type = objectType(schema);
const apiVersion = "example.dev/v1";

function widget(spec: JsonObject, metadata: JsonObject = {}): JsonObject {
  return { apiVersion, kind: "Widget", metadata: { name: "w", ...metadata }, spec };
}

function update(
  live: JsonObject | undefined,
  next: JsonObject,
  manager = "curl",
  now = "2026-01-01T00:00:00Z",
): JsonObject {
  return recordUpdate({ live, next, manager, now, apiVersion, type });
}

function apply(
  live: JsonObject | undefined,
  config: JsonObject,
  manager = "applier",
  force = false,
): ApplyOutcome {
  const now = "2026-01-02T00:00:00Z";
  return applyConfiguration({ live, config, manager, now, apiVersion, type, force });
}

function applied(outcome: ApplyOutcome): JsonObject {
  assert.equal(outcome.kind, "applied", JSON.stringify(outcome));
  return outcome.kind === "applied" ? outcome.object : {};
}

function ownersOf(object: JsonObject): unknown {
  return (object["metadata"] as JsonObject)["managedFields"];
}

test("a create is owned by its writer, containers included, identity not", () => {
  const created = update(undefined, widget({ size: 1, tags: ["b"] }, { labels: { a: "b" } }));
  assert.deepEqual(ownersOf(created), [
    {
      manager: "curl",
      operation: "Update",
      apiVersion,
      time: "2026-01-01T00:00:00Z",
      fieldsType: "FieldsV1",
      fieldsV1: {
        "f:metadata": { "f:labels": { ".": {}, "f:a": {} } },
        "f:spec": { ".": {}, "f:size": {}, "f:tags": { ".": {}, 'v:"b"': {} } },
      },
    },
  ]);
});

test("an update moves the changed fields to its writer and dates only that one", () => {
  const created = update(undefined, widget({ size: 1, color: "red" }));
  const { metadata } = created;
  const next = { ...created, metadata: metadata ?? {}, spec: { size: 2, color: "red" } };
  const updated = update(created, next, "scaler", "2026-02-01T00:00:00Z");
  const owners = ownersOf(updated) as readonly JsonObject[];
  assert.deepEqual(
    owners.map(({ manager, time, fieldsV1 }) => [manager, time, fieldsV1]),
    [
      ["curl", "2026-01-01T00:00:00Z", { "f:spec": { ".": {}, "f:color": {} } }],
      ["scaler", "2026-02-01T00:00:00Z", { "f:spec": { "f:size": {} } }],
    ],
  );
});

test("an update that changes nothing keeps the very same entries", () => {
  const created = update(undefined, widget({ size: 1 }));
  const { managedFields, ...metadata } = created["metadata"] as JsonObject;
  const next = { ...created, metadata: { ...metadata, resourceVersion: "7" } };
  assert.equal(ownersOf(update(created, next, "other")), managedFields);
});

test("an applier that changes a field of another is refused unless it forces", () => {
  const created = update(undefined, widget({ size: 1 }));
  const config = widget({ size: 2 });
  assert.deepEqual(apply(created, config), {
    kind: "conflict",
    message: 'Apply failed with 1 conflict: conflict with "curl" using example.dev/v1: .spec.size',
    causes: [
      {
        reason: "FieldManagerConflict",
        message: 'conflict with "curl" using example.dev/v1',
        field: ".spec.size",
      },
    ],
  });
  const forced = applied(apply(created, config, "applier", true));
  assert.deepEqual(forced["spec"], { size: 2 });
  const owners = ownersOf(forced) as readonly JsonObject[];
  assert.deepEqual(
    owners.map(({ manager, fieldsV1 }) => [manager, fieldsV1]),
    [
      ["applier", { "f:spec": { "f:size": {} } }],
      ["curl", { "f:spec": {} }],
    ],
  );
});

test("what is no longer applied goes, unless another owns it", () => {
  const first = applied(apply(undefined, widget({ size: 1, color: "red", tags: ["a", "b"] })));
  const shared = applied(apply(first, widget({ tags: ["b"] }), "second"));
  const shrunk = applied(apply(shared, widget({ size: 1 })));
  assert.deepEqual(shrunk["spec"], { size: 1, tags: ["b"] });
});

test("the main endpoint owns no status, and /status owns no spec", () => {
  const next = { ...widget({ size: 1 }), status: { ready: true } };
  const context = { manager: "curl", now: "2026-01-01T00:00:00Z", apiVersion, type };
  const resetFields = resetFieldsOf("", true);
  const created = recordUpdate({ ...context, live: undefined, next, resetFields });
  const [entry] = ownersOf(created) as readonly JsonObject[];
  assert.deepEqual(entry?.["fieldsV1"], { "f:spec": { ".": {}, "f:size": {} } });
  const changed = { ...created, spec: { size: 9 }, status: { ready: false } };
  const viaStatus = recordUpdate({
    ...context,
    live: created,
    next: changed,
    subresource: "status",
    resetFields: resetFieldsOf("status", true),
  });
  const owners = ownersOf(viaStatus) as readonly JsonObject[];
  assert.deepEqual(
    owners.map(({ subresource, fieldsV1 }) => [subresource, fieldsV1]),
    [
      [undefined, { "f:spec": { ".": {}, "f:size": {} } }],
      ["status", { "f:status": { "f:ready": {} } }],
    ],
  );
});

test("a write whose only effect is a new time gets the old time back", () => {
  const created = update(undefined, widget({ size: 1 }));
  const text = JSON.stringify(created).replaceAll("2026-01-01", "2027-01-01");
  const redated = JSON.parse(text) as JsonObject;
  assert.deepEqual(keepTimes(created, redated), created);
});
