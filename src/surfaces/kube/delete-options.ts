// DeleteOptions come in the body, in the query, or not at all.

import { withoutKey } from "../../kernel/apply/without-key.ts";
import { invalidField, unsupportedField } from "../../kernel/field-error.ts";
import type { FieldError } from "../../kernel/field-error.ts";
import { isJsonArray, isJsonObject } from "../../kernel/json.ts";
import type { Json, JsonObject, MutableJsonObject } from "../../kernel/json.ts";
import { badRequest, invalidOptions } from "../../intents/refusals.ts";
import type { DeleteOptions } from "../../intents/write/delete.ts";
import type { Propagation } from "../../intents/write/finalizers.ts";
import { dryRunErrors } from "./options.ts";
import { isTrue } from "./request-info.ts";

const policies = ["Foreground", "Background", "Orphan"];

export function deleteOptions(body: Json | undefined, query: URLSearchParams): DeleteOptions {
  const raw = body === undefined ? fromQuery(query) : fromBody(body);
  const { propagationPolicy: policy, orphanDependents, gracePeriodSeconds, dryRun = [] } = raw;
  const errors: FieldError[] = [];
  if (orphanDependents !== undefined && policy !== undefined) {
    const why = "orphanDependents and deletionPropagation cannot be both set";
    errors.push(invalidField("propagationPolicy", policy, why));
  }
  if (policy !== undefined && !(typeof policy === "string" && policies.includes(policy))) {
    errors.push(unsupportedField("propagationPolicy", policy, [...policies, "nil"]));
  }
  if (typeof gracePeriodSeconds === "number" && gracePeriodSeconds < 0) {
    const why = "must be greater than or equal to 0";
    errors.push(invalidField("gracePeriodSeconds", gracePeriodSeconds, why));
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

function fromBody(body: Json): JsonObject {
  if (!isJsonObject(body)) throw badRequest("the body of a deletion must be DeleteOptions");
  const { kind } = body;
  if (kind !== undefined && kind !== "DeleteOptions") {
    const shown = typeof kind === "string" ? kind : "something else";
    throw badRequest(`decoded object cannot be converted to DeleteOptions: it is ${shown}`);
  }
  return withoutKey(withoutKey(body, "kind"), "apiVersion");
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
