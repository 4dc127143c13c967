// The fields of a schema, as a tree in which references, allOf, oneOf, anyOf and discriminated
// special cases are laid together. It is made level by level and bounded in fields and levels, so
// that of an endless or exploding schema the upper levels are known; where it goes on in a circle
// or beyond the bounds, a node is cut: below it anything may be. The document is not changed.

import { isJsonArray, isJsonObject } from "../../../kernel/json.ts";
import type { Json, JsonObject } from "../../../kernel/json.ts";
import { connectLimits } from "../limits.ts";
import { escapeToken } from "../../../kernel/pointer.ts";
import type { Documents } from "./load.ts";
import { noMarks, readFacts } from "./facts.ts";
import type { Facts } from "./facts.ts";
import { below, follow, idOf, objectOf } from "./place.ts";
import type { Layers, Place } from "./place.ts";
import { subtypesOf } from "./subtypes.ts";

export interface SchemaNode extends Facts {
  /** In objects that the schema describes; `*` is every element or free key. */
  readonly pointer: string;
  /** The last key, or that of the list or map. */
  readonly name: string;
  readonly properties: ReadonlyMap<string, SchemaNode>;
  /** Properties that must be there. */
  readonly required: ReadonlySet<string>;
  readonly items?: SchemaNode;
  /** Of keys that are not properties; true when nothing is known of their values. */
  readonly additional?: SchemaNode | true;
  /** What is below is not told apart. */
  readonly isCut: boolean;
  /** The schema that was referred to, as file#pointer. */
  readonly ref?: string;
}

export const emptyTree: SchemaNode = {
  pointer: "",
  name: "",
  properties: new Map(),
  required: new Set(),
  isCut: false,
  types: [],
  isNullable: false,
  isOpenEnum: false,
  description: "",
  marks: noMarks,
  keywords: {},
};

export function treeOf(documents: Documents, schema: Place): SchemaNode {
  const build: Build = { documents, count: 1, queue: [] };
  const root = startNode("", "", [schema]);
  build.queue.push({ node: root, ancestors: new Set(), level: 0 });
  for (let at = 0; at < build.queue.length; at += 1) {
    const next = build.queue[at];
    if (next !== undefined) expand(next, build);
  }
  return root;
}

/** Every node, parents first, without the root. */
export function* nodesBelow(node: SchemaNode): Generator<SchemaNode> {
  for (const child of childrenOf(node)) {
    yield child;
    yield* nodesBelow(child);
  }
}

export function childrenOf({ properties, items, additional }: SchemaNode): readonly SchemaNode[] {
  const found = [...properties.values()];
  if (items !== undefined) found.push(items);
  if (additional !== undefined && additional !== true) found.push(additional);
  return found;
}

/** A node under construction; nobody else holds it yet. */
type Draft = {
  -readonly [K in keyof SchemaNode]: SchemaNode[K];
} & { places: readonly Place[] };

interface Build {
  readonly documents: Documents;
  readonly queue: Pending[];
  count: number;
}

interface Pending {
  readonly node: Draft;
  /** References that lie above. */
  readonly ancestors: ReadonlySet<string>;
  readonly level: number;
}

function startNode(pointer: string, name: string, places: readonly Place[]): Draft {
  return { ...emptyTree, pointer, name, places };
}

function expand({ node, ancestors, level }: Pending, build: Build): void {
  const { parts, refs, isRecursive } = partsOf(build.documents, node.places, ancestors);
  node.places = [];
  const facts = readFacts(parts);
  Object.assign(node, facts);
  const [ref] = refs;
  if (ref !== undefined) node.ref = ref;
  const inner = childPlaces(parts);
  node.required = inner.required;
  const count = inner.properties.size + (inner.items.length > 0 ? 1 : 0);
  const isTooMuch =
    count + inner.additional.length > 0 &&
    (level >= connectLimits.maxLevels || build.count + count > connectLimits.maxFields);
  node.isCut = isRecursive || isTooMuch;
  if (isTooMuch || (isRecursive && count === 0)) return;
  build.count += count + inner.additional.length;
  const seen = new Set([...ancestors, ...refs]);
  const child = (name: string, token: string, places: readonly Place[]): SchemaNode => {
    const made = startNode(`${node.pointer}/${escapeToken(token)}`, name, places);
    build.queue.push({ node: made, ancestors: seen, level: level + 1 });
    return made;
  };
  const properties = new Map<string, SchemaNode>();
  for (const [name, places] of inner.properties) properties.set(name, child(name, name, places));
  node.properties = properties;
  if (inner.items.length > 0) node.items = child(node.name, "*", inner.items);
  if (inner.additional.length > 0) node.additional = child(node.name, "*", inner.additional);
  else if (inner.isOpen) node.additional = true;
}

