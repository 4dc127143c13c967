// Lists whose elements are written by commands. A PATCH may not take the object but orders about
// the elements of one of its lists: each element with one more field that says what to do with it.
// Then the elements are resources of their own, and the PATCH is no way to change the object around
// them.

import type { ElementOf } from "../binding.ts";
import { isJsonArray } from "../../../kernel/json.ts";
import type { SchemaNode } from "../document/tree.ts";
import { escapeToken } from "../../../kernel/pointer.ts";
import { rebased } from "./envelope.ts";
import { isSameName } from "./words.ts";

export interface FoundElement {
  readonly element: ElementOf;
  /** The property that holds the list. */
  readonly name: string;
  /** Of one element, without the command. */
  readonly tree: SchemaNode;
  readonly command: string;
}

const commandNames = ["changetype", "op", "operation", "action", "command", "method"];
const putWords = ["replace", "upsert", "put", "set", "update"];
const deleteWords = ["delete", "remove"];

export function findElement(patch: SchemaNode): FoundElement | undefined {
  for (const [name, property] of patch.properties) {
    const tree = property.items;
    if (tree === undefined) continue;
    const field = [...tree.properties.values()].find((child) =>
      commandNames.some((command) => isSameName(command, child.name)),
    );
    if (field === undefined) continue;
    const put = commandIn(field, putWords);
    const remove = commandIn(field, deleteWords);
    const keys = keysOf(tree, field.name);
    if (put === undefined || remove === undefined || keys.length === 0) continue;
    return {
      name,
      tree: rebased(tree),
      command: field.name,
      element: {
        list: `/${escapeToken(name)}`,
        keys: keys.map((key) => `/${escapeToken(key)}`),
        command: { field: field.name, put, delete: remove },
      },
    };
  }
  return undefined;
}

/** A value of the field that means it; documents without an enum name them in capitals. */
function commandIn(
  { keywords, description }: SchemaNode,
  words: readonly string[],
): string | undefined {
  const listed = keywords["enum"];
  const values = isJsonArray(listed)
    ? listed.filter((value) => typeof value === "string")
    : (description.match(/\b[A-Z]{3,}\b/g) ?? []);
  for (const word of words) {
    const found = values.find((value) => value.toLowerCase() === word);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Texts that every element has. */
function keysOf({ properties, required }: SchemaNode, command: string): readonly string[] {
  const texts = [...properties.values()].filter(
    ({ name, types }) => name !== command && types.length === 1 && types[0] === "string",
  );
  const needed = texts.filter(({ name }) => required.has(name));
  const usual = texts.filter(({ name }) => ["name", "type", "id", "key"].includes(name));
  return (needed.length > 0 ? needed : usual).map(({ name }) => name);
}
