// Kills a server with -9 while it deploys and while it destroys an environment of many resources,
// on each store. Afterwards every resource exists once, and each Operation has ended once.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { parseExact } from "../../src/kernel/int64.ts";
import type { JsonObject } from "../../src/kernel/json.ts";
import { numberAt, objectsAt, textAt } from "../../src/kernel/json-read.ts";
import { findPostgres } from "../../tools/peers.ts";
import { startPostgres } from "../peers/postgres.ts";
import { startSetpoint } from "../peers/setpoint.ts";
import type { Setpoint } from "../peers/setpoint.ts";
import { waitUntil } from "../peers/wait.ts";

const group = "/apis/environments.setpoint.dev/v1/namespaces/default";
const count = 120;
const layers = 6;

for (const store of ["SQLite", "PostgreSQL"] as const) {
  const skip = store === "PostgreSQL" && findPostgres() === undefined;
  describe(`an environment on ${store} whose server is killed`, { skip }, () => {
    it("is deployed completely and once, and destroyed completely", async () => {
      await using ends = new AsyncDisposableStack();
      const postgres = store === "PostgreSQL" ? ends.use(await startPostgres()) : undefined;
      const options = postgres === undefined ? {} : { store: postgres.url() };
      const folder = await mkdtemp(join(tmpdir(), "setpoint-environments-"));
      ends.defer(() => rm(folder, { recursive: true, force: true }));
      const config = join(folder, "setpoint.yaml");
      // Work of the killed server continues when its leases are over.
      await writeFile(config, "engine: { lease: 3s }\n");
      const server = ends.use(await startSetpoint({ ...options, args: ["--config", config] }));
      await prepare(server);
      await send(server, "POST", `${group}/environments`, {
        apiVersion: "environments.setpoint.dev/v1",
        kind: "Environment",
        metadata: { name: "e" },
        spec: { templates: ["many.v1"] },
      });
      await killAt(server, async () => (await targets(server)).length >= count / 3);
      await killAt(server, async () => (await targets(server)).length >= count / 2);
      await untilPhase(server, "DeployedOk");
      assert.equal((await targets(server)).length, count);
      assert.deepEqual(await operations(server), ["Deploy Succeeded"]);
      const desired = { spec: { desired: "Destroyed" } };
      await send(server, "PATCH", `${group}/environments/e`, desired);
      await killAt(server, async () => (await targets(server)).length <= count / 2);
      await untilPhase(server, "Destroyed");
      assert.deepEqual(await targets(server), []);
      assert.deepEqual(await operations(server), ["Deploy Succeeded", "Destroy Succeeded"]);
    });
  });
}

/** Waits for a condition, kills the server and starts it again on the same data. */
async function killAt(server: Setpoint, isReached: () => Promise<boolean>): Promise<void> {
  await waitUntil("the moment of the kill", isReached);
  await server.kill9();
  await server.start();
}

async function targets(server: Setpoint): Promise<readonly string[]> {
  const list = await send(server, "GET", "/api/v1/namespaces/default/configmaps");
  const names = objectsAt(list, "items").map((item) => textAt(item, "metadata", "name"));
  return names.filter((name) => name.startsWith("e."));
}

async function operations(server: Setpoint): Promise<readonly string[]> {
  const list = await send(server, "GET", `${group}/operations`);
  return objectsAt(list, "items")
    .map((item) => `${textAt(item, "spec", "type")} ${textAt(item, "status", "phase")}`)
    .toSorted();
}

async function untilPhase(server: Setpoint, phase: string): Promise<void> {
  await waitUntil(`the phase ${phase}`, async () => {
    const found = await send(server, "GET", `${group}/environments/e`);
    const ready = numberAt(found, "status", "resources", "ready") ?? 0;
    const isCounted = phase === "Destroyed" || ready === count;
    return textAt(found, "status", "phase") === phase && isCounted;
  });
}

async function prepare(server: Setpoint): Promise<void> {
  const rbac = "/apis/rbac.authorization.k8s.io/v1/namespaces/default";
  const apiVersion = "rbac.authorization.k8s.io/v1";
  const metadata = { name: "deploy" };
  const rules = [{ apiGroups: [""], resources: ["configmaps"], verbs: ["create", "patch"] }];
  await send(server, "POST", `${rbac}/roles`, { apiVersion, kind: "Role", metadata, rules });
  await send(server, "POST", `${rbac}/rolebindings`, {
    apiVersion,
    kind: "RoleBinding",
    metadata,
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "deploy" },
    subjects: [{ kind: "ServiceAccount", name: "environment", namespace: "default" }],
  });
  const perLayer = count / layers;
  const resources = Array.from({ length: count }, (_, at) => ({
    key: `r${at}`,
    ...(at < perLayer ? {} : { dependsOn: [`r${at - perLayer}`] }),
    template: { apiVersion: "v1", kind: "ConfigMap", data: { at: String(at) } },
  }));
  await send(server, "POST", `${group}/templates`, {
    apiVersion: "environments.setpoint.dev/v1",
    kind: "Template",
    metadata: { name: "many.v1" },
    spec: { id: "many", version: 1, resources },
  });
}

async function send(
  server: Setpoint,
  method: string,
  path: string,
  body?: JsonObject,
): Promise<JsonObject> {
  const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
  const ask = body === undefined ? { method } : { method, body, headers: { "content-type": type } };
  const { status, body: answer } = await server.ask(path, ask);
  assert.ok(status < 300, `${method} ${path}: ${answer.toString().slice(0, 500)}`);
  return parseExact(answer.toString()) as JsonObject;
}
