// A resource that names a ServiceAccount makes the server act with its rights. So a user may name
// only a ServiceAccount on which the user has the verb `use`, or whose rights the user has.

import type { Authorizer } from "./policy.ts";
import type { Rbac } from "./rbac.ts";
import { atOnce } from "../../kernel/sliced.ts";
import { missingRights } from "./rule-cover.ts";
import { mastersGroup, serviceAccountGroups, serviceAccountUserName } from "./user.ts";
import type { ServiceAccountName, UserInfo } from "./user.ts";
import { authenticatedGroup } from "./user.ts";

export interface AccountUse {
  readonly authorizer: Authorizer;
  readonly rights: Pick<Rbac, "rulesFor">;
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
  const access = { kind: "resource", verb: "use", group: "", resource: "serviceaccounts" } as const;
  const use = { ...access, subresource: "", namespace, name };
  if (authorizer.authorize(user, use).allowed) return undefined;
  // Its own name counts, so that a ServiceAccount may name itself.
  if (user.name === serviceAccountUserName(namespace, name)) return undefined;
  const wanted = rights.rulesFor(serviceAccountUser(account), namespace).rules;
  const held = rights.rulesFor(user, namespace).rules;
  const { missing, isComplete } = atOnce(missingRights(held, wanted));
  if (missing.length === 0 && isComplete) return undefined;
  const [first = "more rights than can be compared"] = missing;
  return (
    `User ${JSON.stringify(user.name)} may not act as the ServiceAccount ` +
    `${JSON.stringify(name)}: ` +
    `it needs the verb "use" on the ServiceAccount, or all its rights; missing: ${first}`
  );
}
