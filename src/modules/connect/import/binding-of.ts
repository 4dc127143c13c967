// The binding of a resource: its requests and what is known of its fields, as the reconciler reads
// it.

import type {
  Binding,
  FieldEntry,
  ListEntry,
  LongRunning,
  Operation,
  Operations,
  ParameterSource,
  PatchOperation,
  WriteOperation,
} from "../binding.ts";
import type { Json } from "../../../kernel/json.ts";
import type { SchemaNode } from "../document/tree.ts";
import type { Classified } from "../fields/classify.ts";
import { nodeOf } from "../fields/field-table.ts";
import type { Judgement } from "../fields/judgement.ts";
import { goodAnswers, isJsonPatch, schemaIn } from "./describe.ts";
import type { Described, Read, Write } from "./describe.ts";
import { overlapOf } from "./envelope.ts";
import { itemsOf, pagingOf } from "./listing.ts";
import type { Parameter, ServiceOperation } from "./operations.ts";
import { parametersIn, pathOf } from "./paths.ts";
import { replacedFields } from "./replaced-fields.ts";
import type { PathGroup } from "./resources.ts";
import { takenFields } from "./taken-fields.ts";
import type { Trees } from "./trees.ts";

export interface BindingInput {
  readonly connection: string;
  /** The id of the parent's kind, when it is a resource that is imported, too. */
  readonly parentKind: string | undefined;
  /** Values of parameters that are the same for all. */
  readonly values: Readonly<Record<string, string>>;
  readonly trees: Trees;
}

export function bindingOf(described: Described, input: BindingInput): Binding {
  const { found, identity, classified } = described;
  const item = pathIn(found.item.text, found.item.segments);
  const collection = collectionPath(described);
  const parentPath =
    found.parentSegments === 0
      ? undefined
      : pathOf(found.item.segments.slice(0, found.parentSegments));
  const longRunning = longRunningOf(described, input.trees);
  const lists = listEntries(classified);
  const joins = described.joins.map(({ segments }) => ({
    name: segments.at(-1) ?? "",
    path: `${item.replace(/\/$/, "")}/${segments.at(-1) ?? ""}`,
    ...answerOf(described.read?.pointer === "" ? "" : (described.read?.pointer ?? "")),
  }));
  const operations = operationsOf(described, input);
  const parameters = parametersOf(described, operations, input);
  return {
    connection: input.connection,
    item,
    ...(collection === undefined ? {} : { collection }),
    identity,
    ...(parentPath === undefined
      ? {}
      : {
          parent: {
            ...(input.parentKind === undefined ? {} : { kind: input.parentKind }),
            path: parentPath,
          },
        }),
    ...(Object.keys(parameters).length === 0 ? {} : { parameters }),
    operations,
    fields: fieldEntries(classified),
    ...(lists.length === 0 ? {} : { lists }),
    ...(joins.length === 0 ? {} : { joins }),
    ...(longRunning === undefined ? {} : { longRunning }),
  };
}

/** Only what says more than the entry above it; what is not named may be written. */
export function fieldEntries({ judgements, table }: Classified): readonly FieldEntry[] {
  const entries: FieldEntry[] = [];
  for (const judgement of judgements.values()) {
    const parent = table.get(judgement.path)?.parent;
    const above = parent === undefined ? undefined : judgements.get(parent.path);
    const isOverride = judgement.from === "override" && above?.from !== "override";
    if (!isOverride && saysTheSame(judgement, above)) continue;
    entries.push(entryOf(judgement));
  }
  return entries;
}

function saysTheSame(judgement: Judgement, above: Judgement | undefined): boolean {
  return (
    judgement.class === (above?.class ?? "writable") &&
    judgement.isSecret === (above?.isSecret ?? false) &&
    !judgement.isDefaulted
  );
}

function entryOf(judgement: Judgement): FieldEntry {
  const { path, isSecret, secretFrom, isDefaulted, why, confidence } = judgement;
  const from = judgement.from ?? (secretFrom === "name" ? "name" : "annotation");
  return {
    path,
    class: judgement.class,
    ...(isSecret || secretFrom === "override" ? { isSecret } : {}),
    ...(secretFrom === undefined ? {} : { secretFrom }),
    ...(isDefaulted ? { isDefaulted } : {}),
    from,
    ...(why === "" ? {} : { why }),
    confidence,
  };
}

