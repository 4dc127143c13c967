// One resource of a service, understood: which operation does what, where the object lies in what
// each takes and answers, and what may be done with each field. Everything that an import writes
// down is made of this.

import type { FieldEntry, Identity } from "../binding.ts";
import type { Place } from "../document/place.ts";
import type { SchemaNode } from "../document/tree.ts";
import { classify } from "../fields/classify.ts";
import type { Classified, ClassifyInput } from "../fields/classify.ts";
import { fieldsListedIn } from "../fields/described.ts";
import type { ResourceTrees } from "../fields/field-table.ts";
import { findElement } from "./element.ts";
import type { FoundElement } from "./element.ts";
import { matchEnvelopes, minOverlap, overlapOf, rebased, unwrapAlone } from "./envelope.ts";
import { resourceExamples } from "./example-bodies.ts";
import { identityOf } from "./identity.ts";
import type { Answer, ServiceOperation } from "./operations.ts";
import type { FoundResource, PathGroup } from "./resources.ts";
import type { Trees } from "./trees.ts";

export interface Described {
  readonly found: FoundResource;
  readonly identity: Identity;
  readonly read?: Read;
  readonly list?: ServiceOperation;
  readonly create?: Write;
  readonly replace?: Write;
  readonly patch?: Write;
  readonly remove?: ServiceOperation;
  readonly trees: ResourceTrees;
  /** False where what is read has nothing to do with what is written. */
  readonly isComparable: boolean;
  readonly classified: Classified;
  /** Fields that a replacement takes, by the words of the document. */
  readonly listed?: ReadonlySet<string>;
  readonly element?: FoundElement;
  readonly joins: readonly PathGroup[];
}

export interface Read {
  readonly operation: ServiceOperation;
  /** Where the object is in the answer. */
  readonly pointer: string;
}

export interface Write extends Read {
  /** Where the object is in the request. */
  readonly body: string;
  readonly tree: SchemaNode;
}

export interface DescribeOptions {
  readonly overrides?: readonly FieldEntry[];
  /** False to see what can be told without what the document says of fields. */
  readonly useMarks?: boolean;
}

/** Undefined for what turns out to be no resource. */
export function describeResource(
  found: FoundResource,
  trees: Trees,
  options: DescribeOptions = {},
): Described | undefined {
  const ops = operationsFor(found, trees);
  const answerTree = trees.of(schemaIn(ops.read));
  const listTree = ops.read === undefined ? elementTree(ops.list, trees) : undefined;
  const primary = trees.of((ops.create ?? ops.replace ?? ops.patch)?.body?.schema);
  const names = found.item.segments.slice(-found.ids - 1, -found.ids || undefined);
  const matched =
    primary.properties.size === 0 && answerTree.properties.size > 0
      ? { answer: unwrapAlone(answerTree, names), body: { pointer: "", tree: primary }, overlap: 0 }
      : matchEnvelopes(listTree ?? answerTree, primary);
  const object = matched.answer.tree;
  if (found.ids === 0 && matched.overlap < minOverlap) return undefined;
  if (object.properties.size === 0 && primary.properties.size === 0) return undefined;
  const writeOf = (operation: ServiceOperation | undefined): Write | undefined => {
    if (operation === undefined) return undefined;
    const own = trees.of(operation.body?.schema);
    const { body } = matchEnvelopes(object, own);
    return {
      operation,
      body: body.pointer,
      tree: body.tree,
      pointer: answerPointer(operation, object, trees),
    };
  };
  const create = writeOf(ops.create);
  const replace = writeOf(ops.replace);
  const patched = writeOf(ops.patch);
  const element = patched === undefined ? undefined : findElement(patched.tree);
  const patch = element || isForeign(ops.patch, patched, object) ? undefined : patched;
  const hasRead = object.properties.size > 0;
  const resourceTrees: ResourceTrees = {
    ...(hasRead ? { read: object } : {}),
    ...(create === undefined ? {} : { create: create.tree }),
    ...(replace === undefined ? {} : { replace: replace.tree }),
    ...(patch === undefined || isJsonPatch(patch.tree) ? {} : { patch: patch.tree }),
  };
  const isComparable = matched.overlap >= minOverlap;
  const listed = listedFields(ops.replace, replace?.tree);
  const posted = ops.create?.method === "post" ? create?.tree : undefined;
  const identity = identityOf({ found, read: hasRead ? object : undefined, posted });
  const classified = classify({
    trees: resourceTrees,
    isComparable,
    examples: resourceExamples(ops, resourceTrees, matched.answer.pointer, matched.body.pointer),
    ...options,
    ...(listed === undefined ? {} : { listed }),
    isFixed: (replace ?? patch ?? element) === undefined && createsOnly(create, identity),
    ...(element === undefined ? {} : { elements: element.element.list }),
    ...namingFields(identity),
  });
  return {
    found,
    identity,
    ...(ops.read === undefined
      ? {}
      : { read: { operation: ops.read, pointer: matched.answer.pointer } }),
    ...(ops.list === undefined ? {} : { list: ops.list }),
    ...(create === undefined ? {} : { create }),
    ...(replace === undefined ? {} : { replace }),
    ...(patch === undefined ? {} : { patch }),
    ...(ops.remove === undefined ? {} : { remove: ops.remove }),
    trees: resourceTrees,
    isComparable,
    classified,
    ...(listed === undefined ? {} : { listed }),
    ...(element === undefined ? {} : { element }),
    joins: found.views.filter((view) => isJoin(view)),
  };
}

