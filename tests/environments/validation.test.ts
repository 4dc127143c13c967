// Validation and health by status endpoints, against a real HTTP server that the test controls, and
// the path of a secret through an environment.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { pick, pickList, pickText, startKubeServer } from "../kube/server.ts";
import type { KubeServer } from "../kube/server.ts";
import { waitUntil } from "../peers/wait.ts";

const group = "/apis/environments.setpoint.dev/v1/namespaces/default";

async function send(
  server: KubeServer,
  method: string,
  path: string,
  body?: unknown,
): Promise<unknown> {
  const reply = await server.request(method, path, body);
  assert.ok(reply.status < 300, `${method} ${path}: ${reply.text}`);
  return reply.json;
}

/** A service whose answer the test decides. */
async function startService(): Promise<
  AsyncDisposable & { readonly url: string; answer: number; calls: number }
> {
  const http = createServer((_, response) => {
    service.calls += 1;
    response.statusCode = service.answer;
    response.end("status");
  });
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  const { port } = http.address() as AddressInfo;
  const service = {
    url: `http://127.0.0.1:${port}/health`,
    answer: 503,
    calls: 0,
    [Symbol.asyncDispose]: async (): Promise<void> => {
      http.closeAllConnections();
      http.close();
      await once(http, "close");
    },
  };
  return service;
}

async function createEnvironment(
  server: KubeServer,
  url: string,
  more: object = {},
): Promise<void> {
  await send(server, "POST", `${group}/templates`, {
    apiVersion: "environments.setpoint.dev/v1",
    kind: "Template",
    metadata: { name: "shop.v1" },
    spec: {
      id: "shop",
      version: 1,
      resources: [
        { key: "web", template: { apiVersion: "v1", kind: "ConfigMap", data: { a: "b" } } },
      ],
      statusEndpoints: [{ name: "health", url, intervalSeconds: 1 }],
      entryPoints: [{ name: "home", url: "https://${environment.name}.example" }],
      ...more,
    },
  });
  await send(server, "POST", `${group}/environments`, {
    apiVersion: "environments.setpoint.dev/v1",
    kind: "Environment",
    metadata: { name: "e" },
    spec: { templates: ["shop.v1"] },
  });
}

async function allow(server: KubeServer, resources: readonly string[]): Promise<void> {
  const rbac = "/apis/rbac.authorization.k8s.io/v1/namespaces/default";
  await send(server, "POST", `${rbac}/roles`, {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "Role",
    metadata: { name: "deploy" },
    rules: [{ apiGroups: [""], resources, verbs: ["create", "patch"] }],
  });
  await send(server, "POST", `${rbac}/rolebindings`, {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "RoleBinding",
    metadata: { name: "deploy" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "deploy" },
    subjects: [{ kind: "ServiceAccount", name: "environment", namespace: "default" }],
  });
}

async function untilPhase(server: KubeServer, phase: string, reason?: string): Promise<unknown> {
  return await waitUntil(`the phase ${phase}`, async () => {
    const environment = await send(server, "GET", `${group}/environments/e`);
    const isReason = reason === undefined || pick(environment, "status.reason") === reason;
    return pick(environment, "status.phase") === phase && isReason ? environment : undefined;
  });
}

test("an environment is validated by its status endpoint, fails with it and recovers", async () => {
  await using service = await startService();
  await using server = await startKubeServer({
    sections: { environments: { allowPrivateAddresses: true } },
  });
  await allow(server, ["configmaps"]);
  await createEnvironment(server, service.url);
  const validating = await untilPhase(server, "DeployedWaiting", "Validating");
  assert.match(pickText(validating, "status.message"), /the status is 503/);
  service.answer = 200;
  const ok = await untilPhase(server, "DeployedOk");
  const phases = pickList(ok, "status.transitions").map((each) => pickText(each, "phase"));
  assert.deepEqual(phases, ["Deploying", "DeployedWaiting", "DeployedOk"]);
  const [home] = pickList(ok, "status.entryPoints");
  assert.equal(pickText(home, "url"), "https://e.example");
  const metrics = (await server.request("GET", "/metrics")).text;
  assert.match(metrics, /environment_operations_total\{type="Deploy",phase="Succeeded"\} 1/);
  service.answer = 500;
  const failed = await untilPhase(server, "DeployedFail", "ValidationFailed");
  assert.match(pickText(failed, "status.message"), /health: the status is 500/);
  service.answer = 204;
  await untilPhase(server, "DeployedOk");
});

test("an environment that is not healthy within its time has failed, and may recover", async () => {
  await using service = await startService();
  await using server = await startKubeServer({
    sections: { environments: { allowPrivateAddresses: true } },
  });
  await allow(server, ["configmaps"]);
  await createEnvironment(server, service.url, { validation: { timeoutSeconds: 1 } });
  await untilPhase(server, "DeployedFail", "ValidationFailed");
  service.answer = 200;
  await untilPhase(server, "DeployedOk");
});

test("a private address of a status endpoint is not called unless it is allowed", async () => {
  await using service = await startService();
  await using server = await startKubeServer();
  await allow(server, ["configmaps"]);
  await createEnvironment(server, service.url);
  const waiting = await untilPhase(server, "DeployedWaiting", "Validating");
  assert.match(pickText(waiting, "status.message"), /private/);
  assert.equal(service.calls, 0);
});

test("a secret parameter reaches its field and no answer, log line or file", async () => {
  const sentinel = "sentinel-7731-must-not-be-shown";
  await using server = await startKubeServer();
  await allow(server, ["secrets"]);
  await send(server, "POST", `${group}/templates`, {
    apiVersion: "environments.setpoint.dev/v1",
    kind: "Template",
    metadata: { name: "shop.v1" },
    spec: {
      id: "shop",
      version: 1,
      parameters: { token: { type: "string", secret: true, required: true } },
      secrets: [{ name: "key" }],
      resources: [
        {
          key: "keys",
          template: {
            apiVersion: "v1",
            kind: "Secret",
            stringData: { token: "${parameters.token}", key: "${secrets.key}" },
          },
        },
      ],
    },
  });
  await send(server, "POST", `${group}/environments`, {
    apiVersion: "environments.setpoint.dev/v1",
    kind: "Environment",
    metadata: { name: "e" },
    spec: { templates: ["shop.v1"], secretParameters: { token: sentinel } },
  });
  await untilPhase(server, "DeployedOk");
  const secret = await send(server, "GET", "/api/v1/namespaces/default/secrets/e.keys");
  const token = Buffer.from(pickText(secret, "data.token"), "base64").toString();
  assert.equal(token, sentinel);
  assert.ok(pickText(secret, "data.key").length >= 32);
  for (const kind of ["environments", "environmentresources", "operations", "plans"]) {
    const reply = await server.request("GET", `${group}/${kind}`);
    assert.ok(!reply.text.includes(sentinel), kind);
  }
  const events = await server.request("GET", "/api/v1/namespaces/default/events");
  assert.ok(!events.text.includes(sentinel));
  assert.ok(!server.lines.some((line) => line.includes(sentinel)));
  const folder = join(server.kubeconfig, "..");
  for (const name of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!name.isFile()) continue;
    const bytes = await readFile(join(name.parentPath, name.name));
    assert.ok(!bytes.includes(sentinel), name.name);
  }
});
