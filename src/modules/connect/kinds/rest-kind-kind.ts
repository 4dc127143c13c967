// The kind RestKind: how the resources of a kind are kept in a service. Its spec is a Binding; its
// name is the id of the kind. See binding.ts for what each part means.

import { acceptedColumns } from "../../../intents/kinds/accepted-columns.ts";
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
      kind: described(
        choice("client", "server", "composite", "singleton"),
        "client: we choose the id; server: the service does; composite: several fields are it; " +
          "singleton: there is one, at a fixed path.",
      ),
      field: described(pointer, "The field that is the id; for client the name when left out."),
      parameter: described(text, "The parameter of the item's path that is the id."),
      fields: described(map(pointer, 20), "The field of each parameter, for composite."),
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
  path: described(path, "Where it is not that of the item, or of the collection."),
  query: described(query, "Sent with the request; values may have {parameters}."),
  answer: described(pointer, "Where the object lies in the answer."),
};
const write = {
  ...operation,
  mediaType: described(text, "application/json when left out."),
  body: described(pointer, "Where the object is put in the request."),
  takes: described(list(text, 5_000), "Fields that the request takes; all when left out."),
  hasEtag: described(flag, "false: If-Match is not sent."),
};
const paging = object(
  {
    kind: described(
      choice("link", "header", "token", "number"),
      "link: an address in the answer; header: Link with rel=next; token, number: sent back.",
    ),
    next: described(pointer, "Where the address of the next page is, for link."),
    token: described(pointer, "Where the token is, for token."),
    parameter: described(text, "The query parameter of the token or of the number."),
    first: { type: "integer", description: "The number of the first page." },
  },
  ["kind"],
);

const operations = object({
  read: described(object(operation, ["method"]), "Reads one object."),
  list: described(
    object(
      {
        ...operation,
        items: described(pointer, "Where the list is in the answer."),
        paging: described(paging, "How the next page is found; one page when left out."),
      },
      ["method"],
    ),
    "Lists all: used to find what a creation without an answer has made.",
  ),
  create: described(object(write, ["method"]), "Makes an object."),
  replace: described(object(write, ["method"]), "Changes an object by sending all of it."),
  patch: object(
    {
      ...write,
      style: described(
        choice("merge", "json", "set"),
        "merge: RFC 7396; json: RFC 6902; set: as merge, but a null does not remove.",
      ),
      replaces: described(list(pointer), "Fields that it replaces whole, where others are merged."),
    },
    ["method", "style"],
  ),
  delete: described(object(operation, ["method"]), "Removes an object."),
});

const field = object(
  {
    path: pointer,
    class: described(
      choice("writable", "read-only", "create-only", "update-only", "write-only"),
      "What may be done with it; write-only: the service takes it and never shows it.",
    ),
    isSecret: described(flag, "It is shown nowhere, and compared by a digest."),
    isDefaulted: described(flag, "The service fills it in when it is left out."),
    from: described(
      choice("annotation", "difference", "example", "name", "override"),
      "What told the class; override: a person, whom no import overrules.",
    ),
    why: { type: "string", maxLength: 512, description: "What exactly told." },
    confidence: { type: "number", minimum: 0, maximum: 1, description: "1 is certain." },
  },
  ["path", "class", "from"],
);

const errorRule = object(
  {
    status: { type: "integer", minimum: 100, maximum: 599 },
    code: described(text, "The error code in the body."),
    contains: described(text, "A part of the message."),
    is: described(
      choice("soon", "slow", "never", "absent", "exists", "busy"),
      "What it means: when to try again, or that the object is not, or already, there.",
    ),
  },
  ["is"],
);

const element = object(
  {
    list: described(pointer, "The list in the object of the parent."),
    keys: described(list(pointer, 20), "Pointers into the element that tell it from others."),
    command: described(
      object({ field: text, put: text, delete: text }, ["field", "put", "delete"]),
      "Elements are changed by commands: with one more field that says what to do.",
    ),
  },
  ["list", "keys"],
);

const spec: JsonObject = object(
  {
    connection: described(name, "The name of the Connection."),
    item: described(path, "Such as /zones/{zone_id}, below the base URL."),
    collection: described(path, "Where objects are made and listed."),
    identity: described(identity, "How an object is named in the service."),
    parent: described(
      object({ kind: described(name, "The kind of connect.parent."), path }, ["path"]),
      "The object that it is in; path is how the item's path begins.",
    ),
    parameters: described(
      map(object({ value: text, field: pointer, given: flag }), 50),
      "What other parameters of paths are: a value, a field, or given by connect.parameters.",
    ),
    operations: described(operations, "The requests that the service has."),
    fields: described(list(field, 20_000), "Fields that may not simply be written."),
    lists: described(
      list(object({ path: pointer, keys: list(pointer, 20) }, ["path", "keys"]), 1_000),
      "Lists whose elements have keys; without keys a list is a set. Others have an order.",
    ),
    joins: described(
      list(object({ name: text, path, query, answer: pointer }, ["name", "path"]), 20),
      "Second documents about the object, shown in status.joined.",
    ),
    element: described(element, "It is an element of a list in the object of its parent."),
    longRunning: described(
      object({
        address: described(pointer, "Where the address to ask is in the answer."),
        state: described(pointer, "Where the state is in what is asked."),
        succeeded: list(anything, 50),
        failed: list(anything, 50),
        error: described(pointer, "Where the message of a failure is."),
      }),
      "How operations that take long are followed, where it is not the usual way.",
    ),
    errors: described(list(errorRule, 200), "What errors mean; the first that fits counts."),
    ready: described(expression, "CEL over observed and joined: whether it can be used."),
    gone: described(expression, "CEL over observed: what is shown means that it is gone."),
    adopt: described(
      choice("never", "ours", "any"),
      "Whether an object of that name that exists is taken over.",
    ),
    drift: described(choice("correct", "report"), "What is done about changes by others."),
    ownerMarker: described(pointer, "Where the service lets us write whose it is."),
    resyncSeconds: described(seconds, "How often a settled object is looked at; 600 by default."),
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
        ...acceptedColumns,
      ],
    },
  ],
};
