// Whose share of the server a request uses. The tenant is the namespace of the request (of the
// Resource Manager: the subscription) if the caller has a role in that namespace: otherwise any
// caller could use up the share of another tenant. Other requests count for the caller: a service
// account belongs to its namespace, because a namespace can have any number of them. All callers
// without any role are one tenant, and its share is small (admit.ts).

import type { RoleHolders } from "../../intents/auth/role-holders.ts";
import { namespaceTenant, userTenant } from "../../intents/auth/tenant-name.ts";
import { parseServiceAccountUserName } from "../../intents/auth/user.ts";
import type { UserInfo } from "../../intents/auth/user.ts";

export const noRoleTenant = "callers without a role";

/** `namespace` is empty for a request about the cluster. */
export function tenantOf(roles: RoleHolders, user: UserInfo, namespace: string): string {
  if (namespace !== "" && roles.holdsRoleIn(user, namespace)) return namespaceTenant(namespace);
  if (!roles.holdsAnyRole(user)) return noRoleTenant;
  const account = parseServiceAccountUserName(user.name);
  return account === undefined ? userTenant(user.name) : namespaceTenant(account.namespace);
}

/** The tenant of a request in progress; a request that is exempt from admission has its own. */
export function tenantOfRequest({ tenant, user }: TenantRequest): string {
  return tenant === "" ? userTenant(user.name) : tenant;
}

interface TenantRequest {
  readonly tenant: string;
  readonly user: UserInfo;
}