function pathIn(text: string, segments: readonly string[]): string {
  return text.endsWith("/") ? `${pathOf(segments)}/` : pathOf(segments);
}

/** Where objects are listed; without a list, what is above the item. */
function collectionPath({ found }: Described): string | undefined {
  const { collection, creation, item, ids } = found;
  if (collection !== undefined) return pathLike(collection, item);
  return creation === undefined ? undefined : pathOf(item.segments.slice(0, -ids));
}

/** The path of an operation that has one of its own. */
function pathAt({ found }: Described, which: "creation" | "reading"): { readonly path?: string } {
  const group = found[which];
  return group === undefined ? {} : { path: pathLike(group, found.item) };
}

/** In the words of the item's path, which name the same parameters. */
function pathLike(group: PathGroup, item: PathGroup): string {
  const segments = group.segments.map((segment, index) => {
    const own = item.segments[index];
    return segment.startsWith("{") && own?.startsWith("{") === true ? own : segment;
  });
  return pathIn(group.text, segments);
}

function operationsOf(described: Described, input: BindingInput): Operations {
  const { read, list, create, replace, patch, remove } = described;
  const listed = list === undefined ? undefined : listOf(list, described, input);
  return {
    ...(read === undefined
      ? {}
      : {
          read: {
            ...base(read.operation, input),
            ...pathAt(described, "reading"),
            ...answerOf(read.pointer),
          },
        }),
    ...(listed === undefined ? {} : { list: listed }),
    ...(create === undefined
      ? {}
      : { create: { ...writeOf(create, described, input), ...pathAt(described, "creation") } }),
    ...(replace === undefined ? {} : { replace: writeOf(replace, described, input) }),
    ...(patch === undefined ? {} : { patch: patchOf(patch, described, input) }),
    ...(remove === undefined ? {} : { delete: base(remove, input) }),
  };
}

const methodNames = {
  get: "GET",
  head: "GET",
  put: "PUT",
  post: "POST",
  patch: "PATCH",
  delete: "DELETE",
} as const;

function base(operation: ServiceOperation, { values }: BindingInput): Operation {
  const query: Record<string, string> = { ...operation.query };
  for (const parameter of operation.parameters) {
    const { name, in: where, isRequired } = parameter;
    if (where !== "query" || !isRequired || Object.hasOwn(query, name)) continue;
    const other = /^api-version$/i.test(name) ? operation.version : `{${name}}`;
    query[name] = values[name] ?? onlyValue(parameter) ?? other;
  }
  return {
    method: methodNames[operation.method],
    ...(Object.keys(query).length === 0 ? {} : { query }),
  };
}

/** Undefined where a resource may choose. */
function onlyValue({ default: value, values }: Parameter): string | undefined {
  const only: Json | undefined = value ?? (values.length === 1 ? values[0] : undefined);
  return only === undefined || typeof only === "object" ? undefined : String(only);
}

function answerOf(pointer: string): { readonly answer?: string } {
  return pointer === "" ? {} : { answer: pointer };
}

function listOf(
  operation: ServiceOperation,
  { trees }: Described,
  input: BindingInput,
): Operations["list"] {
  const answer = input.trees.of(schemaIn(operation));
  const object = trees.read ?? trees.create;
  const isObject = object !== undefined && overlapOf(answer, object) >= 0.8;
  const items = itemsOf(operation, answer, isObject);
  if (items === undefined) return undefined;
  const paging = pagingOf(operation, answer);
  return {
    ...base(operation, input),
    ...(items === "" ? {} : { items }),
    ...(paging === undefined ? {} : { paging }),
  };
}

function writeOf(write: Write, described: Described, input: BindingInput): WriteOperation {
  const { operation, body, pointer } = write;
  const mediaType = operation.body?.mediaType ?? "application/json";
  const takes = takenFields(write, described);
  return {
    ...base(operation, input),
    ...answerOf(pointer),
    ...(mediaType === "application/json" || mediaType === "*/*" ? {} : { mediaType }),
    ...(body === "" ? {} : { body }),
    ...(takes === undefined ? {} : { takes }),
    ...(hasEtag(write, described.read) ? { hasEtag: true } : {}),
  };
}

