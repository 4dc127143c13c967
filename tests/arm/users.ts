// Users of a test with roles in the namespace of the subscription, who ask as service accounts.
import assert from "node:assert/strict";
import { pick, pickText } from "../kube/server.ts";
import type { RequestHeaders } from "../kube/server.ts";
import { waitUntil } from "../peers/wait.ts";
import { subscription } from "./arm-server.ts";
import type { ArmServer } from "./arm-server.ts";

/** To poll. */
export const operations = {
  apiGroups: ["arm.setpoint.dev"],
  resources: ["operations"],
  verbs: ["get", "list"],
};

/** The headers of one that may do nothing yet. */
export async function newUser(server: ArmServer, name: string): Promise<RequestHeaders> {
  const accounts = "/api/v1/namespaces/default/serviceaccounts";
  const account = { apiVersion: "v1", kind: "ServiceAccount", metadata: { name } };
  const made = await server.request("POST", accounts, account);
  assert.equal(made.status, 201, made.text);
  const asked = await server.request("POST", `${accounts}/${name}/token`, {
    apiVersion: "authentication.k8s.io/v1",
    kind: "TokenRequest",
    spec: { expirationSeconds: 3_600 },
  });
  return { authorization: `Bearer ${pickText(asked.json, "status.token")}` };
}

/** Gives the user of that name a role, which counts when it returns. */
export async function giveRole(
  server: ArmServer,
  name: string,
  rules: readonly object[],
  id = subscription,
): Promise<void> {
  const rbac = `/apis/rbac.authorization.k8s.io/v1/namespaces/sub-${id}`;
  await server.request("POST", `${rbac}/roles`, { metadata: { name }, rules });
  await server.request("POST", `${rbac}/rolebindings`, {
    metadata: { name },
    subjects: [{ kind: "ServiceAccount", name, namespace: "default" }],
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name },
  });
  await waitUntil(`the role of ${name}`, () => holds(server, name, rules, id), {
    limitMs: 120_000,
  });
}

export async function userWith(
  server: ArmServer,
  name: string,
  rules: readonly object[],
  id = subscription,
): Promise<RequestHeaders> {
  const headers = await newUser(server, name);
  await giveRole(server, name, rules, id);
  return headers;
}

/** One who may poll, and what the rules say besides. */
export function userOf(
  server: ArmServer,
  name: string,
  rules: readonly object[],
  id = subscription,
): Promise<RequestHeaders> {
  return userWith(server, name, [operations, ...rules], id);
}

async function holds(
  server: ArmServer,
  name: string,
  rules: readonly object[],
  id: string,
): Promise<boolean> {
  const first = rules[0] as { readonly [key: string]: readonly string[] };
  const [resource = "", subresource = ""] = (first["resources"]?.[0] ?? "").split("/");
  const review = await server.request(
    "POST",
    "/apis/authorization.k8s.io/v1/subjectaccessreviews",
    {
      apiVersion: "authorization.k8s.io/v1",
      kind: "SubjectAccessReview",
      spec: {
        user: `system:serviceaccount:default:${name}`,
        resourceAttributes: {
          namespace: `sub-${id}`,
          group: first["apiGroups"]?.[0],
          resource,
          subresource,
          verb: first["verbs"]?.[0],
        },
      },
    },
  );
  return pick(review.json, "status.allowed") === true;
}
