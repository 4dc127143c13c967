// The words of RBAC: what is asked (Access), what a role grants (PolicyRule), and when one allows
// the other. `ruleAllows` is the definition; the index in rbac.ts only finds rules faster. Objects
// come from storage, so anything in them that is not of the expected type counts as absent.

import type { JsonObject } from "../../kernel/json.ts";
import { objectAt, objectsAt, textAt, textsAt } from "../../kernel/json-read.ts";
import type { UserInfo } from "./user.ts";

/** What a request wants to do. Empty strings mean "none", as they do in rules. */
export type Access = ResourceAccess | PathAccess;

export interface ResourceAccess {
  readonly kind: "resource";
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  /** Empty for a cluster-wide request. */
  readonly namespace: string;
  /** Empty for lists, watches of many, and creates. */
  readonly name: string;
}

export interface PathAccess {
  readonly kind: "path";
  readonly verb: string;
  readonly path: string;
}

export interface Decision {
  readonly allowed: boolean;
  /** Why, in the words of Kubernetes; empty when there is nothing to say. */
  readonly reason: string;
}

export interface Authorizer {
  authorize(user: UserInfo, access: Access): Decision;
}

export interface PolicyRule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

export interface RoleRef {
  readonly apiGroup: string;
  readonly kind: string;
  readonly name: string;
}

export interface Subject {
  readonly kind: string;
  readonly name: string;
  readonly namespace: string;
}

export const rbacGroup = "rbac.authorization.k8s.io";

export function ruleAllows(rule: PolicyRule, access: Access): boolean {
  if (!hasOrAll(rule.verbs, access.verb)) return false;
  if (access.kind === "path") {
    return (rule.nonResourceURLs ?? []).some((pattern) => pathMatches(pattern, access.path));
  }
  const { group, resource, subresource, name } = access;
  const combined = subresource === "" ? resource : `${resource}/${subresource}`;
  const names = rule.resourceNames ?? [];
  return (
    hasOrAll(rule.apiGroups ?? [], group) &&
    (rule.resources ?? []).some(
      (item) =>
        item === "*" || item === combined || (subresource !== "" && item === `*/${subresource}`),
    ) &&
    (names.length === 0 || names.includes(name))
  );
}

/** A pattern covers itself and, with stars at its end, everything that starts like it. */
export function pathMatches(pattern: string, path: string): boolean {
  if (pattern === path) return true;
  return pattern.endsWith("*") && path.startsWith(withoutStars(pattern));
}

export function hasOrAll(items: readonly string[], wanted: string): boolean {
  return items.includes("*") || items.includes(wanted);
}

/** Reads the rules of a Role or ClusterRole. */
export function rulesOf(role: JsonObject): readonly PolicyRule[] {
  return objectsAt(role, "rules").map(ruleOf);
}

export function roleRefOf(binding: JsonObject): RoleRef {
  const ref = objectAt(binding, "roleRef");
  return {
    apiGroup: textAt(ref, "apiGroup"),
    kind: textAt(ref, "kind"),
    name: textAt(ref, "name"),
  };
}

export function subjectsOf(binding: JsonObject): readonly Subject[] {
  return objectsAt(binding, "subjects").map((subject) => ({
    kind: textAt(subject, "kind"),
    name: textAt(subject, "name"),
    namespace: textAt(subject, "namespace"),
  }));
}

function ruleOf(rule: JsonObject): PolicyRule {
  const apiGroups = textsAt(rule, "apiGroups");
  const resources = textsAt(rule, "resources");
  const resourceNames = textsAt(rule, "resourceNames");
  const nonResourceURLs = textsAt(rule, "nonResourceURLs");
  return {
    verbs: textsAt(rule, "verbs"),
    ...(apiGroups.length === 0 ? {} : { apiGroups }),
    ...(resources.length === 0 ? {} : { resources }),
    ...(resourceNames.length === 0 ? {} : { resourceNames }),
    ...(nonResourceURLs.length === 0 ? {} : { nonResourceURLs }),
  };
}

/** Takes all stars off the end; a loop, since a pattern of stars only would slow a regex down. */
export function withoutStars(pattern: string): string {
  let end = pattern.length;
  while (end > 0 && pattern.charAt(end - 1) === "*") end--;
  return pattern.slice(0, end);
}
