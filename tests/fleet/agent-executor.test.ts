// The kubernetes executor against a real Kubernetes API, which is another Setpoint server. First
// the suite of the port, then a cluster of a control plane from its creation to its removal.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import { httpWith } from "../../src/adapters/http/client.ts";
import { kubeWith } from "../../src/adapters/kubernetes/client.ts";
import type { Json, JsonObject } from "../../src/kernel/json.ts";
import { isJsonObject } from "../../src/kernel/json.ts";
import { objectAt, objectsAt, textAt } from "../../src/kernel/json-read.ts";
import { readKubeconfig } from "../../src/kernel/kubeconfig.ts";
import { systemTimers } from "../../src/kernel/timers.ts";
import { parseYaml } from "../../src/kernel/yaml.ts";
import { executorContract } from "../../src/modules/fleet/clusters/executor-contract.ts";
import { kubernetesExecutor } from "../../src/modules/fleet/clusters/kubernetes-executor.ts";
import { startKubeServer } from "../kube/server.ts";
import type { KubeServer } from "../kube/server.ts";
import { startProgram } from "../peers/child.ts";
import { waitUntil } from "../peers/wait.ts";

let dataPlane: KubeServer;
let controlPlane: KubeServer;

before(async () => {
  [dataPlane, controlPlane] = await Promise.all([startKubeServer(), startKubeServer()]);
});
after(async () => {
  await dataPlane[Symbol.asyncDispose]();
  await controlPlane[Symbol.asyncDispose]();
});

function kubeconfigOf(server: KubeServer): string {
  return readFileSync(server.kubeconfig, "utf8");
}

executorContract("kubernetes", async () => {
  const { value } = parseYaml(kubeconfigOf(dataPlane));
  assert.ok(isJsonObject(value));
  return {
    executor: kubernetesExecutor(kubeWith(httpWith(systemTimers))),
    settings: { kind: "kubernetes" },
    access: readKubeconfig([{ path: "test", content: value }]),
  };
});

async function get(server: KubeServer, path: string): Promise<JsonObject | undefined> {
  const { status, json } = await server.request("GET", path);
  return status === 200 ? (json as JsonObject) : undefined;
}

async function create(server: KubeServer, path: string, body: JsonObject): Promise<void> {
  const { status, text } = await server.request("POST", path, body);
  assert.equal(status, 201, text);
}

const clusters = "/apis/fleet.setpoint.dev/v1/dataplaneclusters";

function clusterWith(name: string, secret: string, kubernetes: JsonObject = {}): JsonObject {
  const kubeconfig = { namespace: "default", name: secret, key: "kubeconfig" };
  const plane = { url: controlPlane.url, caBundle: controlPlane.ca };
  return {
    apiVersion: "fleet.setpoint.dev/v1",
    kind: "DataPlaneCluster",
    metadata: { name },
    spec: {
      provider: "aws",
      region: "r1",
      dns: `apps.${name}.example.com`,
      executor: {
        kind: "kubernetes",
        kubernetes: { kubeconfig, controlPlane: plane, workload: "None", ...kubernetes },
      },
    },
  };
}

async function phase(name: string, wanted: string): Promise<JsonObject> {
  return await waitUntil(`cluster ${name} in phase ${wanted}`, async () => {
    const cluster = await get(controlPlane, `${clusters}/${name}`);
    return textAt(cluster, "status", "phase") === wanted ? cluster : undefined;
  });
}

function secretWith(name: string, kubeconfig: string): JsonObject {
  const metadata = { name, namespace: "default" };
  return { apiVersion: "v1", kind: "Secret", metadata, stringData: { kubeconfig } };
}

