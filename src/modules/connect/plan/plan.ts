// Decides what to do about an object, and sends nothing: nothing at all, or one request with the
// fields that it changes and the reason for each. PATCH is chosen when it takes every changed
// field and can say every removal; else what was read is sent back whole, with our changes in it.
// What was set at the creation and cannot be changed is told, or leads to a new object where the
// resource says so for that field.

import { patchOf, diff } from "../../../kernel/diff.ts";
import { isJsonArray, isJsonObject } from "../../../kernel/json.ts";
import type { Json, JsonObject } from "../../../kernel/json.ts";
import { makeMergePatch } from "../../../kernel/merge-patch.ts";
import type { Binding, DriftPolicy, PatchOperation, WriteOperation } from "../binding.ts";
import { compareDocuments } from "./compare.ts";
import type { Comparing, Difference, Documents, KnownDifference } from "./compare.ts";
import { isTaken, pickObject, setDeep, within } from "./documents.ts";
import type { FieldRule, Fields } from "./fields.ts";
import { getAt, parsePointer } from "../../../kernel/pointer.ts";
import type { Tokens } from "../../../kernel/pointer.ts";
import { withoutRemovals } from "./requests.ts";

export type Verb = "patch" | "replace";

export type Plan =
  | { readonly kind: "nothing"; readonly drift: readonly Difference[] }
  | Write
  /** Fixed fields changed, and the resource says that the object may be made anew. */
  | { readonly kind: "recreate"; readonly changes: readonly Difference[] }
  /** The fields cannot be changed, in any way that the binding knows. */
  | {
      readonly kind: "stuck";
      readonly reason: "CreateOnlyChanged" | "CannotUpdate";
      readonly changes: readonly Difference[];
    };

export interface Write {
  readonly kind: "write";
  readonly verb: Verb;
  readonly operation: WriteOperation;
  /** Without its envelope. */
  readonly body: Json;
  readonly changes: readonly Difference[];
  /** What others changed and is left as it is. */
  readonly drift: readonly Difference[];
  /** Why this verb. */
  readonly because: string;
}

export interface PlanInput extends Documents, Comparing {
  readonly operations: Binding["operations"];
  readonly driftPolicy: DriftPolicy;
  /** Writes of the same fields so far that had no effect, and those fields: no drift. */
  readonly tries?: number;
  readonly unshown?: readonly string[];
  /** Set by a hook, where it knows better. */
  readonly verb?: Verb;
}

export function planFor(input: PlanInput): Plan {
  const compared = compareDocuments(input, input);
  const unshown = new Set<Json>(input.unshown);
  const noted = (path: string): Json => input.asNoted?.(path) ?? path;
  const asUnshown = (each: Difference): Difference =>
    each.why === "drift" && unshown.has(noted(each.path)) ? { ...each, why: "wanted" } : each;
  const given = { wanted: compared.wanted, differences: compared.differences.map(asUnshown) };
  const isShownOnly = (each: Difference): boolean =>
    each.why === "drift" && (input.driftPolicy === "report" || each.class === "create-only");
  const drift = given.differences.filter(isShownOnly);
  const changes = given.differences.filter((each) => !isShownOnly(each));
  if (changes.length === 0) return { kind: "nothing", drift };
  const fixed = changes.filter((each) => each.class === "create-only");
  if (fixed.length > 0) {
    const canReplace = fixed.every(({ isReplaceable }) => isReplaceable);
    return canReplace
      ? { kind: "recreate", changes: fixed }
      : { kind: "stuck", reason: "CreateOnlyChanged", changes: fixed };
  }
  // What others changed and is only told must not be put back by the way.
  const wanted =
    drift.length === 0
      ? given.wanted
      : compareDocuments(input, { ...input, known: [...input.known, ...drift.flatMap(asKnown)] })
          .wanted;
  return writeOf(input, { changes, drift, wanted });
}

/** What is sent to make an object. */
export function createBody(
  desired: JsonObject,
  fields: Fields,
  operation: WriteOperation | undefined,
): JsonObject {
  const isSent = (rule: FieldRule): boolean =>
    rule.class !== "read-only" && rule.class !== "update-only";
  return within(pickObject(desired, fields, isSent), operation?.takes);
}

interface Chosen {
  readonly changes: readonly Difference[];
  readonly drift: readonly Difference[];
  readonly wanted: JsonObject;
}

function writeOf(input: PlanInput, chosen: Chosen): Plan {
  const { operations, verb } = input;
  const { changes, drift } = chosen;
  const { patch } = operations;
  const replace = replaceOperation(operations);
  const why = patch === undefined ? "the service has no PATCH" : patchProblem(patch, changes);
  const isPatch = verb === undefined ? why === undefined : verb === "patch";
  if (patch !== undefined && (isPatch || (replace === undefined && why === undefined))) {
    const body = patchBody(input, patch, chosen);
    const because =
      verb === undefined ? "PATCH accepts every changed field" : "a hook chose the verb";
    return { kind: "write", verb: "patch", operation: patch, body, changes, drift, because };
  }
  const unsent = changes.filter(({ path }) => !isTaken(path, replace?.takes));
  if (replace === undefined || unsent.length > 0) {
    // Told is what no request takes; what stands beside it is right.
    const cannot = (replace === undefined ? changes : unsent).filter(
      (each) => patch === undefined || patchProblem(patch, [each]) !== undefined,
    );
    return {
      kind: "stuck",
      reason: "CannotUpdate",
      changes: cannot.length === 0 ? unsent : cannot,
    };
  }
  return {
    kind: "write",
    verb: "replace",
    operation: replace,
    body: replaceBody(input, replace, chosen),
    changes,
    drift,
    because:
      verb === undefined
        ? `${why ?? "it is forced"}, so the whole object is sent`
        : "a hook chose the verb",
  };
}

