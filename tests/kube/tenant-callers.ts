// Callers of tests about tenants: the administrator acts as them, so that no test needs tokens.
import type { RequestHeaders } from "./server.ts";
import type { KubeServer } from "./server.ts";
import { created } from "./samples.ts";

/** The headers of a request as this user. */
export function asUser(user: string): RequestHeaders {
  return { "impersonate-user": user };
}

/** A namespace, and users with the role `edit` in it. */
export async function createTenant(
  server: KubeServer,
  namespace: string,
  users: readonly string[],
): Promise<void> {
  const apiGroup = "rbac.authorization.k8s.io";
  await created(server.request("POST", "/api/v1/namespaces", { metadata: { name: namespace } }));
  await created(
    server.request("POST", `/apis/${apiGroup}/v1/namespaces/${namespace}/rolebindings`, {
      metadata: { name: "members" },
      roleRef: { apiGroup, kind: "ClusterRole", name: "edit" },
      subjects: users.map((name) => ({ apiGroup, kind: "User", name })),
    }),
  );
}

/** The value of a gauge without labels. */
export async function gaugeOf(server: KubeServer, name: string): Promise<number> {
  const { text } = await server.request("GET", "/metrics");
  const line = text.split("\n").find((one) => one.startsWith(`${name} `));
  return Number(line?.slice(name.length + 1));
}