describe("a cluster with the kubernetes executor", () => {
  it("gets an agent with a credential that may read its own namespace only", async () => {
    const secret = secretWith("east", kubeconfigOf(dataPlane));
    await create(controlPlane, "/api/v1/namespaces/default/secrets", secret);
    await create(controlPlane, clusters, clusterWith("east-1", "east"));
    const cluster = await phase("east-1", "waiting");
    const system = await get(dataPlane, "/api/v1/namespaces/kube-system");
    assert.equal(textAt(cluster, "status", "externalId"), textAt(system, "metadata", "uid"));

    const path = "/api/v1/namespaces/setpoint-agent/secrets/setpoint-agent";
    const installed = await get(dataPlane, path);
    const data = objectAt(installed, "data");
    const decoded = (key: string): string =>
      Buffer.from(textAt(data, key), "base64").toString("utf8");
    assert.equal(decoded("ca.crt"), controlPlane.ca);
    const authorization = `Bearer ${decoded("token")}`;
    const own = "/apis/fleet.setpoint.dev/v1/namespaces/cluster-east-1/managedinstances";
    const other = "/apis/fleet.setpoint.dev/v1/namespaces/cluster-west-1/managedinstances";
    const asked = async (url: string): Promise<number> =>
      (await controlPlane.request("GET", url, undefined, { authorization })).status;
    assert.equal(await asked(own), 200);
    assert.equal(await asked(other), 403);
    assert.equal(await asked("/api/v1/namespaces/cluster-east-1/secrets"), 403);
    const status = `${own}/x/status`;
    const body = { apiVersion: "fleet.setpoint.dev/v1", kind: "ManagedInstance", metadata: {} };
    const written = await controlPlane.request("PUT", status, body, { authorization });
    assert.equal(written.status, 403, "reports are written by the agent API");
  });

  it("is removed with everything on the data plane, and the credential ends", async () => {
    const path = "/api/v1/namespaces/setpoint-agent/secrets/setpoint-agent";
    const installed = await get(dataPlane, path);
    const token = Buffer.from(textAt(installed, "data", "token"), "base64").toString("utf8");
    await controlPlane.request("DELETE", `${clusters}/east-1`);
    await waitUntil("the cluster is removed", async () => {
      return (await get(controlPlane, `${clusters}/east-1`)) === undefined;
    });
    assert.equal(await get(dataPlane, "/api/v1/namespaces/setpoint-agent"), undefined);
    const roles = await get(dataPlane, "/apis/rbac.authorization.k8s.io/v1/clusterroles");
    const left = objectsAt(roles, "items").map((role) => textAt(role, "metadata", "name"));
    assert.ok(!left.includes("setpoint-agent-east-1"));
    const authorization = `Bearer ${token}`;
    const { status } = await controlPlane.request("GET", "/api", undefined, { authorization });
    assert.equal(status, 401);
  });

  it("fails with the reason when an object of its name exists", async () => {
    const metadata = { name: "taken" };
    const body = { apiVersion: "v1", kind: "Namespace", metadata };
    await create(dataPlane, "/api/v1/namespaces", body);
    await create(controlPlane, clusters, clusterWith("west-1", "east", { namespace: "taken" }));
    const cluster = await phase("west-1", "failed");
    const reason = textAt(cluster, "status", "failedReason");
    assert.match(reason, /Namespace taken exists on the cluster and does not belong to it/);
    const patch = { spec: { executor: { kubernetes: { namespace: "free" } } } };
    await controlPlane.request("PATCH", `${clusters}/west-1`, patch);
    await phase("west-1", "waiting");
  });

  it("shows why its API cannot be used, without a part of the Secret", async () => {
    const broken = secretWith("broken", "clusters: [{ password: hunter2");
    await create(controlPlane, "/api/v1/namespaces/default/secrets", broken);
    await create(controlPlane, clusters, clusterWith("north-1", "broken"));
    const synced = await waitUntil("a condition with the reason", async () => {
      const cluster = await get(controlPlane, `${clusters}/north-1`);
      const conditions: readonly Json[] = objectsAt(cluster, "status", "conditions");
      return conditions.find((one) => textAt(one, "reason") === "KubeconfigUnusable");
    });
    assert.match(textAt(synced, "message"), /key kubeconfig of the Secret default\/broken is not/);
    assert.ok(!JSON.stringify(synced).includes("hunter2"));
    const fixed = { stringData: { kubeconfig: kubeconfigOf(dataPlane) } };
    await controlPlane.request("PATCH", "/api/v1/namespaces/default/secrets/broken", fixed);
    await phase("north-1", "waiting");
  });

  it("is removed without its API when an administrator forces it", async () => {
    const path = "/api/v1/namespaces/default/secrets/broken";
    await controlPlane.request("PATCH", path, { stringData: { kubeconfig: "no" } });
    await controlPlane.request("DELETE", `${clusters}/north-1`);
    await waitUntil("a condition with the reason", async () => {
      const cluster = await get(controlPlane, `${clusters}/north-1`);
      const reasons = objectsAt(cluster, "status", "conditions").map((one) =>
        textAt(one, "reason"),
      );
      return reasons.includes("KubeconfigUnusable");
    });
    const annotations = { "fleet.setpoint.dev/force-delete": "the cluster is lost" };
    await controlPlane.request("PATCH", `${clusters}/north-1`, { metadata: { annotations } });
    await waitUntil("the removal", async () => {
      return (await get(controlPlane, `${clusters}/north-1`)) === undefined;
    });
  });

  it("can be registered instead, with a manifest that contains a usable token", async () => {
    const spec = { provider: "aws", region: "r1", dns: "apps.south-1.example.com" };
    const cluster = clusterWith("south-1", "east");
    await create(controlPlane, clusters, { ...cluster, spec });
    await phase("south-1", "waiting");
    const options = ["--control-plane", controlPlane.url, "--no-workload"];
    await using program = await startProgram("src/cli/main.ts", {
      args: ["agent-manifest", "south-1", ...options, "--kubeconfig", controlPlane.kubeconfig],
    });
    assert.equal((await program.waitForExit()).code, 0, program.stderr());
    const objects = program
      .stdout()
      .split(/^---$/m)
      .map((text) => parseYaml(text).value);
    const kinds = objects.map((object) => textAt(object, "kind"));
    assert.deepEqual(kinds.slice(0, 2), ["Namespace", "ServiceAccount"]);
    const secret = objects.find((object) => textAt(object, "kind") === "Secret");
    const token = Buffer.from(textAt(secret, "data", "token"), "base64").toString("utf8");
    const headers = { authorization: `Bearer ${token}` };
    const own = "/apis/fleet.setpoint.dev/v1/namespaces/cluster-south-1/managedinstances";
    assert.equal((await controlPlane.request("GET", own, undefined, headers)).status, 200);
  });
});
