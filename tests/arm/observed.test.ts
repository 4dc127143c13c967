// What others see of requests to the Resource Manager surface of a real server: the audit log, by
// the same policy as requests to the Kubernetes API, and the metrics.
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { pick, pickText } from "../kube/server.ts";
import type { Reply } from "../kube/server.ts";
import { waitUntil } from "../peers/wait.ts";
import { oven, ovens, startArmServer, subscription, version } from "./arm-server.ts";
import type { ArmServer } from "./arm-server.ts";

const policy = `
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- level: RequestResponse
  resources:
  - group: bakery.tests.dev
- level: Metadata
`;
const recipe = `${ovens}/seen/recipes/bread?${version}`;

let server: ArmServer;
let folder: string;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "setpoint-arm-audit-"));
  const auditPolicy = join(folder, "policy.yaml");
  await writeFile(auditPolicy, policy);
  server = await startArmServer(undefined, { auditPolicy, auditLog: join(folder, "audit.log") });
  await server.made("seen", { secretCode: "Sesame-4711" });
  const put = await server.request("PUT", recipe, {
    location: "eastus",
    properties: { text: "a" },
  });
  assert.equal(put.status, 201, put.text);
  const isMade = async (): Promise<boolean> => {
    const { json } = await server.request("GET", recipe);
    return pick(json, "properties.provisioningState") === "Succeeded";
  };
  await waitUntil("the recipe to be made", isMade, { limitMs: 120_000 });
});

after(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
  assert.deepEqual(server.errors, []);
});

async function auditText(): Promise<string> {
  return await readFile(join(folder, "audit.log"), "utf8");
}

/** The record of the request that was answered so. */
async function eventOf(reply: Pick<Reply, "headers">): Promise<unknown> {
  const id = reply.headers["x-ms-request-id"];
  return await waitUntil(
    "the record of a request",
    async () => {
      const lines = (await auditText()).split("\n").slice(0, -1);
      const events = lines.map((line) => JSON.parse(line) as unknown);
      return events.find((event) => pick(event, "auditID") === id);
    },
    { limitMs: 120_000 },
  );
}

describe("the audit log", () => {
  it("names the kind and the stored resource behind a request, and what was decided", async () => {
    const reply = await server.request("PUT", recipe, {
      location: "eastus",
      properties: { text: "water" },
    });
    assert.equal(reply.status, 200, reply.text);
    const event = await eventOf(reply);
    assert.equal(pick(event, "level"), "RequestResponse");
    assert.equal(pick(event, "verb"), "update");
    assert.equal(pick(event, "requestURI"), recipe);
    assert.equal(pick(event, "objectRef.apiGroup"), "bakery.tests.dev");
    assert.equal(pick(event, "objectRef.apiVersion"), "2026-01-01");
    assert.equal(pick(event, "objectRef.resource"), "recipes");
    assert.equal(pick(event, "objectRef.namespace"), `sub-${subscription}`);
    assert.match(pickText(event, "objectRef.name"), /^bread-/);
    assert.equal(pick(event, "requestObject.properties.text"), "water");
    assert.equal(pick(event, "responseObject.name"), "bread");
    const notes = pick(event, "annotations") as Readonly<Record<string, string>>;
    assert.equal(notes["authorization.k8s.io/decision"], "allow");
  });

  it("never holds what is hidden, nor what actions show", async () => {
    const put = await server.put("seen", { secretCode: "Sesame-4712" });
    const event = await eventOf(put);
    assert.equal(pick(event, "level"), "Metadata");
    assert.equal(pick(event, "objectRef.resource"), "ovens");
    await server.settled("seen");
    const shown = await server.request("POST", `${ovens}/seen/listCodes?${version}`);
    assert.equal(pick(shown.json, "secretCode"), "Sesame-4712");
    const action = await eventOf(shown);
    assert.equal(pick(action, "level"), "Metadata");
    assert.equal(pick(action, "verb"), "create");
    assert.equal(pick(action, "objectRef.subresource"), "listcodes");
    const begun = await server.request("POST", `${ovens}/seen/clean?${version}`, {
      minutes: 1,
      soap: "Sesame-4713",
    });
    assert.equal(begun.status, 202, begun.text);
    const location = String(begun.headers.location).slice(server.url.length);
    const result = await waitUntil(
      "the result",
      async () => {
        const reply = await server.request("GET", location);
        return reply.status === 202 ? undefined : reply;
      },
      { limitMs: 120_000 },
    );
    assert.equal(pick(result.json, "soap"), "Sesame-4713");
    assert.equal(pick(await eventOf(result), "objectRef.resource"), "operations");
    assert.ok(!(await auditText()).includes("Sesame"));
  });

  it("tells why a request was refused, also when nobody knows who sent it", async () => {
    const refused = await server.request("PUT", recipe, { properties: { text: 3 } });
    assert.equal(refused.status, 400, refused.text);
    const event = await eventOf(refused);
    assert.equal(pick(event, "responseStatus.code"), 400);
    assert.equal(pick(event, "responseStatus.reason"), pick(refused.json, "error.code"));
    assert.equal(pick(event, "responseStatus.message"), pick(refused.json, "error.message"));
    const unknown = await server.get("seen", { authorization: "Bearer wrong" });
    assert.equal(unknown.status, 401);
    assert.deepEqual(pick(await eventOf(unknown), "user"), {});
  });

  it("tells of the resource manager by the name of its certificate", async () => {
    const reply = await server.asManager("GET", oven("seen"));
    assert.equal(reply.status, 200, reply.text);
    const event = await eventOf(reply);
    assert.equal(pick(event, "user.username"), "resource-manager");
    assert.equal(pick(event, "verb"), "get");
  });
});

describe("the metrics", () => {
  const series = (text: string, ...parts: readonly string[]): readonly string[] =>
    text.split("\n").filter((line) => parts.every((part) => line.includes(part)));

  it("count requests by kind, route and answer, and tell how long they took", async () => {
    await server.get("seen");
    const { text } = await server.request("GET", "/metrics");
    const arm = 'surface="arm"';
    const put = series(text, "apiserver_request_total", arm, 'route="resource"', 'verb="PUT"');
    assert.ok(
      put.some((line) => line.includes('resource="ovens"')),
      put.join("\n"),
    );
    assert.ok(put.every((line) => line.includes('version="2026-01-01"')));
    assert.equal(series(text, "request_total", arm, 'route="subscription"').length, 1);
    assert.ok(series(text, "duration_seconds_count", 'verb="GET"', arm).length === 1);
    // Others may be under way in the eyes of the server a moment longer than in ours.
    await waitUntil("this to be the only request", async () => {
      const shown = (await server.request("GET", "/metrics")).text;
      return /^apiserver_current_inflight_requests 1$/m.test(shown);
    });
  });

  it("have no names that a client made up", async () => {
    const made = [
      `/subscriptions/${subscription}/providers/Made.Up/things?api-version=1`,
      `${ovens}/seen/made-up/things?api-version=made-up`,
      `${ovens}/seen/madeUp?api-version=made-up`,
      `${ovens}?api-version=made-up`,
      "/subscriptions/made-up/made-up",
      "/swagger/made-up",
    ];
    for (const path of made) {
      assert.ok((await server.request("GET", path)).status >= 400, path);
      assert.ok((await server.request("MADEUP", path)).status >= 400, path);
    }
    const { text } = await server.request("GET", "/metrics");
    assert.doesNotMatch(text, /made.?up/i);
  });
});
