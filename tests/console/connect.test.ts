// The pages of Connect in Chromium, in front of a service that answers and one that does not.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Browser } from "playwright-core";
import type { JsonObject } from "../../src/kernel/json.ts";
import { definition, restKind } from "../connect/powerdns-kinds.ts";
import { thingsConnection } from "../connect/things-kinds.ts";
import { pickList, startKubeServer } from "../kube/server.ts";
import type { KubeServer } from "../kube/server.ts";
import { seriousFindings, startChromium } from "../peers/chromium.ts";
import { startThings } from "../peers/things.ts";
import type { Things } from "../peers/things.ts";
import { waitUntil } from "../peers/wait.ts";
import { openSignedIn } from "./signed-in.ts";

const connections = "/apis/connect.setpoint.dev/v1/connections";
const things = "/apis/dns.tests.dev/v1/namespaces/default/things";

const thingKind = definition("Thing", {
  type: "object",
  properties: { color: { type: "string" } },
});

function binding(name: string, connection: string): JsonObject {
  return restKind(name, {
    connection,
    item: "/things/{name}",
    identity: { kind: "client", parameter: "name" },
    operations: {
      read: { method: "GET" },
      create: { method: "PUT", path: "/things/{name}" },
      replace: { method: "PUT" },
      delete: { method: "DELETE" },
    },
    fields: [
      { path: "/name", class: "read-only", from: "override" },
      {
        path: "/state",
        class: "read-only",
        from: "name",
        confidence: 0.63,
        why: "a word of states",
      },
    ],
    resyncSeconds: 86_400,
  });
}

describe("the pages of Connect in Chromium", () => {
  let browser: Browser;
  let server: KubeServer;
  let service: Things;
  const create = async (path: string, document: JsonObject): Promise<void> => {
    const { status, text } = await server.request("POST", path, document);
    assert.equal(status, 201, text);
  };
  const isTrue = async (path: string, type: string): Promise<boolean> => {
    const { json } = await server.request("GET", path);
    if ((json as JsonObject)["status"] === undefined) return false;
    const all = pickList(json, "status.conditions") as readonly JsonObject[];
    return all.some((each) => each["type"] === type && each["status"] === "True");
  };

  before(async () => {
    [browser, server, service] = await Promise.all([
      startChromium(),
      startKubeServer({ consoleListen: "127.0.0.1:0" }),
      startThings(),
    ]);
    const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    await create(definitions, thingKind);
    await create(connections, thingsConnection("things", { baseUrl: service.url }));
    const kind = "/apis/connect.setpoint.dev/v1/restkinds";
    await create(kind, binding("things", "things"));
    const accepted = `${kind}/things.dns.tests.dev`;
    await waitUntil("the binding", () => isTrue(accepted, "Accepted"));
    const thing = { apiVersion: "dns.tests.dev/v1", kind: "Thing" };
    await create(things, { ...thing, metadata: { name: "ready" }, spec: { color: "red" } });
    await waitUntil("the thing in the service", () => isTrue(`${things}/ready`, "Ready"));
    const paused = { annotations: { "setpoint.dev/paused": "true" } };
    const metadata = { name: "paused", ...paused };
    await create(things, { ...thing, metadata, spec: { color: "blue" } });
  });

  after(async () => {
    await browser?.close();
    await server?.stop();
    await service?.[Symbol.asyncDispose]();
  });

  it("a connection leads to its kinds, with rules of fields and their sources", async () => {
    await using tab = await openSignedIn(browser, server, { path: "/connect" });
    const { page } = tab;
    await page.getByRole("heading", { level: 1, name: "1 connection" }).waitFor();
    const row = page.getByRole("row", { name: /things/ });
    await row.getByText("Answers").waitFor();
    await row.getByText("2 resources").waitFor();
    await row.getByRole("link", { name: "things" }).click();
    const rules = page.getByRole("region", { name: "Field rules" });
    await rules.getByText("guessed from its name, 63 %").waitFor();
    await rules.getByRole("searchbox", { name: "Filter fields" }).fill("user");
    await waitUntil("one rule", async () => (await rules.getByRole("row").count()) === 2);
    await rules.getByText("set by a user").waitFor();
    assert.deepEqual(await seriousFindings(page), []);
    assert.deepEqual([...tab.origins], [server.loopback]);
    assert.deepEqual(tab.errors, []);
  });

  it("the next request of a resource is shown before it is sent", async () => {
    await using tab = await openSignedIn(browser, server, {
      path: "/connect/things/requests?of=default/paused",
      width: 360,
      theme: "dark",
    });
    const { page } = tab;
    const plan = page.getByRole("region", { name: "Next request of paused" });
    await plan.getByText("no request is sent until it is removed").waitFor();
    await plan.getByText("PUT /things/paused").waitFor();
    await plan.getByText('"color": "blue"').waitFor();
    assert.equal(service.objects.has("paused"), false);
    assert.deepEqual(await seriousFindings(page), []);
    assert.deepEqual(tab.errors, []);
  });

  it("a service that stops to answer is the answer of the page, while it is open", async () => {
    await using tab = await openSignedIn(browser, server, { path: "/connect/things" });
    const { page } = tab;
    await page.getByRole("region", { name: "Field rules" }).waitFor();
    await service[Symbol.asyncDispose]();
    const patch = { spec: { color: "green" } };
    assert.equal((await server.request("PATCH", `${things}/ready`, patch)).status, 200);
    await page.getByRole("heading", { name: /^The service does not answer/ }).waitFor();
    await page.getByRole("link", { name: "Connect", exact: true }).first().click();
    await page.getByRole("heading", { name: "1 of 1 service does not answer" }).waitFor();
    assert.deepEqual(tab.errors, []);
  });
});
