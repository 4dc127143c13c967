// The kind RestKind: how the resources of a kind are kept in a service. Its spec is a Binding; its
// name is the id of the kind. See binding.ts for what each part means.

import type { JsonObject } from "../../../kernel/json.ts";
import type { KindInput } from "../../../kernel/kind.ts";
import { connectGroup } from "./connection-kind.ts";
import { anything, choice, described, list, map, name, object, pointer, text } from "./schemas.ts";

export const restKindsKind = `restkinds.${connectGroup}`;

const path: JsonObject = { type: "string", pattern: "^/", maxLength: 2_048 };
const flag: JsonObject = { type: "boolean" };
const seconds: JsonObject = { type: "integer", minimum: 5, maximum: 31_536_000 };
const expression: JsonObject = { type: "string", minLength: 1, maxLength: 4_096 };
const query = map({ type: "string", maxLength: 1_024 }, 50);

const identity: JsonObject = {
  ...object(
    {
      kind: choice("client", "server", "composite", "singleton"),
      field: pointer,
      parameter: text,
      fields: map(pointer, 20),
    },
    ["kind"],
  ),
  "x-kubernetes-validations": [
    {
      rule: "!(self.kind in ['client', 'server']) || has(self.parameter)",
      message: "names the parameter of the item's path that is the id",
      fieldPath: ".parameter",
    },
    {
      rule: "self.kind != 'composite' || has(self.fields)",
      message: "names the field of each parameter",
      fieldPath: ".fields",
    },
  ],
};

const operation = {
  method: choice("GET", "POST", "PUT", "PATCH", "DELETE"),
  path,
  query,
  answer: pointer,
};
const write = {
  ...operation,
  mediaType: text,
  body: pointer,
  takes: list(text, 5_000),
  hasEtag: flag,
};
const paging = object(
  {
    kind: choice("link", "header", "token", "number"),
    next: pointer,
    token: pointer,
    parameter: text,
    first: { type: "integer" },
  },
  ["kind"],
);

const operations = object({
  read: object(operation, ["method"]),
  list: object({ ...operation, items: pointer, paging }, ["method"]),
  create: object(write, ["method"]),
  replace: object(write, ["method"]),
  patch: object(
    {
      ...write,
      style: choice("merge", "json", "set"),
      replaces: described(list(pointer), "Fields that it replaces whole, where others are merged."),
    },
    ["method", "style"],
  ),
  delete: object(operation, ["method"]),
});

const field = object(
  {
    path: pointer,
    class: choice("writable", "read-only", "create-only", "update-only", "write-only"),
    isSecret: flag,
    isDefaulted: flag,
    from: choice("annotation", "difference", "example", "name", "override"),
    why: { type: "string", maxLength: 512 },
    confidence: { type: "number", minimum: 0, maximum: 1 },
  },
  ["path", "class", "from"],
);

const errorRule = object(
  {
    status: { type: "integer", minimum: 100, maximum: 599 },
    code: text,
    contains: text,
    is: choice("soon", "slow", "never", "absent", "exists", "busy"),
  },
  ["is"],
);

const element = object(
  {
    list: pointer,
    keys: list(pointer, 20),
    command: object({ field: text, put: text, delete: text }, ["field", "put", "delete"]),
  },
  ["list", "keys"],
);

const spec: JsonObject = object(
  {
    connection: described(name, "The name of the Connection."),
    item: described(path, "Such as /zones/{zone_id}, below the base URL."),
    collection: described(path, "Where objects are made and listed."),
    identity,
    parent: object({ kind: name, path }, ["path"]),
    parameters: map(object({ value: text, field: pointer, given: flag }), 50),
    operations,
    fields: list(field, 20_000),
    lists: list(object({ path: pointer, keys: list(pointer, 20) }, ["path", "keys"]), 1_000),
    joins: list(object({ name: text, path, query, answer: pointer }, ["name", "path"]), 20),
    element,
    longRunning: object({
      address: pointer,
      state: pointer,
      succeeded: list(anything, 50),
      failed: list(anything, 50),
      error: pointer,
    }),
    errors: list(errorRule, 200),
    ready: described(expression, "CEL over observed and joined."),
    gone: described(expression, "CEL over observed."),
    adopt: choice("never", "ours", "any"),
    drift: choice("correct", "report"),
    ownerMarker: pointer,
    resyncSeconds: seconds,
  },
  ["connection", "item", "identity", "operations", "fields"],
);

export const restKindDefinition: KindInput = {
  group: connectGroup,
  names: { plural: "restkinds", kind: "RestKind", categories: ["connect"] },
  scope: "Cluster",
  subresources: { status: true },
  versions: [
    {
      name: "v1",
      served: true,
      storage: true,
      schema: object({ spec }, ["spec"]),
      printerColumns: [
        { name: "Connection", type: "string", jsonPath: ".spec.connection" },
        { name: "Item", type: "string", jsonPath: ".spec.item" },
        {
          name: "Accepted",
          type: "string",
          jsonPath: '.status.conditions[?(@.type=="Accepted")].status',
        },
        {
          name: "Reason",
          type: "string",
          jsonPath: '.status.conditions[?(@.type=="Accepted")].reason',
        },
      ],
    },
  ],
};
