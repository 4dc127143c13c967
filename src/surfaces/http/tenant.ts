// Whose share of the server a request uses. The tenant is the namespace of the request (of the
// Resource Manager: the subscription) if the caller has a role in that namespace: otherwise any
// caller could use up the share of another tenant. Other requests count for the caller: a service
// account belongs to its namespace, because a namespace can have any number of them. All callers
// without any role are one tenant, and its share is small (admit.ts). A request that needs no
// credentials counts for its address, with the same small share: nothing else is known of it.
// Anyone can have many addresses, so all addresses together have a bound as well (admit.ts).

import type { RoleHolders } from "../../intents/auth/role-holders.ts";
import { namespaceTenant, userTenant } from "../../intents/auth/tenant-name.ts";
import { parseServiceAccountUserName } from "../../intents/auth/user.ts";
import type { UserInfo } from "../../intents/auth/user.ts";

export const noRoleTenant = "callers without a role";

const addressPrefix = "callers at ";

/** Of a request without credentials. A network of IPv6 has one tenant, because it has one owner. */
export function addressTenant(address: string): string {
  const text = address.replace(/^::ffff:(?=[\d.]+$)/, "");
  return addressPrefix + (text.includes(":") ? networkOf(text) : text);
}

/** The first 64 bits; "::" stands for as many zeros as are missing. */
function networkOf(address: string): string {
  const [before = "", after] = address.split("%", 1).join("").split("::");
  const [head, tail] = [before, after ?? ""].map((part) => part.split(":").filter(Boolean));
  const missing = after === undefined ? 0 : 8 - (head?.length ?? 0) - (tail?.length ?? 0);
  const groups = [...(head ?? []), ...Array.from({ length: missing }, () => "0"), ...(tail ?? [])];
  return `${groups.slice(0, 4).join(":")}::/64`;
}

export function isAddressTenant(tenant: string): boolean {
  return tenant.startsWith(addressPrefix);
}

export function hasSmallShare(tenant: string): boolean {
  return tenant === noRoleTenant || isAddressTenant(tenant);
}

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
