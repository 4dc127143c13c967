// A subscription that is deleted leaves nothing behind, however many resources it has, whichever of
// them take their time, and whoever is about to add one.
import assert from "node:assert/strict";
import { request as httpsRequest } from "node:https";
import { after, before, it } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { pick, pickList, pickText } from "../kube/server.ts";
import type { Reply, RequestHeaders } from "../kube/server.ts";
import { waitUntil, within } from "../peers/wait.ts";
import { oven, startArmServer, subscription } from "./arm-server.ts";
import type { ArmServer } from "./arm-server.ts";
import { userOf } from "./users.ts";

const patience = { limitMs: 120_000 };

let server: ArmServer;

before(async () => {
  server = await startArmServer();
});

after(async () => {
  await server.stop();
  assert.deepEqual(server.errors, []);
});

async function tell(id: string, state: string): Promise<void> {
  const reply = await server.request("PUT", `/subscriptions/${id}?api-version=2.0`, { state });
  assert.equal(reply.status, 200, reply.text);
}

/** Whatever was to be done about its state has been done. */
async function settled(id: string): Promise<void> {
  const path = `/apis/arm.setpoint.dev/v1/subscriptions/${id}`;
  const isSettled = async (): Promise<boolean> => {
    const { json } = await server.request("GET", path);
    const isSeen = pick(json, "status.observedGeneration") === pick(json, "metadata.generation");
    const conditions = pick(json, "status.conditions");
    if (!isSeen || !Array.isArray(conditions)) return false;
    return conditions.every((each) => pick(each, "status") === "True");
  };
  await waitUntil(`the subscription ${id} to be settled`, isSettled, patience);
}

it("passes over resources that take their time, however many", async () => {
  const id = "66666666-2222-3333-4444-555555555555";
  await tell(id, "Registered");
  const kube = `/apis/bakery.tests.dev/v1/namespaces/sub-${id}/ovens`;
  const create = async (name: string, finalizers: readonly string[]): Promise<void> => {
    const metadata = { name, finalizers };
    const body = { apiVersion: "bakery.tests.dev/v1", kind: "Oven", metadata, spec: {} };
    const reply = await server.request("POST", kube, body);
    assert.equal(reply.status, 201, reply.text);
  };
  // Held for good, and in front of the one that is not.
  for (let index = 100; index < 205; index++) await create(`a${index}`, ["tests.dev/hold"]);
  await create("zebra", []);
  await tell(id, "Deleted");
  const isGone = async (): Promise<boolean> =>
    (await server.request("GET", `${kube}/zebra`)).status === 404;
  await waitUntil("the last one to be gone", isGone, patience);
});

it("passes over what is protected, names it, and takes it once it is not", async () => {
  const id = "67676767-2222-3333-4444-555555555555";
  await tell(id, "Registered");
  const kube = `/apis/bakery.tests.dev/v1/namespaces/sub-${id}/ovens`;
  for (const name of ["aa", "bb", "cc"]) {
    const annotations = name === "bb" ? { "setpoint.dev/deletion-protection": "true" } : {};
    const metadata = { name, annotations };
    const body = { apiVersion: "bakery.tests.dev/v1", kind: "Oven", metadata, spec: {} };
    const reply = await server.request("POST", kube, body);
    assert.equal(reply.status, 201, reply.text);
  }
  await tell(id, "Deleted");
  const isLeft = async (...names: readonly string[]): Promise<boolean> => {
    const { json } = await server.request("GET", kube);
    const found = pickList(json, "items").map((item) => pick(item, "metadata.name"));
    return isDeepStrictEqual(found, names);
  };
  await waitUntil("the others to be gone", async () => await isLeft("bb"), patience);
  const path = `/apis/arm.setpoint.dev/v1/subscriptions/${id}`;
  await waitUntil(
    "the one in the way to be named",
    async () =>
      /resources cannot be deleted: ovens\.bakery\.tests\.dev\/bb/.test(
        (await server.request("GET", path)).text,
      ),
    patience,
  );
  const metadata = { annotations: { "setpoint.dev/deletion-protection": null } };
  const merge = { "content-type": "application/merge-patch+json" };
  assert.equal((await server.request("PATCH", `${kube}/bb`, { metadata }, merge)).status, 200);
  await waitUntil("it to be gone, too", async () => await isLeft(), patience);
  await settled(id);
});

