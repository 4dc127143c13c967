// Exchanges with a resource and one inside of it on a real server, each held against the Swagger
// document that the server itself serves: what a nested resource has, lists in pages, names, and
// the results of operations.
import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import type { Json, JsonObject } from "../../src/kernel/json.ts";
import { objectAt } from "../../src/kernel/json-read.ts";
import { withoutKey } from "../../src/kernel/without-key.ts";
import { pick } from "../kube/server.ts";
import type { Reply } from "../kube/server.ts";
import { waitUntil } from "../peers/wait.ts";
import { ovens, startArmServer, subscription, version } from "./arm-server.ts";
import type { ArmServer } from "./arm-server.ts";
import { swaggerProblems } from "./swagger-traffic.ts";

const provider = `/subscriptions/${subscription}/providers/Example.Bakery`;
const recipe = `${ovens}/one/recipes/bread`;

let server: ArmServer;
let document: JsonObject;

before(async () => {
  server = await startArmServer();
  const { json } = await server.request("GET", "/swagger/Example.Bakery/2026-01-01.json");
  document = json as JsonObject;
  await server.made("one");
});

after(async () => {
  await server.stop();
  assert.deepEqual(server.errors, []);
});

it("a nested resource has tags and perhaps a location, and the document says so", async () => {
  const tags = { of: "rye" };
  const properties = { text: "knead" };
  const made = await ask("PUT", recipe, { location: "westeurope", tags, properties });
  assert.equal(made.status, 201, made.text);
  assert.deepEqual(pick(made.json, "tags"), tags);
  assert.equal(pick(made.json, "location"), "westeurope");
  await settled(recipe);
  const plain = await ask("PUT", `${ovens}/one/recipes/plain`, { properties });
  assert.equal(plain.status, 201, plain.text);
  assert.equal(pick(plain.json, "location"), undefined);
  const update = objectAt(document, "definitions", "OvensRecipesUpdate", "properties");
  assert.ok("tags" in update);
  const changed = await ask("PATCH", recipe, { tags: {}, properties: { text: null } });
  assert.ok(changed.status < 300, changed.text);
  await settled(recipe);
  const { json } = await ask("GET", recipe);
  assert.deepEqual(pick(json, "tags"), {});
  assert.equal(pick(json, "properties.text"), undefined);
});

it("pages, names and results of operations are in the document", async () => {
  const paths = objectAt(document, "paths");
  const list = Object.entries(paths).find(([path]) => path.endsWith("/ovens"))?.[1];
  const parameters = JSON.stringify(objectAt(list, "get")["parameters"]);
  assert.match(parameters, /TopParameter.*SkipTokenParameter/);
  assert.equal((await ask("GET", ovens, undefined, "&$top=1")).status, 200);
  for (const place of [provider, `${provider}/locations/westeurope`]) {
    for (const name of ["one", "two", "odd?"]) {
      const asked = { name, type: "Example.Bakery/ovens" };
      const { status } = await ask("POST", `${place}/checkNameAvailability`, asked);
      assert.equal(status, 200);
    }
  }
  const gone = await ask("DELETE", `${ovens}/one`);
  assert.equal(gone.status, 202, gone.text);
  const { pathname } = new URL(String(gone.headers.location));
  await waitUntil("the result", async () => (await ask("GET", pathname)).status === 204, {
    limitMs: 120_000,
  });
});

it("what a document does not describe is noticed", () => {
  const definitions = objectAt(document, "definitions");
  const nested = objectAt(definitions, "NestedResource");
  const fields = withoutKey(objectAt(nested, "properties"), "tags");
  const poorer = {
    ...document,
    definitions: { ...definitions, NestedResource: { ...nested, properties: fields } },
  };
  const received = { id: recipe, name: "bread", tags: {}, properties: { text: "knead" } };
  const exchange = { method: "GET", path: recipe, sent: undefined, status: 200, received };
  assert.deepEqual(swaggerProblems(document, exchange), []);
  assert.deepEqual(swaggerProblems(poorer, exchange), ["received.tags: is not declared"]);
});

async function ask(method: string, path: string, body?: object, more = ""): Promise<Reply> {
  const headers = body === undefined ? {} : { "content-type": "application/json" };
  const reply = await server.request(method, `${path}?${version}${more}`, body, headers);
  const problems = swaggerProblems(document, {
    method,
    path,
    sent: body as Json | undefined,
    status: reply.status,
    received: reply.text === "" ? undefined : (reply.json as Json),
  });
  assert.deepEqual(problems, [], `${method} ${path} answered ${reply.status}`);
  return reply;
}

async function settled(path: string): Promise<void> {
  const isSettled = async (): Promise<boolean> => {
    const { json } = await ask("GET", path);
    return pick(json, "properties.provisioningState") === "Succeeded";
  };
  await waitUntil(`${path} to be ready`, isSettled, { limitMs: 120_000 });
}
