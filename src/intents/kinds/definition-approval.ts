// Groups of the Kubernetes community are not for everybody: a definition in one of them must name
// the review in which it was approved, or say that it has none.

import type { ConditionInput } from "../../kernel/conditions.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { textAt } from "../../kernel/json-read.ts";
import { annotationOf, approvedAnnotation, specOf } from "./definition-parts.ts";

export type ApprovalState = "approved" | "bypassed" | "missing" | "invalid";

export interface Approval {
  readonly state: ApprovalState;
  readonly reason: string;
}

/** Undefined for groups that anybody may use. */
export function approvalOf(definition: JsonObject): Approval | undefined {
  if (!isProtectedGroup(textAt(specOf(definition), "group"))) return undefined;
  const value = annotationOf(definition, approvedAnnotation);
  const rule = `protected groups must have approval annotation "${approvedAnnotation}"`;
  const source = "see https://github.com/kubernetes/enhancements/pull/1111";
  if (value === "") return { state: "missing", reason: `${rule}, ${source}` };
  if (value.startsWith("unapproved")) {
    return { state: "bypassed", reason: `not approved: ${JSON.stringify(value)}` };
  }
  if (hasHost(value)) return { state: "approved", reason: `approved in ${value}` };
  const choice = 'with either a URL or a reason starting with "unapproved"';
  return { state: "invalid", reason: `${rule} ${choice}, ${source}` };
}

export function approvalCondition(definition: JsonObject): ConditionInput | undefined {
  const approval = approvalOf(definition);
  if (approval === undefined) return undefined;
  return {
    type: "KubernetesAPIApprovalPolicyConformant",
    status: approval.state === "approved" ? "True" : "False",
    reason: conditionReasons[approval.state],
    message: approval.reason,
  };
}

const conditionReasons: Readonly<Record<ApprovalState, string>> = {
  approved: "ApprovedAnnotation",
  bypassed: "UnapprovedAnnotation",
  missing: "MissingAnnotation",
  invalid: "InvalidAnnotation",
};

function isProtectedGroup(group: string): boolean {
  return ["k8s.io", "kubernetes.io"].some((own) => group === own || group.endsWith(`.${own}`));
}

function hasHost(text: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\/[^/?#\s]/i.test(text) && URL.canParse(text);
}
