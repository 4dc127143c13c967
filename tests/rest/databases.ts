// What the tests of the REST surface look at: a reconciled kind with a secret field and columns,
// in the namespaces "team" (which has the samples of the Kubernetes tests) and "other".
import assert from "node:assert/strict";
import { created } from "../kube/samples.ts";
import { pick } from "../kube/server.ts";
import type { KubeServer, Reply, RequestHeaders } from "../kube/server.ts";

export const group = "rest.tests.dev";
export const kindId = `databases.${group}`;

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const text = { type: "string" };
const anything = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

const definition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: kindId, annotations: { "setpoint.dev/reconciled": "true" } },
  spec: {
    group,
    scope: "Namespaced",
    names: { plural: "databases", singular: "database", kind: "Database" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: { status: {} },
        additionalPrinterColumns: [
          { name: "Size", type: "integer", jsonPath: ".spec.size" },
          { name: "Password", type: "string", jsonPath: ".spec.password" },
        ],
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: {
                type: "object",
                properties: {
                  size: { type: "integer", minimum: 1, maximum: 100 },
                  engine: { ...text, "x-setpoint-field-rule": "create-only" },
                  password: { ...text, "x-setpoint-field-rule": "secret" },
                },
              },
              status: anything,
            },
          },
        },
      },
    ],
  },
};

export async function createDatabases(server: KubeServer): Promise<void> {
  await created(server.request("POST", definitions, definition));
  const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "other" } };
  await created(server.request("POST", "/api/v1/namespaces", namespace));
}

export function databasePath(name = "", namespace = "team"): string {
  const place = `/apis/${group}/v1/namespaces/${namespace}/databases`;
  return name === "" ? place : `${place}/${name}`;
}

export async function makeDatabase(
  server: KubeServer,
  name: string,
  spec: object,
  namespace = "team",
): Promise<number> {
  const document = { apiVersion: `${group}/v1`, kind: "Database", metadata: { name }, spec };
  const reply = await server.request("POST", databasePath("", namespace), document);
  assert.equal(reply.status, 201, reply.text);
  return revisionOf(reply);
}

export async function patchDatabase(
  server: KubeServer,
  name: string,
  patch: object,
  { namespace = "team", part = "" } = {},
): Promise<number> {
  const path = `${databasePath(name, namespace)}${part}`;
  const reply = await server.request("PATCH", path, patch);
  assert.equal(reply.status, 200, reply.text);
  return revisionOf(reply);
}

/** As an engine would report it. */
export async function report(
  server: KubeServer,
  name: string,
  condition: { readonly status: string; readonly reason: string; readonly message?: string },
  namespace = "team",
): Promise<number> {
  const lastTransitionTime = "2026-01-01T00:00:00Z";
  const ready = { type: "Ready", message: "", lastTransitionTime, ...condition };
  const patch = { status: { conditions: [ready] } };
  return await patchDatabase(server, name, patch, { namespace, part: "/status" });
}

export function revisionOf({ json }: Reply): number {
  return Number(pick(json, "metadata.resourceVersion"));
}

export const as = (user: string): RequestHeaders => ({ "impersonate-user": user });

/** Lets a user do something with databases in one namespace. */
export async function allow(
  server: KubeServer,
  user: string,
  namespace: string,
  verbs: readonly string[],
): Promise<void> {
  const rbac = "rbac.authorization.k8s.io";
  const path = `/apis/${rbac}/v1/namespaces/${namespace}`;
  const metadata = { name: user };
  const rules = [{ apiGroups: [group], resources: ["databases"], verbs }];
  await created(
    server.request("POST", `${path}/roles`, {
      apiVersion: `${rbac}/v1`,
      kind: "Role",
      metadata,
      rules,
    }),
  );
  await created(
    server.request("POST", `${path}/rolebindings`, {
      apiVersion: `${rbac}/v1`,
      kind: "RoleBinding",
      metadata,
      roleRef: { apiGroup: rbac, kind: "Role", name: user },
      subjects: [{ apiGroup: rbac, kind: "User", name: user }],
    }),
  );
}
