// Hooks of PreDelete and PostDelete: when a deployment is deleted, and only then.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../src/kernel/json.ts";
import { objectsAt, textAt } from "../../src/kernel/json-read.ts";
import { openFakes } from "./fakes.ts";
import type { Fakes } from "./fakes.ts";
import { apiVersion, openRig, tenant } from "./rig.ts";
import type { Rig } from "./rig.ts";
import { automated, commit, configMap, key, source, statusOf } from "./scene.ts";

const kind = "GitOpsDeployment";

function job(name: string, hook: string, more: JsonObject = {}): JsonObject {
  const annotations = { "argocd.argoproj.io/hook": hook, ...more };
  return { apiVersion: "batch/v1", kind: "Job", metadata: { name, annotations } };
}

const objects = [configMap("one"), job("backup", "PreDelete"), job("goodbye", "PostDelete")];

/** A deployment that is synced, with its finalizer. */
async function synced(
  rig: Rig,
  fakes: Fakes,
  wanted: readonly JsonObject[] = objects,
  spec: JsonObject = automated,
): Promise<void> {
  commit(fakes, "a", wanted);
  const metadata = { name: "shop", namespace: tenant, finalizers: ["gitops.setpoint.dev/objects"] };
  await rig.memory.create({ apiVersion, kind, metadata, spec });
  await rig.pass(5_000);
  assert.ok(fakes.target.objects.has(key("one")));
  assert.deepEqual(fakes.target.writes, ["apply ConfigMap/one"], "a sync runs none of them");
  fakes.target.writes.length = 0;
}

async function deletionError(rig: Rig): Promise<string> {
  const conditions = objectsAt(await statusOf(rig), "conditions");
  const found = conditions.find(({ type }) => type === "DeletionError");
  return `${textAt(found, "status")} ${textAt(found, "reason")} ${textAt(found, "message")}`;
}

test("PreDelete runs before the objects are deleted, PostDelete after them", async () => {
  const fakes = openFakes();
  await using rig = await openRig({}, fakes);
  const { target } = fakes;
  await synced(rig, fakes);
  target.health.set("backup", { status: "Progressing", message: "" });
  await rig.remove(kind, "shop");
  await rig.pass(30_000);
  assert.deepEqual(target.writes, ["apply Job/backup"], "the objects wait for the hook");
  target.health.delete("backup");
  target.stuck.add("one");
  await rig.pass(30_000);
  assert.ok(!target.writes.includes("apply Job/goodbye"), "the hook waits for the objects");
  target.stuck.delete("one");
  target.objects.delete(key("one"));
  target.health.set("goodbye", { status: "Progressing", message: "" });
  await rig.pass(30_000);
  assert.ok(target.writes.includes("apply Job/goodbye"));
  assert.ok(await rig.read(kind, "shop"), "the deployment waits for the hook");
  target.health.delete("goodbye");
  await rig.pass(30_000);
  assert.equal(await rig.read(kind, "shop"), undefined);
  assert.equal(target.objects.size, 0);
  const order = target.writes.filter((write) => write !== "delete Job/backup");
  assert.deepEqual(order, [
    "apply Job/backup",
    "delete ConfigMap/one",
    "apply Job/goodbye",
    "delete Job/goodbye",
  ]);
});

for (const name of ["backup", "goodbye"]) {
  test(`a ${name} that fails keeps the deployment, and is tried again`, async () => {
    const fakes = openFakes();
    await using rig = await openRig({}, fakes);
    const { target } = fakes;
    await synced(rig, fakes);
    target.health.set(name, { status: "Degraded", message: "exit code 1" });
    await rig.remove(kind, "shop");
    await rig.pass(3_000);
    const phase = name === "backup" ? "PreDelete" : "PostDelete";
    const text = `^True DeletionHookFailed ${phase}: the hook Job.batch jane/${name} failed: exit`;
    assert.match(await deletionError(rig), new RegExp(text));
    assert.equal(target.objects.has(key("one")), name === "backup");
    const applied = (): number =>
      target.writes.filter((write) => write === `apply Job/${name}`).length;
    assert.equal(applied(), 1);
    await rig.pass(60_000);
    assert.ok(applied() > 1 && applied() < 8, `${applied()} attempts in a minute`);
    target.health.delete(name);
    await rig.pass(200_000);
    assert.equal(await rig.read(kind, "shop"), undefined);
    assert.equal(target.objects.size, 0);
    const backups = target.writes.filter((write) => write === "apply Job/backup").length;
    if (name === "goodbye") assert.equal(backups, 1, "PreDelete does not run again");
  });
}

