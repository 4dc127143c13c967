// Who holds a role at all, whatever it allows. Roles that every user has, by a binding to a group
// such as system:authenticated, do not count.

import type { Binding, Scopes } from "./binding-index.ts";
import { userNameOf } from "./binding-index.ts";
import { authenticatedGroup, serviceAccountsGroup, unauthenticatedGroup } from "./user.ts";
import type { UserInfo } from "./user.ts";

export interface RoleHolders {
  /** Whether a RoleBinding in the namespace names the user or one of their groups. */
  readonly holdsRoleIn: (user: UserInfo, namespace: string) => boolean;
  /** Whether any binding names the user or one of their groups. */
  readonly holdsAnyRole: (user: UserInfo) => boolean;
}

export interface Readers {
  /** False when no role allows the user to get anything, in any namespace. */
  mayGetAny(user: UserInfo): boolean;
}

export interface CountedHolders extends RoleHolders {
  add(binding: Binding): void;
  remove(binding: Binding): void;
}

const everyGroup: ReadonlySet<string> = new Set([
  authenticatedGroup,
  unauthenticatedGroup,
  serviceAccountsGroup,
]);

export function roleHolders(scopes: Scopes): CountedHolders {
  const users = new Map<string, number>();
  const groups = new Map<string, number>();
  const count = (binding: Binding, by: 1 | -1): void => {
    for (const subject of binding.subjects) {
      const isGroup = subject.kind === "Group";
      const name = isGroup ? subject.name : userNameOf(subject, binding.namespace);
      if (name === undefined) continue;
      const names = isGroup ? groups : users;
      const left = (names.get(name) ?? 0) + by;
      if (left === 0) names.delete(name);
      else names.set(name, left);
    }
  };
  return {
    add: (binding) => count(binding, 1),
    remove: (binding) => count(binding, -1),
    holdsRoleIn: (user, namespace) => {
      const scope = scopes.get(namespace);
      return scope !== undefined && holds(user, scope.users, scope.groups);
    },
    holdsAnyRole: (user) => holds(user, users, groups),
  };
}

function holds(
  { name, groups }: UserInfo,
  users: ReadonlyMap<string, unknown>,
  boundGroups: ReadonlyMap<string, unknown>,
): boolean {
  if (users.has(name)) return true;
  return groups.some((group) => !everyGroup.has(group) && boundGroups.has(group));
}
