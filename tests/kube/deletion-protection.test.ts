// Deletion protection: an annotation by which a resource refuses to be deleted, whoever asks and in
// whatever way, until somebody takes the annotation away.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { waitUntil } from "../peers/wait.ts";
import { pick, pickText, startKubeServer } from "./server.ts";
import type { KubeServer } from "./server.ts";
import {
  configMap,
  configMaps,
  definitions,
  given,
  group,
  mergePatch,
  refused,
  setUpWidgets,
  widget,
  widgets,
} from "./widget-kinds.ts";

const annotation = "setpoint.dev/deletion-protection";
const marked = { annotations: { [annotation]: "true" } };
const unmarked = { metadata: { annotations: { [annotation]: null } } };

let server: KubeServer;

before(async () => {
  server = await startKubeServer();
  await setUpWidgets(server);
});

after(async () => {
  assert.deepEqual(server.errors, [], "no request makes the server log an error");
  await server.stop();
});

function words(id: string, name: string, where = " --namespace test"): string {
  return (
    `Operation cannot be fulfilled on ${id} "${name}": it is protected from deletion by the ` +
    `annotation ${annotation}; to allow its deletion: ` +
    `kubectl annotate ${id} ${name}${where} ${annotation}-`
  );
}

const status = async (path: string): Promise<number> => (await server.request("GET", path)).status;

async function conditionOf(path: string, type: string): Promise<unknown> {
  const { json } = await server.request("GET", path);
  const conditions = (pick(json, "status.conditions") ?? []) as readonly unknown[];
  return conditions.find((condition) => pick(condition, "type") === type);
}

describe("a protected resource", () => {
  it("is not deleted, in a dry run neither, until the annotation is gone", async () => {
    given(await server.request("POST", widgets, widget("kept", {}, marked)), 201);
    const why = words(`widgets.${group}`, "kept");
    refused(await server.request("DELETE", `${widgets}/kept`), 409, "Conflict", why);
    refused(await server.request("DELETE", `${widgets}/kept?dryRun=All`), 409, "Conflict", why);
    given(await server.request("PATCH", `${widgets}/kept`, unmarked, mergePatch));
    given(await server.request("DELETE", `${widgets}/kept`));
    assert.equal(await status(`${widgets}/kept`), 404);
  });

  it("is protected by any value but false, since who mistypes it wants protection", async () => {
    const annotations = { [annotation]: "yes" };
    given(await server.request("POST", configMaps, configMap("typo", {}, { annotations })), 201);
    assert.equal((await server.request("DELETE", `${configMaps}/typo`)).status, 409);
    const off = { metadata: { annotations: { [annotation]: "false" } } };
    given(await server.request("PATCH", `${configMaps}/typo`, off, mergePatch));
    given(await server.request("DELETE", `${configMaps}/typo`));
  });

  it("stays when its collection is deleted, while the others go", async () => {
    const labels = { part: "collection" };
    const made = [widget("c-kept", {}, { ...marked, labels }), widget("c-gone", {}, { labels })];
    for (const body of made) given(await server.request("POST", widgets, body), 201);
    const reply = await server.request("DELETE", `${widgets}?labelSelector=part%3Dcollection`);
    refused(reply, 409, "Conflict", words(`widgets.${group}`, "c-kept"));
    assert.equal(await status(`${widgets}/c-kept`), 200);
    assert.equal(await status(`${widgets}/c-gone`), 404);
  });

  it("stays when its owner goes", async () => {
    const owner = given(await server.request("POST", configMaps, configMap("owner")), 201);
    const uid = pickText(owner, "metadata.uid");
    const ownerReferences = [{ apiVersion: "v1", kind: "ConfigMap", name: "owner", uid }];
    const made = [
      configMap("owned-kept", {}, { ...marked, ownerReferences }),
      configMap("owned-gone", {}, { ownerReferences }),
    ];
    for (const body of made) given(await server.request("POST", configMaps, body), 201);
    given(await server.request("DELETE", `${configMaps}/owner`));
    await waitUntil(
      "the owned one to go",
      async () => (await status(`${configMaps}/owned-gone`)) === 404,
    );
    await sleep(100);
    assert.equal(await status(`${configMaps}/owned-kept`), 200);
  });
});

describe("what holds protected resources", () => {
  it("is not deleted before them: a namespace tells what holds it", async () => {
    const namespaces = "/api/v1/namespaces";
    const path = `${namespaces}/holding`;
    const metadata = { name: "holding" };
    given(
      await server.request("POST", namespaces, { apiVersion: "v1", kind: "Namespace", metadata }),
      201,
    );
    given(await server.request("POST", `${path}/configmaps`, configMap("kept", {}, marked)), 201);
    given(await server.request("DELETE", path));
    const type = "NamespaceDeletionContentFailure";
    const failed = async (): Promise<boolean> =>
      pick(await conditionOf(path, type), "status") === "True";
    await waitUntil("the condition", failed);
    const condition = await conditionOf(path, type);
    const why = words("configmaps", "kept", " --namespace holding");
    assert.equal(pick(condition, "reason"), "ContentDeletionFailed");
    assert.equal(
      pick(condition, "message"),
      `Failed to delete all resource types, 1 remaining: [${why}]`,
    );
    given(await server.request("PATCH", `${path}/configmaps/kept`, unmarked, mergePatch));
    await waitUntil("the end", async () => (await status(path)) === 404);
  });

  it("is not deleted before them: a definition tells what holds it", async () => {
    given(await server.request("POST", widgets, widget("last", {}, marked)), 201);
    const path = `${definitions}/widgets.${group}`;
    given(await server.request("DELETE", path));
    const reason = async (): Promise<unknown> =>
      pick(await conditionOf(path, "Terminating"), "reason");
    await waitUntil("the condition", async () => (await reason()) === "InstanceDeletionFailed");
    const message = pickText(await conditionOf(path, "Terminating"), "message");
    assert.ok(message.includes(words(`widgets.${group}`, "last")), message);
    for (const name of ["last", "c-kept"]) {
      given(await server.request("PATCH", `${widgets}/${name}`, unmarked, mergePatch));
    }
    await waitUntil("the end", async () => (await status(path)) === 404);
  });

  it("may itself be protected", async () => {
    const namespaces = "/api/v1/namespaces";
    const body = { apiVersion: "v1", kind: "Namespace", metadata: { name: "safe", ...marked } };
    given(await server.request("POST", namespaces, body), 201);
    const reply = await server.request("DELETE", `${namespaces}/safe`);
    refused(reply, 409, "Conflict", words("namespaces", "safe", ""));
  });
});
