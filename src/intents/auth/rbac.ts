// Who may do what, from Roles, ClusterRoles and their bindings. The index changes object by object
// as they are written, and a decision looks only at the bindings of the user and of its groups, so
// its cost does not grow with the number of users, namespaces or roles. Access is only ever
// granted: what no rule allows is refused. Members of system:masters may do everything, so that no
// mistake in a role can lock everybody out.

import type { JsonObject } from "../../kernel/json.ts";
import { objectAt, textAt } from "../../kernel/json-read.ts";
import { bindingsFor, enlist, namespacesBinding, newBinding } from "./binding-index.ts";
import { reasonOf, scopeNames, unlist } from "./binding-index.ts";
import type { Binding, Grant, Scopes } from "./binding-index.ts";
import { rbacGroup, roleRefOf, rulesOf } from "./policy.ts";
import type { Access, Authorizer, Decision, PolicyRule, RoleRef } from "./policy.ts";
import { aggregateRules, clusterRoleOf } from "./role-aggregation.ts";
import type { ClusterRole } from "./role-aggregation.ts";
import { roleHolders } from "./role-holders.ts";
import type { Readers, RoleHolders } from "./role-holders.ts";
import { compiledAllows, createRoleSlots } from "./role-slot.ts";
import { mastersGroup } from "./user.ts";
import type { UserInfo } from "./user.ts";

export type RbacKind = "Role" | "ClusterRole" | "RoleBinding" | "ClusterRoleBinding";

export interface RbacName {
  readonly kind: RbacKind;
  /** Empty for cluster-wide kinds. */
  readonly namespace: string;
  readonly name: string;
}

export interface RulesFound {
  readonly rules: readonly PolicyRule[];
  /** Roles that bindings name but that do not exist; the rules are complete without them. */
  readonly missing: readonly RoleRef[];
}

export interface Rbac extends Authorizer, RoleHolders, Readers {
  /** Adds an object, or replaces the one with its kind, namespace and name. */
  put(kind: RbacKind, object: JsonObject): void;
  remove(name: RbacName): void;
  rulesFor(user: UserInfo, namespace: string): RulesFound;
  /** Namespaces with a RoleBinding that names the user or one of its groups. */
  namespacesOf(user: UserInfo): readonly string[];
  /** The rules of a role as they count, aggregation included; undefined when there is no such. */
  rulesOfRole(ref: RoleRef, namespace: string): readonly PolicyRule[] | undefined;
}

const everything: Decision = { allowed: true, reason: "" };
const nothing: Decision = { allowed: false, reason: "" };

export function createRbac(): Rbac {
  const slots = createRoleSlots();
  const bindings = new Map<string, Binding>();
  const clusterRoles = new Map<string, ClusterRole>();
  const scopes: Scopes = new Map();
  const holders = roleHolders(scopes);
  let isAggregationStale = false;

  const dropBinding = (key: string): void => {
    const binding = bindings.get(key);
    if (binding === undefined) return;
    bindings.delete(key);
    unlist(scopes, binding);
    holders.remove(binding);
    slots.release(binding.slot, binding.namespace);
  };
  /** Done at the next question and not at each write: many roles are written at once. */
  const fresh = (): Scopes => {
    if (!isAggregationStale) return scopes;
    isAggregationStale = false;
    for (const [name, rules] of aggregateRules(clusterRoles)) {
      slots.set(clusterRoleRef(name), "", rules);
    }
    return scopes;
  };

  return {
    put: (kind, object) => {
      const metadata = objectAt(object, "metadata");
      const [name, namespace] = [textAt(metadata, "name"), textAt(metadata, "namespace")];
      if (kind === "ClusterRole") {
        const role = clusterRoleOf(object);
        clusterRoles.set(name, role);
        isAggregationStale = true;
        slots.set(clusterRoleRef(name), "", role.selectors === undefined ? role.rules : []);
      } else if (kind === "Role") slots.set(roleRef(name), namespace, rulesOf(object));
      else {
        const scope = kind === "ClusterRoleBinding" ? "" : namespace;
        const key = objectKey(kind, scope, name);
        dropBinding(key);
        const slot = slots.use(roleRefOf(object), scope);
        const binding = newBinding({ key, kind, name, namespace: scope, object, slot });
        bindings.set(key, binding);
        enlist(scopes, binding);
        holders.add(binding);
      }
    },
    remove: ({ kind, namespace, name }) => {
      if (kind === "ClusterRole") {
        clusterRoles.delete(name);
        isAggregationStale = true;
        slots.drop(clusterRoleRef(name), "");
      } else if (kind === "Role") slots.drop(roleRef(name), namespace);
      else dropBinding(objectKey(kind, kind === "RoleBinding" ? namespace : "", name));
    },
    authorize: (user, access) =>
      user.groups.includes(mastersGroup) ? everything : decide(fresh(), user, access),
    holdsRoleIn: holders.holdsRoleIn,
    holdsAnyRole: holders.holdsAnyRole,
    mayGetAny: (user) => user.groups.includes(mastersGroup) || getsAny(fresh(), user),
    rulesFor: (user, namespace) => collectRules(bindingsFor(fresh(), user, namespace)),
    namespacesOf: (user) => namespacesBinding(scopes, user),
    rulesOfRole: (ref, namespace) => {
      fresh();
      return slots.rules(ref, namespace);
    },
  };
}

