// Changes a resource by a patch: JSON Patch, merge patch, or (built-in kinds) strategic merge
// patch. The patch is applied to the document in the version of the request, again on the newer
// document when another writer was faster; the result goes the way of any other update.

import { SetpointError, isSetpointError } from "../../kernel/errors.ts";
import { isJsonObject } from "../../kernel/json.ts";
import type { Json, JsonObject } from "../../kernel/json.ts";
import { applyJsonPatch, parseJsonPatch } from "../../kernel/json-patch.ts";
import { applyMergePatch } from "../../kernel/merge-patch.ts";
import type { Resource } from "../../kernel/resource.ts";
import { applyStrategicMergePatch } from "../../kernel/strategic-merge.ts";
import type { ServedVersion } from "../kinds/served-kind.ts";
import { badRequest } from "../refusals.ts";
import type { Caller, Intents, Target, WriteOptions, Written } from "../request.ts";
import { checkEnvelope, withName, withNamespace } from "./envelope.ts";
import { reportUnknownFields } from "./unknown-fields.ts";
import { updateResource } from "./update.ts";

export type PatchType = "json" | "merge" | "strategic";

export interface PatchInput {
  readonly caller: Caller;
  readonly target: Target;
  readonly type: PatchType;
  readonly body: Json;
  readonly options: WriteOptions;
  readonly decodeProblems: readonly string[];
}

export async function patchResource(intents: Intents, input: PatchInput): Promise<Written> {
  const { caller, target, options } = input;
  const patch = patchFunction(target.version, input);
  return await updateResource(intents, {
    caller,
    target,
    options,
    optionsKind: "PatchOptions",
    change: (old) => ({ wanted: patched(input, patch(old)) }),
    allowsBlind: true,
  });
}

function patched({ caller, target, options, decodeProblems }: PatchInput, result: Json): Resource {
  const sent = withName(target, withNamespace(target, checkEnvelope(target, result)));
  const { resource: known, unknown } = target.version.type.prune(sent);
  const strictness = { mode: options.fieldValidation, decodeProblems };
  reportUnknownFields(caller, target, unknown, strictness, "patch");
  return target.version.type.withDefaults(known);
}

function patchFunction(
  version: ServedVersion,
  { type, body }: PatchInput,
): (old: Resource) => Json {
  switch (type) {
    case "json": {
      const operations = parseJsonPatch(body);
      return (old) => {
        try {
          return applyJsonPatch(old, operations);
        } catch (error) {
          throw isSetpointError(error, "request.invalid") ? unprocessable(error) : error;
        }
      };
    }
    case "merge": {
      const patch = objectOf(body);
      return (old) => applyMergePatch(old, patch);
    }
    case "strategic": {
      const patch = objectOf(body);
      return (old) => {
        const outcome = applyStrategicMergePatch(old, patch, version.definition.schema);
        if (outcome.kind === "patched") return outcome.object;
        throw refusedPatch(outcome.status, outcome.message);
      };
    }
    default:
      return type satisfies never;
  }
}

function refusedPatch(status: 400 | 422 | 500, message: string): SetpointError {
  if (status === 400) return badRequest(message);
  return new SetpointError(status === 422 ? "resource.invalid" : "internal", message);
}

function objectOf(body: Json): JsonObject {
  if (isJsonObject(body)) return body;
  throw badRequest("error decoding patch: the patch must be a JSON object");
}

/** A patch that was understood but does not fit the document. */
function unprocessable(cause: SetpointError): SetpointError {
  return new SetpointError(
    "resource.invalid",
    "the server rejected our request due to an error in our request",
    { cause },
  );
}
