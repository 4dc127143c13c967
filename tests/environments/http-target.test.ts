// An environment whose resources and actions are HttpCalls to a real application: outputs feed the
// graph, a destruction calls in the reverse order, and an action calls the application by name.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { pick, startKubeServer } from "../kube/server.ts";
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

interface Application extends AsyncDisposable {
  readonly url: string;
  readonly calls: readonly string[];
}

/** Answers with an address, and notes every call. */
async function startApplication(): Promise<Application> {
  const calls: string[] = [];
  const http = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const command = /"command":"([^"]*)"/.exec(Buffer.concat(chunks).toString())?.[1] ?? "";
      calls.push(`${request.method} ${request.url} ${command}`.trim());
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ address: `10.0.0.1${request.url}` }));
    });
  });
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  const { port } = http.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    calls,
    [Symbol.asyncDispose]: async () => {
      http.closeAllConnections();
      http.close();
      await once(http, "close");
    },
  };
}

async function prepare(server: KubeServer): Promise<void> {
  await send(server, "POST", "/apis/executors.setpoint.dev/v1/executorpolicies", {
    apiVersion: "executors.setpoint.dev/v1",
    kind: "ExecutorPolicy",
    metadata: { name: "local" },
    spec: {
      allow: { namespaces: { names: ["default"] } },
      http: { allowPrivate: { cidrs: ["127.0.0.0/8"] } },
    },
  });
  const rbac = "/apis/rbac.authorization.k8s.io/v1/namespaces/default";
  const apiVersion = "rbac.authorization.k8s.io/v1";
  const metadata = { name: "deploy" };
  const apiGroups = ["executors.setpoint.dev"];
  const rules = [{ apiGroups, resources: ["httpcalls"], verbs: ["create", "patch"] }];
  await send(server, "POST", `${rbac}/roles`, { apiVersion, kind: "Role", metadata, rules });
  await send(server, "POST", `${rbac}/rolebindings`, {
    apiVersion,
    kind: "RoleBinding",
    metadata,
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "deploy" },
    subjects: [{ kind: "ServiceAccount", name: "environment", namespace: "default" }],
  });
}

function call(key: string, url: string, body: object): object {
  const requests = {
    create: { method: "PUT", path: `/${key}` },
    destroy: { method: "DELETE", path: `/${key}` },
  };
  const outputs = { address: "response.body.address" };
  const spec = { url, requests, outputs, body };
  return { key, template: { apiVersion: "executors.setpoint.dev/v1", kind: "HttpCall", spec } };
}

async function until(server: KubeServer, path: string, at: string, value: string): Promise<void> {
  await waitUntil(`${path} to have ${at} ${value}`, async () => {
    return pick(await send(server, "GET", `${group}/${path}`), at) === value;
  });
}

test("HttpCalls are targets of an environment, and its actions call an application", async () => {
  await using application = await startApplication();
  await using server = await startKubeServer();
  await prepare(server);
  const { url, calls } = application;
  await send(server, "POST", `${group}/templates`, {
    apiVersion: "environments.setpoint.dev/v1",
    kind: "Template",
    metadata: { name: "apps.v1" },
    spec: {
      id: "apps",
      version: 1,
      resources: [
        call("db", url, { size: 1 }),
        call("web", url, { db: "${resources.db.outputs.address}" }),
      ],
      actions: [{ name: "seed", app: { url: `${url}/seed`, name: "shop", command: "seed all" } }],
    },
  });
  await send(server, "POST", `${group}/environments`, {
    apiVersion: "environments.setpoint.dev/v1",
    kind: "Environment",
    metadata: { name: "e" },
    spec: { templates: ["apps.v1"] },
  });
  await until(server, "environments/e", "status.phase", "DeployedOk");
  assert.deepEqual(calls, ["PUT /db", "PUT /web"]);
  const web = await send(
    server,
    "GET",
    "/apis/executors.setpoint.dev/v1/namespaces/default/httpcalls/e.web",
  );
  assert.equal(pick(web, "spec.body.db"), "10.0.0.1/db");
  await send(server, "POST", `${group}/operations`, {
    apiVersion: "environments.setpoint.dev/v1",
    kind: "Operation",
    metadata: { name: "now" },
    spec: { environment: "e", type: "Action", action: "seed" },
  });
  await until(server, "operations/now", "status.phase", "Succeeded");
  assert.equal(calls.at(-1), "POST /seed seed all");
  await send(server, "PATCH", `${group}/environments/e`, { spec: { desired: "Destroyed" } });
  await until(server, "environments/e", "status.phase", "Destroyed");
  assert.deepEqual(calls.slice(-2), ["DELETE /web", "DELETE /db"]);
});

test("a program that no policy allows fails its resource and ends the deployment", async () => {
  await using server = await startKubeServer();
  const apiVersion = "environments.setpoint.dev/v1";
  const bindings = "/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings";
  await send(server, "POST", bindings, {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "RoleBinding",
    metadata: { name: "environment" },
    subjects: [{ kind: "ServiceAccount", name: "environment", namespace: "default" }],
    roleRef: { kind: "ClusterRole", name: "edit", apiGroup: "rbac.authorization.k8s.io" },
  });
  const target = { apiVersion: "executors.setpoint.dev/v1", kind: "CommandRun" };
  const resources = [{ key: "run", template: { ...target, spec: { program: "ls", args: [] } } }];
  await send(server, "POST", `${group}/templates`, {
    apiVersion,
    kind: "Template",
    metadata: { name: "job.v1" },
    spec: { id: "job", version: 1, resources },
  });
  const spec = { templates: ["job.v1"] };
  const metadata = { name: "e" };
  await send(server, "POST", `${group}/environments`, {
    apiVersion,
    kind: "Environment",
    metadata,
    spec,
  });
  const failed = await waitUntil("the phase DeployedFail", async () => {
    const environment = await send(server, "GET", `${group}/environments/e`);
    return pick(environment, "status.phase") === "DeployedFail" ? environment : undefined;
  });
  assert.equal(pick(failed, "status.message"), "e.run: PolicyDenied");
});
