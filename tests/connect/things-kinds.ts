// The kind of the things of tests/peers/things.ts: named by us, made and changed by PUT.
import type { JsonObject } from "../../src/kernel/json.ts";
import { apiVersion, definition, restKind } from "./powerdns-kinds.ts";

export const things = { apiVersion, kind: "Thing" };

export const thingKind = definition("Thing", {
  type: "object",
  properties: { color: { type: "string" } },
});

export const thingBinding = restKind("things", {
  connection: "things",
  item: "/things/{name}",
  identity: { kind: "client", parameter: "name" },
  operations: {
    read: { method: "GET" },
    create: { method: "PUT", path: "/things/{name}" },
    replace: { method: "PUT" },
    delete: { method: "DELETE" },
  },
  fields: [{ path: "/name", class: "read-only", from: "override" }],
  resyncSeconds: 86_400,
});

export function thingsConnection(name: string, spec: JsonObject): JsonObject {
  return {
    apiVersion: "connect.setpoint.dev/v1",
    kind: "Connection",
    metadata: { name },
    spec: { secretNamespace: "default", breaker: { failures: 1_000 }, ...spec },
  };
}
