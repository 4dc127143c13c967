// DeleteOptions come in the body, in the query, or not at all.

import { invalidField, unsupportedField } from "../../kernel/field-error.ts";
import type { FieldError } from "../../kernel/field-error.ts";
import { jsonName } from "../../kernel/go-text.ts";
import { isJsonArray, isJsonObject } from "../../kernel/json.ts";
import type { Json, JsonObject, MutableJsonObject } from "../../kernel/json.ts";
import { badRequest, invalidOptions } from "../../intents/refusals.ts";
import { headerType } from "../../intents/write/envelope.ts";
import type { DeleteOptions } from "../../intents/write/delete.ts";
import type { Propagation } from "../../intents/write/finalizers.ts";
import { dryRunErrors } from "./options.ts";
import { isTrue } from "./request-info.ts";

const policies = ["Foreground", "Background", "Orphan"];

export function deleteOptions(body: Json | undefined, query: URLSearchParams): DeleteOptions {
  const raw = body === undefined ? fromQuery(query) : fromBody(body);
  const { propagationPolicy: policy, orphanDependents, dryRun = [] } = raw;
  const errors: FieldError[] = [];
  if (orphanDependents !== undefined && policy !== undefined) {
    const why = "orphanDependents and deletionPropagation cannot be both set";
    errors.push(invalidField("propagationPolicy", policy, why));
  }
  if (policy !== undefined && !(typeof policy === "string" && policies.includes(policy))) {
    errors.push(unsupportedField("propagationPolicy", policy, [...policies, "nil"]));
  }
  const wishes = isJsonArray(dryRun) ? dryRun.map(String) : [];
  errors.push(...dryRunErrors(wishes));
  if (errors.length > 0) throw invalidOptions("DeleteOptions", errors);
  return {
    isDryRun: wishes.length > 0,
    propagation: propagationOf(policy, orphanDependents),
    preconditions: preconditionsOf(raw["preconditions"]),
    raw,
  };
}

function propagationOf(
  policy: Json | undefined,
  orphan: Json | undefined,
): Propagation | undefined {
  if (typeof policy === "string") return policy as Propagation;
  if (orphan === true) return "Orphan";
  return orphan === false ? "Background" : undefined;
}

function preconditionsOf(given: Json | undefined): DeleteOptions["preconditions"] {
  if (!isJsonObject(given)) return {};
  const { uid, resourceVersion } = given;
  return {
    ...(typeof uid === "string" ? { uid } : {}),
    ...(typeof resourceVersion === "string" ? { resourceVersion } : {}),
  };
}

const scheme = 'scheme "pkg/apis/meta/internalversion/scheme/register.go:27"';

function fromBody(body: Json): JsonObject {
  if (!isJsonObject(body)) {
    const parse = "couldn't get version/kind; json parse error: ";
    const into = `Go value of type ${headerType}`;
    throw badRequest(`${parse}json: cannot unmarshal ${jsonName(body)} into ${into}`);
  }
  const { kind = "DeleteOptions", apiVersion = "" } = body;
  if (kind !== "DeleteOptions" && kind !== "") {
    const [shown, version] = [kind, apiVersion].map((part) => JSON.stringify(part));
    throw badRequest(`no kind ${shown} is registered for version ${version} in ${scheme}`);
  }
  const options: MutableJsonObject = {};
  for (const [key, value] of Object.entries(body)) {
    const type = fieldTypes.get(key);
    if (value === null || type === undefined) continue;
    if (!type.fits(value)) {
      const into = `Go struct field DeleteOptions.${key} of type ${type.name}`;
      throw badRequest(`json: cannot unmarshal ${jsonName(value)} into ${into}`);
    }
    options[key] = value;
  }
  return options;
}

interface FieldType {
  readonly name: string;
  readonly fits: (value: Json) => boolean;
}

const fieldTypes: ReadonlyMap<string, FieldType> = new Map<string, FieldType>([
  ["gracePeriodSeconds", { name: "int64", fits: isInteger }],
  ["preconditions", { name: "v1.Preconditions", fits: isJsonObject }],
  ["orphanDependents", { name: "bool", fits: isFlag }],
  ["propagationPolicy", { name: "v1.DeletionPropagation", fits: isText }],
  ["dryRun", { name: "[]string", fits: (value) => isJsonArray(value) && value.every(isText) }],
  ["ignoreStoreReadErrorWithClusterBreakingPotential", { name: "bool", fits: isFlag }],
]);

function isText(value: Json): boolean {
  return typeof value === "string";
}

function isInteger(value: Json): boolean {
  return typeof value === "bigint" || Number.isInteger(value);
}

function isFlag(value: Json): boolean {
  return typeof value === "boolean";
}

function fromQuery(query: URLSearchParams): JsonObject {
  const raw: MutableJsonObject = {};
  const policy = query.get("propagationPolicy");
  if (policy !== null) raw["propagationPolicy"] = policy;
  const orphan = query.get("orphanDependents");
  if (orphan !== null) raw["orphanDependents"] = isTrue(orphan);
  const grace = query.get("gracePeriodSeconds");
  if (grace !== null) {
    if (!/^-?\d{1,15}$/.test(grace)) {
      throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(grace)}: invalid syntax`);
    }
    raw["gracePeriodSeconds"] = Number(grace);
  }
  const dryRun = query.getAll("dryRun").filter((value) => value !== "");
  if (dryRun.length > 0) raw["dryRun"] = dryRun;
  return raw;
}