function patchOf(write: Write, described: Described, input: BindingInput): PatchOperation {
  const { mediaTypes = [], mediaType = "" } = write.operation.body ?? {};
  const isOnly = /json-patch/i.test(mediaType) && mediaTypes.length === 1;
  const isJson = isOnly || isJsonPatch(write.tree);
  const style = isJson ? "json" : write.operation.method === "post" ? "set" : "merge";
  const replaces = style === "json" ? [] : replacedFields(write.operation, write.tree);
  return {
    ...writeOf(write, described, input),
    // Without it a JSON Patch is sent under its own media type.
    ...(isJson && mediaType !== "" ? { mediaType } : {}),
    style,
    ...(replaces.length === 0 ? {} : { replaces }),
  };
}

function hasEtag({ operation }: Write, read: Read | undefined): boolean {
  const takesIt = operation.parameters.some(
    ({ in: where, name }) => where === "header" && /^if-match$/i.test(name),
  );
  const givesIt = goodAnswers(read?.operation).some(({ headers }) => headers.includes("etag"));
  return takesIt || givesIt;
}

function parametersOf(
  { found, identity }: Described,
  operations: Operations,
  { values, parentKind }: BindingInput,
): Readonly<Record<string, ParameterSource>> {
  const own = new Set(
    identity.kind === "composite"
      ? Object.keys(identity.fields)
      : identity.kind === "singleton"
        ? []
        : [identity.parameter],
  );
  const parentPath = pathOf(found.item.segments.slice(0, found.parentSegments));
  const ofParent = new Set(parentKind === undefined ? [] : parametersIn(parentPath));
  const found2: Record<string, ParameterSource> = {};
  const queries = Object.values(operations).flatMap((one: Operation) =>
    Object.values(one.query ?? {}),
  );
  for (const name of [...parametersIn(found.item.text), ...queries.flatMap(parametersIn)]) {
    if (own.has(name) || ofParent.has(name)) continue;
    const value = values[name];
    found2[name] = value === undefined ? { given: true } : { value };
  }
  return found2;
}

/** Lists whose elements have a name or an id, or whose document says what tells them apart. */
function listEntries({ table, judgements }: Classified): readonly ListEntry[] {
  const found: ListEntry[] = [];
  for (const field of table.values()) {
    const node = nodeOf(field);
    if (node?.items === undefined || judgements.get(field.path)?.class === "read-only") continue;
    const keys = keysOf(node, node.items);
    if (keys !== undefined) found.push({ path: field.path, keys });
  }
  return found;
}

function keysOf(list: SchemaNode, element: SchemaNode): readonly string[] | undefined {
  const pointer = (key: string): string => (key.startsWith("/") ? key : `/${key}`);
  if (list.identifiers !== undefined) {
    const known = list.identifiers.filter((key) => element.properties.has(key.replace(/^\//, "")));
    return known.length === 0 ? undefined : known.map(pointer);
  }
  if (list.keywords["uniqueItems"] === true && element.properties.size === 0) return [];
  for (const key of ["name", "id", "key"]) {
    const child = element.properties.get(key);
    const isText = child !== undefined && child.types.length === 1 && child.types[0] === "string";
    const isSet = element.required.has(key) || key === "name";
    if (isText && isSet && !child.marks.isReadOnly) return [pointer(key)];
  }
  return undefined;
}

/** Operations that are named in the body; those in headers are found by everybody. */
function longRunningOf(described: Described, trees: Trees): LongRunning | undefined {
  const { create, replace, remove } = described;
  for (const operation of [create?.operation, replace?.operation, remove]) {
    const accepted = operation?.answers.find(({ status }) => status === "202");
    const tree = trees.of(accepted?.schema);
    if (tree.properties.get("operation")?.types.includes("string") !== true) continue;
    const state = tree.properties.get("metadata")?.properties.has("status") === true;
    return { address: "/operation", ...(state ? { state: "/metadata/status" } : {}) };
  }
  return undefined;
}
