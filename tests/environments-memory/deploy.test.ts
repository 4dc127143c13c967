import assert from "node:assert/strict";
import { test } from "node:test";
import { numberAt, objectAt, textAt } from "../../src/kernel/json-read.ts";
import { machine, openRig, transitionsOf } from "./rig.ts";

test("resources are deployed in the order of dependencies, independent ones at once", async () => {
  await using rig = await openRig();
  await rig.template([
    machine("db"),
    machine("cache"),
    machine("web", { dependsOn: ["cache"] }, { url: "${resources.db.outputs.url}" }),
  ]);
  await rig.environment();
  await rig.pass();
  assert.deepEqual(await rig.names("environmentresources.environments.setpoint.dev"), [
    "e.cache",
    "e.db",
    "e.web",
  ]);
  assert.deepEqual(await rig.machines(), ["e.cache", "e.db"]);
  assert.equal(await rig.phase(), "Deploying");
  await rig.ready("e.cache");
  assert.deepEqual(await rig.machines(), ["e.cache", "e.db"]);
  await rig.ready("e.db", { url: "postgres://db" });
  assert.deepEqual(await rig.machines(), ["e.cache", "e.db", "e.web"]);
  const web = await rig.read("Machine", "e.web");
  assert.equal(textAt(web?.spec, "url"), "postgres://db");
  assert.equal(web?.metadata.labels?.["environments.setpoint.dev/resource"], "web");
  await rig.ready("e.web");
  await rig.pass();
  const environment = await rig.read("Environment", "e");
  assert.deepEqual(transitionsOf(environment), ["Deploying", "DeployedWaiting", "DeployedOk"]);
  assert.equal(textAt(environment?.status, "statusText"), "Deployed - OK");
  assert.equal(objectAt(environment?.status, "resources")["ready"], 3);
});

test("the progress of an Operation rises with its resources, to the number planned", async () => {
  await using rig = await openRig();
  await rig.template([machine("a"), machine("b"), machine("c", { dependsOn: ["a", "b"] })]);
  await rig.environment();
  await rig.pass(3_000);
  const seen: (number | undefined)[] = [];
  const look = async (): Promise<void> => {
    await rig.pass(3_000);
    const { status } = (await rig.read("Operation", "e.deploy-1")) ?? {};
    assert.equal(numberAt(status, "progress", "of"), 3);
    assert.equal(numberAt(status, "changes", "added"), 3);
    seen.push(numberAt(status, "progress", "done"));
  };
  await look();
  for (const name of ["e.a", "e.b", "e.c"]) {
    await rig.ready(name);
    await look();
  }
  assert.deepEqual(seen, [0, 1, 2, 3]);
});
