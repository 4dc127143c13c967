// A namespace that is given from one tenant to the next, and what each of them has in it.
import assert from "node:assert/strict";
import { waitUntil } from "../peers/wait.ts";
import { revisionOf } from "../rest/databases.ts";
import { created } from "./samples.ts";
import type { KubeServer } from "./server.ts";

const rbac = "rbac.authorization.k8s.io";

export async function createNamespace(server: KubeServer): Promise<void> {
  const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "tenant" } };
  await created(server.request("POST", "/api/v1/namespaces", namespace));
}

export async function createSecret(server: KubeServer, text: string): Promise<number> {
  const stringData = { key: text };
  const document = { apiVersion: "v1", kind: "Secret", metadata: { name: "key" }, stringData };
  const reply = await server.request("POST", "/api/v1/namespaces/tenant/secrets", document);
  assert.equal(reply.status, 201, reply.text);
  return revisionOf(reply);
}

export async function bindAdmin(server: KubeServer, user: string): Promise<void> {
  await created(
    server.request("POST", `/apis/${rbac}/v1/namespaces/tenant/rolebindings`, {
      apiVersion: `${rbac}/v1`,
      kind: "RoleBinding",
      metadata: { name: user },
      roleRef: { apiGroup: rbac, kind: "ClusterRole", name: "admin" },
      subjects: [{ apiGroup: rbac, kind: "User", name: user }],
    }),
  );
}

export async function removed(server: KubeServer, path: string): Promise<void> {
  await server.request("DELETE", path);
  await waitUntil(`${path} is deleted`, async () => {
    return (await server.request("GET", path)).status === 404;
  });
}
