// An environment whose resources are targets of executors: they are created as its ServiceAccount,
// in order, outputs feed the next one, and the health of a Consul service is that of the
// environment.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { JsonObject } from "../../src/kernel/json.ts";
import { textAt } from "../../src/kernel/json-read.ts";
import { consulToken, startConsul } from "../peers/consul.ts";
import type { ConsulPeer } from "../peers/consul.ts";
import { applyToServer } from "../peers/resources.ts";
import { waitUntil } from "../peers/wait.ts";
import { startExecutorRig } from "./rig.ts";
import type { ExecutorRig } from "./rig.ts";

let consul: ConsulPeer;
let rig: ExecutorRig;
const group = "environments.setpoint.dev/v1";
const path = `/apis/${group}/namespaces/default`;
const check = "service:web-1";

async function raw(method: string, target: string, body?: object): Promise<string> {
  const headers = { "x-consul-token": consulToken };
  const given = body === undefined ? {} : { body: JSON.stringify(body) };
  const answer = await fetch(`${consul.url}${target}`, { method, headers, ...given });
  return answer.status === 404 ? "" : await answer.text();
}

async function post(target: string, body: JsonObject): Promise<void> {
  const { status, body: text } = await rig.server.ask(target, { method: "POST", body });
  assert.equal(status, 201, text.toString());
}

async function untilPhase(phase: string): Promise<JsonObject> {
  let last = "";
  return await waitUntil(`the phase ${phase}`, async () => {
    const { body } = await rig.server.ask(`${path}/environments/e`);
    last = body.toString();
    const found = JSON.parse(last) as JsonObject;
    return textAt(found, "status", "phase") === phase ? found : undefined;
  }).catch((error: unknown) => {
    throw new Error(`${String(error)}\n${last}`);
  });
}

before(async () => {
  consul = await startConsul();
  rig = await startExecutorRig(() => consul.url);
  await rig.secret("consul", { token: consulToken });
  const secretRef = { namespace: "default", name: "consul", key: "token" };
  const allow = { namespaces: { names: ["default"] } };
  const spec = { url: rig.proxy.url, token: { secretRef }, allow };
  await rig.of("ConsulServer", undefined, "").create("main", spec);
  const rbac = "rbac.authorization.k8s.io";
  const metadata = { name: "environment", namespace: "default" };
  const verbs = ["get", "create", "patch", "delete"];
  const rules = [{ apiGroups: ["executors.setpoint.dev"], resources: ["*"], verbs }];
  await applyToServer(rig.server, { apiVersion: `${rbac}/v1`, kind: "Role", metadata, rules });
  await applyToServer(rig.server, {
    apiVersion: `${rbac}/v1`,
    kind: "RoleBinding",
    metadata,
    subjects: [{ kind: "ServiceAccount", name: "environment", namespace: "default" }],
    roleRef: { apiGroup: rbac, kind: "Role", name: "environment" },
  });
});
after(async () => {
  await rig?.[Symbol.asyncDispose]();
  await consul?.[Symbol.asyncDispose]();
});

describe("an environment with targets of executors", () => {
  it("deploys, follows the health of a Consul service, and removes its keys", async () => {
    const Check = { CheckID: check, TTL: "600s", Status: "passing" };
    const service = { ID: "web-1", Name: "web", Address: "192.0.2.7", Port: 8_080, Check };
    await raw("PUT", "/v1/agent/service/register", service);
    const executors = "executors.setpoint.dev/v1";
    await post(`${path}/templates`, {
      apiVersion: group,
      kind: "Template",
      metadata: { name: "shop.v1" },
      spec: {
        id: "shop",
        version: 1,
        resources: [
          {
            key: "web",
            template: {
              apiVersion: executors,
              kind: "ConsulService",
              spec: { server: "main", service: "web" },
            },
          },
          {
            key: "keys",
            template: {
              apiVersion: executors,
              kind: "ConsulKeys",
              spec: {
                server: "main",
                prefix: "shop/",
                keys: { address: "${resources.web.outputs.address}" },
              },
            },
          },
        ],
      },
    });
    await post(`${path}/environments`, {
      apiVersion: group,
      kind: "Environment",
      metadata: { name: "e" },
      spec: { templates: ["shop.v1"] },
    });
    await untilPhase("DeployedOk");
    assert.equal(await raw("GET", "/v1/kv/shop/address?raw"), "192.0.2.7");
    await raw("PUT", `/v1/agent/check/fail/${check}`);
    const unhealthy = await untilPhase("DeployedWaiting");
    assert.equal(textAt(unhealthy, "status", "reason"), "ResourcesNotReady");
    const { body } = await rig.server.ask(`${path}/environmentresources/e.web`);
    assert.match(body.toString(), /the service web is critical in Consul/);
    assert.equal(await raw("GET", "/v1/kv/shop/address?raw"), "192.0.2.7", "the keys are kept");
    await raw("PUT", `/v1/agent/check/pass/${check}`);
    await untilPhase("DeployedOk");
    await rig.server.ask(`${path}/environments/e`, { method: "DELETE" });
    await waitUntil("the end of the keys", async () => {
      return (await raw("GET", "/v1/kv/shop/address?raw")) === "";
    });
  });
});
