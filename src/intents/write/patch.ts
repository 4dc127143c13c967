// Changes a resource by a patch: JSON Patch, merge patch, or (built-in kinds) strategic merge
// patch. The patch is read once the resource was found, applied to the document in the version of
// the request, and again to the newer document when another writer was faster; the result goes
// the way of any other update.

import { goText, jsonName } from "../../kernel/go-text.ts";
import { canonicalJson } from "../../kernel/canonical-json.ts";
import { SetpointError, isSetpointError } from "../../kernel/errors.ts";
import { forbiddenField, invalidField } from "../../kernel/field-error.ts";
import { formatFieldErrors } from "../../kernel/field-error-text.ts";
import { hiddenText, isHiding } from "../../kernel/hidden-values.ts";
import { isJsonArray, isJsonObject } from "../../kernel/json.ts";
import type { Json, JsonObject } from "../../kernel/json.ts";
import { applyJsonPatchInSlices, parseJsonPatch } from "../../kernel/json-patch.ts";
import type { PatchOperation } from "../../kernel/json-patch.ts";
import { applyMergePatch } from "../../kernel/merge-patch.ts";
import { parsePointer } from "../../kernel/pointer.ts";
import type { Tokens } from "../../kernel/pointer.ts";
import type { Pause } from "../../kernel/pauses.ts";
import type { Resource } from "../../kernel/resource.ts";
import { applyStrategicMergePatch } from "../../kernel/strategic-merge.ts";
import type { Known } from "../kinds/compiled-type.ts";
import { badRequest, invalid, rejectedPatch, unexplained } from "../refusals.ts";
import type { Caller, Intents, Target, WriteOptions, Written } from "../request.ts";
import {
  checkEnvelope,
  checkKind,
  checkName,
  withMetadataObject,
  withNamespace,
} from "./envelope.ts";
import { readHiding } from "./hidden-errors.ts";
import { touchesHidden } from "./hidden-fields.ts";
import { withDistinctOwners } from "./owner-references.ts";
import { strictProblem } from "./unknown-fields.ts";
import type { Strictness } from "./unknown-fields.ts";
import { updateResource } from "./update.ts";
import { stepPauses, writePauses } from "./write-pauses.ts";

export type PatchType = "json" | "merge" | "strategic";

export interface PatchBody {
  readonly value: Json;
  readonly problems: readonly string[];
}

export interface PatchInput {
  readonly caller: Caller;
  readonly target: Target;
  readonly type: PatchType;
  /** Throws for what is not JSON. */
  readonly body: () => PatchBody | Promise<PatchBody>;
  readonly options: WriteOptions;
}

export async function patchResource(intents: Intents, input: PatchInput): Promise<Written> {
  const { caller, target, options } = input;
  const explained = { ...input, explain: intents.admission.explainer(target) };
  let patch: Promise<Patch> | undefined;
  return await updateResource(intents, {
    caller,
    target,
    options,
    optionsKind: "PatchOptions",
    change: async (old, storedBytes) => {
      const pause = writePauses(input, storedBytes);
      const apply = await (patch ??= patchFunction(explained));
      await pause();
      return { wanted: await apply(old, pause) };
    },
    allowsBlind: target.served.kind.origin === "built-in",
  });
}

type ExplainedInput = PatchInput & Required<Pick<Strictness, "explain">>;

type Patch = (old: Resource, pause: Pause) => Promise<Resource>;

async function patchFunction(input: ExplainedInput): Promise<Patch> {
  const { type, target } = input;
  const { value, problems } = await input.body();
  const finish = (result: Json, shown: () => string): Resource =>
    patched(input, result, problems, shown);
  switch (type) {
    case "json": {
      const operations = operationsOf(value);
      checkHidden(target, operations);
      const strict = [...problems, ...unknownMembers(value)]
        .sort((a, b) => operationIndex(a) - operationIndex(b))
        .map((one) => `json patch ${one}`);
      return async (old, pause) => {
        const result = await asOperations(() =>
          applyJsonPatchInSlices(old, operations, { isForgiving: true }, stepPauses(input)),
        );
        await pause();
        return patched(input, result, strict, () => shownText(target, result));
      };
    }
    case "merge": {
      const patch = objectOf(value);
      if (patch === undefined) throw badRequest("Invalid JSON Patch");
      return async (old, pause) => {
        const result = applyMergePatch(old, patch);
        await pause();
        return finish(result, () => shownText(target, result));
      };
    }
    case "strategic": {
      const patch = objectOf(value) ?? {};
      const { schema } = target.version.definition;
      const isHidden = isHiding(target.served.kind);
      const shown = (): string => (isHidden ? hiddenText : goText(patch));
      return async (old, pause) => {
        const result = strategic(old, patch, schema, isHidden);
        await pause();
        return finish(result, shown);
      };
    }
    default:
      return type satisfies never;
  }
}

/** Whoever may write a hidden field could read it by copying it, or guess it by testing it. */
function checkHidden({ served, name }: Target, operations: readonly PatchOperation[]): void {
  if (!served.hasHidden) return;
  for (const operation of operations) {
    const read = pointerRead(operation);
    const place = read === undefined ? undefined : readablePointer(read);
    if (read === undefined || place === undefined || !touchesHidden(served.kind, place)) continue;
    const why =
      "the field is hidden or contains a hidden field, and cannot be copied, moved or tested";
    throw invalid(served.kind, name, [forbiddenField("patch", `${JSON.stringify(read)}: ${why}`)]);
  }
}

