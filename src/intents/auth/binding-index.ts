// Bindings found by whom they bind: a decision asks for the grants of one user name and of each
// group, cluster-wide and in one namespace, and never looks at anybody else's. The reason that a
// grant gives is written when the binding is, because decisions are far more frequent.

import type { JsonObject } from "../../kernel/json.ts";
import { subjectsOf } from "./policy.ts";
import type { Subject } from "./policy.ts";
import type { RoleSlot } from "./role-slot.ts";
import { serviceAccountUserName } from "./user.ts";
import type { UserInfo } from "./user.ts";

export interface Binding {
  readonly key: string;
  readonly namespace: string;
  readonly subjects: readonly Subject[];
  readonly slot: RoleSlot;
  /** By subject. */
  readonly reasons: readonly string[];
}

/** One subject of a binding. */
export interface Grant {
  readonly binding: Binding;
  readonly index: number;
}

export interface Scope {
  readonly users: Map<string, Grant[]>;
  readonly groups: Map<string, Grant[]>;
}

/** By namespace; "" holds the cluster-wide bindings. */
export type Scopes = Map<string, Scope>;

/** All bindings of a user, cluster-wide ones first, each group by name. */
export function bindingsFor(scopes: Scopes, user: UserInfo, namespace: string): readonly Binding[] {
  return scopeNames(namespace).flatMap((name) => {
    const scope = scopes.get(name);
    if (scope === undefined) return [];
    const grants = [
      ...(scope.users.get(user.name) ?? []),
      ...user.groups.flatMap((group) => scope.groups.get(group) ?? []),
    ];
    const found = new Set(grants.map(({ binding }) => binding));
    return [...found].toSorted((a, b) => (a.key < b.key ? -1 : 1));
  });
}

/** Namespaces with a binding that names the user or one of its groups. */
export function namespacesBinding(scopes: Scopes, { name, groups }: UserInfo): readonly string[] {
  return [...scopes].flatMap(([namespace, scope]) => {
    if (namespace === "") return [];
    const isBound = scope.users.has(name) || groups.some((group) => scope.groups.has(group));
    return isBound ? [namespace] : [];
  });
}

/** A request without a namespace is not looked up in any. */
export function scopeNames(namespace: string): readonly string[] {
  return namespace === "" ? clusterWide : ["", namespace];
}

const clusterWide: readonly string[] = [""];

/** Of several subjects that mean this user, the first of the binding is named. */
export function reasonOf({ binding, index }: Grant, user: UserInfo): string {
  const { subjects, namespace, reasons } = binding;
  for (let i = 0; i < index; i++) {
    const subject = subjects[i];
    if (subject !== undefined && applies(subject, user, namespace)) return reasons[i] ?? "";
  }
  return reasons[index] ?? "";
}

function applies(subject: Subject, user: UserInfo, namespace: string): boolean {
  if (subject.kind === "Group") return user.groups.includes(subject.name);
  return userNameOf(subject, namespace) === user.name;
}

export function newBinding(parts: {
  readonly key: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace: string;
  readonly object: JsonObject;
  readonly slot: RoleSlot;
}): Binding {
  const { key, kind, name, namespace, object, slot } = parts;
  const subjects = subjectsOf(object);
  const own = JSON.stringify(namespace === "" ? name : `${name}/${namespace}`);
  const role = `${slot.ref.kind} ${JSON.stringify(slot.ref.name)}`;
  const reasons = subjects.map(
    (subject) =>
      `RBAC: allowed by ${kind} ${own} of ${role} to ${describeSubject(subject, namespace)}`,
  );
  return { key, namespace, subjects, slot, reasons };
}

function describeSubject({ kind, name, namespace }: Subject, bindingNamespace: string): string {
  if (kind !== "ServiceAccount") return `${kind} ${JSON.stringify(name)}`;
  return `${kind} ${JSON.stringify(`${name}/${namespace === "" ? bindingNamespace : namespace}`)}`;
}

/** The user whom a subject means; undefined for groups and for subjects that mean nobody. */
export function userNameOf(subject: Subject, bindingNamespace: string): string | undefined {
  if (subject.kind === "User") return subject.name;
  if (subject.kind !== "ServiceAccount") return undefined;
  const namespace = subject.namespace === "" ? bindingNamespace : subject.namespace;
  return namespace === "" ? undefined : serviceAccountUserName(namespace, subject.name);
}

export function enlist(scopes: Scopes, binding: Binding): void {
  const scope = scopes.get(binding.namespace) ?? { users: new Map(), groups: new Map() };
  scopes.set(binding.namespace, scope);
  binding.subjects.forEach((subject, index) => {
    const [map, name] = placeOf(scope, subject, binding.namespace);
    if (name === undefined) return;
    const grants = map.get(name);
    if (grants === undefined) map.set(name, [{ binding, index }]);
    else grants.push({ binding, index });
  });
}

export function unlist(scopes: Scopes, binding: Binding): void {
  const scope = scopes.get(binding.namespace);
  if (scope === undefined) return;
  for (const subject of binding.subjects) {
    const [map, name] = placeOf(scope, subject, binding.namespace);
    if (name === undefined) continue;
    const left = (map.get(name) ?? []).filter((grant) => grant.binding !== binding);
    if (left.length === 0) map.delete(name);
    else map.set(name, left);
  }
  if (scope.users.size + scope.groups.size === 0) scopes.delete(binding.namespace);
}

function placeOf(
  scope: Scope,
  subject: Subject,
  namespace: string,
): readonly [Map<string, Grant[]>, string | undefined] {
  if (subject.kind === "Group") return [scope.groups, subject.name];
  return [scope.users, userNameOf(subject, namespace)];
}
