// The verb `approve` on plans: whether a user may approve changes of Environments.

import type { Authorizer } from "../../../intents/auth/policy.ts";
import type { UserInfo } from "../../../intents/auth/user.ts";
import { environmentsGroup } from "../names.ts";

/** An empty name: every Plan of the namespace. */
export function mayApprove(
  authorizer: Authorizer,
  user: UserInfo,
  { namespace, name = "" }: { readonly namespace: string; readonly name?: string },
): boolean {
  const plans = { group: environmentsGroup, resource: "plans", subresource: "" };
  const access = { kind: "resource", verb: "approve", ...plans, namespace, name } as const;
  return authorizer.authorize(user, access).allowed;
}
