// Kinds of tests/peers/quirky-service.ts, with the identity that an import may guess: the name in
// the spec is the id.
import type { JsonObject } from "../../src/kernel/json.ts";
import { restKind } from "./powerdns-kinds.ts";

export const text = { type: "string" };

export const operations = {
  read: { method: "GET" },
  list: { method: "GET" },
  create: { method: "POST" },
  replace: { method: "PUT" },
  delete: { method: "DELETE" },
};

const { read, create, replace, delete: remove } = operations;

/** Without a list. */
export const unlistedOperations = { read, create, replace, delete: remove };

export const readOnlyId = { path: "/id", class: "read-only", from: "override" };

export function quirkyBinding(plural: string, more: JsonObject = {}): JsonObject {
  return restKind(plural, {
    connection: "quirky",
    item: `/${plural}/{id}`,
    collection: `/${plural}`,
    identity: { kind: "client", field: "/name", parameter: "id" },
    operations,
    fields: [readOnlyId],
    resyncSeconds: 5,
    ...more,
  });
}
