// Resources through the Resource Manager surface of a real server: bodies, states, conditions.
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { root } from "../../tools/stages.ts";
import { pick, pickText, startKubeServer } from "../kube/server.ts";
import type { KubeServer, Reply, RequestHeaders } from "../kube/server.ts";
import { waitUntil } from "../peers/wait.ts";

const subscription = "11111111-2222-3333-4444-555555555555";
const version = "api-version=2026-01-01";
const inGroup = `/subscriptions/${subscription}/resourceGroups/Bread`;
const ovens = `${inGroup}/providers/Example.Bakery/ovens`;

let server: KubeServer;

before(async () => {
  server = await startKubeServer({ module: [join(root, "tests/arm/bakery-module.ts")] });
  const told = await server.request("PUT", `/subscriptions/${subscription}?api-version=2.0`, {
    state: "Registered",
    registrationDate: "2026-01-01",
    extra: { kept: true },
  });
  assert.equal(told.status, 200, told.text);
});

after(async () => {
  await server.stop();
  assert.deepEqual(server.errors, []);
});

function oven(name: string): string {
  return `${ovens}/${name}?${version}`;
}

async function put(name: string, properties: object, more: object = {}): Promise<Reply> {
  const body = { location: "westeurope", properties, ...more };
  return await server.request("PUT", oven(name), body);
}

async function settled(name: string, state = "Succeeded"): Promise<Reply> {
  let last: Reply | undefined;
  await waitUntil(`${name} to be ${state}`, async () => {
    last = await server.request("GET", oven(name));
    return pick(last.json, "properties.provisioningState") === state;
  });
  if (last === undefined) throw new Error("never asked");
  return last;
}

async function made(name: string, properties: object = {}, more: object = {}): Promise<Reply> {
  const reply = await put(name, properties, more);
  assert.equal(reply.status, 201, reply.text);
  return await settled(name);
}

async function patch(name: string, body: object, headers: RequestHeaders = {}): Promise<Reply> {
  const type = { "content-type": "application/json" };
  return await server.request("PATCH", oven(name), body, { ...type, ...headers });
}

function codeOf(reply: Reply): unknown {
  return pick(reply.json, "error.code");
}

describe("a PUT", () => {
  it("creates with 201, the target in its properties, and a state that is not final", async () => {
    const reply = await put("one", { size: 3, model: "x" }, { tags: { a: "b" } });
    assert.equal(reply.status, 201, reply.text);
    assert.equal(pick(reply.json, "id"), `${ovens}/one`);
    assert.equal(pick(reply.json, "name"), "one");
    assert.equal(pick(reply.json, "type"), "Example.Bakery/ovens");
    assert.equal(pick(reply.json, "location"), "westeurope");
    assert.deepEqual(pick(reply.json, "tags"), { a: "b" });
    assert.equal(pick(reply.json, "properties.size"), 3);
    assert.equal(pick(reply.json, "properties.provisioningState"), "Creating");
    const url = String(reply.headers["azure-asyncoperation"]);
    assert.ok(url.startsWith(`${server.url}/subscriptions/${subscription}/providers/`), url);
    assert.equal(reply.headers.etag, pick(reply.json, "etag"));
    const shown = await settled("one");
    assert.match(pickText(shown.json, "properties.url"), /^https:\/\/oven\//);
    const polled = await server.request("GET", url.slice(server.url.length));
    assert.equal(polled.status, 200, polled.text);
    assert.equal(pick(polled.json, "status"), "Succeeded");
  });

  it("replaces with 200", async () => {
    await made("replaced", { size: 1, doors: { left: "a", right: "b" } }, { tags: { a: "b" } });
    const reply = await put("replaced", { size: 2, doors: { left: "c" } });
    assert.equal(reply.status, 200, reply.text);
    assert.deepEqual(pick(reply.json, "properties.doors"), { left: "c" });
    assert.deepEqual(pick(reply.json, "tags"), {});
    await settled("replaced");
  });
});

describe("a DELETE", () => {
  it("of what has something outside is accepted with 202 and ends with 404", async () => {
    await made("gone", { size: 1 });
    const reply = await server.request("DELETE", oven("gone"));
    assert.equal(reply.status, 202, reply.text);
    assert.equal(reply.text, "");
    const location = String(reply.headers.location).slice(server.url.length);
    await waitUntil("its end", async () => {
      const polled = await server.request("GET", location);
      assert.ok(polled.status === 202 || polled.status === 204, polled.text);
      return polled.status === 204;
    });
    assert.equal((await server.request("GET", oven("gone"))).status, 404);
    assert.equal((await server.request("DELETE", oven("gone"))).status, 204);
  });
});

describe("a PATCH", () => {
  it("of what is not there is 404", async () => {
    const reply = await patch("nowhere", { tags: {} });
    assert.equal(reply.status, 404);
    assert.equal(codeOf(reply), "ResourceNotFound");
  });
});
