// Finds the resources of a service: paths that name one object each, with where such objects are
// listed and made. A path is an object when it can be read (or listed) and made or changed; paths
// that are only called (RPC), only read or only posted to are none. The parent of an object is the
// nearest object whose path its own begins with.

import type { ServiceOperation } from "./operations.ts";
import { isParameter, keyOfSegments, trailingParameters } from "./paths.ts";
import { pluralOf, singularOf } from "./words.ts";

/** All operations of paths that mean the same. */
export interface PathGroup {
  readonly key: string;
  readonly segments: readonly string[];
  /** As the document has it. */
  readonly text: string;
  readonly operations: ReadonlyMap<string, ServiceOperation>;
  /** The same path and method with a query. */
  readonly variants: readonly ServiceOperation[];
}

export interface FoundResource {
  readonly key: string;
  readonly item: PathGroup;
  readonly collection?: PathGroup;
  /** Where objects are created, if not in the collection: `/volumes/create`. */
  readonly creation?: PathGroup;
  /** Where one object is read, if not at its own path: `/containers/{id}/json`. */
  readonly reading?: PathGroup;
  /** How many parameters at the end of the item's path name it; none for a singleton. */
  readonly ids: number;
  /** The nearest resource that it lies below. */
  readonly parent?: string;
  /** How many leading segments lead to the parent, be it a resource or not; 0 without one. */
  readonly parentSegments: number;
  /** Paths right below it that can only be read. */
  readonly views: readonly PathGroup[];
}

export function groupPaths(
  operations: readonly ServiceOperation[],
): ReadonlyMap<string, PathGroup> {
  const groups = new Map<string, PathGroup & { operations: Map<string, ServiceOperation> }>();
  for (const operation of operations) {
    const { key, segments, text } = operation.path;
    const group = groups.get(key) ?? { key, segments, text, operations: new Map(), variants: [] };
    groups.set(key, group);
    const isVariant =
      Object.keys(operation.query).length > 0 || group.operations.has(operation.method);
    if (isVariant) (group.variants as ServiceOperation[]).push(operation);
    else group.operations.set(operation.method, operation);
  }
  return groups;
}

export function findResources(groups: ReadonlyMap<string, PathGroup>): readonly FoundResource[] {
  const found = new Map<string, FoundResource>();
  for (const group of groups.values()) {
    const resource = itemIn(group, groups) ?? singletonIn(group, groups);
    if (resource !== undefined) found.set(resource.key, resource);
  }
  return [...found.values()].map((resource) => withParent(resource, found));
}

function itemIn(
  group: PathGroup,
  groups: ReadonlyMap<string, PathGroup>,
): FoundResource | undefined {
  const { segments, operations } = group;
  if (!isParameter(segments.at(-1))) return undefined;
  // A list of which there is one for each value of the parameter.
  const isList =
    groups.has(`${group.key}/{}`) && !operations.has("put") && !operations.has("delete");
  if (isList) return undefined;
  const ids = idsOf(segments, groups);
  const collection = collectionOf(segments.slice(0, -ids), groups);
  const creation = creationOf(segments.slice(0, -ids), collection, groups);
  const reading = operations.has("get") ? undefined : below(group, readWords, "get", groups);
  const canCreate =
    operations.has("put") || hasBody(collection?.operations.get("post")) || creation !== undefined;
  const canChange = operations.has("patch") || isUpdate(operations.get("post"));
  const canRead =
    operations.has("get") ||
    reading !== undefined ||
    (operations.has("delete") && collection?.operations.has("get") === true);
  if (!canRead || !(canCreate || canChange)) return undefined;
  // What can be posted to a list and read, but neither changed nor removed, is a log.
  const isAlive = operations.has("put") || canChange || operations.has("delete");
  if (!isAlive) return undefined;
  return {
    key: group.key,
    item: group,
    ...(collection === undefined ? {} : { collection }),
    ...(creation === undefined ? {} : { creation }),
    ...(reading === undefined ? {} : { reading }),
    ids,
    parentSegments: 0,
    views: viewsOf(group, groups),
  };
}