export interface Part {
  readonly schema: Layers;
  /** One of several that an object may be like. */
  readonly isVariant: boolean;
}

interface Parts {
  readonly parts: readonly Part[];
  readonly refs: ReadonlySet<string>;
  readonly isRecursive: boolean;
}

/** All schemas that an object at this place is described by. */
function partsOf(
  documents: Documents,
  places: readonly Place[],
  ancestors: ReadonlySet<string>,
): Parts {
  const parts: Part[] = [];
  const refs = new Set<string>();
  let isRecursive = false;
  const queue = places.map((place) => ({ place, isVariant: false }));
  const seen = new Set<string>();
  for (let at = 0; at < queue.length && parts.length < connectLimits.maxParts; at += 1) {
    const next = queue[at];
    if (next === undefined || seen.has(idOf(next.place))) continue;
    seen.add(idOf(next.place));
    const schema = follow(documents, next.place);
    const known = schema.refs.some((ref) => refs.has(ref));
    if (schema.refs.some((ref) => ancestors.has(ref))) {
      isRecursive = true;
      continue;
    }
    for (const ref of schema.refs) refs.add(ref);
    // What is beside a second reference to the same schema still counts.
    const layers = known ? schema.layers.slice(0, 1) : schema.layers;
    parts.push({ schema: { ...schema, layers }, isVariant: next.isVariant });
    for (const layer of layers) {
      for (const place of listBelow(layer, "allOf")) {
        queue.push({ place, isVariant: next.isVariant });
      }
      for (const key of ["oneOf", "anyOf"]) {
        for (const place of listBelow(layer, key)) queue.push({ place, isVariant: true });
      }
    }
    for (const place of subtypesOf(documents, schema)) queue.push({ place, isVariant: true });
  }
  return { parts, refs, isRecursive };
}

interface ChildPlaces {
  readonly properties: ReadonlyMap<string, readonly Place[]>;
  readonly required: ReadonlySet<string>;
  readonly items: readonly Place[];
  readonly additional: readonly Place[];
  readonly isOpen: boolean;
}

function childPlaces(parts: readonly Part[]): ChildPlaces {
  const properties = new Map<string, Place[]>();
  const required = new Set<string>();
  const items: Place[] = [];
  const additional: Place[] = [];
  let isOpen = false;
  for (const { schema, isVariant } of parts) {
    for (const layer of schema.layers) {
      const holder = below(layer, "properties");
      for (const name of holder === undefined ? [] : Object.keys(objectOf(holder))) {
        const place = holder === undefined ? undefined : below(holder, name);
        if (place === undefined || !isJsonObject(place.node)) continue;
        const places = properties.get(name);
        if (places === undefined) properties.set(name, [place]);
        else places.push(place);
      }
      if (!isVariant) for (const name of textsOf(layer, "required")) required.add(name);
      const item = below(layer, "items");
      if (item !== undefined && isJsonObject(item.node)) items.push(item);
      const free = below(layer, "additionalProperties");
      if (free?.node === true) isOpen = true;
      if (free !== undefined && isJsonObject(free.node)) {
        if (isAnything(free.node)) isOpen = true;
        else additional.push(free);
      }
    }
  }
  return { properties, required, items, additional, isOpen };
}

function isAnything(schema: JsonObject): boolean {
  return Object.keys(schema).every((key) => key === "description" || key === "title");
}

function listBelow(layer: Place, key: string): readonly Place[] {
  const list = below(layer, key);
  if (list === undefined || !isJsonArray(list.node)) return [];
  return list.node.flatMap((_, index) => below(list, String(index)) ?? []);
}

function textsOf(layer: Place, key: string): readonly string[] {
  const list: Json | undefined = below(layer, key)?.node;
  return isJsonArray(list) ? list.filter((item) => typeof item === "string") : [];
}
