// A set of field paths, kept as the very JSON that FieldsV1 is: a tree of path elements in which
// an empty node is a member, and "." makes a node with children a member too. Nothing has to be
// decoded to compute with an owner's fields, and nothing encoded to store them. Every node below
// the root holds at least one member, so the empty set is exactly the tree without keys. Sets are
// never changed; results share what they can with their inputs.

import { isJsonObject } from "../json.ts";
import type { Json } from "../json.ts";
import { canonicalElement, elementLabel, parseElement, sortedElements } from "./field-element.ts";

export interface FieldSet {
  readonly [element: string]: FieldSet;
}

/** A set under construction; nobody else may hold it yet. */
export type MutableFieldSet = { [element: string]: FieldSet };

export type FieldPath = readonly string[];

/** The node of a member without members below it. */
export const leaf: FieldSet = Object.freeze({});
export const emptySet: FieldSet = leaf;
const self = ".";

export function isEmptySet(set: FieldSet): boolean {
  if (set === leaf) return true;
  for (const _ in set) return false;
  return true;
}

/** Whether the path that leads to this node is in the set; asked of nodes, never of the root. */
export function isMember(node: FieldSet): boolean {
  return node[self] !== undefined || isEmptySet(node);
}

export function setOf(...paths: readonly FieldPath[]): FieldSet {
  let set = emptySet;
  for (const path of paths) if (path.length > 0) set = union(set, chain(path));
  return set;
}

export function hasPath(set: FieldSet, path: FieldPath): boolean {
  let node: FieldSet | undefined = set;
  for (const element of path) node = node?.[element];
  return path.length > 0 && node !== undefined && isMember(node);
}

export function union(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b || isEmptySet(b)) return a;
  if (isEmptySet(a)) return b;
  const out: MutableFieldSet = {};
  if (a[self] !== undefined || b[self] !== undefined) out[self] = leaf;
  for (const element of Object.keys(a)) {
    const left = a[element];
    const right = b[element];
    if (element === self || left === undefined) continue;
    out[element] = right === undefined ? left : unionNodes(left, right);
  }
  for (const element of Object.keys(b)) {
    const right = b[element];
    if (right !== undefined && out[element] === undefined) out[element] = right;
  }
  return out;
}

/** All at once: one after the other, each union would copy all sets before it. */
export function unionOf(sets: readonly FieldSet[]): FieldSet {
  const [first = emptySet, second = emptySet] = sets;
  if (sets.length < 3) return union(first, second);
  const found = new Map<string, FieldSet[]>();
  for (const set of sets) {
    for (const element of Object.keys(set)) {
      const nodes = found.get(element);
      const node = set[element] ?? leaf;
      if (nodes === undefined) found.set(element, [node]);
      else nodes.push(node);
    }
  }
  const out: MutableFieldSet = {};
  if (found.delete(self)) out[self] = leaf;
  for (const [element, nodes] of found) {
    const [only = leaf] = nodes;
    out[element] =
      nodes.length === 1 ? only : (nodeOf(nodes.some(isMember), unionOf(nodes)) ?? leaf);
  }
  return out;
}

export function intersection(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b) return a;
  const out: MutableFieldSet = {};
  for (const element of Object.keys(a)) {
    const left = a[element];
    const right = b[element];
    if (element === self || left === undefined || right === undefined) continue;
    const node = nodeOf(isMember(left) && isMember(right), intersection(left, right));
    if (node !== undefined) out[element] = node;
  }
  return withoutSelf(out);
}

/** What is in `a` and not in `b`; a member of `b` takes nothing away below itself. */
export function difference(a: FieldSet, b: FieldSet): FieldSet {
  if (isEmptySet(b)) return withoutSelf(a);
  const out: MutableFieldSet = {};
  for (const element of Object.keys(a)) {
    const left = a[element];
    const right = b[element];
    if (element === self || left === undefined) continue;
    if (right === undefined) {
      out[element] = left;
      continue;
    }
    const node = nodeOf(isMember(left) && !isMember(right), difference(left, right));
    if (node !== undefined) out[element] = node;
  }
  return out;
}

/** Like `difference`, but a member of `b` also takes away everything below itself. */
export function recursiveDifference(a: FieldSet, b: FieldSet): FieldSet {
  if (isEmptySet(b)) return withoutSelf(a);
  const out: MutableFieldSet = {};
  for (const element of Object.keys(a)) {
    const left = a[element];
    const right = b[element];
    if (element === self || left === undefined) continue;
    if (right === undefined) {
      out[element] = left;
      continue;
    }
    if (isMember(right)) continue;
    const node = nodeOf(isMember(left), recursiveDifference(left, right));
    if (node !== undefined) out[element] = node;
  }
  return out;
}

