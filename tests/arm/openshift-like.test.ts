// The life of a cluster of examples/openshift-like on a real server, through both of its
// api-versions. Every exchange is held against the Swagger document that the server itself serves.
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, it } from "node:test";
import type { Json, JsonObject } from "../../src/kernel/json.ts";
import { textAt } from "../../src/kernel/json-read.ts";
import { root } from "../../tools/stages.ts";
import { pick, pickList, startKubeServer } from "../kube/server.ts";
import type { KubeServer, Reply } from "../kube/server.ts";
import { waitUntil } from "../peers/wait.ts";
import { swaggerProblems } from "./swagger-traffic.ts";

const older = "2026-01-01";
const younger = "2026-08-01";
const tenant = "11111111-2222-3333-4444-555555555555";
const subscription = `/subscriptions/${tenant}`;
const clusters = `${subscription}/resourceGroups/Shop/providers/Example.OpenShift/clusters`;
const principal = { clientId: "installer", clientSecret: "not a real one" };

let server: KubeServer;
const documents = new Map<string, JsonObject>();

before(async () => {
  const module = join(root, "examples/openshift-like/openshift-like.ts");
  server = await startKubeServer({ module: [module] });
  await server.request("PUT", `${subscription}?api-version=2.0`, { state: "Registered" });
  for (const version of [older, younger]) {
    const { json } = await server.request("GET", `/swagger/Example.OpenShift/${version}.json`);
    documents.set(version, json as JsonObject);
  }
});

after(async () => {
  await server.stop();
  assert.deepEqual(server.errors, []);
});

it("is created, changed through both versions, asked for its password, and deleted", async () => {
  const one = `${clusters}/one`;
  const properties = { domain: "one.example.com", servicePrincipalProfile: principal };
  const created = await ask("PUT", one, older, { location: "westeurope", properties });
  assert.equal(created.status, 201, created.text);
  await settled(one, "Succeeded");
  const zones = { properties: { workerProfile: { zones: ["1", "2"] } } };
  assert.equal((await ask("PATCH", one, younger, zones)).status, 202);
  await settled(one, "Succeeded");

  const read = (await ask("GET", one, older)).json as JsonObject;
  const edited = { ...read, properties: { ...(read["properties"] as object), workerCount: 5 } };
  assert.equal((await ask("PUT", one, older, edited)).status, 200);
  await settled(one, "Succeeded");
  const shown = await ask("GET", one, younger);
  assert.deepEqual(pick(shown.json, "properties.workerProfile"), {
    vmSize: "Standard_D4s_v3",
    count: 5,
    zones: ["1", "2"],
  });
  const { json } = await server.request("POST", `${one}/listCredentials?api-version=${older}`);
  assert.match(String(pick(json, "kubeadminPassword")), /^[a-z2-9]{23}$/);
  const rotated = await ask("POST", `${one}/rotateCredentials`, younger);
  assert.equal(rotated.status, 202, rotated.text);
  const location = String(rotated.headers.location).slice(server.url.length);
  const result = await waitUntil(
    "the new password",
    async () => {
      const reply = await server.request("GET", location);
      return reply.status === 202 ? undefined : reply;
    },
    { limitMs: 120_000 },
  );
  assert.equal(result.status, 200, result.text);
  assert.match(String(pick(result.json, "kubeadminPassword")), /^[a-z2-9]{23}$/);
  assert.notEqual(pick(result.json, "kubeadminPassword"), pick(json, "kubeadminPassword"));

  const secrets = await server.request("GET", `/api/v1/namespaces/sub-${tenant}/secrets`);
  const createdFor = pickList(secrets.json, "items").map((each) =>
    pick(each, "metadata.annotations.resourceCreatedFor"),
  );
  assert.deepEqual(createdFor, [one]);

  for (const list of [clusters, `${subscription}/providers/Example.OpenShift/clusters`]) {
    assert.equal((await ask("GET", list, younger)).status, 200);
  }
  assert.equal((await ask("DELETE", one, younger)).status, 202);
  await waitUntil("the cluster to be gone", async () => {
    return (await ask("GET", one, younger)).status === 404;
  });
  assert.equal((await ask("DELETE", one, younger)).status, 204);
});

