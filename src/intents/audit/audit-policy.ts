// What is worth a record: the audit policy, in the form of audit.k8s.io/v1. The first rule that
// fits a request decides; what no rule is about is not recorded. Secrets, tokens and kinds with
// fields that are never shown are not recorded with their content, whatever a rule says.

import { SetpointError } from "../../kernel/errors.ts";
import type { Json } from "../../kernel/json.ts";
import { listAt, textAt, textsAt, valueAt } from "../../kernel/json-read.ts";
import type { UserInfo } from "../auth/user.ts";

export const auditLevels = ["None", "Metadata", "Request", "RequestResponse"] as const;
export type AuditLevel = (typeof auditLevels)[number];
export const auditStages = ["RequestReceived", "ResponseStarted", "ResponseComplete", "Panic"];

/** What rules look at. */
export interface AuditSubject {
  readonly user: UserInfo;
  readonly verb: string;
  readonly isResource: boolean;
  readonly path: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  /** Documents of the kind have fields that are never shown. */
  readonly hasHidden?: boolean;
}

export interface AuditDecision {
  readonly level: AuditLevel;
  readonly omitStages: ReadonlySet<string>;
  readonly omitManagedFields: boolean;
}

export type AuditPolicy = (subject: AuditSubject) => AuditDecision;

const unrecorded: AuditDecision = {
  level: "None",
  omitStages: new Set(auditStages),
  omitManagedFields: false,
};

/** Resources whose documents are secrets themselves, or carry them. */
const confidential = new Set([
  "/secrets",
  "/serviceaccounts/token",
  "authentication.k8s.io/tokenreviews",
  "authentication.k8s.io/tokenrequests",
]);

export function auditPolicy(document: Json): AuditPolicy {
  const kind = textAt(document, "kind");
  if (textAt(document, "apiVersion") !== "audit.k8s.io/v1" || kind !== "Policy") {
    throw invalidPolicy("it must be a Policy of audit.k8s.io/v1");
  }
  const rules = listAt(document, "rules").map((rule, index) => ruleOf(document, rule, index));
  if (rules.length === 0) throw invalidPolicy("rules is missing or empty");
  return (subject) => {
    const decision = rules.find(({ fits }) => fits(subject))?.decision ?? unrecorded;
    return isConfidential(subject) ? withoutContent(decision) : decision;
  };
}

interface Rule {
  readonly fits: (subject: AuditSubject) => boolean;
  readonly decision: AuditDecision;
}

function ruleOf(document: Json, rule: Json, index: number): Rule {
  const level = auditLevels.find((one) => one === textAt(rule, "level"));
  if (level === undefined) {
    throw invalidPolicy(`rules[${index}].level must be one of ${auditLevels.join(", ")}`);
  }
  const omitted = [...textsAt(document, "omitStages"), ...textsAt(rule, "omitStages")];
  const unknown = omitted.find((stage) => !auditStages.includes(stage));
  if (unknown !== undefined) throw invalidPolicy(`omitStages has the unknown stage ${unknown}`);
  const given = valueAt(rule, "omitManagedFields") ?? valueAt(document, "omitManagedFields");
  return {
    fits: (subject) => matches(rule, subject),
    decision: { level, omitStages: new Set(omitted), omitManagedFields: given === true },
  };
}

function matches(rule: Json, subject: AuditSubject): boolean {
  const { user, verb } = subject;
  if (!isListed(textsAt(rule, "users"), user.name)) return false;
  const groups = textsAt(rule, "userGroups");
  if (groups.length > 0 && !groups.some((group) => user.groups.includes(group))) return false;
  if (!isListed(textsAt(rule, "verbs"), verb)) return false;
  const isAboutResources =
    textsAt(rule, "namespaces").length > 0 || listAt(rule, "resources").length > 0;
  if (isAboutResources) return matchesResource(rule, subject);
  const paths = textsAt(rule, "nonResourceURLs");
  if (paths.length === 0) return true;
  return !subject.isResource && paths.some((pattern) => matchesPath(pattern, subject.path));
}

/** An empty list means everything. */
function isListed(list: readonly string[], wanted: string): boolean {
  return list.length === 0 || list.includes(wanted);
}

function matchesResource(rule: Json, subject: AuditSubject): boolean {
  if (!subject.isResource || !isListed(textsAt(rule, "namespaces"), subject.namespace)) {
    return false;
  }
  const resources = listAt(rule, "resources");
  return resources.length === 0 || resources.some((one) => matchesGroup(one, subject));
}

function matchesGroup(one: Json, { group, resource, subresource, name }: AuditSubject): boolean {
  if (textAt(one, "group") !== group) return false;
  const names = textsAt(one, "resources");
  if (names.length === 0) return true;
  const whole = subresource === "" ? resource : `${resource}/${subresource}`;
  const isNamed = names.some(
    (pattern) =>
      pattern === "*" ||
      pattern === whole ||
      pattern === `${resource}/*` ||
      (subresource !== "" && pattern === `*/${subresource}`),
  );
  return isNamed && isListed(textsAt(one, "resourceNames"), name);
}

function matchesPath(pattern: string, path: string): boolean {
  if (pattern === "*" || pattern === path) return true;
  return pattern.endsWith("*") && path.startsWith(pattern.slice(0, -1));
}

function isConfidential({ group, resource, subresource, hasHidden }: AuditSubject): boolean {
  if (hasHidden === true) return true;
  const whole = subresource === "" ? resource : `${resource}/${subresource}`;
  return confidential.has(`${group}/${whole}`) || confidential.has(`${group}/${resource}`);
}

function withoutContent(decision: AuditDecision): AuditDecision {
  return decision.level === "None" ? decision : { ...decision, level: "Metadata" };
}

function invalidPolicy(why: string): SetpointError {
  return new SetpointError("request.invalid", `the audit policy cannot be used: ${why}`);
}
