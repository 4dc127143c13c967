/**
 * Environments: the cost of a resource that does nothing, in layers, from the creation of the
 * Environment until it is deployed, and again for its destruction. Ten times as many resources must
 * not cost more for each of them.
 */
import { join } from "node:path";
import { parseExact } from "../src/kernel/int64.ts";
import { numberAt, objectAt, textAt } from "../src/kernel/json-read.ts";
import type { JsonObject } from "../src/kernel/json.ts";
import { startSetpoint } from "../tests/peers/setpoint.ts";
import type { Setpoint } from "../tests/peers/setpoint.ts";
import { waitUntil } from "../tests/peers/wait.ts";
import { cpuMsOfTree } from "./processor-time.ts";
import { boundRow } from "./store.ts";
import { figure } from "./table.ts";
import type { Row } from "./table.ts";

const group = "/apis/environments.setpoint.dev/v1/namespaces/default";
const small = 1_000;
const large = 10_000;
const layers = 10;
const limitMs = 600_000;

export async function environments(folder: string): Promise<readonly Row[]> {
  await using server = await startSetpoint({ data: join(folder, "environments") });
  await prepare(server);
  // The first one is for the compiler and the caches.
  await turn(server, "warm", 200);
  const few = await turn(server, "few", small);
  const many = await turn(server, "many", large);
  const title = "environments on SQLite";
  const ratio = many.deployMs / few.deployMs;
  return [
    boundRow(`${title}: deploy, ${small} resources, each`, few.deployMs, "ms", 2),
    boundRow(`${title}: destroy, ${small} resources, each`, few.destroyMs, "ms", 2),
    // On a busy machine, only this is comparable.
    boundRow(`${title}: deploy, ${small} resources, processor time of each`, few.cpuMs, "ms", 3),
    {
      what: `${title}: deploy, ${large} to ${small} resources, each`,
      raw: figure(few.deployMs, "ms"),
      ours: figure(many.deployMs, "ms"),
      result: `${ratio.toFixed(2)}x`,
      asked: "<= 1.5x",
      isMet: ratio <= 1.5,
    },
  ];
}

interface Turn {
  readonly deployMs: number;
  readonly destroyMs: number;
  /** Of the server and all its threads, for the deployment. */
  readonly cpuMs: number;
}

/** Milliseconds for each resource. */
async function turn(server: Setpoint, name: string, count: number): Promise<Turn> {
  await send(server, "POST", `${group}/templates`, templateOf(name, count));
  const cpuBefore = cpuMsOfTree(server.pid);
  const deployedAt = performance.now();
  await send(server, "POST", `${group}/environments`, {
    apiVersion: "environments.setpoint.dev/v1",
    kind: "Environment",
    metadata: { name },
    spec: { templates: [`${name}.v1`] },
  });
  await untilPhase(server, name, "DeployedOk", count);
  const deployMs = (performance.now() - deployedAt) / count;
  const cpuMs = (cpuMsOfTree(server.pid) - cpuBefore) / count;
  const destroyedAt = performance.now();
  await send(server, "PATCH", `${group}/environments/${name}`, { spec: { desired: "Destroyed" } });
  await untilPhase(server, name, "Destroyed", 0);
  const destroyMs = (performance.now() - destroyedAt) / count;
  return { deployMs, destroyMs, cpuMs };
}

async function untilPhase(
  server: Setpoint,
  name: string,
  phase: string,
  ready: number,
): Promise<void> {
  await waitUntil(
    `${name} to be ${phase}`,
    async () => {
      const found = await send(server, "GET", `${group}/environments/${name}`);
      const status = objectAt(found, "status");
      const isCounted = (numberAt(status, "resources", "ready") ?? 0) === ready;
      return textAt(status, "phase") === phase && isCounted;
    },
    { limitMs },
  );
}

/** Each resource depends on one of the layer before. Its target is a ConfigMap. */
function templateOf(id: string, count: number): JsonObject {
  const perLayer = Math.ceil(count / layers);
  const resources = Array.from({ length: count }, (_, at) => ({
    key: `r${at}`,
    ...(at < perLayer ? {} : { dependsOn: [`r${at - perLayer}`] }),
    template: { apiVersion: "v1", kind: "ConfigMap", data: { at: String(at) } },
  }));
  return {
    apiVersion: "environments.setpoint.dev/v1",
    kind: "Template",
    metadata: { name: `${id}.v1` },
    spec: { id, version: 1, resources },
  };
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
}

async function send(
  server: Setpoint,
  method: string,
  path: string,
  body?: JsonObject,
): Promise<JsonObject> {
  const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
  const headers = { "content-type": type };
  const ask = body === undefined ? { method } : { method, body, headers };
  const { status, body: answer } = await server.ask(path, ask);
  if (status >= 300) throw new Error(`${method} ${path}: ${answer.toString().slice(0, 500)}`);
  return parseExact(answer.toString()) as JsonObject;
}
