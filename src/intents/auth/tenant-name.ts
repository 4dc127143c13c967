// The names of tenants, whose share of the server a request uses: see surfaces/http/tenant.ts.

export function namespaceTenant(namespace: string): string {
  return `namespace ${namespace}`;
}

export function userTenant(user: string): string {
  return `user ${user}`;
}