function decide(scopes: Scopes, user: UserInfo, access: Access): Decision {
  const isResource = access.kind === "resource";
  const namespace = isResource ? access.namespace : "";
  let combined = "";
  if (isResource) {
    const { resource, subresource } = access;
    combined = subresource === "" ? resource : `${resource}/${subresource}`;
  }
  let missing: RoleRef[] | undefined;
  const grantedBy = (grants: readonly Grant[] | undefined): Grant | undefined => {
    if (grants === undefined) return undefined;
    for (const grant of grants) {
      const { slot } = grant.binding;
      if (compiledAllows(slot.compiled, access, combined)) return grant;
      if (slot.rules === undefined) (missing ??= []).push(slot.ref);
    }
    return undefined;
  };
  for (const name of scopeNames(namespace)) {
    const scope = scopes.get(name);
    if (scope === undefined) continue;
    let grant = grantedBy(scope.users.get(user.name));
    for (let i = 0; grant === undefined && i < user.groups.length; i++) {
      grant = grantedBy(scope.groups.get(user.groups[i] ?? ""));
    }
    if (grant !== undefined) return { allowed: true, reason: reasonOf(grant, user) };
  }
  if (missing === undefined) return nothing;
  return { allowed: false, reason: `RBAC: ${missingRolesText(missing)}` };
}

/** Names of resources and namespaces do not matter here. */
function getsAny(scopes: Scopes, { name, groups }: UserInfo): boolean {
  const isGet = ({ verbs, resources = [] }: PolicyRule): boolean =>
    resources.length > 0 && (verbs.includes("get") || verbs.includes("*"));
  const allow = (grants: readonly Grant[] | undefined): boolean =>
    grants?.some(({ binding }) => binding.slot.rules?.some(isGet) === true) === true;
  for (const scope of scopes.values()) {
    if (allow(scope.users.get(name))) return true;
    if (groups.some((group) => allow(scope.groups.get(group)))) return true;
  }
  return false;
}

function collectRules(bindings: readonly Binding[]): RulesFound {
  const slots = bindings.map(({ slot }) => slot);
  const missing = new Set(slots.filter(({ rules }) => rules === undefined));
  return {
    rules: slots.flatMap(({ rules }) => rules ?? []),
    missing: [...missing].map(({ ref }) => ref),
  };
}

function objectKey(kind: RbacKind, namespace: string, name: string): string {
  return `${kind}/${namespace}/${name}`;
}

function clusterRoleRef(name: string): RoleRef {
  return { apiGroup: rbacGroup, kind: "ClusterRole", name };
}

function roleRef(name: string): RoleRef {
  return { apiGroup: rbacGroup, kind: "Role", name };
}

/** One error per role, in brackets when there are several, as Kubernetes prints them. */
export function missingRolesText(refs: readonly RoleRef[]): string {
  const errors = [...new Set(refs.map(missingRole))];
  return errors.length === 1 ? errors.join("") : `[${errors.join(", ")}]`;
}

function missingRole({ kind, name }: RoleRef): string {
  if (kind !== "Role" && kind !== "ClusterRole") {
    return `unsupported role reference kind: ${JSON.stringify(kind)}`;
  }
  return `${kind.toLowerCase()}.${rbacGroup} ${JSON.stringify(name)} not found`;
}