const createWords = ["create", "new", "add"];
const readWords = ["json", "inspect", "details", "info"];

/** Some services create objects at a path of its own, and list them without it. */
function creationOf(
  segments: readonly string[],
  collection: PathGroup | undefined,
  groups: ReadonlyMap<string, PathGroup>,
): PathGroup | undefined {
  if (hasBody(collection?.operations.get("post"))) return undefined;
  const group = below({ key: keyOfSegments(segments) }, createWords, "post", groups);
  return hasBody(group?.operations.get("post")) ? group : undefined;
}

/** The path with one more word that has the operation. */
function below(
  { key }: Pick<PathGroup, "key">,
  words: readonly string[],
  method: string,
  groups: ReadonlyMap<string, PathGroup>,
): PathGroup | undefined {
  const found = words.map((word) => groups.get(`${key}/${word}`));
  return found.find((group) => group?.operations.has(method) === true);
}

/** One object at a fixed path: read and written there, and not a list of others. */
function singletonIn(
  group: PathGroup,
  groups: ReadonlyMap<string, PathGroup>,
): FoundResource | undefined {
  const { segments, operations, key } = group;
  if (segments.length === 0 || isParameter(segments.at(-1))) return undefined;
  const isWritten = hasBody(operations.get("put")) || hasBody(operations.get("patch"));
  if (!operations.has("get") || !isWritten || groups.has(`${key}/{}`)) return undefined;
  return { key, item: group, ids: 0, parentSegments: 0, views: viewsOf(group, groups) };
}

/** More than one only where no path ends between them. */
function idsOf(segments: readonly string[], groups: ReadonlyMap<string, PathGroup>): number {
  const trailing = trailingParameters(segments);
  for (let ids = 1; ids < trailing; ids += 1) {
    if (groups.has(keyOfSegments(segments.slice(0, -ids)))) return ids;
  }
  return trailing;
}

/** `/silences` may be the list of `/silence/{id}`. */
function collectionOf(
  segments: readonly string[],
  groups: ReadonlyMap<string, PathGroup>,
): PathGroup | undefined {
  const exact = groups.get(keyOfSegments(segments));
  if (exact !== undefined) return exact;
  const last = segments.at(-1);
  if (last === undefined) return undefined;
  const others = [pluralOf(last), singularOf(last)].filter((word) => word !== last);
  for (const word of others) {
    const group = groups.get(keyOfSegments([...segments.slice(0, -1), word]));
    if (group !== undefined) return group;
  }
  return undefined;
}

function viewsOf(
  { key, segments }: PathGroup,
  groups: ReadonlyMap<string, PathGroup>,
): readonly PathGroup[] {
  const views: PathGroup[] = [];
  for (const group of groups.values()) {
    if (group.segments.length !== segments.length + 1 || !group.key.startsWith(`${key}/`)) continue;
    if (isParameter(group.segments.at(-1)) || groups.has(`${group.key}/{}`)) continue;
    if (group.operations.has("get")) views.push(group);
  }
  return views;
}

function withParent(
  resource: FoundResource,
  all: ReadonlyMap<string, FoundResource>,
): FoundResource {
  const { segments } = resource.item;
  const own = Math.max(resource.ids, 1);
  for (let length = segments.length - own; length > 0; length -= 1) {
    const key = keyOfSegments(segments.slice(0, length));
    // What is at a fixed path is always there: nothing has to wait for it.
    const isParent = key !== resource.key && all.has(key) && key.includes("{}");
    if (isParent) return { ...resource, parent: key, parentSegments: length };
  }
  // Not managed here: what comes before the last literal is somebody else's.
  const above = segments.slice(0, segments.length - own);
  const outer = above.findLastIndex((segment) => isParameter(segment));
  return { ...resource, parentSegments: outer + 1 };
}

function hasBody(operation: ServiceOperation | undefined): boolean {
  return operation?.body?.schema !== undefined;
}

/** Services that know only POST change objects by it. */
function isUpdate(operation: ServiceOperation | undefined): boolean {
  return hasBody(operation);
}
