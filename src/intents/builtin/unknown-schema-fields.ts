// Fields of the schemas inside a definition that no schema has. A schema contains itself, so
// pruning cannot know its fields; the type table does. Without this a typing mistake in a keyword,
// or in a field rule, would silently leave the rule out.

import { getOwn, isJsonArray, isJsonObject } from "../../kernel/json.ts";
import type { Json, JsonObject } from "../../kernel/json.ts";
import { jsonSchemaProps } from "./types-definitions.ts";
import type { Message, Shape } from "./message.ts";

/** The paths of unknown fields within schemas, in the order of the document. */
export function unknownSchemaFields(message: Message, document: JsonObject): readonly string[] {
  const found: string[] = [];
  visitMessage(message, document, "", found);
  return found;
}

function visitMessage(message: Message, object: JsonObject, path: string, found: string[]): void {
  for (const key of Object.keys(object)) {
    const at = path === "" ? key : `${path}.${key}`;
    const field = message.fields.get(key);
    if (field !== undefined) visit(field.shape, getOwn(object, key), at, found);
    else if (message === jsonSchemaProps) found.push(at);
  }
}

function visit({ type }: Shape, value: Json | undefined, path: string, found: string[]): void {
  if (value === undefined || type.kind === "scalar") return;
  if (isJsonArray(value)) {
    const inner = type.kind === "list" ? type.of : { type };
    for (const [index, item] of value.entries()) {
      visit(inner as Shape, item, `${path}[${index}]`, found);
    }
    return;
  }
  if (!isJsonObject(value)) return;
  if (type.kind === "map") {
    for (const key of Object.keys(value)) {
      visit(type.of, getOwn(value, key), `${path}.${key}`, found);
    }
  } else if (type.kind !== "list") visitMessage(type.message(), value, path, found);
}
