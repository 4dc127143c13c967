// The object after the patch of a webhook. A patch that cannot be read is a failure of the webhook;
// one that does not fit the object is an error of the server, as in Kubernetes.

import { isSetpointError } from "../../../kernel/errors.ts";
import type { SetpointError } from "../../../kernel/errors.ts";
import { parseExact } from "../../../kernel/int64.ts";
import { equalJson, isJsonArray, isJsonObject } from "../../../kernel/json.ts";
import type { Json } from "../../../kernel/json.ts";
import { textAt } from "../../../kernel/json-read.ts";
import { applyJsonPatch, parseJsonPatch } from "../../../kernel/json-patch.ts";
import type { Resource } from "../../../kernel/resource.ts";
import type { AdmissionRequest } from "../admission.ts";
import { internalError } from "../attributes.ts";
import { inVersion } from "../shown-version.ts";
import type { ReviewAnswer } from "./admission-review.ts";
import { WebhookFailure } from "./webhook-call.ts";
import type { Candidate } from "./webhook-index.ts";

/** In the version of the request; undefined when nothing changed. */
export async function patched(
  { webhook }: Candidate,
  { target }: AdmissionRequest,
  shown: Resource | undefined,
  { patch, patchType }: Pick<ReviewAnswer, "patch" | "patchType">,
): Promise<Resource | undefined> {
  const { name } = webhook;
  if (patch === "") return undefined;
  const operations = decoded(name, patch);
  if (isJsonArray(operations) && operations.length === 0) return undefined;
  if (shown === undefined) {
    const what = "attempted to modify the object, which is not supported for this operation";
    throw internalError(`admission webhook ${JSON.stringify(name)} ${what}`);
  }
  if (patchType !== "JSONPatch") {
    throw new WebhookFailure(name, `unsupported patch type ${JSON.stringify(patchType)}`);
  }
  const result = applied(shown, operations);
  if (equalJson(result, shown)) return undefined;
  const { served, version } = target;
  const back = await inVersion(result as unknown as Resource, { served, version });
  const { type } = version;
  try {
    return type.withDefaults(type.prune(back).resource);
  } catch (error) {
    if (!isSetpointError(error)) throw error;
    throw internalError(error.message.replace(/^.* cannot be handled as a \w+: /, ""), error);
  }
}

function decoded(name: string, patch: string): Json {
  try {
    const operations = parseExact(patch) as Json;
    if (!isJsonArray(operations)) throw new Error("the patch is not a list of operations");
    return operations;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const text = `received undecodable patch in webhook response: ${why}`;
    throw new WebhookFailure(name, text, error);
  }
}

/** The kind and the version are not the webhook's to change. */
function applied(shown: Resource, operations: Json): Json {
  let result: Json;
  try {
    result = applyJsonPatch(shown, parseJsonPatch(operations));
  } catch (error) {
    if (!isSetpointError(error)) throw error;
    throw internalError(patchProblem(error, operations), error);
  }
  if (!isJsonObject(result) || !isJsonObject(result["metadata"])) {
    throw internalError("Object 'metadata' is missing in the patched object");
  }
  return { ...result, apiVersion: shown.apiVersion, kind: shown.kind };
}

/** In the words of the library that Kubernetes uses. */
function patchProblem({ details, message }: SetpointError, operations: Json): string {
  const { op, path, problem, operation: index } = details;
  const text = typeof path === "string" ? path : "";
  const missing = problem === "the path does not exist";
  switch (op) {
    case "test":
      return `testing value ${text} failed: test failed`;
    case "remove":
      if (!missing) return message;
      return (
        `error in remove for path: '${text}': ` +
        `Unable to remove nonexistent key: ${text.slice(text.lastIndexOf("/") + 1)}: missing value`
      );
    case "replace":
      if (!missing) return message;
      return `replace operation does not apply: doc is missing key: ${text}: missing value`;
    case "add":
      if (problem !== "the parent does not exist") return message;
      return `add operation does not apply: doc is missing path: "${text}": missing value`;
    case undefined: {
      const wrong = isJsonArray(operations) ? operations[Number(index)] : undefined;
      return `Unexpected kind: ${textAt(wrong, "op")}`;
    }
    default:
      return message;
  }
}
