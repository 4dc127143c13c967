// How an object is named: by us or by the service. We name it when it is made at its own address
// (PUT), or when what creates it has to be given the value that the address ends with. The service
// does when it answers with an id. Which field holds the value is found by what the parameter is
// called. If no field is called like it, an id in the response is safer than a name: a wrong
// identity means that created objects are never found again. Such guesses have a low confidence.

import type { Identity } from "../binding.ts";
import { escapeToken } from "../../../kernel/pointer.ts";
import type { SchemaNode } from "../document/tree.ts";
import { emptyTree } from "../document/tree.ts";
import { isSecretName } from "../fields/secret-name.ts";
import { parameterName } from "./paths.ts";
import type { FoundResource } from "./resources.ts";
import { isSameName, singularOf, wordsOf } from "./words.ts";

export interface IdentityInput {
  readonly found: FoundResource;
  readonly read: SchemaNode | undefined;
  /** What a POST to the collection takes; undefined when it is made at its own address. */
  readonly posted: SchemaNode | undefined;
}

export function identityOf(input: IdentityInput): Identity {
  const { found, read, posted } = input;
  const { ids, item } = found;
  const names = item.segments.slice(-ids).map(parameterName);
  const [parameter = ""] = names;
  if (ids === 0) return { kind: "singleton" };
  if (names.length > 1) return compositeOf(names, posted ?? read ?? emptyTree);
  if (posted === undefined) return { kind: "client", parameter };
  const shown = fieldFor(parameter, found, read ?? posted) ?? fieldFor(parameter, found, posted);
  if (shown === undefined) return withoutField(parameter, { found, read, posted });
  const isAnswered = !isAccepted(posted, shown, found);
  const isAtTop = shown.lastIndexOf("/") === 0;
  if (isAnswered && isAtTop) return { kind: "server", field: shown, parameter };
  const taken = fieldFor(parameter, found, posted);
  const isIdLike = isIdWord(wordsOf(lastKey(taken ?? shown)).at(-1) ?? "");
  const isNeeded = taken !== undefined && isRequiredAt(posted, taken);
  if (taken !== undefined && (isNeeded || !isIdLike)) {
    return { kind: "client", field: taken, parameter };
  }
  return { kind: "server", field: shown, parameter };
}

/** Below this an identity is reported as a guess that a person should check. */
export const sureIdentity = 0.7;

/** No field is called like the parameter: the id of the response, else the name, else none. */
function withoutField(
  parameter: string,
  { found, read, posted }: IdentityInput & { readonly posted: SchemaNode },
): Identity {
  const tree = read ?? posted;
  const id = ["id", "uuid", "uid", "guid"].flatMap((name) => fieldCalled(tree, name) ?? [])[0];
  if (id !== undefined) return { kind: "server", field: id, parameter, confidence: 0.6 };
  const literal = found.item.segments.at(-found.ids - 1) ?? "";
  const isCalledAfterKind =
    isSameName(singularOf(literal), singularOf(parameter)) && !isSecretName(parameter);
  const name = isCalledAfterKind ? fieldCalled(posted, "name") : undefined;
  if (name !== undefined) return { kind: "client", field: name, parameter, confidence: 0.6 };
  return { kind: "server", parameter, confidence: 0.3 };
}

/**
 * A field that is marked as read-only is in the schema of requests only because that is shared.
 * Names are the exception: documents mark them because they cannot be changed.
 * Where nothing can be changed, the id may be a reference: to put a team into a group.
 */
function isAccepted({ properties }: SchemaNode, pointer: string, { item }: FoundResource): boolean {
  const node = properties.get(pointer.slice(1));
  const isReference = !["put", "patch", "post"].some((method) => item.operations.has(method));
  if (isReference) return node !== undefined;
  return node !== undefined && (!node.marks.isReadOnly || /name$/i.test(node.name));
}

function compositeOf(names: readonly string[], tree: SchemaNode): Identity {
  const fields = names.map((name) => {
    const field = [...tree.properties.keys()].find((key) => isSameName(key, name));
    return [name, `/${escapeToken(field ?? name)}`] as const;
  });
  const isKnown = fields.every(([, field]) => tree.properties.has(field.slice(1)));
  return {
    kind: "composite",
    fields: Object.fromEntries(fields),
    ...(isKnown ? {} : { confidence: 0.5 }),
  };
}

/** "zone_id" is the field zone_id or id of a zone; "metadata_kind" is its kind. */
function fieldFor(parameter: string, found: FoundResource, tree: SchemaNode): string | undefined {
  const words = wordsOf(parameter);
  const tail = words.at(-1) ?? "";
  const literal = found.item.segments.at(-found.ids - 1) ?? "";
  const rest = withoutPrefix(words, wordsOf(literal));
  const wanted = [parameter, rest.join("_"), tail];
  // "username" and "hostname" are names, too.
  if (tail.endsWith("name")) wanted.push("name");
  if (isIdWord(tail)) wanted.push("id", "uuid", "uid", "guid", `${singularOf(literal)}_${tail}`);
  for (const name of wanted) {
    const field = fieldCalled(tree, name);
    if (field !== undefined) return field;
  }
  const inner = tree.properties.get("metadata")?.properties;
  const nested = wanted.find((name) => inner?.has(name) === true);
  return nested === undefined ? undefined : `/metadata/${escapeToken(nested)}`;
}

function fieldCalled(tree: SchemaNode, name: string): string | undefined {
  const field = [...tree.properties.keys()].find((key) => isSameName(key, name));
  const isFound = field !== undefined && isScalar(tree.properties.get(field));
  return isFound ? `/${escapeToken(field)}` : undefined;
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

function lastKey(pointer: string): string {
  return pointer.slice(pointer.lastIndexOf("/") + 1);
}
