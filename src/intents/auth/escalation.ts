// Nobody can give away more than they have. Writing a role needs every right in it, or the verb
// `escalate` on the role; writing a binding needs every right of the role it names, or the verb
// `bind` on that role. Without this, whoever may write roles could make themselves administrator.

import { equalJson } from "../../kernel/json.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { objectAt, objectsAt, textAt } from "../../kernel/json-read.ts";
import { SetpointError } from "../../kernel/errors.ts";
import type { Sliced } from "../../kernel/sliced.ts";
import { forbidden } from "./forbidden.ts";
import { rbacGroup, roleRefOf, rulesOf } from "./policy.ts";
import type { PolicyRule, RoleRef } from "./policy.ts";
import type { Rbac } from "./rbac.ts";
import { missingRights, quotedList } from "./rule-cover.ts";
import { mastersGroup } from "./user.ts";
import type { UserInfo } from "./user.ts";

export interface RbacWrite {
  readonly user: UserInfo;
  readonly rbac: Rbac;
  readonly kind: "Role" | "ClusterRole" | "RoleBinding" | "ClusterRoleBinding";
  readonly object: JsonObject;
  /** What is stored now; absent when the write creates. */
  readonly old: JsonObject | undefined;
}

/**
 * Throws request.forbidden when the write would give away rights that the user does not have. The
 * rules of the user are those of the beginning, also if roles change meanwhile.
 */
export function* checkEscalation(write: RbacWrite): Sliced<void> {
  if (write.user.groups.includes(mastersGroup)) return;
  if (isOnlyForCollection(write.object, write.old)) return;
  if (write.kind === "Role" || write.kind === "ClusterRole") yield* checkRole(write);
  else yield* checkBinding(write);
}

const fullAuthority: readonly PolicyRule[] = [
  { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
  { verbs: ["*"], nonResourceURLs: ["*"] },
];

function* checkRole(write: RbacWrite): Sliced<void> {
  const { user, rbac, kind, object, old } = write;
  const { name, namespace } = nameOf(object);
  const resource = resources[kind];
  // A create has no name in its path, so only a grant for all names lets it escalate.
  const asked = { group: rbacGroup, resource, subresource: "", namespace };
  const escalate = { kind: "resource", verb: "escalate", ...asked } as const;
  if (rbac.authorize(user, { ...escalate, name: old === undefined ? "" : name }).allowed) return;
  const target = { group: rbacGroup, resource, name };
  const problem = yield* grantProblem(write, namespace, rulesOf(object));
  if (problem !== undefined) throw forbidden(target, problem);
  if (!hasAggregation(object) && !hasAggregation(old)) return;
  if ((yield* grantProblem(write, "", fullAuthority)) === undefined) return;
  throw forbidden(target, "must have cluster-admin privileges to use the aggregationRule");
}

function* checkBinding(write: RbacWrite): Sliced<void> {
  const { user, rbac, kind, object } = write;
  const { name, namespace } = nameOf(object);
  const ref = roleRefOf(object);
  if (mayBind(user, rbac, ref, namespace)) return;
  const rules = rbac.rulesOfRole(ref, namespace);
  if (rules === undefined) throw noSuchRole(kind, ref);
  const problem = yield* grantProblem(write, namespace, rules);
  if (problem === undefined) return;
  throw forbidden({ group: rbacGroup, resource: resources[kind], name }, problem);
}

function mayBind(user: UserInfo, rbac: Rbac, ref: RoleRef, namespace: string): boolean {
  if (ref.kind !== "Role" && ref.kind !== "ClusterRole") return false;
  const resource = resources[ref.kind];
  const target = { group: ref.apiGroup, resource, subresource: "", namespace, name: ref.name };
  return rbac.authorize(user, { kind: "resource", verb: "bind", ...target }).allowed;
}

function* grantProblem(
  { user, rbac, kind }: RbacWrite,
  namespace: string,
  rules: readonly PolicyRule[],
): Sliced<string | undefined> {
  const held = rbac.rulesFor(user, namespace);
  const { missing, isComplete } = yield* missingRights(held.rules, rules);
  if (missing.length === 0 && isComplete) return undefined;
  const who = `user ${JSON.stringify(user.name)} (groups=${quotedList(user.groups)})`;
  const what = missing.length === 0 ? tooMany : notHeld(missing, isComplete);
  const unresolved =
    held.missing.length === 0
      ? ""
      : `; resolution errors: [${errorText(held.missing.map((ref) => notFoundText(kind, ref)))}]`;
  return `${who} ${what}${unresolved}`;
}

const tooMany =
  "is attempting to grant too many RBAC permissions to compare them with those currently held; " +
  "use rules with fewer verbs, resources and names, or several roles";

function notHeld(missing: readonly string[], isComplete: boolean): string {
  const lines = isComplete ? missing : [...missing, "and possibly more"];
  return `is attempting to grant RBAC permissions not currently held:\n${lines.join("\n")}`;
}

function errorText(errors: readonly string[]): string {
  return errors.length === 1 ? errors.join("") : `[${errors.join(", ")}]`;
}

function noSuchRole(kind: RbacWrite["kind"], ref: RoleRef): SetpointError {
  const details = { group: rbacGroup, resource: resources[kind], name: ref.name };
  return new SetpointError("resource.not_found", notFoundText(kind, ref), { details });
}

/** Kubernetes names the resource of the request here, and not that of the missing role. */
function notFoundText(kind: RbacWrite["kind"], { name }: RoleRef): string {
  return `${resources[kind]}.${rbacGroup} ${JSON.stringify(name)} not found`;
}

const resources = {
  Role: "roles",
  ClusterRole: "clusterroles",
  RoleBinding: "rolebindings",
  ClusterRoleBinding: "clusterrolebindings",
} as const;

function nameOf(object: JsonObject): { readonly name: string; readonly namespace: string } {
  const metadata = objectAt(object, "metadata");
  return { name: textAt(metadata, "name"), namespace: textAt(metadata, "namespace") };
}

function hasAggregation(object: JsonObject | undefined): boolean {
  if (object === undefined) return false;
  return objectsAt(objectAt(object, "aggregationRule"), "clusterRoleSelectors").length > 0;
}

/** Whoever removes a finalizer or an owner grants nothing. */
function isOnlyForCollection(object: JsonObject, old: JsonObject | undefined): boolean {
  return old !== undefined && equalJson(withoutCare(object), withoutCare(old));
}

function withoutCare(object: JsonObject): JsonObject {
  const left = Object.entries(objectAt(object, "metadata")).filter(([key]) => !careFields.has(key));
  return { ...object, metadata: Object.fromEntries(left) };
}

const careFields = new Set(["ownerReferences", "finalizers", "managedFields", "selfLink"]);
