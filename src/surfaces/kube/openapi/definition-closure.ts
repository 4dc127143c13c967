// The definitions that a document needs: those its operations name, and all that these refer to.

import { assert } from "../../../kernel/assert.ts";
import { isJsonArray, isJsonObject, setOwn } from "../../../kernel/json.ts";
import type { Json, JsonObject, MutableJsonObject } from "../../../kernel/json.ts";
import { apiVersionOf } from "../../../kernel/kind.ts";
import type { ServedResource } from "../discovery/served-groups.ts";
import { builtInDefinitions, builtInName } from "./built-in-definitions.ts";
import type { Definitions } from "./built-in-definitions.ts";
import { definedListSchema, definedSchema } from "./defined-schema.ts";
import type { BodyShape, Operation } from "./operation.ts";
import { definitionName, metaPrefix, v3Prefix } from "./reference.ts";

/** The name of the definition that describes a body. */
export function bodyName(shape: BodyShape): string {
  switch (shape.kind) {
    case "status":
      return `${metaPrefix}.Status`;
    case "patch":
      return `${metaPrefix}.Patch`;
    case "delete-options":
      return `${metaPrefix}.DeleteOptions`;
    case "object":
    case "list": {
      const { group, version, kind } = shape.gvk;
      const builtIn = builtInName(apiVersionOf({ group }, version), kind);
      return builtIn ?? definitionName(group, version, kind);
    }
    default:
      return shape satisfies never;
  }
}

/** The definitions of kinds that come from definitions, and of built-in ones without a table. */
export function ownDefinitions(
  resources: readonly ServedResource[],
  form: "v2" | "v3",
): Definitions {
  const own = new Map<string, JsonObject>();
  for (const { kind, version } of resources) {
    const { kind: name, listKind } = kind.names;
    if (builtInName(apiVersionOf(kind, version.name), name) !== undefined) continue;
    own.set(definitionName(kind.group, version.name, name), definedSchema(kind, version, form));
    const listName = definitionName(kind.group, version.name, listKind);
    own.set(listName, definedListSchema(kind, version, form));
  }
  return own;
}

/** Built-in definitions that these names lead to, and then the own ones; all sorted by name. */
export function closureOf(
  operations: readonly Operation[],
  own: Definitions,
  convert: (schema: JsonObject) => JsonObject = (schema) => schema,
): JsonObject {
  const known = builtInDefinitions();
  const found = new Map<string, JsonObject>(own);
  const pending = operations.flatMap(({ body, answer }) => [
    ...(body === undefined ? [] : [bodyName(body)]),
    bodyName(answer),
  ]);
  // Own definitions refer to nothing else, whatever their authors wrote into them.
  if (own.size > 0) pending.push(`${metaPrefix}.ObjectMeta`, `${metaPrefix}.ListMeta`);
  while (pending.length > 0) {
    const name = pending.pop() ?? "";
    if (found.has(name)) continue;
    const schema = known.get(name);
    assert(schema !== undefined, `the definition ${name} is known`);
    found.set(name, convert(schema));
    collectReferences(schema, pending);
  }
  const sorted: MutableJsonObject = {};
  for (const name of [...found.keys()].toSorted()) setOwn(sorted, name, found.get(name) ?? {});
  return sorted;
}

function collectReferences(value: Json, into: string[]): void {
  if (isJsonArray(value)) for (const item of value) collectReferences(item, into);
  if (!isJsonObject(value)) return;
  for (const [key, inner] of Object.entries(value)) {
    if (key !== "$ref") collectReferences(inner, into);
    else if (typeof inner === "string" && inner.startsWith(v3Prefix)) {
      into.push(inner.slice(v3Prefix.length));
    }
  }
}
