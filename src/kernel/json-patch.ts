// JSON Patch (RFC 6902), strictly: a missing path, an index beyond the end, a failed test or a
// move into itself refuses the whole patch, naming the operation. The input is never changed, so
// a refused patch leaves nothing half done. Work is bounded: the number of operations is limited,
// and so is what copies add, because each copy of the root would double the document.

import { SetpointError, isSetpointError } from "./errors.ts";
import { cloneJson, equalJson, getOwn, isJsonArray, isJsonObject, setOwn } from "./json.ts";
import type { Json, MutableJsonObject } from "./json.ts";
import { limits } from "./limits.ts";
import { getAt, parseIndex, parsePointer } from "./pointer.ts";
import type { Tokens } from "./pointer.ts";
import { atOnce, inTurns } from "./sliced.ts";
import type { Sliced } from "./sliced.ts";

export type PatchOperation =
  | { readonly op: "add" | "replace" | "test"; readonly path: string; readonly value: Json }
  | { readonly op: "remove"; readonly path: string }
  | { readonly op: "move" | "copy"; readonly path: string; readonly from: string };

/** The document under change; every container in it belongs to this patch alone. */
interface Draft {
  root: Json;
  copiedChars: number;
  /** Since the last pause. */
  movedValues: number;
}

/** What an operation costs besides the values that it moves. */
const valuesPerOperation = 100;

export interface PatchDialect {
  /**
   * As Kubernetes applies patches: an index below zero counts from the end, and replacing a
   * member that is not there adds it.
   */
  readonly isForgiving?: boolean;
}

export function applyJsonPatch(
  document: Json,
  operations: readonly PatchOperation[],
  dialect: PatchDialect = {},
): Json {
  return atOnce(patchSteps(document, operations, dialect));
}

/** The same with a pause after each slice of the work: an operation can move a whole list. */
export async function applyJsonPatchInSlices(
  document: Json,
  operations: readonly PatchOperation[],
  dialect: PatchDialect,
  pause: () => Promise<void>,
): Promise<Json> {
  return await inTurns(patchSteps(document, operations, dialect), pause);
}

/** Yields after each slice of the work. */
function* patchSteps(
  document: Json,
  operations: readonly PatchOperation[],
  { isForgiving = false }: PatchDialect,
): Sliced<Json> {
  if (operations.length > limits.maxPatchOperations) {
    const { maxPatchOperations: limit } = limits;
    const count = operations.length;
    const message =
      "Request entity too large: The allowed maximum operations " +
      `in a JSON patch is ${limit}, got ${count}`;
    throw new SetpointError("request.too_large", message, {
      details: { operations: count, limit },
    });
  }
  const draft: Draft = { root: cloneJson(document), copiedChars: 0, movedValues: 0 };
  for (const [index, operation] of operations.entries()) {
    const meant = isForgiving ? forgiven(draft.root, operation) : operation;
    const problem = performReadable(draft, meant);
    if (problem !== undefined) throw refused(operation, index, problem);
    draft.movedValues += valuesPerOperation;
    if (draft.movedValues < limits.patchSliceValues) continue;
    draft.movedValues = 0;
    yield;
  }
  return draft.root;
}

/** Reads a request body; unknown members of an operation are ignored, as RFC 6902 says. */
export function parseJsonPatch(body: Json): readonly PatchOperation[] {
  if (!isJsonArray(body)) {
    throw new SetpointError("request.invalid", "a JSON Patch must be a list of operations");
  }
  return body.map((item, index) => {
    const operation = parseOperation(item);
    if (typeof operation !== "string") return operation;
    throw new SetpointError("request.invalid", `JSON Patch operation ${index}: ${operation}`, {
      details: { operation: index },
    });
  });
}

function parseOperation(item: Json): PatchOperation | string {
  if (!isJsonObject(item)) return "must be an object";
  const op = getOwn(item, "op");
  const path = getOwn(item, "path");
  const value = getOwn(item, "value");
  const from = getOwn(item, "from");
  if (typeof path !== "string") return '"path" must be a string';
  switch (op) {
    case "add":
    case "replace":
    case "test":
      return value === undefined ? '"value" is missing' : { op, path, value };
    case "remove":
      return { op, path };
    case "move":
    case "copy":
      return typeof from === "string" ? { op, path, from } : '"from" must be a string';
    default:
      return '"op" must be one of add, remove, replace, move, copy, test';
  }
}

function forgiven(root: Json, operation: PatchOperation): PatchOperation {
  const path = fromTheEnd(root, operation.path);
  if (operation.op !== "replace") return { ...operation, path };
  const slash = path.lastIndexOf("/");
  const parent = slash < 0 ? undefined : childAt(root, path.slice(0, slash));
  return { ...operation, op: isJsonObject(parent) ? "add" : "replace", path };
}