function namesIn(identity: Identity): readonly string[] {
  if (identity.kind === "composite") return Object.values(identity.fields);
  return identity.kind === "client" && identity.field !== undefined ? [identity.field] : [];
}

/** A creation that accepts the id of the service also changes the object with this id. */
function createsOnly(create: Write | undefined, identity: Identity): boolean {
  if (create === undefined) return false;
  const id = identity.kind === "server" ? identity.field : undefined;
  const field = id === undefined ? undefined : create.tree.properties.get(id.slice(1));
  return field === undefined || field.marks.isReadOnly;
}

/** The fields that name the object, by who sets them; all of them are in its URL. */
function namingFields(identity: Identity): Pick<ClassifyInput, "names" | "shown" | "assigned"> {
  const names = namesIn(identity);
  if (identity.kind !== "server" || identity.field === undefined) return { names, shown: names };
  return { names, shown: [identity.field], assigned: identity.field };
}

export interface ResourceOperations {
  readonly read?: ServiceOperation;
  readonly list?: ServiceOperation;
  readonly create?: ServiceOperation;
  readonly replace?: ServiceOperation;
  readonly patch?: ServiceOperation;
  readonly remove?: ServiceOperation;
}

function operationsFor(found: FoundResource, trees: Trees): ResourceOperations {
  const { item, collection, creation, reading, ids } = found;
  const get = (method: string): ServiceOperation | undefined => item.operations.get(method);
  const [put, remove] = [get("put"), get("delete")];
  const read = get("get") ?? reading?.operations.get("get");
  const patch = get("patch") ?? (put === undefined ? get("post") : undefined);
  const post = (creation ?? collection)?.operations.get("post");
  const canPost = post?.body?.schema !== undefined && !isList(trees.of(post.body.schema));
  const create = ids > 0 && canPost ? post : put;
  const list = collection === undefined ? undefined : listIn(collection);
  return {
    ...(read === undefined ? {} : { read }),
    ...(list === undefined ? {} : { list }),
    ...(create === undefined || ids === 0 ? {} : { create }),
    ...(put?.body?.schema === undefined ? {} : { replace: put }),
    ...(patch?.body?.schema === undefined ? {} : { patch }),
    ...(remove === undefined ? {} : { remove }),
  };
}

/** A request that creates several objects at once is not one that creates an object. */
function isList({ items, properties }: SchemaNode): boolean {
  return items !== undefined && properties.size === 0;
}

/** Of several ways to list, one that answers with objects (and not with their addresses only). */
function listIn({ operations, variants }: PathGroup): ServiceOperation | undefined {
  const plain = operations.get("get");
  const objects = variants.find(
    ({ method, query }) =>
      method === "get" && Object.hasOwn(query, "recursion") && query["recursion"] === "1",
  );
  return objects ?? plain;
}

export function schemaIn(operation: ServiceOperation | undefined): Place | undefined {
  const good = goodAnswers(operation);
  return good.find(({ schema }) => schema !== undefined)?.schema;
}

export function goodAnswers(operation: ServiceOperation | undefined): readonly Answer[] {
  const answers = operation?.answers ?? [];
  const good = answers.filter(({ status }) => /^(?:20[0134]|2XX)$/i.test(status));
  return good.length > 0 ? good : answers.filter(({ status }) => status === "default");
}

/** Of one element of a list, for what cannot be read alone. */
function elementTree(list: ServiceOperation | undefined, trees: Trees): SchemaNode | undefined {
  const answer = trees.of(schemaIn(list));
  const found =
    answer.items ?? [...answer.properties.values()].find(({ items }) => items !== undefined)?.items;
  if (found !== undefined) return rebased(found);
  return answer.properties.size > 0 ? answer : undefined;
}

function answerPointer(operation: ServiceOperation, object: SchemaNode, trees: Trees): string {
  const accepted = operation.answers.find(({ status }) => status === "202");
  const answer = trees.of(schemaIn(operation) ?? accepted?.schema);
  if (answer.properties.size === 0 || object.properties.size === 0) return "";
  const { answer: inner, overlap } = matchEnvelopes(answer, object);
  return overlap >= minOverlap ? inner.pointer : "";
}

/** RFC 6902, whatever its media type is: the fields of an operation are not those of the object. */
export function isJsonPatch({ items }: SchemaNode): boolean {
  return items !== undefined && ["op", "path"].every((name) => items.properties.has(name));
}

/** A POST to an object may also be an order to it: it changes it only if it takes its fields. */
function isForeign(
  operation: ServiceOperation | undefined,
  write: Write | undefined,
  object: SchemaNode,
): boolean {
  if (operation === undefined || write === undefined) return true;
  if (operation.method === "patch") return false;
  return object.properties.size === 0 || overlapOf(object, write.tree) < minOverlap;
}

function listedFields(
  operation: ServiceOperation | undefined,
  tree: SchemaNode | undefined,
): ReadonlySet<string> | undefined {
  if (operation === undefined || tree === undefined) return undefined;
  return fieldsListedIn(operation.description, new Set(tree.properties.keys()));
}

const joinNames = /^(?:state|status|instance-?view|health|runtime-?status|runtime-?state)$/i;

function isJoin({ segments, operations }: PathGroup): boolean {
  const answer = goodAnswers(operations.get("get")).find(({ schema }) => schema !== undefined);
  return answer !== undefined && joinNames.test(segments.at(-1) ?? "");
}
