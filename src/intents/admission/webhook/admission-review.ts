// AdmissionReview: the question that a webhook is asked, and the reading of its answer. What is
// wrong with an answer is told in the words of Kubernetes, because it ends up in front of users.

import { jsonName } from "../../../kernel/go-text.ts";
import { getOwn, isJsonArray, isJsonObject } from "../../../kernel/json.ts";
import type { Json, JsonObject } from "../../../kernel/json.ts";
import { listAt, numberAt, objectAt, textAt, textsAt, valueAt } from "../../../kernel/json-read.ts";
import { requestDocument } from "../expression/request-document.ts";
import type { AdmissionRequest } from "../admission.ts";
import type { Found } from "../../kinds/registry.ts";
import type { ShownDocuments } from "../shown-version.ts";

export interface ReviewInput {
  readonly version: "v1" | "v1beta1";
  readonly uid: string;
  readonly request: AdmissionRequest;
  readonly found: Found;
  readonly shown: ShownDocuments;
}

const group = "admission.k8s.io";

/** The first version of the review that both sides know. */
export function reviewVersion(offered: readonly string[]): "v1" | "v1beta1" | undefined {
  return offered.find((version) => version === "v1" || version === "v1beta1");
}

export function admissionReview(input: ReviewInput): JsonObject {
  const { version, uid, request, found, shown } = input;
  const { options, isDryRun } = request;
  return {
    kind: "AdmissionReview",
    apiVersion: `${group}/${version}`,
    request: {
      uid,
      ...requestDocument(request, found),
      object: (shown.object as Json | undefined) ?? null,
      oldObject: (shown.old as Json | undefined) ?? null,
      dryRun: isDryRun,
      options,
    },
  };
}

export interface ReviewAnswer {
  readonly isAllowed: boolean;
  readonly patch: string;
  readonly patchType: string;
  /** The Status of a denial. */
  readonly result: JsonObject;
  readonly warnings: readonly string[];
  readonly auditAnnotations: readonly (readonly [key: string, value: string])[];
}

const known = new Set(["v1", "v1beta1"].map((version) => `${group}/${version}`));

/** What Kubernetes would not even decode; undefined when there is nothing of the kind. */
export function decodingProblem(answer: JsonObject, version: string): string | undefined {
  const [apiVersion, kind] = [textAt(answer, "apiVersion"), textAt(answer, "kind")];
  if (apiVersion !== "" && kind !== "") {
    if (!known.has(apiVersion) || kind !== "AdmissionReview") {
      const what = `no kind ${JSON.stringify(kind)} is registered for version`;
      return `${what} ${JSON.stringify(apiVersion)} in scheme "pkg/util/webhook/client.go:71"`;
    }
    const given = apiVersion.slice(group.length + 1);
    if (given !== version) {
      const [from, to] = [`${given}.AdmissionReview`, `${version}.AdmissionReview`];
      return `converting (${from}) to (${to}): unknown conversion`;
    }
  }
  const response = objectAt(answer, "response");
  for (const [key, type] of fieldTypes) {
    const value = valueAt(response, key);
    if (value === undefined || typeof value === type) continue;
    const [found, wanted] = [jsonName(value), type === "boolean" ? "bool" : type];
    const field = `AdmissionResponse.response.${key}`;
    return `json: cannot unmarshal ${found} into Go struct field ${field} of type ${wanted}`;
  }
  return undefined;
}

const fieldTypes = [
  ["uid", "string"],
  ["allowed", "boolean"],
  ["patch", "string"],
  ["patchType", "string"],
] as const;

/** The answer, or what is wrong with it. */
export function readAnswer(
  answer: JsonObject,
  { version, uid, isMutating }: { version: string; uid: string; isMutating: boolean },
): ReviewAnswer | string {
  const response = getOwn(answer, "response");
  if (!isJsonObject(response)) return "webhook response was absent";
  const patch = textAt(response, "patch");
  if (version === "v1") {
    const problem =
      identityProblem(answer, response, uid) ?? patchProblem(response, patch, isMutating);
    if (problem !== undefined) return problem;
  }
  return {
    isAllowed: getOwn(response, "allowed") === true,
    patch: isMutating ? Buffer.from(patch, "base64").toString("utf8") : "",
    result: objectAt(response, "status"),
    patchType: version === "v1" ? textAt(response, "patchType") : "JSONPatch",
    warnings: textsAt(response, "warnings"),
    auditAnnotations: Object.entries(objectAt(response, "auditAnnotations")).flatMap(
      ([key, value]) => (typeof value === "string" ? [[key, value] as const] : []),
    ),
  };
}

/** The older review was never held to this. */
function identityProblem(
  answer: JsonObject,
  response: JsonObject,
  uid: string,
): string | undefined {
  const returned = textAt(response, "uid");
  if (returned !== uid) {
    return `expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(returned)}`;
  }
  const got = kindText(textAt(answer, "apiVersion"), textAt(answer, "kind"));
  const expected = kindText(`${group}/v1`, "AdmissionReview");
  return got === expected ? undefined : `expected webhook response of ${expected}, got ${got}`;
}

function kindText(apiVersion: string, kind: string): string {
  return `${apiVersion.includes("/") ? apiVersion : `/${apiVersion}`}, Kind=${kind}`;
}

function patchProblem(
  response: JsonObject,
  patch: string,
  isMutating: boolean,
): string | undefined {
  const type = valueAt(response, "patchType");
  if (!isMutating) {
    if (patch !== "") return "validating webhook may not return response.patch";
    return type === undefined ? undefined : "validating webhook may not return response.patchType";
  }
  if (patch !== "" && type === undefined) {
    return "webhook returned response.patch but not response.patchType";
  }
  if (patch === "" && type !== undefined) {
    return "webhook returned response.patchType but not response.patch";
  }
  return type === "" ? 'webhook returned invalid response.patchType of ""' : undefined;
}

/** Causes of a Status as a webhook gave them. */
export function statusDetails(result: JsonObject): JsonObject {
  const given = objectAt(result, "details");
  const details: Record<string, Json> = {};
  for (const key of ["name", "group", "kind", "uid"]) {
    const text = textAt(given, key);
    if (text !== "") details[key] = text;
  }
  const causes = listAt(given, "causes");
  if (isJsonArray(causes) && causes.length > 0) details["causes"] = causes;
  const seconds = numberAt(given, "retryAfterSeconds");
  if (seconds !== undefined && seconds > 0) details["retryAfterSeconds"] = seconds;
  return details;
}