it("takes back what a request adds that was on its way", async () => {
  const id = "77777777-2222-3333-4444-555555555555";
  await tell(id, "Registered");
  await settled(id);
  const path = oven("late").replace(subscription, id);
  const body = JSON.stringify({ location: "westeurope", properties: {} });
  const slow = sendSlowly(path, body.slice(0, 5));
  // The request is let in before the state changes, which nobody outside can see: time is given.
  for (let index = 0; index < 50; index++) await server.request("GET", path);
  await tell(id, "Deleted");
  await settled(id);
  const { status, text } = await slow.finish(body.slice(5));
  assert.equal(status, 400, text);
  assert.match(text, /InvalidSubscriptionState/);
  const isGone = async (): Promise<boolean> => (await server.request("GET", path)).status === 404;
  await waitUntil("the late one to be gone", isGone, patience);
});

it("lets nobody do with kubectl what its state forbids, but operators", async () => {
  const id = "88888888-2222-3333-4444-555555555555";
  await tell(id, "Registered");
  const kube = `/apis/bakery.tests.dev/v1/namespaces/sub-${id}/ovens`;
  const all = { apiGroups: ["bakery.tests.dev"], resources: ["ovens"], verbs: ["*"] };
  const customer = await userOf(server, "customer", [all], id);
  const admin = { ...all, resources: ["ovens", "ovens/admin"] };
  const operator = await userOf(server, "operator", [admin], id);
  const create = (name: string, who: RequestHeaders): Promise<Reply> => {
    const metadata = { name, finalizers: ["tests.dev/hold"] };
    const body = { apiVersion: "bakery.tests.dev/v1", kind: "Oven", metadata, spec: {} };
    return server.request("POST", kube, body, who);
  };
  const patch = (name: string, body: object, who: RequestHeaders): Promise<Reply> => {
    const headers = { ...who, "content-type": "application/merge-patch+json" };
    return server.request("PATCH", `${kube}/${name}`, body, headers);
  };
  const remove = (name: string, who: RequestHeaders): Promise<Reply> =>
    server.request("DELETE", `${kube}/${name}`, undefined, who);
  const isRefused = async (asked: Promise<Reply>, why: string): Promise<void> => {
    const reply = await asked;
    assert.equal(reply.status, 403, reply.text);
    assert.ok(pickText(reply.json, "message").endsWith(`the subscription ${id} is ${why}`));
  };
  const labels = { metadata: { labels: { mine: "yes" } } };
  for (const name of ["one", "two"]) assert.equal((await create(name, customer)).status, 201);
  await tell(id, "Suspended");
  const half = "Suspended: its resources can be read and deleted, but not created or changed";
  await isRefused(create("three", customer), half);
  await isRefused(patch("one", { spec: { size: 2 } }, customer), half);
  assert.equal((await patch("one", labels, customer)).status, 200);
  assert.equal((await patch("one", { spec: { size: 3 } }, operator)).status, 200);
  assert.equal((await remove("one", customer)).status, 200);
  await tell(id, "Unregistered");
  await isRefused(remove("two", customer), "Unregistered: its resources can only be read");
  // What is going already may go.
  assert.equal((await remove("one", customer)).status, 200);
  assert.equal((await patch("one", { metadata: { finalizers: null } }, customer)).status, 200);
  assert.equal((await remove("two", operator)).status, 200);
  await tell(id, "Registered");
  assert.equal((await create("three", customer)).status, 201);
});

interface SlowRequest {
  finish(rest: string): Promise<{ readonly status: number; readonly text: string }>;
}

function sendSlowly(path: string, begin: string): SlowRequest {
  const { hostname, port } = new URL(server.url);
  const headers = {
    authorization: `Bearer ${server.token}`,
    "content-type": "application/json",
    "transfer-encoding": "chunked",
  };
  const options = { hostname, port, path, method: "PUT", ca: server.ca, agent: false, headers };
  const sending = httpsRequest(options);
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; text: string }>();
  sending.once("error", reject);
  sending.once("response", (response) => {
    const parts: Buffer[] = [];
    response.on("data", (part: Buffer) => parts.push(part));
    response.once("end", () => {
      const text = Buffer.concat(parts).toString("utf8");
      resolve({ status: response.statusCode ?? 0, text });
    });
  });
  sending.write(begin);
  return {
    finish: async (rest) => {
      sending.end(rest);
      return await within("the answer to the slow request", promise, patience);
    },
  };
}
