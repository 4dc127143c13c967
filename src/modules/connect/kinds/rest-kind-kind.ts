// The kind RestKind: how the resources of a kind are kept in a service. Its spec is a Binding; its
// name is the id of the kind. See binding.ts for what each part means.

import { acceptedColumns } from "../../../intents/kinds/accepted-columns.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import type { KindInput } from "../../../kernel/kind.ts";
import { connectGroup } from "./connection-kind.ts";
import {
  anything,
  choice,
  described,
  list,
  map,
  name,
  object,
  text,
} from "../../../kernel/schema-parts.ts";
import { pointer } from "./pointer-schema.ts";

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
        "client: the id comes from the resource; server: from the service; composite: several " +
          "fields form the id; singleton: one object at a fixed path.",
      ),
      field: described(pointer, "Field with the id. Default for client: the resource name."),
      parameter: described(text, "Parameter of the item path that holds the id."),
      fields: described(map(pointer, 20), "For composite: the field of each path parameter."),
      confidence: {
        type: "number",
        minimum: 0,
        maximum: 1,
        description:
          "Confidence of the import, if the identity is a guess. Remove it when checked.",
      },
    },
    ["kind"],
  ),
  "x-kubernetes-validations": [
    {
      rule: "!(self.kind in ['client', 'server']) || has(self.parameter)",
      message: "is required: the parameter of the item path that holds the id",
      fieldPath: ".parameter",
    },
    {
      rule: "self.kind != 'composite' || has(self.fields)",
      message: "is required: the field of each path parameter",
      fieldPath: ".fields",
    },
  ],
};

const operation = {
  method: choice("GET", "POST", "PUT", "PATCH", "DELETE"),
  path: described(path, "Path, if it differs from item or collection."),
  query: described(query, "Query parameters. Values may contain {parameters}."),
  answer: described(pointer, "Location of the object in the response."),
};
const write = {
  ...operation,
  mediaType: described(text, "Media type of the body. Default: application/json."),
  body: described(pointer, "Location of the object in the request body."),
  takes: described(list(text, 5_000), "Fields that the request accepts. Default: all."),
  hasEtag: described(flag, "Whether If-Match is sent. Default: true."),
};
const paging = object(
  {
    kind: described(
      choice("link", "header", "token", "number"),
      "link: URL in the response; header: Link with rel=next; token, number: query parameter.",
    ),
    next: described(pointer, "For link: location of the URL of the next page."),
    token: described(pointer, "For token: location of the token."),
    parameter: described(text, "Query parameter for the token or page number."),
    first: { type: "integer", description: "Number of the first page." },
  },
  ["kind"],
);

const operations = object({
  read: described(object(operation, ["method"]), "Reads one object."),
  list: described(
    object(
      {
        ...operation,
        items: described(pointer, "Location of the list in the response."),
        paging: described(paging, "How to find the next page. Default: there is only one page."),
      },
      ["method"],
    ),
    "Lists objects. Used to find an object whose create request got no response.",
  ),
  create: described(object(write, ["method"]), "Creates an object."),
  replace: described(object(write, ["method"]), "Updates an object by sending all its fields."),
  patch: object(
    {
      ...write,
      style: described(
        choice("merge", "json", "set"),
        "merge: RFC 7396; json: RFC 6902; set: like merge, but null does not remove a field.",
      ),
      replaces: described(list(pointer), "Fields that are replaced instead of merged."),
    },
    ["method", "style"],
  ),
  delete: described(object(operation, ["method"]), "Deletes an object."),
});

const field = object(
  {
    path: pointer,
    class: described(
      choice("writable", "read-only", "create-only", "update-only", "write-only"),
      "When the field can be set; write-only: accepted by the service but never returned.",
    ),
    isSecret: described(flag, "Whether the value is hidden and compared by its digest."),
    secretFrom: described(
      choice("annotation", "name", "override"),
      "Source of isSecret; name: the name of the field.",
    ),
    isDefaulted: described(flag, "Whether the service sets a default."),
    from: described(
      choice("annotation", "difference", "example", "name", "override"),
      "Source of the class; override: set by a user, never changed by an import.",
    ),
    why: { type: "string", maxLength: 512, description: "Explanation of the class." },
    confidence: { type: "number", minimum: 0, maximum: 1, description: "Confidence from 0 to 1." },
  },
  ["path", "class", "from"],
);

const errorRule = object(
  {
    status: { type: "integer", minimum: 100, maximum: 599 },
    code: described(text, "Error code in the response body."),
    contains: described(text, "Text that the error message contains."),
    is: described(
      choice("soon", "slow", "never", "absent", "exists", "busy"),
      "Meaning of the error: when to retry, or whether the object exists.",
    ),
  },
  ["is"],
);

const element = object(
  {
    list: described(pointer, "Location of the list in the parent object."),
    keys: described(list(pointer, 20), "Fields that identify an element of the list."),
    command: described(
      object({ field: text, put: text, delete: text }, ["field", "put", "delete"]),
      "For lists that are changed by commands: the command field and its values.",
    ),
  },
  ["list", "keys"],
);

const spec: JsonObject = object(
  {
    connection: described(name, "Name of the Connection."),
    item: described(path, "Path of one object below the base URL, such as /zones/{zone_id}."),
    collection: described(path, "Path to create and list objects."),
    identity: described(identity, "How an object is identified in the service."),
    parent: described(
      object({ kind: described(name, "Kind of the resource in connect.parent."), path }, ["path"]),
      "The parent object. path is the start of the item path.",
    ),
    parameters: described(
      map(object({ value: text, field: pointer, given: flag }), 50),
      "Source of other path parameters: a value, a field, or connect.parameters (given).",
    ),
    operations: described(operations, "Requests that the service supports."),
    fields: described(list(field, 20_000), "Fields that are not simply writable."),
    lists: described(
      list(object({ path: pointer, keys: list(pointer, 20) }, ["path", "keys"]), 1_000),
      "Lists with keyed elements. With no keys a list is a set. Other lists are ordered.",
    ),
    joins: described(
      list(object({ name: text, path, query, answer: pointer }, ["name", "path"]), 20),
      "Additional documents about the object, stored in status.joined.",
    ),
    element: described(element, "Set if the object is an element of a list in its parent."),
    longRunning: described(
      object({
        address: described(pointer, "Location of the status URL in the response."),
        state: described(pointer, "Location of the state in the status document."),
        succeeded: list(anything, 50),
        failed: list(anything, 50),
        error: described(pointer, "Location of the error message."),
      }),
      "How to poll long-running operations, if the default does not apply.",
    ),
    errors: described(list(errorRule, 200), "Meaning of errors. The first matching rule applies."),
    ready: described(
      expression,
      "CEL expression over observed and joined: whether the object is ready.",
    ),
    gone: described(
      expression,
      "CEL expression over observed: whether the object counts as deleted.",
    ),
    adopt: described(
      choice("never", "ours", "any"),
      "Whether an existing object with the same id is adopted.",
    ),
    drift: described(
      choice("correct", "report"),
      "Whether changes made by others are corrected or only reported.",
    ),
    ownerMarker: described(pointer, "Field in which the owner of the object is recorded."),
    resyncSeconds: described(seconds, "Seconds between checks of a settled object. Default: 600."),
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
