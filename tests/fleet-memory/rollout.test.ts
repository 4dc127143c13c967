// Rollouts in a control plane in memory with a clock of its own.
import assert from "node:assert/strict";
import { it } from "node:test";
import { isSetpointError } from "../../src/kernel/errors.ts";
import type { JsonObject } from "../../src/kernel/json.ts";
import { numberAt, objectAt, objectsAt, textAt } from "../../src/kernel/json-read.ts";
import { openRolloutPlane, rolloutPlace } from "./rollout-plane.ts";
import type { RolloutPlane } from "./rollout-plane.ts";

async function statusOf(plane: RolloutPlane, name: string): Promise<JsonObject> {
  return objectAt((await plane.rollout(name))?.status ?? {});
}

async function phaseOf(plane: RolloutPlane, name: string): Promise<string> {
  return textAt(await statusOf(plane, name), "phase");
}

async function create(plane: RolloutPlane, count: number): Promise<readonly string[]> {
  const names = Array.from({ length: count }, (_, at) => `rex-${at}`);
  for (const name of names) await plane.createInstance(name);
  return names;
}

async function settleAll(plane: RolloutPlane): Promise<number> {
  const names = await plane.updating();
  for (const name of names) await plane.settle(name);
  await plane.pass(1_000);
  return names.length;
}

async function refusal(write: Promise<unknown>): Promise<string> {
  try {
    await write;
  } catch (error) {
    if (isSetpointError(error)) return error.message;
    throw error;
  }
  return "";
}

it("updates instances wave by wave, woken by their changes", async () => {
  await using plane = await openRolloutPlane();
  const names = await create(plane, 10);
  const waves = [
    { percent: 10, soakSeconds: 60 },
    { percent: 50, maxUnavailable: 2 },
    { percent: 100, maxUnavailable: 10 },
  ];
  await plane.createRollout("two", { waves });
  await plane.pass();
  assert.equal((await plane.updating()).length, 1);
  assert.equal(await settleAll(plane), 1);
  assert.deepEqual(await plane.updating(), [], "the first wave soaks");
  await plane.pass(61_000);
  const seen: number[] = [];
  for (let turn = 0; turn < 6; turn += 1) seen.push(await settleAll(plane));
  assert.deepEqual(seen, [2, 2, 5, 0, 0, 0]);
  const status = await statusOf(plane, "two");
  assert.equal(status["phase"], "completed");
  assert.equal(status["healthy"], 10);
  const events = objectsAt(status, "history").map(({ event }) => event);
  assert.deepEqual(events, [
    "WaveUpdated",
    "WaveStarted",
    "WaveUpdated",
    "WaveStarted",
    "WaveUpdated",
    "Completed",
  ]);
  for (const name of names) {
    const { spec } = (await plane.instance(name)) ?? {};
    assert.equal(textAt(spec, "versions", "product"), "2.0.0");
    assert.equal(textAt(spec, "rollout", "name"), "two");
  }
});

it("continues where it stopped when its process ends", async () => {
  await using plane = await openRolloutPlane();
  await create(plane, 6);
  await plane.createRollout("two", { waves: [{ percent: 100, maxUnavailable: 2 }] });
  await plane.pass();
  for (let turn = 0; turn < 3; turn += 1) {
    const updating = await plane.updating();
    await plane.restart();
    await plane.pass(60_000);
    assert.deepEqual(await plane.updating(), updating, "the new process updates no further ones");
    assert.equal(await settleAll(plane), 2);
  }
  assert.equal(await phaseOf(plane, "two"), "completed");
});

it("stops when an instance fails, and continues after a change of the spec", async () => {
  await using plane = await openRolloutPlane();
  await create(plane, 4);
  await plane.createRollout("two", { waves: [{ percent: 100 }] });
  await plane.pass();
  const [first = ""] = await plane.updating();
  await plane.settle(first, { phase: "failed" });
  await plane.pass();
  const status = await statusOf(plane, "two");
  assert.equal(status["phase"], "paused");
  assert.equal(textAt(objectsAt(status, "failures")[0], "name"), first);
  await plane.settle(first);
  await plane.pass(3_600_000);
  assert.equal(await phaseOf(plane, "two"), "paused", "only a person continues it");
  await plane.change("two", { action: "pause" });
  await plane.pass();
  await plane.change("two", { action: "run" });
  await plane.pass();
  for (let turn = 0; turn < 3; turn += 1) assert.equal(await settleAll(plane), 1);
  assert.equal(await phaseOf(plane, "two"), "completed");
});

