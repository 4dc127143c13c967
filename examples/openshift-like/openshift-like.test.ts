// The test of the example: a server in memory, and a clock that the test controls.
//
//   setpoint test examples/openshift-like/openshift-like.test.ts

import assert from "node:assert/strict";
import { test } from "node:test";
import { conditionsOf, findCondition, isReady } from "setpoint";
import type { JsonObject, StoredParts } from "setpoint";
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

const subscription = "/subscriptions/11111111-2222-3333-4444-555555555555";
const clusters = `${subscription}/resourceGroups/shop/providers/Example.OpenShift/clusters`;
const one = `${clusters}/one?api-version=2026-01-01`;
const listCredentials = one.replace("?", "/listCredentials?");
const properties = {
  domain: "shop.example.com",
  servicePrincipalProfile: { clientId: "installer", clientSecret: "not a real one" },
};

test("a cluster is installed, shows its addresses, and is deleted with its secret", async () => {
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
  await registered(server);
  const made = await server.arm("PUT", one, { location: "westeurope", properties });
  assert.equal(made.status, 201);
  await server.pass();
  const { body: first } = await server.arm("POST", listCredentials);
  const { kubeadminPassword: password } = first;
  assert.ok(typeof password === "string");
  assert.match(password, /^[a-z2-9]{23}$/);
  await server.arm("PATCH", one, { properties: { workerCount: 5 } });
  await server.pass();
  assert.deepEqual((await server.arm("POST", listCredentials)).body, first);
  const { body: shown } = await server.arm("GET", one);
  assert.equal((shown["properties"] as JsonObject)["provisioningState"], "Succeeded");
  assert.ok(!(JSON.stringify(shown) + server.log.join("")).includes(password));
});

test("a cluster that was not installed has no credentials", async () => {
  await using server = await startTestServer(openshiftLike);
  await registered(server);
  const broken = { ...properties, simulation: { failAt: "DeployResources" } };
  await server.arm("PUT", one, { location: "westeurope", properties: broken });
  await server.pass();
  const { status, body } = await server.arm("POST", listCredentials);
  assert.equal(status, 409);
  assert.equal((body["error"] as JsonObject)["code"], "ClusterNotInstalled");
});

test("a rotation replaces the password, once", async () => {
  await using server = await startTestServer(openshiftLike);
  await registered(server);
  await server.arm("PUT", one, { location: "westeurope", properties });
  await server.pass();
  const { body: first } = await server.arm("POST", listCredentials);
  const rotated = await server.arm("POST", one.replace("?", "/rotateCredentials?"));
  assert.equal(rotated.status, 202);
  await server.pass();
  const { body: second } = await server.arm("GET", String(rotated.headers["location"]));
  assert.notDeepEqual(second, first);
  await server.arm("PATCH", one, { properties: { workerCount: 5 } });
  await server.pass();
  assert.deepEqual((await server.arm("POST", listCredentials)).body, second);
});

test("a phase that fails ends the installation, with the reason", async () => {
  await using server = await startTestServer(openshiftLike);
  await server.apply(cluster({ simulation: { failAt: "DeployResources" } }));
  await server.pass();
  const broken = await server.get(place);
  assert.ok(broken !== undefined && !isReady(broken));
  const { reason, message } = findCondition(conditionsOf(broken), "Synced") ?? {};
  assert.equal(reason, "SimulatedFailure");
  assert.equal(message, "The phase DeployResources failed, as configured.");

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

/** As the Resource Manager registers a subscription. */
async function registered(server: TestServer): Promise<void> {
  const state = { state: "Registered" };
  const answer = await server.arm("PUT", `${subscription}?api-version=2.0`, state);
  assert.equal(answer.status, 200);
}