/** An operation that makes by PUT at the address of the object also replaces it. */
function replaceOperation({ replace, create }: Binding["operations"]): WriteOperation | undefined {
  return replace ?? (create?.method === "PUT" ? create : undefined);
}

/** Undefined: PATCH can say it all. */
function patchProblem(patch: PatchOperation, changes: readonly Difference[]): string | undefined {
  const untaken = changes.find(({ path }) => !isTaken(path, patch.takes));
  if (untaken !== undefined) return `PATCH does not accept ${untaken.path}`;
  const gone = changes.find(
    ({ after, path }) => after === undefined && replacedAt(path, patch) === undefined,
  );
  if (gone === undefined || patch.style !== "set") return undefined;
  return `PATCH cannot remove ${gone.path}`;
}

function patchBody(input: PlanInput, patch: PatchOperation, { wanted, changes }: Chosen): Json {
  const before = sendable(input.observed, input.fields);
  const after = emptied(input, sendable(wanted, input.fields), changes);
  if (patch.style === "json") {
    return patchOf(diff(before, after));
  }
  const merge = makeMergePatch(before, after);
  const body = patch.style === "set" ? withoutRemovals(merge) : merge;
  return withReplaced(input, patch, isJsonObject(body) ? body : {}, { after, changes });
}

/** What PATCH replaces is sent with all that is in it: what others have set there, too. */
function withReplaced(
  { desired, fields, observed }: PlanInput,
  patch: PatchOperation,
  body: JsonObject,
  { after, changes }: { readonly after: JsonObject; readonly changes: readonly Difference[] },
): JsonObject {
  const unseen = unseenPart(desired, fields);
  return changes.reduce<JsonObject>((whole, { path }) => {
    const tokens = replacedAt(path, patch);
    if (tokens === undefined) return whole;
    const [shown, own] = [getAt(observed, tokens), getAt(unseen, tokens)];
    const value = getAt(after, tokens) ?? (isJsonArray(shown) ? [] : {});
    const isBoth = isJsonObject(value) && own !== undefined && isJsonObject(own);
    return setDeep(whole, tokens, isBoth ? laidOver(value, own) : value);
  }, body);
}

/** Where the field begins that PATCH replaces, at or above the path; undefined: none does. */
function replacedAt(path: string, { replaces = [], style }: PatchOperation): Tokens | undefined {
  if (style === "json") return undefined;
  const tokens = parsePointer(path);
  const fits = (pointer: string): boolean => {
    const above = parsePointer(pointer);
    const isAbove = above.length > 0 && above.length < tokens.length;
    return isAbove && above.every((token, at) => token === "*" || token === tokens[at]);
  };
  const [shortest] = replaces
    .filter(fits)
    .map((pointer) => parsePointer(pointer).length)
    .toSorted((a, b) => a - b);
  return shortest === undefined ? undefined : tokens.slice(0, shortest);
}

function replaceBody(
  input: PlanInput,
  operation: WriteOperation,
  { wanted, changes }: Chosen,
): Json {
  const { desired, fields } = input;
  const whole = emptied(input, sendable(wanted, fields), changes);
  return within(laidOver(whole, unseenPart(desired, fields)), operation.takes);
}

/** What the service does not show would be lost if it were left out of a whole. */
function unseenPart(desired: JsonObject, fields: Fields): JsonObject {
  const isUnseen = (rule: FieldRule): boolean =>
    (rule.class === "write-only" || rule.isSecret) && rule.class !== "read-only";
  return pickObject(desired, fields, isUnseen);
}

/** Services that take a missing list for "as it is" are told that it is empty, the second time. */
function emptied(
  { tries = 0 }: PlanInput,
  document: JsonObject,
  changes: readonly Difference[],
): JsonObject {
  if (tries === 0) return document;
  return changes.reduce<JsonObject>((whole, { path, before, after }) => {
    if (after !== undefined || before === undefined) return whole;
    if (isJsonArray(before)) return setDeep(whole, parsePointer(path), []);
    return isJsonObject(before) ? setDeep(whole, parsePointer(path), {}) : whole;
  }, document);
}

function sendable(document: JsonObject, fields: Fields): JsonObject {
  return pickObject(document, fields, (rule) => rule.class !== "read-only");
}

function laidOver(below: JsonObject, above: JsonObject): JsonObject {
  let result = below;
  for (const [key, value] of Object.entries(above)) {
    const old = Object.hasOwn(below, key) ? below[key] : undefined;
    const isBoth = old !== undefined && isJsonObject(old) && isJsonObject(value);
    result = setDeep(result, [key], isBoth ? laidOver(old, value) : value);
  }
  return result;
}

function asKnown({ path, before, after }: Difference): readonly KnownDifference[] {
  if (after === undefined) return [];
  return [{ path, sent: after, ...(before === undefined ? {} : { shown: before }) }];
}