it("rolls back to the versions that each instance had", async () => {
  await using plane = await openRolloutPlane();
  await create(plane, 3);
  await plane.createInstance("old", { versions: { product: "1.0.0", operator: "1.0.0" } });
  const waves = [{ percent: 100, maxUnavailable: 4 }];
  await plane.createRollout("two", { waves, onFailure: "rollback" });
  await plane.pass();
  const [first = "", ...others] = await plane.updating();
  for (const name of others) await plane.settle(name);
  await plane.settle(first, { phase: "failed" });
  await plane.pass();
  assert.equal(await phaseOf(plane, "two"), "rollingBack");
  for (let turn = 0; turn < 3; turn += 1) {
    for (const name of [first, ...others]) await plane.settle(name);
    await plane.pass();
  }
  assert.equal(await phaseOf(plane, "two"), "rolledBack");
  assert.equal(numberAt(await statusOf(plane, "two"), "reverted"), 4);
  for (const name of [first, ...others]) {
    const instance = await plane.instance(name);
    assert.equal(textAt(instance?.status, "actualVersions", "product"), "1.0.0");
  }
});

it("an instance that is not updatable is updated when it can be", async () => {
  await using plane = await openRolloutPlane();
  await create(plane, 1);
  await plane.settle("rex-0", { phase: "provisioning" });
  await plane.createRollout("two");
  await plane.pass();
  const status = await statusOf(plane, "two");
  assert.equal(status["waiting"], 1);
  assert.deepEqual(objectsAt(status, "waitingFor"), [
    { reason: "the phase is provisioning", instances: 1 },
  ]);
  await plane.settle("rex-0");
  await plane.pass();
  assert.deepEqual(await plane.updating(), ["rex-0"]);
});

it("two Rollouts cannot change the same instances, until the first has ended", async () => {
  await using plane = await openRolloutPlane();
  await create(plane, 1);
  const waves = [{ percent: 100 }];
  await plane.createRollout("two", { waves, selector: { regions: ["us-east-1"] } });
  const said = await refusal(plane.createRollout("three", { selector: { types: ["standard"] } }));
  assert.match(said, /spec\.selector: the Rollout two, which has not ended, changes instances of/);
  assert.match(said, /type standard in aws us-east-1: wait until it has ended, abort it, or/);
  await plane.createRollout("west", { selector: { regions: ["eu-west-1"] } });
  await plane.change("two", { action: "abort" });
  await plane.pass();
  assert.equal(await phaseOf(plane, "two"), "aborted");
  await plane.createRollout("three", { selector: { types: ["eval"] } });
});

it("only the server marks a Rollout as ended", async () => {
  await using plane = await openRolloutPlane();
  await plane.createRollout("two", { action: "pause" });
  const annotations = { "fleet.setpoint.dev/rollout-ended": "2026-01-01T00:00:00Z" };
  const said = await refusal(
    plane.memory.patch(rolloutPlace("two"), { metadata: { annotations } }),
  );
  assert.match(said, /metadata\.annotations.*is set by the server when the Rollout has ended/);
});

it("an invalid Rollout is refused with the field and the fix", async () => {
  await using plane = await openRolloutPlane();
  const cases: readonly (readonly [JsonObject, RegExp])[] = [
    [{ offering: "none" }, /spec\.offering: Invalid value: "none": is not an Offering/],
    [{ versions: { engine: "1" } }, /spec\.versions: Unsupported value: "engine": supported/],
    [{ selector: { types: ["big"] } }, /spec\.selector\.types\[0\]: Unsupported value: "big"/],
    [{ selector: { clusters: ["x"] } }, /spec\.selector\.clusters\[0\]: .* not a DataPlaneCluster/],
    [{ selector: { types: ["eval"], regions: ["eu-west-1"] } }, /spec\.selector: .* selects no/],
    [{ waves: [{ percent: 50 }] }, /spec\.waves\[0\]\.percent: .* must be 100 in the last wave/],
    [{ waves: [{ maxUnavailable: 1 }] }, /spec\.waves\[0\]: .* give either percent or count/],
    [{ waves: [{ percent: 100 }, { percent: 100 }] }, /spec\.waves\[1\]\.percent: .* more than/],
    [{ gates: { condition: "healthy" } }, /spec\.gates\.condition: .* must evaluate to bool/],
    [{ gates: { condition: "happy > 1" } }, /spec\.gates\.condition: .* undeclared reference/],
  ];
  for (const [spec, expected] of cases) {
    assert.match(await refusal(plane.createRollout("two", spec)), expected);
  }
  assert.equal(await plane.rollout("two"), undefined);
});

it("what a Rollout is about cannot be changed", async () => {
  await using plane = await openRolloutPlane();
  await plane.createRollout("two", { action: "pause" });
  for (const spec of [{ versions: { product: "3" } }, { selector: { types: ["eval"] } }]) {
    const said = await refusal(plane.change("two", spec));
    assert.match(said, /spec\.(versions|selector).*cannot be changed after creation/);
  }
});
