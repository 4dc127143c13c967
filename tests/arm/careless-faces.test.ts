// Faces whose authors have made mistakes, on a real server: nobody is left without an answer, what
// cannot be shown is not stored, and one resource does not take others with it.
import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { pick, pickList } from "../kube/server.ts";
import type { Reply } from "../kube/server.ts";
import { waitUntil } from "../peers/wait.ts";
import { codeOf, startArmServer, subscription } from "./arm-server.ts";
import type { ArmServer } from "./arm-server.ts";

const group = `/subscriptions/${subscription}/resourceGroups/Shelf`;
const pots = `${group}/providers/Example.Clay/pots`;
const [careless, careful] = ["api-version=2026-01-01", "api-version=2026-06-01"];

let server: ArmServer;

before(async () => {
  server = await startArmServer(undefined, { modules: ["clay"] });
});

after(async () => {
  await server.stop();
});

async function put(name: string, weight: number, version = careless): Promise<Reply> {
  const body = { location: "westeurope", tags: { shelf: "top" }, properties: { weight } };
  return await server.request("PUT", `${pots}/${name}?${version}`, body);
}

async function settled(name: string): Promise<void> {
  await waitUntil(`${name} to be ready`, async () => {
    const { json } = await server.request("GET", `${pots}/${name}?${careful}`);
    return pick(json, "properties.provisioningState") === "Succeeded";
  });
}

/** What was logged since the last time. */
function logged(): readonly string[] {
  return (server.errors as string[]).splice(0);
}

it("a refusal that is none is answered with 500, and its author is told", async () => {
  assert.equal((await put("dropped", 1)).status, 201);
  await settled("dropped");
  for (const [action, why] of [
    ["drop", /RangeError: the status of a refusal must be from 400 to 599, not 99/],
    ["praise", /RangeError: the status of a refusal must be from 400 to 599, not 200/],
    ["crush", /TypeError: the code of a refusal must be one word, not "It Broke\\r\\n"/],
  ] as const) {
    const reply = await server.request("POST", `${pots}/dropped/${action}?${careless}`);
    assert.equal(reply.status, 500, reply.text);
    assert.equal(codeOf(reply), "InternalServerError");
    const [first, ...others] = logged();
    assert.match(first ?? "", why);
    assert.deepEqual(others, []);
  }
});

it("what cannot be shown is not stored", async () => {
  const created = await put("unlucky", 13);
  assert.equal(created.status, 500, created.text);
  assert.equal((await server.request("GET", `${pots}/unlucky?${careful}`)).status, 404);
  assert.match(logged().join("\n"), /unlucky/);

  assert.equal((await put("lucky", 12)).status, 201);
  await settled("lucky");
  const patch = { properties: { weight: 13 } };
  const headers = { "content-type": "application/json" };
  const changed = await server.request("PATCH", `${pots}/lucky?${careless}`, patch, headers);
  assert.equal(changed.status, 500, changed.text);
  const shown = await server.request("GET", `${pots}/lucky?${careful}`);
  assert.equal(pick(shown.json, "properties.weight"), 12);
  assert.match(logged().join("\n"), /unlucky/);
});

it("a list shows the others beside one that cannot be shown", async () => {
  assert.equal((await put("first", 1)).status, 201);
  assert.equal((await put("hidden", 13, careful)).status, 201);
  await settled("first");
  await settled("hidden");
  assert.equal((await server.request("GET", `${pots}/hidden?${careless}`)).status, 500);
  logged();

  const list = await server.request("GET", `${pots}?${careless}`);
  assert.equal(list.status, 200, list.text);
  const items = pickList(list.json, "value");
  const named = (name: string): unknown => items.find((item) => pick(item, "name") === name);
  assert.equal(pick(named("first"), "properties.weight"), 1);
  const hidden = named("hidden");
  assert.equal(pick(hidden, "id"), `${pots}/hidden`);
  assert.equal(pick(hidden, "type"), "Example.Clay/pots");
  assert.equal(pick(hidden, "location"), "westeurope");
  assert.deepEqual(pick(hidden, "tags"), { shelf: "top" });
  assert.deepEqual(pick(hidden, "properties"), { provisioningState: "Succeeded" });
  const [first, ...others] = logged();
  assert.match(first ?? "", /^face cannot present a resource: Error: unlucky/);
  assert.deepEqual(others, []);
});
