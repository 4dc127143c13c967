// What a definition is told about itself: the names it got, whether it is served, and which
// versions documents may be stored in. Kubernetes has controllers that find this out after the
// write; here it is part of the write, so a definition is served from the moment it is accepted.

import { isTrue, setCondition } from "../../kernel/conditions.ts";
import type { ConditionInput } from "../../kernel/conditions.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { objectAt, textAt } from "../../kernel/json-read.ts";
import { builtinKinds } from "../builtin/builtin-kinds.ts";
import { approvalCondition } from "./definition-approval.ts";
import { caBundleProblem } from "./definition-ca-bundle.ts";
import { decideNames, namesJson } from "./definition-names.ts";
import type { NameConflict } from "./definition-names.ts";
import { conditionsOf, specOf, statusOf } from "./definition-parts.ts";
import { grownStoredVersions } from "./definition-stored-versions.ts";

export interface DefinitionStatusInput {
  /** All other definitions; those of other groups do not matter. */
  readonly others: readonly JsonObject[];
  readonly nowMs: number;
}

/** The next status; equal to the present one when there is nothing new to tell. */
export function definitionStatus(definition: JsonObject, input: DefinitionStatusInput): JsonObject {
  const { others, nowMs } = input;
  const { accepted, conflict } = decideNames(definition, others, builtinKinds);
  let conditions = conditionsOf(definition);
  const wasEstablished = isTrue(conditions, "Established");
  const approval = approvalCondition(definition);
  if (approval !== undefined) conditions = setCondition(conditions, approval, nowMs);
  conditions = setCondition(conditions, namesCondition(conflict), nowMs);
  if (!wasEstablished) {
    conditions = setCondition(conditions, establishedCondition(definition, conflict), nowMs);
  }
  return {
    ...statusOf(definition),
    conditions,
    acceptedNames: namesJson(accepted),
    storedVersions: grownStoredVersions(definition),
  };
}

/** Once established, a definition stays so: its documents exist. */
export function isEstablished(definition: JsonObject): boolean {
  return isTrue(conditionsOf(definition), "Established");
}

function namesCondition(conflict: NameConflict | undefined): ConditionInput {
  const type = "NamesAccepted";
  if (conflict !== undefined) return { type, status: "False", ...conflict };
  return { type, status: "True", reason: "NoConflicts", message: "no conflicts found" };
}

function establishedCondition(
  definition: JsonObject,
  conflict: NameConflict | undefined,
): ConditionInput {
  const type = "Established";
  if (conflict !== undefined) {
    return { type, status: "False", reason: "NotAccepted", message: "not all names are accepted" };
  }
  if (hasBadCaBundle(definition)) {
    const message = "The conversion webhook CABundle is invalid";
    return { type, status: "False", reason: "InvalidCABundle", message };
  }
  const message = "the initial names have been accepted";
  return { type, status: "True", reason: "InitialNamesAccepted", message };
}

function hasBadCaBundle(definition: JsonObject): boolean {
  const webhook = objectAt(objectAt(specOf(definition), "conversion"), "webhook");
  const bundle = textAt(objectAt(webhook, "clientConfig"), "caBundle");
  return caBundleProblem(bundle) !== undefined;
}
