// A resource that names a ServiceAccount makes the server act with its rights. So a user may name
// only a ServiceAccount on which the user has the verb `use` or `impersonate`, or whose rights the
// user has in all namespaces.

import type { Authorizer } from "./policy.ts";
import type { Rbac } from "./rbac.ts";
import { atOnce } from "../../kernel/sliced.ts";
import { limits } from "../../kernel/limits.ts";
import { missingRights } from "./rule-cover.ts";
import { mastersGroup, serviceAccountGroups, serviceAccountUserName } from "./user.ts";
import type { ServiceAccountName, UserInfo } from "./user.ts";
import { authenticatedGroup } from "./user.ts";

export interface AccountUse {
  readonly authorizer: Authorizer;
  readonly rights: Pick<Rbac, "rulesFor" | "namespacesOf">;
}

/** The user that a ServiceAccount acts as. */
export function serviceAccountUser({ namespace, name }: ServiceAccountName): UserInfo {
  return {
    name: serviceAccountUserName(namespace, name),
    groups: [...serviceAccountGroups(namespace), authenticatedGroup],
    extra: {},
  };
}

/** Why the user may not act as the ServiceAccount; undefined when the user may. */
export function accountUseProblem(
  { authorizer, rights }: AccountUse,
  user: UserInfo,
  account: ServiceAccountName,
): string | undefined {
  if (user.groups.includes(mastersGroup)) return undefined;
  const { namespace, name } = account;
  const access = { kind: "resource", group: "", resource: "serviceaccounts" } as const;
  // A user who may impersonate the ServiceAccount can send its requests already.
  const isAllowed = ["use", "impersonate"].some(
    (verb) =>
      authorizer.authorize(user, { ...access, verb, subresource: "", namespace, name }).allowed,
  );
  if (isAllowed) return undefined;
  // Its own name counts, so that a ServiceAccount may name itself.
  if (user.name === serviceAccountUserName(namespace, name)) return undefined;
  const first = firstMissing(rights, user, account);
  if (first === undefined) return undefined;
  return (
    `User ${JSON.stringify(user.name)} may not act as the ServiceAccount ` +
    `${JSON.stringify(name)}: ` +
    `it needs the verb "use" on the ServiceAccount, or all its rights; missing: ${first}`
  );
}

/** In all namespaces: what acts as the account can reach those where the account has a role. */
function firstMissing(
  rights: AccountUse["rights"],
  user: UserInfo,
  account: ServiceAccountName,
): string | undefined {
  const holder = serviceAccountUser(account);
  // What a group of the user gives, the user has as well.
  const groups = holder.groups.filter((group) => !user.groups.includes(group));
  const others = rights.namespacesOf({ ...holder, groups });
  const steps = { left: limits.maxRuleSteps };
  for (const namespace of new Set([account.namespace, ...others])) {
    const wanted = rights.rulesFor(holder, namespace).rules;
    const held = rights.rulesFor(user, namespace).rules;
    const { missing, isComplete } = atOnce(missingRights(held, wanted, steps));
    const [first = "more rights than can be compared"] = missing;
    if (missing.length === 0 && isComplete) continue;
    return namespace === account.namespace ? first : `${first} in the namespace ${namespace}`;
  }
  return undefined;
}
