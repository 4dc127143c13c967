// The status stays small with any number of objects, and does not change when nothing changes.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../src/kernel/json.ts";
import { numberAt, objectsAt, textAt } from "../../src/kernel/json-read.ts";
import { waitUntil } from "../peers/wait.ts";
import { openFakes } from "./fakes.ts";
import { openRig } from "./rig.ts";
import type { Rig } from "./rig.ts";
import { automated, commit, configMap, inventories, statusOf, wake } from "./scene.ts";

const count = 5_000;
const longName = (at: number): string => `${"n".repeat(240)}-${at}`;

async function reached(rig: Rig, isReached: (status: JsonObject) => boolean): Promise<JsonObject> {
  return await waitUntil("the status", async () => {
    await rig.pass(100);
    const status = await statusOf(rig);
    return isReached(status) && status;
  });
}

test("the status of 5,000 objects with long names and messages is below 100 kB", async () => {
  const fakes = openFakes();
  await using rig = await openRig({}, fakes);
  const objects = Array.from({ length: count }, (_, at) => configMap(longName(at), {}));
  for (let at = 0; at < count; at += 1) {
    fakes.target.health.set(longName(at), { status: "Degraded", message: "m".repeat(2_000) });
  }
  commit(fakes, "a", objects);
  await rig.create("GitOpsDeployment", "shop", automated);
  const degraded = await reached(rig, (status) => textAt(status, "sync", "status") === "Synced");
  assert.ok(JSON.stringify(degraded).length < 100_000, String(JSON.stringify(degraded).length));
  assert.equal(textAt(degraded, "sync", "status"), "Synced");
  assert.equal(textAt(degraded, "health", "status"), "Degraded");
  assert.equal(numberAt(degraded, "summary", "objects"), count);
  const shown = objectsAt(degraded, "resources").length;
  assert.ok(shown > 20, String(shown));
  assert.equal(numberAt(degraded, "summary", "omitted"), count - shown);
  const entries = (await rig.list(inventories)).flatMap(({ spec }) => objectsAt(spec, "entries"));
  assert.equal(entries.length, count, "the Inventory has all of them");

  for (let at = 0; at < count; at += 1) fakes.target.refusals.set(longName(at), "r".repeat(5_000));
  const changed = objects.map((_object, at) => configMap(longName(at), { a: "2" }));
  commit(fakes, "b", changed);
  await wake(rig);
  const refused = await reached(
    rig,
    (status) => textAt(status, "operationState", "phase") === "Failed",
  );
  assert.ok(JSON.stringify(refused).length < 100_000, String(JSON.stringify(refused).length));
});

test("a deployment is not written while nothing changes", async () => {
  const fakes = openFakes();
  await using rig = await openRig({}, fakes);
  commit(fakes, "a", [configMap("one"), configMap("two"), configMap("three")]);
  fakes.target.health.set("two", { status: "Degraded", message: "fails" });
  await rig.create("GitOpsDeployment", "shop", automated);
  await rig.pass(10_000);
  const before = await rig.read("GitOpsDeployment", "shop");
  // The target lists its objects in another order, and the process has forgotten what it knew.
  const objects = [...fakes.target.objects].toReversed();
  fakes.target.objects.clear();
  for (const [key, object] of objects) fakes.target.objects.set(key, object);
  await rig.pass(120_000);
  await rig.restart();
  await rig.pass(60_000);
  const after = await rig.read("GitOpsDeployment", "shop");
  assert.equal(after?.metadata.resourceVersion, before?.metadata.resourceVersion);
});