test("a hook runs once although servers are restarted, and waves hold", async () => {
  const fakes = openFakes();
  await using rig = await openRig({}, fakes);
  const { target } = fakes;
  const wave = { "argocd.argoproj.io/sync-wave": "-3" };
  await synced(rig, fakes, [...objects, job("first", "PreDelete", wave)]);
  for (const name of ["first", "backup", "goodbye"]) {
    target.health.set(name, { status: "Progressing", message: "" });
  }
  await rig.remove(kind, "shop");
  await rig.pass(10_000);
  for (const name of ["first", "backup", "goodbye"]) {
    assert.ok(target.writes.includes(`apply Job/${name}`), name);
    await rig.restart();
    await rig.pass(10_000);
    target.health.delete(name);
    await rig.restart();
    await rig.pass(60_000);
  }
  assert.equal(await rig.read(kind, "shop"), undefined);
  const applied = target.writes.filter((write) => write.startsWith("apply "));
  assert.deepEqual(applied, ["apply Job/first", "apply Job/backup", "apply Job/goodbye"]);
  assert.equal(target.objects.size, 0);
});

test("a fixed hook is read from git, and a deleted one from the last synced commit", async () => {
  const fakes = openFakes();
  await using rig = await openRig({}, fakes);
  const { target, repository } = fakes;
  await synced(rig, fakes);
  target.refusals.set("backup", "no image");
  await rig.remove(kind, "shop");
  await rig.pass(3_000);
  assert.match(await deletionError(rig), /PreDelete: Job\.batch jane\/backup: no image/);
  commit(fakes, "b", [configMap("one"), job("copy", "PreDelete"), job("goodbye", "PostDelete")]);
  target.health.set("goodbye", { status: "Progressing", message: "" });
  await rig.pass(60_000);
  assert.ok(target.writes.includes("apply Job/copy"));
  assert.ok(target.writes.includes("apply Job/goodbye"));
  repository.gone.add("b".repeat(40));
  target.health.delete("goodbye");
  await rig.pass(60_000);
  assert.equal(await rig.read(kind, "shop"), undefined);
});

test("hooks that cannot be read keep the deployment, until its finalizer is removed", async () => {
  const fakes = openFakes();
  await using rig = await openRig({}, fakes);
  const { target, repository } = fakes;
  await synced(rig, fakes);
  repository.gone.add("a".repeat(40));
  await rig.restart();
  await rig.remove(kind, "shop");
  await rig.pass(60_000);
  const text =
    /^True DeletionHookFailed PreDelete: the hooks cannot be read: the commit has no path/;
  assert.match(await deletionError(rig), text);
  assert.deepEqual(target.writes, []);
  const { finalizers = [] } = (await rig.read(kind, "shop"))?.metadata ?? {};
  const others = finalizers.filter((each) => each !== "gitops.setpoint.dev/objects");
  await rig.patch(kind, "shop", { metadata: { finalizers: others } });
  await rig.pass(30_000);
  assert.equal(await rig.read(kind, "shop"), undefined);
  assert.deepEqual(target.writes, ["delete ConfigMap/one"]);
});

test("without the finalizer, and with Orphan, no hook runs", async () => {
  for (const policy of ["Delete", "Orphan"]) {
    const fakes = openFakes();
    await using rig = await openRig({}, fakes);
    const { target } = fakes;
    await synced(rig, fakes, objects, { ...automated, syncPolicy: { deletion: policy } });
    if (policy === "Delete") await rig.patch(kind, "shop", { metadata: { finalizers: null } });
    await rig.remove(kind, "shop");
    await rig.pass(30_000);
    assert.equal(await rig.read(kind, "shop"), undefined);
    assert.deepEqual(target.writes, policy === "Delete" ? ["delete ConfigMap/one"] : []);
  }
});

test("in a namespace that is being deleted no hook runs", async () => {
  const fakes = openFakes();
  await using rig = await openRig({}, fakes);
  await synced(rig, fakes);
  await rig.memory.remove({ apiVersion: "v1", kind: "Namespace", name: tenant });
  await rig.remove(kind, "shop");
  await rig.pass(30_000);
  assert.equal(await rig.read(kind, "shop"), undefined);
  assert.deepEqual(fakes.target.writes, ["delete ConfigMap/one"]);
});

test("a deployment without such hooks is deleted without git", async () => {
  const fakes = openFakes();
  await using rig = await openRig({}, fakes);
  await synced(rig, fakes, [configMap("one")], { source, type: "automated" });
  fakes.repository.gone.add("a".repeat(40));
  await rig.restart();
  await rig.remove(kind, "shop");
  await rig.pass(30_000);
  assert.equal(await rig.read(kind, "shop"), undefined);
  assert.equal(fakes.target.objects.size, 0);
});