/** The path with the indices below zero, which are rare, made ordinary ones. */
function fromTheEnd(root: Json, path: string): string {
  if (!/\/-\d/.test(path)) return path;
  const parts = path.split("/");
  let at: Json | undefined = root;
  for (let index = 1; index < parts.length && at !== undefined; index++) {
    const part = parts[index] ?? "";
    if (isJsonArray(at) && /^-\d{1,9}$/.test(part)) {
      parts[index] = String(at.length + Number(part));
    }
    at = childAt(at, `/${parts[index] ?? ""}`);
  }
  return parts.join("/");
}

function childAt(root: Json, path: string): Json | undefined {
  try {
    return getAt(root, parsePointer(path));
  } catch {
    return undefined;
  }
}

/** An unreadable pointer is one more reason to refuse, so that its operation is named too. */
function performReadable(draft: Draft, operation: PatchOperation): string | undefined {
  try {
    return perform(draft, operation);
  } catch (error) {
    if (isSetpointError(error, "request.invalid")) return error.message;
    throw error;
  }
}

/** Performs one operation on the draft; says what is wrong when it cannot. */
function perform(draft: Draft, operation: PatchOperation): string | undefined {
  const path = parsePointer(operation.path);
  switch (operation.op) {
    case "add":
      draft.movedValues += weight(operation.value);
      return add(draft, path, cloneJson(operation.value));
    case "remove":
      return remove(draft, path);
    case "replace":
      draft.movedValues += weight(operation.value);
      return replace(draft, path, cloneJson(operation.value));
    case "test": {
      const found = getAt(draft.root, path);
      if (found === undefined) return "the path does not exist";
      draft.movedValues += weight(operation.value);
      return equalJson(found, operation.value) ? undefined : "the value is not the tested one";
    }
    case "move":
    case "copy":
      return relocate(draft, operation, path);
    default:
      operation satisfies never;
      return "unknown operation";
  }
}

function relocate(
  draft: Draft,
  { op, path, from }: PatchOperation & { readonly op: "move" | "copy" },
  target: Tokens,
): string | undefined {
  const source = parsePointer(from);
  const value = getAt(draft.root, source);
  if (value === undefined) return "the from path does not exist";
  if (op === "copy") {
    const chars = weight(value);
    draft.copiedChars += chars;
    draft.movedValues += chars;
    if (draft.copiedChars > limits.maxPatchCopyChars) return "the copies are too large";
    return add(draft, target, cloneJson(value));
  }
  if (from === path) return undefined;
  if (path.startsWith(`${from}/`)) return "a value cannot be moved into itself";
  return remove(draft, source) ?? add(draft, target, value);
}

function add(draft: Draft, path: Tokens, value: Json): string | undefined {
  const last = path.at(-1);
  if (last === undefined) {
    draft.root = value;
    return undefined;
  }
  const parent = getAt(draft.root, path.slice(0, -1));
  if (isJsonArray(parent)) {
    const index = last === "-" ? parent.length : parseIndex(last);
    if (index === undefined || index > parent.length) return "the index is out of bounds";
    draft.movedValues += parent.length - index;
    mutableList(parent).splice(index, 0, value);
    return undefined;
  }
  if (!isJsonObject(parent)) return "the parent does not exist";
  setOwn(parent, last, value);
  return undefined;
}

function remove(draft: Draft, path: Tokens): string | undefined {
  const last = path.at(-1);
  if (last === undefined) return "the root cannot be removed";
  if (getAt(draft.root, path) === undefined) return "the path does not exist";
  const parent = getAt(draft.root, path.slice(0, -1));
  if (isJsonArray(parent)) {
    draft.movedValues += parent.length;
    mutableList(parent).splice(Number(last), 1);
  } else delete (parent as MutableJsonObject)[last];
  return undefined;
}

function replace(draft: Draft, path: Tokens, value: Json): string | undefined {
  const last = path.at(-1);
  if (last === undefined) return add(draft, path, value);
  if (getAt(draft.root, path) === undefined) return "the path does not exist";
  const parent = getAt(draft.root, path.slice(0, -1));
  if (isJsonArray(parent)) mutableList(parent)[Number(last)] = value;
  else setOwn(parent as MutableJsonObject, last, value);
  return undefined;
}

/** The draft owns its containers, so what readers see as readonly may change here. */
function mutableList(list: readonly Json[]): Json[] {
  return list as Json[];
}

/** About the length of the value as JSON; exact enough for a limit. */
function weight(value: Json): number {
  if (typeof value === "string") return value.length + 2;
  if (typeof value !== "object" || value === null) return 5;
  let sum = 2;
  for (const [key, inner] of Object.entries(value)) sum += key.length + 4 + weight(inner);
  return sum;
}

function refused(operation: PatchOperation, index: number, problem: string): SetpointError {
  const { op, path } = operation;
  const message = `JSON Patch operation ${index} (${op} ${path}) is refused: ${problem}`;
  return new SetpointError("resource.invalid", message, {
    details: { operation: index, op, path, problem },
  });
}
