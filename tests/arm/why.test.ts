// Resources of a provider as operators see them: `setpoint why` by their ids, and kubectl's table
// of operations.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { after, before, it } from "node:test";
import { root } from "../../tools/stages.ts";
import { pick, pickList } from "../kube/server.ts";
import { ovens, startArmServer, subscription, version } from "./arm-server.ts";
import type { ArmServer } from "./arm-server.ts";

let server: ArmServer;

before(async () => {
  server = await startArmServer();
});

after(async () => {
  await server.stop();
  assert.deepEqual(server.errors, []);
});

interface Ran {
  readonly stdout: string;
  readonly stderr: string;
}

async function why(...words: readonly string[]): Promise<Ran> {
  const env = { ...process.env, NODE_TEST_CONTEXT: undefined, KUBECONFIG: server.kubeconfig };
  return await new Promise((resolve) => {
    execFile(join(root, "bin", "setpoint"), ["why", ...words], { env }, (_error, stdout, stderr) =>
      resolve({ stdout, stderr }),
    );
  });
}

it("a resource is found by its id in any case, also after it was moved", async () => {
  await server.made("one");
  const found = await why(`${ovens}/ONE`);
  assert.match(found.stdout, /^Oven\/one-[0-9a-f]{20} is ready\n$/, found.stderr);
  const group = `/subscriptions/${subscription}/resourceGroups`;
  const body = { targetResourceGroup: `${group}/Cakes`, resources: [`${ovens}/one`] };
  const moved = await server.request("POST", `${group}/Bread/moveResources?${version}`, body);
  assert.ok(moved.status < 300, moved.text);
  const again = await why(`${ovens.replace("/Bread/", "/Cakes/")}/one`);
  assert.equal(again.stdout, found.stdout, again.stderr);
  const gone = await why(`${ovens}/one`);
  assert.match(gone.stderr, /not found in the namespace sub-11111111-/);
});

it("kubectl shows the state of operations", async () => {
  const made = await server.put("slow", { mode: "slow" });
  assert.equal(made.status, 201, made.text);
  const path = `/apis/arm.setpoint.dev/v1/namespaces/sub-${subscription}/operations`;
  const rows = async (): Promise<readonly (readonly unknown[])[]> => {
    const accept = "application/json;as=Table;v=v1;g=meta.k8s.io";
    const { json } = await server.request("GET", path, undefined, { accept });
    const titles = pickList(json, "columnDefinitions").map((each) => pick(each, "name"));
    assert.deepEqual(titles, ["Name", "Verb", "Action", "State", "Resource", "Age"]);
    return pickList(json, "rows")
      .map((row) => pickList(row, "cells").slice(1, 5))
      .filter((cells) => String(cells[3]).endsWith("/slow"));
  };
  assert.deepEqual(await rows(), [["create", null, "Accepted", `${ovens}/slow`]]);
  await server.letGo("slow");
  await server.settled("slow");
  const status = String(made.headers["azure-asyncoperation"]).slice(server.url.length);
  assert.equal(pick((await server.request("GET", status)).json, "status"), "Succeeded");
  // A success is recorded by the next request, if not before.
  const changed = await server.put("slow", { mode: "slow", size: 2 });
  assert.equal(changed.status, 200, changed.text);
  const created = (await rows()).filter(([verb]) => verb === "create");
  assert.deepEqual(created, [["create", null, "Succeeded", `${ovens}/slow`]]);
});
