// The example's own test: a server in memory in which time passes when the test says so.
//
//   setpoint test examples/openshift-like/openshift-like.test.ts

import assert from "node:assert/strict";
import { test } from "node:test";
import { conditionsOf, findCondition, isReady } from "setpoint";
import type { ArmActionContext, JsonObject, Resource, StoredParts } from "setpoint";
import { startTestServer } from "setpoint/testing";
import type { TestServer } from "setpoint/testing";
import { older, younger } from "./api-versions.ts";
import openshiftLike from "./openshift-like.ts";

const place = {
  apiVersion: "examples.setpoint.dev/v1",
  kind: "OpenShiftLikeCluster",
  name: "one",
};
const secret = { apiVersion: "v1", kind: "Secret", name: "one-credentials" };

test("a cluster is installed, shows its addresses, and goes with its secret", async () => {
  await using server = await startTestServer(openshiftLike);
  await server.apply(cluster({}));
  await server.pass();
  const ready = await server.get(place);
  assert.ok(ready !== undefined && isReady(ready));
  const { apiServerUrl } = ready.status as JsonObject;
  assert.equal(apiServerUrl, "https://api.shop.example.com:6443/");
  assert.ok(await server.get(secret));

  await server.delete(place);
  await server.pass(10_000);
  assert.equal(await server.get(place), undefined);
  assert.equal(await server.get(secret), undefined);
});

test("the credentials are made once and shown by their action alone", async () => {
  await using server = await startTestServer(openshiftLike);
  await server.apply(cluster({}));
  await assert.rejects(credentials(server), { code: "ClusterNotInstalled", status: 409 });
  await server.pass();
  const first = await credentials(server);
  const { kubeadminPassword: password } = first;
  assert.ok(typeof password === "string");
  assert.match(password, /^[a-z2-9]{23}$/);
  await server.apply(cluster({ workers: { vmSize: "Standard_D8s_v3", count: 5 } }));
  await server.pass();
  assert.deepEqual(await credentials(server), first);
  const shown = JSON.stringify(await server.get(place)) + server.log.join("");
  assert.ok(!shown.includes(password));
});

test("a rotation replaces the password, once", async () => {
  await using server = await startTestServer(openshiftLike);
  await server.apply(cluster({}));
  await server.pass();
  const first = await credentials(server);
  await server.apply(cluster({ credentials: { rotation: "one" } }));
  await server.pass();
  const second = await credentials(server);
  assert.notDeepEqual(second, first);
  await server.apply(cluster({ credentials: { rotation: "one" }, simulation: {} }));
  await server.pass();
  assert.deepEqual(await credentials(server), second);
});

test("a phase that fails ends the installation, with the reason", async () => {
  await using server = await startTestServer(openshiftLike);
  await server.apply(cluster({ simulation: { failAt: "DeployResources" } }));
  await server.pass();
  const broken = await server.get(place);
  assert.ok(broken !== undefined && !isReady(broken));
  const { reason, message } = findCondition(conditionsOf(broken), "Synced") ?? {};
  assert.equal(reason, "SimulatedFailure");
  assert.equal(message, "The phase DeployResources failed, as it was told to.");

  await server.apply(cluster({ simulation: { phaseMilliseconds: 0 } }));
  await server.pass();
  const mended = await server.get(place);
  assert.ok(mended !== undefined && isReady(mended));
});

test("what the younger version wrote survives a write by the older", async () => {
  const stored = await younger.toStored?.(
    {
      clusterProfile: { domain: "shop.example.com", version: "4.19.1", fipsModules: true },
      networkProfile: { podCidr: "10.128.0.0/14", serviceCidr: "172.30.0.0/16" },
      workerProfile: { vmSize: "Standard_D4s_v3", count: 3, zones: ["1", "2"] },
      servicePrincipalProfile: { clientId: "installer", clientSecret: "hidden" },
    },
    undefined,
  );
  assert.ok(stored !== undefined);
  const seen = await older.fromStored?.(parts(stored));
  assert.deepEqual(seen, {
    domain: "shop.example.com",
    openshiftVersion: "4.19.1",
    podCidr: "10.128.0.0/14",
    serviceCidr: "172.30.0.0/16",
    workerSize: "Standard_D4s_v3",
    workerCount: 3,
    servicePrincipalProfile: { clientId: "installer", clientSecret: "hidden" },
  });
  const written = await older.toStored?.({ ...seen, workerCount: 4 }, stored);
  assert.ok(written !== undefined);
  const after = await younger.fromStored?.(parts(written));
  assert.deepEqual(after?.["workerProfile"], {
    vmSize: "Standard_D4s_v3",
    count: 4,
    zones: ["1", "2"],
  });
  assert.deepEqual(after["clusterProfile"], {
    domain: "shop.example.com",
    version: "4.19.1",
    fipsModules: true,
  });
});

function parts(spec: JsonObject): StoredParts {
  return { spec, status: {} };
}

function cluster(change: JsonObject): JsonObject {
  const { apiVersion, kind, name } = place;
  return {
    apiVersion,
    kind,
    metadata: { name },
    spec: {
      cluster: { domain: "shop.example.com", version: "4.19.1" },
      network: { podCidr: "10.128.0.0/14", serviceCidr: "172.30.0.0/16" },
      workers: { vmSize: "Standard_D4s_v3", count: 3 },
      servicePrincipal: { clientId: "installer", clientSecret: "not a real one" },
      ...change,
    },
  };
}

/** As the server calls the action. */
async function credentials(server: TestServer): Promise<JsonObject> {
  const action = openshiftLike.kinds[0]?.arm?.actions?.find(
    ({ name }) => name === "listCredentials",
  );
  const resource: Resource | undefined = await server.get(place);
  assert.ok(action !== undefined && resource !== undefined);
  const context: ArmActionContext = {
    clock: { nowMs: () => server.nowMs() },
    child: async ({ name }) => await server.get({ ...secret, name }),
  };
  return (await action.perform(resource, undefined, context)) ?? {};
}