/** The members that have no member below them. */
export function leaves(set: FieldSet): FieldSet {
  const out: MutableFieldSet = {};
  for (const element of Object.keys(set)) {
    const node = set[element];
    if (element !== self && node !== undefined) out[element] = leaves(node);
  }
  return out;
}

/** Visits the members of each level before those below it, in the order of their elements. */
export function pathsOf(set: FieldSet): readonly FieldPath[] {
  const paths: FieldPath[] = [];
  collectPaths(set, [], paths);
  return paths;
}

export function pathLabel(path: FieldPath): string {
  return path.map(elementLabel).join("");
}

/** The node of a path that is or is not a member, with these members below it. */
export function nodeOf(member: boolean, below: FieldSet): FieldSet | undefined {
  if (isEmptySet(below)) return member ? leaf : undefined;
  if (!member || below[self] !== undefined) return below;
  return { [self]: leaf, ...below };
}

/** The same set with the elements of every node sorted, as a stored document lists its keys. */
export function sortedSet(set: FieldSet): FieldSet {
  let before = "";
  let isSorted = true;
  for (const element of Object.keys(set)) {
    const node = set[element];
    const isDeep = node !== undefined && node !== leaf;
    if (element < before || (isDeep && sortedSet(node) !== node)) isSorted = false;
    before = element;
  }
  if (isSorted) return set;
  const out: MutableFieldSet = {};
  for (const element of Object.keys(set).sort()) out[element] = sortedSet(set[element] ?? leaf);
  return out;
}

export type DecodedSet =
  | { readonly kind: "set"; readonly set: FieldSet }
  | { readonly kind: "malformed"; readonly problem: string };

/** Reads FieldsV1 from anybody; a set that is already in its one form is taken as it is. */
export function decodeFieldSet(json: Json | undefined): DecodedSet {
  if (json === undefined || json === null) return { kind: "set", set: emptySet };
  if (isJsonObject(json) && knownSets.has(json)) return { kind: "set", set: asSet(json) };
  if (!isJsonObject(json)) return { kind: "malformed", problem: "expect { or n" };
  const problems: string[] = [];
  const set = withoutSelf(decodedNode(json, problems));
  const [problem] = problems;
  if (problem !== undefined) return { kind: "malformed", problem };
  knownSets.add(set);
  return { kind: "set", set };
}

/** Sets that were decoded before; a live object is read far more often than it is parsed. */
const knownSets = new WeakSet<object>();

function decodedNode(json: Json, problems: string[]): FieldSet {
  if (json === null) return leaf;
  if (!isJsonObject(json)) {
    problems.push("expect { or n");
    return leaf;
  }
  if (isCanonical(json)) return asSet(json);
  const out: MutableFieldSet = Object.hasOwn(json, self) ? { [self]: leaf } : {};
  for (const [element, value] of Object.entries(json)) {
    if (element === self) continue;
    const canonical = canonicalElement(element);
    if (canonical === undefined) {
      const parsed = parseElement(element);
      if (parsed.kind === "malformed") problems.push(parsed.problem);
      continue;
    }
    const node = decodedNode(value, problems);
    const known = out[canonical];
    out[canonical] = known === undefined ? node : unionNodes(known, node);
  }
  return isEmptySet(withoutSelf(out)) ? leaf : out;
}

function isCanonical(json: Json): boolean {
  if (!isJsonObject(json)) return false;
  let members = 0;
  let hasSelf = false;
  let before = "";
  for (const element of Object.keys(json)) {
    const node = json[element];
    if (!isJsonObject(node) || element < before) return false;
    before = element;
    members++;
    if (element === self) {
      hasSelf = true;
      if (!isEmptySet(asSet(node))) return false;
    } else if (canonicalElement(element) !== element || !isCanonical(node)) return false;
  }
  return !hasSelf || members > 1;
}

function asSet(json: Json): FieldSet {
  return json as FieldSet;
}

function chain(path: FieldPath): FieldSet {
  return path.reduceRight<FieldSet>((below, element) => ({ [element]: below }), leaf);
}

function unionNodes(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b) return a;
  const both = union(a, b);
  const isIncluded = isMember(a) || isMember(b);
  return nodeOf(isIncluded, both) ?? leaf;
}

function withoutSelf(set: FieldSet): FieldSet {
  if (set[self] === undefined) return set;
  const rest: MutableFieldSet = {};
  for (const element of Object.keys(set)) {
    const node = set[element];
    if (element !== self && node !== undefined) rest[element] = node;
  }
  return rest;
}

function collectPaths(set: FieldSet, prefix: FieldPath, paths: FieldPath[]): void {
  const elements = sortedElements(Object.keys(set).filter((element) => element !== self));
  for (const element of elements) {
    if (isMember(set[element] ?? leaf)) paths.push([...prefix, element]);
  }
  for (const element of elements) collectPaths(set[element] ?? leaf, [...prefix, element], paths);
}
