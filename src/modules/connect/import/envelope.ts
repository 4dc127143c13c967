// Where the object lies in a request or an answer. Services wrap objects ({"metadata": {…}},
// {"droplet": {…}}), and reading through the wrapping decides everything else: compared with it,
// all fields would seem to be read-only. What is read and what is written are the same object, so
// the wrapping is the one under which most of the fields meet; below a fifth in common they are
// different things, and nothing may be inferred from their differences.

import { escapeToken } from "../../../kernel/pointer.ts";
import type { SchemaNode } from "../document/tree.ts";
import { isSameName, singularOf } from "./words.ts";

export interface Unwrapped {
  /** The pointer of the object; "" when it is not wrapped. */
  readonly pointer: string;
  readonly tree: SchemaNode;
}

export interface Matched {
  readonly answer: Unwrapped;
  readonly body: Unwrapped;
  /** How much of what is written is also read: 0 to 1. */
  readonly overlap: number;
}

/** Less in common than this is no common object. */
export const minOverlap = 0.2;

export function matchEnvelopes(answer: SchemaNode, body: SchemaNode): Matched {
  const best = { answer: plain(answer), body: plain(body), overlap: overlapOf(answer, body) };
  const both = sameEnvelope(answer, body);
  if (both !== undefined) return both;
  if (isPlain(answer, body)) return best;
  let most = commonOf(answer, body);
  let found: Matched = best;
  for (const left of candidates(answer)) {
    for (const right of candidates(body)) {
      const common = commonOf(left.tree, right.tree);
      if (common <= most) continue;
      most = common;
      found = { answer: left, body: right, overlap: overlapOf(left.tree, right.tree) };
    }
  }
  return found;
}

/** Both consist of one object of the same name: {"integration": {…}}. */
function sameEnvelope(answer: SchemaNode, body: SchemaNode): Matched | undefined {
  const [only] = body.properties.keys();
  const isOnly = body.properties.size === 1 && answer.properties.size === 1;
  if (!isOnly || only === undefined || isSameSchema(answer, body)) return undefined;
  const [left, right] = [answer, body].map((tree) => candidates(tree)[1]);
  if (left?.tree.name !== only || right === undefined) return undefined;
  return { answer: left, body: right, overlap: overlapOf(left.tree, right.tree) };
}

/** Half of what is written is read right there, or they are one schema. */
function isPlain(answer: SchemaNode, body: SchemaNode): boolean {
  if (isSameSchema(answer, body)) return true;
  const common = commonOf(answer, body);
  return common * 2 >= body.properties.size && (common > 1 || answer.properties.size > 1);
}

/** Of an answer that there is nothing to compare with: a single object called like the resource. */
export function unwrapAlone(answer: SchemaNode, names: readonly string[]): Unwrapped {
  const inner = candidates(answer).slice(1);
  const only = answer.properties.size === 1 ? inner[0] : undefined;
  const named = inner.find(({ tree }) =>
    [...names, "data"].some((name) => isSameName(singularOf(name), singularOf(tree.name))),
  );
  const wrapped = only ?? (answer.properties.size <= 4 ? named : undefined);
  return wrapped ?? plain(answer);
}

export function treeAt(tree: SchemaNode, pointer: string): SchemaNode {
  if (pointer === "") return tree;
  const found = candidates(tree).find((candidate) => candidate.pointer === pointer);
  return found?.tree ?? tree;
}

/** How much of what is written is read. */
export function overlapOf(answer: SchemaNode, body: SchemaNode): number {
  if (isSameSchema(answer, body)) return 1;
  const smaller = Math.min(body.properties.size, answer.properties.size);
  return smaller === 0 ? 0 : commonOf(answer, body) / smaller;
}

function isSameSchema(a: SchemaNode, b: SchemaNode): boolean {
  return a === b || (a.ref !== undefined && a.ref === b.ref);
}

function commonOf(a: SchemaNode, b: SchemaNode): number {
  let common = 0;
  for (const name of b.properties.keys()) if (a.properties.has(name)) common += 1;
  return common;
}

function plain(tree: SchemaNode): Unwrapped {
  return { pointer: "", tree };
}

/** The tree itself, and the objects right below it, with pointers of their own. */
function candidates(tree: SchemaNode): readonly Unwrapped[] {
  const found: Unwrapped[] = [plain(tree)];
  for (const [name, child] of tree.properties) {
    if (child.properties.size === 0) continue;
    found.push({ pointer: `/${escapeToken(name)}`, tree: rebased(child) });
  }
  return found;
}

const rebasedTrees = new WeakMap<SchemaNode, SchemaNode>();

/** The same tree with pointers that begin at it. */
export function rebased(tree: SchemaNode): SchemaNode {
  const known = rebasedTrees.get(tree);
  if (known !== undefined) return known;
  const made = cutPointers(tree, tree.pointer.length);
  rebasedTrees.set(tree, made);
  return made;
}

function cutPointers(node: SchemaNode, length: number): SchemaNode {
  const { items, additional } = node;
  const properties = new Map<string, SchemaNode>();
  for (const [name, child] of node.properties) properties.set(name, cutPointers(child, length));
  return {
    ...node,
    pointer: node.pointer.slice(length),
    properties,
    ...(items === undefined ? {} : { items: cutPointers(items, length) }),
    ...(additional === undefined || additional === true
      ? {}
      : { additional: cutPointers(additional, length) }),
  };
}
