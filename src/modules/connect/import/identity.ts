// How an object is named: by us or by the service. We name it when it is made at its own address
// (PUT), or when what creates it has to be given the value that the address ends with. The service
// does when it answers with an id. Which field holds the value is found by what the parameter is
// called.

import type { Identity } from "../binding.ts";
import { escapeToken } from "../../../kernel/pointer.ts";
import type { SchemaNode } from "../document/tree.ts";
import { emptyTree } from "../document/tree.ts";
import { parameterName } from "./paths.ts";
import type { FoundResource } from "./resources.ts";
import { isSameName, wordsOf } from "./words.ts";

export interface IdentityInput {
  readonly found: FoundResource;
  readonly read: SchemaNode | undefined;
  /** What a POST to the collection takes; undefined when it is made at its own address. */
  readonly posted: SchemaNode | undefined;
}

export function identityOf({ found, read, posted }: IdentityInput): Identity {
  const { ids, item } = found;
  const names = item.segments.slice(-ids).map(parameterName);
  const [parameter = ""] = names;
  if (ids === 0) return { kind: "singleton" };
  if (names.length > 1) return compositeOf(names, posted ?? read ?? emptyTree);
  if (posted === undefined) return { kind: "client", parameter };
  const shown = fieldFor(parameter, found, read ?? posted);
  const isAnswered = shown !== undefined && !posted.properties.has(shown.slice(1));
  const isAtTop = shown?.lastIndexOf("/") === 0;
  if (isAnswered && isAtTop) return { kind: "server", field: shown, parameter };
  const taken = fieldFor(parameter, found, posted);
  const isIdLike = /^(?:id|uuid|uid|guid)$/i.test(lastKey(taken) ?? lastKey(shown) ?? "id");
  const isNeeded = taken !== undefined && isRequiredAt(posted, taken);
  if (taken !== undefined && (isNeeded || !isIdLike)) {
    return { kind: "client", field: taken, parameter };
  }
  return { kind: "server", ...(shown === undefined ? {} : { field: shown }), parameter };
}

function compositeOf(names: readonly string[], tree: SchemaNode): Identity {
  const fields = names.map((name) => {
    const field = [...tree.properties.keys()].find((key) => isSameName(key, name));
    return [name, `/${escapeToken(field ?? name)}`] as const;
  });
  return { kind: "composite", fields: Object.fromEntries(fields) };
}

/** "zone_id" is the field zone_id or id of a zone; "metadata_kind" is its kind. */
function fieldFor(parameter: string, found: FoundResource, tree: SchemaNode): string | undefined {
  const words = wordsOf(parameter);
  const tail = words.at(-1) ?? "";
  const literal = found.item.segments.at(-found.ids - 1) ?? "";
  const rest = withoutPrefix(words, wordsOf(literal));
  const wanted = [parameter, rest.join("_"), tail];
  if (isIdWord(tail)) wanted.push("id", "uuid", "uid", "guid");
  if (!isIdWord(tail)) wanted.push("name");
  for (const name of wanted) {
    const field = [...tree.properties.keys()].find((key) => isSameName(key, name));
    const isFound = field !== undefined && isScalar(tree.properties.get(field));
    if (isFound) return `/${escapeToken(field)}`;
  }
  const inner = tree.properties.get("metadata")?.properties;
  const nested = wanted.find((name) => inner?.has(name) === true);
  return nested === undefined ? undefined : `/metadata/${escapeToken(nested)}`;
}

function isIdWord(word: string): boolean {
  return ["id", "uuid", "uid", "guid"].includes(word);
}

function withoutPrefix(words: readonly string[], literal: readonly string[]): readonly string[] {
  const [first] = words;
  const isPrefixed =
    first !== undefined && literal.some((word) => word.startsWith(first.slice(0, 4)));
  return isPrefixed && words.length > 1 ? words.slice(1) : words;
}

function isScalar(node: SchemaNode | undefined): boolean {
  return node !== undefined && !node.types.includes("object") && !node.types.includes("array");
}

function isRequiredAt(tree: SchemaNode, pointer: string): boolean {
  const [first = "", second] = pointer.slice(1).split("/");
  if (second === undefined) return tree.required.has(first);
  return tree.properties.get(first)?.required.has(second) === true;
}

function lastKey(pointer: string | undefined): string | undefined {
  return pointer?.slice(pointer.lastIndexOf("/") + 1);
}