function pointerRead(operation: PatchOperation): string | undefined {
  if (operation.op === "copy" || operation.op === "move") return operation.from;
  return operation.op === "test" ? operation.path : undefined;
}

/** What cannot be read as a pointer is refused when the operation is performed. */
function readablePointer(pointer: string): Tokens | undefined {
  try {
    return parsePointer(pointer);
  } catch {
    return undefined;
  }
}

function shownText({ served }: Target, result: Json): string {
  return isHiding(served.kind) ? hiddenText : canonicalJson(result);
}

/** The result read as a document; `shown` is what a refusal quotes. */
function patched(
  { caller, target, options, explain }: ExplainedInput,
  result: Json,
  decodeProblems: readonly string[],
  shown: () => string,
): Resource {
  const { type } = target.version;
  const read = (given: Json): Known => type.prune(withMetadataObject(readResult(target, given)));
  const { resource: known, unknown } = asPatch(shown, () =>
    readHiding(target.served, result, read),
  );
  const strictness = { mode: options.fieldValidation, decodeProblems, explain };
  const problem = strictProblem(caller, target, unknown, strictness);
  if (problem !== undefined) throw unfit(shown(), problem);
  const placed = withNamespace(target, known);
  checkName(target, placed);
  checkKind(target, placed);
  return type.withDefaults(withDistinctOwners(caller, placed, true));
}

/** Kinds of definitions are told later that a patch may not change what they are. */
function readResult(target: Target, result: Json): Resource {
  const { served, version } = target;
  if (served.kind.origin === "built-in") {
    // Typed documents have their kind whatever a patch says.
    return checkEnvelope(
      target,
      isJsonObject(result) ? { ...result, kind: "", apiVersion: "" } : result,
    );
  }
  const { kind } = isJsonObject(result) ? result : {};
  if (!isJsonObject(result) || typeof kind !== "string" || kind === "") {
    return checkEnvelope(target, result);
  }
  const { apiVersion } = result;
  const read = checkEnvelope(target, { ...result, apiVersion: version.apiVersion });
  return typeof apiVersion === "string" ? { ...read, apiVersion } : read;
}

function operationsOf(value: Json): readonly PatchOperation[] {
  if (value === null) return [];
  if (!isJsonArray(value)) throw misfit(value, "value of type []handlers.jsonPatchOp");
  for (const operation of value) {
    if (operation === null) continue;
    if (!isJsonObject(operation)) throw misfit(operation, "value of type handlers.jsonPatchOp");
    for (const key of ["op", "path", "from"]) {
      const member = operation[key] ?? "";
      if (typeof member === "string") continue;
      throw misfit(member, `struct field jsonPatchOp.${key} of type string`);
    }
  }
  // A value that is left out is null.
  const whole = value.map((operation) =>
    isJsonObject(operation) && !Object.hasOwn(operation, "value")
      ? { ...operation, value: null }
      : operation,
  );
  try {
    return parseJsonPatch(whole);
  } catch (error) {
    throw rejected(error);
  }
}

const operationMembers = new Set(["op", "path", "from", "value"]);

/** Members that no operation has, as strict validation names them; nothing reads them. */
function unknownMembers(value: Json): readonly string[] {
  if (!isJsonArray(value)) return [];
  return value.flatMap((operation, index) =>
    Object.keys(isJsonObject(operation) ? operation : {})
      .filter((key) => !operationMembers.has(key))
      .map((key) => `unknown field "[${index}].${key}"`),
  );
}

function operationIndex(problem: string): number {
  return Number(/"\[(\d+)\]/.exec(problem)?.[1] ?? -1);
}

async function asOperations<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw rejected(error);
  }
}

function rejected(error: unknown): unknown {
  const isRefusal =
    isSetpointError(error, "request.invalid") || isSetpointError(error, "resource.invalid");
  return isRefusal ? rejectedPatch(error) : error;
}

function strategic(old: Resource, patch: JsonObject, schema: JsonObject, isHidden: boolean): Json {
  const outcome = applyStrategicMergePatch(old, patch, schema);
  if (outcome.kind === "patched") return outcome.object;
  const { status } = outcome;
  const message = isHidden ? outcome.plain : outcome.message;
  if (status === 400) throw badRequest(message);
  if (status === 422) throw unfit(isHidden ? hiddenText : goText(patch), message);
  throw unexplained(message);
}

function objectOf(value: Json): JsonObject | undefined {
  if (value === null) return undefined;
  if (isJsonObject(value)) return value;
  throw misfit(value, "value of type map[string]interface {}");
}

function misfit(value: Json, type: string): SetpointError {
  const found = jsonName(value);
  return badRequest(`error decoding patch: json: cannot unmarshal ${found} into Go ${type}`);
}

/** What stands in front when a whole document is refused. */
const wrapping =
  /^(?:\S+ in version "[^"]*" cannot be handled as an? \S+: |the object provided is .*?\): )/;

function asPatch<T>(shown: () => string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    if (!isSetpointError(error, "request.invalid")) throw error;
    const why = error.message.replace(wrapping, "");
    throw unfit(shown(), why);
  }
}

/** Kubernetes names neither kind nor resource here. */
function unfit(value: string, why: string): SetpointError {
  const fields = [invalidField("patch", value, why)];
  const message = ` "" is invalid: ${formatFieldErrors(fields)}`;
  return new SetpointError("resource.invalid", message, { details: { fields } });
}
