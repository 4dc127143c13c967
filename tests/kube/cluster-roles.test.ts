// Aggregated ClusterRoles show the rules that they gather, as those of Kubernetes do once its
// controller has been by.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { waitUntil } from "../peers/wait.ts";
import { pick, pickList, startKubeServer } from "./server.ts";
import type { KubeServer } from "./server.ts";

let server: KubeServer;

before(async () => {
  server = await startKubeServer();
});

after(async () => {
  await server.stop();
});

const path = "/apis/rbac.authorization.k8s.io/v1/clusterroles";

function role(name: string, rest: object, labels: Readonly<Record<string, string>> = {}): object {
  const apiVersion = "rbac.authorization.k8s.io/v1";
  return { apiVersion, kind: "ClusterRole", metadata: { name, labels }, ...rest };
}

function reading(...resources: readonly string[]): object {
  return { verbs: ["get"], apiGroups: ["shop.example"], resources };
}

async function create(...roles: readonly object[]): Promise<void> {
  for (const one of roles) assert.equal((await server.request("POST", path, one)).status, 201);
}

async function rulesOf(name: string): Promise<readonly unknown[]> {
  const { json } = await server.request("GET", `${path}/${name}`);
  return (pick(json, "rules") ?? []) as readonly unknown[];
}

async function waitForRules(name: string, expected: readonly unknown[]): Promise<void> {
  const text = JSON.stringify(expected);
  await waitUntil(`the rules of ${name}`, async () => JSON.stringify(await rulesOf(name)) === text);
}

describe("aggregated cluster roles", () => {
  it("view, edit and admin show their rules", async () => {
    for (const name of ["view", "edit", "admin"]) {
      await waitUntil(`rules of ${name}`, async () => (await rulesOf(name)).length > 5);
    }
    const gathered = await rulesOf("system:aggregate-to-view");
    assert.deepEqual(await rulesOf("view"), gathered);
    const { json } = await server.request("GET", `${path}/view`);
    const managers = pickList(json, "metadata.managedFields").map((one) => pick(one, "manager"));
    assert.ok(managers.includes("clusterrole-aggregation-controller"));
  });

  it("gather in the order of names, skip equal rules, and follow every change", async () => {
    const labels = { shop: "yes" };
    const clusterRoleSelectors = [{ matchLabels: labels }];
    await create(
      role("shop-b", { rules: [reading("carts"), reading("orders")] }, labels),
      role("shop-all", { aggregationRule: { clusterRoleSelectors }, rules: [] }),
      role("shop-a", { rules: [reading("orders")] }, labels),
      role("shop-other", { rules: [reading("secrets")] }),
    );
    await waitForRules("shop-all", [reading("orders"), reading("carts")]);
    await server.request("PATCH", `${path}/shop-a`, { rules: [reading("items")] });
    await waitForRules("shop-all", [reading("items"), reading("carts"), reading("orders")]);
    await server.request("DELETE", `${path}/shop-b`);
    await waitForRules("shop-all", [reading("items")]);
    await server.request("PATCH", `${path}/shop-all`, { rules: [reading("everything")] });
    await waitForRules("shop-all", [reading("items")]);
    await server.request("PATCH", `${path}/shop-a`, { metadata: { labels: { shop: null } } });
    await waitForRules("shop-all", []);
  });

  it("are left alone once they are right", async () => {
    const { json: earlier } = await server.request("GET", `${path}/view`);
    await create(role("unrelated", { rules: [reading("things")] }));
    const { json: later } = await server.request("GET", `${path}/view`);
    const version = "metadata.resourceVersion";
    assert.equal(pick(later, version), pick(earlier, version));
    assert.deepEqual(server.errors, []);
  });
});
