// Hooks of a deletion, with git and a server that is killed between them.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { JsonObject } from "../../src/kernel/json.ts";
import { objectAt, objectsAt, textAt } from "../../src/kernel/json-read.ts";
import { startSetpoint } from "../peers/setpoint.ts";
import type { Setpoint } from "../peers/setpoint.ts";
import { waitUntil } from "../peers/wait.ts";
import { startGitRemote } from "./git-remote.ts";
import type { GitRemote } from "./git-remote.ts";
import { Tenant, allowLoopback, configMapFile, isSyncedAt, itemsAt, read } from "./tenant.ts";

let remote: GitRemote;
let server: Setpoint;
let jane: Tenant;

before(async () => {
  [remote, server] = await Promise.all([startGitRemote(), startSetpoint()]);
  await allowLoopback(server);
  jane = new Tenant(server, remote, "jane");
  await jane.setUp();
  await remote.create("shop");
  await jane.addCredential("shop");
});
after(async () => {
  await server?.[Symbol.asyncDispose]();
  await remote?.[Symbol.asyncDispose]();
});

const configMaps = "/api/v1/namespaces/jane/configmaps";

async function configMap(name: string): Promise<JsonObject | undefined> {
  return await read(server, `${configMaps}/${name}`);
}

/** A hook that runs until `result` is set. */
function hook(name: string, phase: string): string {
  const object = JSON.parse(configMapFile(name, { result: "" })) as JsonObject;
  const annotations = { "gitops.setpoint.dev/hook": phase };
  return JSON.stringify({ ...object, metadata: { name, annotations } });
}

async function end(name: string, result: string): Promise<void> {
  const headers = { "content-type": "application/merge-patch+json" };
  const body = { data: { result } };
  const { status } = await server.ask(`${configMaps}/${name}`, { method: "PATCH", headers, body });
  assert.equal(status, 200);
}

test("hooks of a deletion run once, although the server is killed between them", async () => {
  const commit = await remote.commit("shop", {
    files: {
      "deploy/one.json": configMapFile("one", { value: "1" }),
      "deploy/backup.json": hook("backup", "PreDelete"),
      "deploy/goodbye.json": hook("goodbye", "PostDelete"),
    },
  });
  const healthChecks = [
    {
      kind: "ConfigMap",
      healthy: "!has(object.data.result) || object.data.result == 'done'",
      degraded: "has(object.data.result) && object.data.result == 'failed'",
      message: "object.data.result",
    },
  ];
  await jane.deployHeld("shop", { repoURL: remote.url("shop"), path: "deploy" }, { healthChecks });
  await jane.reached("shop", isSyncedAt(commit));
  assert.equal(await configMap("backup"), undefined, "a sync does not run them");

  await server.ask(jane.pathOf("shop"), { method: "DELETE" });
  const first = await waitUntil("the hook before", async () => await configMap("backup"));
  await server.kill9();
  await server.start();
  assert.equal(
    textAt(await configMap("backup"), "metadata", "uid"),
    textAt(first, "metadata", "uid"),
  );
  await end("backup", "failed");
  await jane.reached("shop", (status) => {
    const conditions = objectsAt(status, "conditions");
    const error = conditions.find(({ type }) => type === "DeletionError");
    return textAt(error, "message").startsWith("PreDelete: the hook ConfigMap jane/backup failed");
  });
  assert.ok(await configMap("one"), "the objects stay");
  await waitUntil("the hook to be tried again", async () => {
    const uid = textAt(await configMap("backup"), "metadata", "uid");
    return uid !== "" && uid !== textAt(first, "metadata", "uid");
  });
  await end("backup", "done");

  await waitUntil("the hook after", async () => await configMap("goodbye"));
  assert.deepEqual([await configMap("one"), await configMap("backup")], [undefined, undefined]);
  await server.kill9();
  await server.start();
  assert.ok(await read(server, jane.pathOf("shop")), "the deployment waits for the hook");
  await end("goodbye", "done");
  await waitUntil("the end", async () => (await read(server, jane.pathOf("shop"))) === undefined);
  const left = (await itemsAt(server, configMaps)).map(
    (item) => objectAt(item, "metadata")["name"],
  );
  assert.deepEqual(
    left.filter((name) => name !== "kube-root-ca.crt"),
    [],
  );
});