it("is told how far it is over all of its phases, without going back", async () => {
  const slow = `${clusters}/slow`;
  const profile = { servicePrincipalProfile: principal, simulation: { phaseMilliseconds: 100 } };
  const properties = { domain: "slow.example.com", ...profile };
  const created = await ask("PUT", slow, older, { location: "westeurope", properties });
  assert.equal(created.status, 201, created.text);
  const grown = { ...properties, workerCount: 7 };
  for (const begin of [
    () => Promise.resolve(created),
    () => ask("PUT", slow, older, { location: "westeurope", properties: grown }),
    () => ask("POST", `${slow}/rotateCredentials`, younger),
    () => ask("DELETE", slow, younger),
  ]) {
    const begun = await begin();
    assert.ok(begun.status < 300, begun.text);
    const path = String(begun.headers["azure-asyncoperation"]).slice(server.url.length);
    const seen: unknown[] = [];
    await waitUntil(
      "the operation to end",
      async () => {
        const { json } = await server.request("GET", path);
        const percent = pick(json, "percentComplete");
        const isGoing = pick(json, "status") === "InProgress";
        if (percent !== undefined) seen.push(percent);
        assert.ok(!isGoing || percent === undefined || Number(percent) < 100, String(percent));
        return !isGoing;
      },
      { limitMs: 120_000 },
    );
    assert.equal(seen.at(-1), 100);
    assert.deepEqual(
      seen,
      seen.toSorted((a, b) => Number(a) - Number(b)),
    );
  }
});

it("tells of a phase that failed, and of a password that is not there yet", async () => {
  const two = `${clusters}/two`;
  const properties = {
    clusterProfile: { domain: "two.example.com" },
    servicePrincipalProfile: principal,
    simulation: { failAt: "DeployResources" },
  };
  const created = await ask("PUT", two, younger, { location: "eastus", properties });
  assert.equal(created.status, 201, created.text);
  await settled(two, "Failed");
  const url = new URL(String(created.headers["azure-asyncoperation"]));
  const status = await ask("GET", url.pathname, younger);
  assert.deepEqual(pick(status.json, "error"), {
    code: "SimulatedFailure",
    message: "The phase DeployResources failed, as configured.",
  });
  const refused = await ask("POST", `${two}/listCredentials`, younger);
  assert.equal(refused.status, 409, refused.text);
  assert.equal(pick(refused.json, "error.code"), "ClusterNotInstalled");
});

it("refuses with every problem at once, in the shape that the document promises", async () => {
  const properties = { domain: "Three!", workerCount: 1, servicePrincipalProfile: {} };
  const refused = await ask("PUT", `${clusters}/three`, older, { location: "mars", properties });
  assert.equal(refused.status, 400);
  const details = pick(refused.json, "error.details") as readonly JsonObject[];
  assert.deepEqual(details.map((each) => textAt(each, "target")).sort(), [
    "location",
    "properties.domain",
    "properties.servicePrincipalProfile.clientId",
    "properties.workerCount",
  ]);
});

async function ask(method: string, path: string, version: string, body?: object): Promise<Reply> {
  const headers = body === undefined ? {} : { "content-type": "application/json" };
  const url = `${path}?api-version=${version}`;
  const reply = await server.request(method, url, body, headers);
  const problems = swaggerProblems(documents.get(version) ?? {}, {
    method,
    path,
    sent: body as Json | undefined,
    status: reply.status,
    received: reply.text === "" ? undefined : (reply.json as Json),
  });
  assert.deepEqual(problems, [], `${method} ${url} answered ${reply.status}`);
  return reply;
}

async function settled(path: string, state: string): Promise<void> {
  const isSettled = async (): Promise<boolean> => {
    const { json } = await ask("GET", path, older);
    return pick(json, "properties.provisioningState") === state;
  };
  await waitUntil(`${path} to be ${state}`, isSettled, { limitMs: 120_000 });
}
