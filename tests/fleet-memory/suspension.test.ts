// Suspension by an administrator, and what agents report meanwhile.
import assert from "node:assert/strict";
import { it } from "node:test";
import { isTrueAt, textAt } from "../../src/kernel/json-read.ts";
import { openLifecycle } from "./lifecycle-fleet.ts";
import type { LifecycleFleet } from "./lifecycle-fleet.ts";
import { conditionOf, instanceAt, organisationAt } from "./memory-fleet.ts";

async function suspend(life: LifecycleFleet, reason: string | undefined): Promise<void> {
  const suspension = reason === undefined ? null : { reason };
  await life.fleet.memory.patch(instanceAt("rex"), { spec: { suspension } });
}

it("an instance is suspended and resumed by its agent", async () => {
  await using life = await openLifecycle();
  await life.create();
  await life.settle();
  life.agents.plan("east-1", "silent");
  await suspend(life, "unpaid");
  await life.fleet.pass();
  assert.equal(await life.phase(), "suspending");
  const [managed] = await life.managed();
  assert.ok(managed !== undefined);
  assert.equal(isTrueAt(managed.spec, "isSuspended"), true);
  await life.agents.report(managed, {});
  await life.fleet.pass();
  assert.equal(await life.phase(), "suspending", "the agent still reports it as ready");
  await life.agents.report(managed, { status: "False", reason: "Suspended" });
  await life.fleet.pass();
  assert.equal(await life.phase(), "suspended");
  assert.equal(conditionOf(await life.read(), "Ready"), "False Suspended");
  await life.agents.report(managed, { status: "False", reason: "Error", message: "x" });
  await life.fleet.pass();
  assert.equal(await life.phase(), "suspended", "an error of a suspended instance is not shown");
  await suspend(life, undefined);
  await life.fleet.pass();
  assert.equal(isTrueAt((await life.managed())[0]?.spec, "isSuspended"), false);
  life.agents.plan("east-1", "ready");
  await life.settle();
  assert.equal(await life.phase(), "ready");
  assert.equal(await life.status("rex", "suspendedAt"), undefined);
});

it("an instance that does not resume in time fails, and becomes ready later", async () => {
  await using life = await openLifecycle({ offering: { timeouts: { creation: 600 } } });
  await life.create();
  await life.settle();
  await suspend(life, "unpaid");
  await life.settle();
  await life.wait(3_600_000);
  life.agents.plan("east-1", "silent");
  await suspend(life, undefined);
  await life.fleet.pass(300_000);
  assert.equal(await life.phase(), "resuming");
  await life.fleet.pass(400_000);
  assert.equal(await life.phase(), "failed");
  assert.match(textAt((await life.read())?.status, "failedReason"), /not ready after 10 min/);
  life.agents.plan("east-1", "ready");
  await life.settle();
  assert.equal(await life.phase(), "ready");
});

it("an instance that is moved has the whole time again to become ready", async () => {
  await using life = await openLifecycle({
    offering: { timeouts: { creation: 600 } },
    clusters: { "east-1": {}, "east-2": {} },
  });
  await life.create();
  await life.settle();
  await life.wait(3_600_000);
  const from = textAt((await life.read())?.status, "placement", "cluster");
  const to = from === "east-1" ? "east-2" : "east-1";
  life.agents.plan(to, "silent");
  await life.fleet.memory.patch(instanceAt("rex"), { spec: { cluster: to } });
  await life.fleet.pass(300_000);
  assert.equal(await life.phase(), "provisioning");
  life.agents.plan(to, "ready");
  await life.settle();
  assert.equal(await life.phase(), "ready");
});

it("a change of an Organisation while no process leads is noticed at the start", async () => {
  await using life = await openLifecycle();
  await life.create();
  await life.settle();
  const deny = async (isDenied: boolean): Promise<void> => {
    await life.fleet.restart(async () => {
      await life.fleet.memory.patch(organisationAt(), { spec: { isDenied } });
    });
    await life.fleet.pass(40_000);
    await life.settle();
  };
  await deny(true);
  assert.equal(await life.phase(), "suspended");
  await deny(false);
  assert.equal(await life.phase(), "ready");
});
