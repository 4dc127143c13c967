// Hooks of a user module in the life cycle of instances, in memory: at which point each is called,
// and what a hook that waits, fails, throws or never returns does to the instance.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isSetpointError } from "../../src/kernel/errors.ts";
import { objectsAt, textAt } from "../../src/kernel/json-read.ts";
import { fleet } from "../../src/modules/fleet/module.ts";
import type { FleetHooks } from "../../src/modules/fleet/hooks/fleet-hooks.ts";
import { fleetLimits } from "../../src/modules/fleet/limits.ts";
import { logger } from "../../src/telemetry/log.ts";
import { openLifecycle } from "./lifecycle-fleet.ts";
import type { LifecycleFleet, LifecycleOptions } from "./lifecycle-fleet.ts";
import { conditionOf, instanceAt } from "./memory-fleet.ts";

const minuteMs = 60_000;

/** A fleet whose Offering has the hooks of one module. */
async function openHooked(
  hooks: FleetHooks,
  options: LifecycleOptions & { readonly name?: string; readonly lines?: string[] } = {},
): Promise<LifecycleFleet> {
  const value = [{ offering: options.name ?? "dinosaurs", hooks }];
  const entry = { point: "fleet", module: "zoo", file: "/zoo.ts", value };
  const module = {
    ...fleet,
    open: async (ports: Parameters<NonNullable<typeof fleet.open>>[0]) => {
      const { lines = [] } = options;
      const log = logger((line) => lines.push(line), ports.clock, "warn");
      const opened = await fleet.open?.({ ...ports, log, extensions: [entry] });
      assert.ok(opened !== undefined);
      return opened;
    },
  };
  return await openLifecycle({ ...options, module });
}

async function readyMessage(life: LifecycleFleet): Promise<string> {
  const conditions = objectsAt((await life.read())?.status, "conditions");
  return textAt(
    conditions.find(({ type }) => type === "Ready"),
    "message",
  );
}

describe("hooks of a module", () => {
  it("for an Offering that does not exist are logged with the nearest name", async () => {
    const lines: string[] = [];
    const options = { name: "dinosaur", lines };
    await using life = await openHooked({ ready: () => undefined }, options);
    await life.fleet.restart();
    assert.match(lines.at(-1) ?? "", /offering of a module does not exist/);
    assert.match(lines.at(-1) ?? "", /"offering":"dinosaur".*"did_you_mean":"dinosaurs"/);
    const silent: string[] = [];
    await using right = await openHooked({ ready: () => undefined }, { lines: silent });
    silent.length = 0;
    await right.fleet.restart();
    assert.deepEqual(silent, []);
  });

  it("are called at their points, from the creation to the removal", async () => {
    const called = new Set<string>();
    const at = (point: string) => (): undefined => void called.add(point);
    await using life = await openHooked({
      admit: at("admit"),
      choose: ({ candidates }) => {
        called.add("choose");
        return candidates.map(({ cluster }) => cluster);
      },
      prepare: at("prepare"),
      provisioned: at("provisioned"),
      ready: at("ready"),
      suspend: at("suspend"),
      resume: at("resume"),
      remove: at("remove"),
    });
    await life.create();
    assert.deepEqual([...called], ["admit"]);
    await life.settle();
    assert.equal(await life.phase(), "ready");
    assert.deepEqual([...called], ["admit", "choose", "prepare", "provisioned", "ready"]);
    const place = instanceAt("rex");
    await life.fleet.memory.patch(place, { spec: { suspension: { reason: "abuse" } } });
    await life.settle();
    assert.equal(await life.phase(), "suspended");
    await life.fleet.memory.patch(place, { spec: { suspension: null } });
    await life.settle();
    await life.fleet.as("alice").remove(place);
    await life.settle();
    assert.equal(await life.read(), undefined);
    assert.deepEqual([...called].slice(5), ["suspend", "resume", "remove"]);
  });

  it("refuse a write for every writer", async () => {
    await using life = await openHooked({
      admit: ({ instance, user, operation }) =>
        instance.metadata.name === "rex"
          ? [{ field: "metadata.name", message: `${user} may not ${operation} a rex` }]
          : undefined,
    });
    await assert.rejects(life.create("rex"), (error) => {
      assert.ok(isSetpointError(error, "fleet.validation"));
      assert.equal(error.message, "metadata.name: alice may not create a rex");
      return true;
    });
    await life.create("tri");
  });

  it("choose the cluster, and the status says which were left out", async () => {
    await using life = await openHooked(
      { choose: () => ["east-2"] },
      { clusters: { "east-1": {}, "east-2": {} } },
    );
    await life.create();
    await life.settle();
    assert.equal(await life.status("rex", "placement", "cluster"), "east-2");
    const why = objectsAt(await life.status("rex", "placement"), "why");
    const left = why.find(({ cluster }) => cluster === "east-1");
    assert.equal(textAt(left, "reason"), "was left out by the hook choose of the module zoo");
  });

  it("delay a step until a resource that they read appears", async () => {
    await using life = await openHooked({
      prepare: async (_about, { references }) => {
        const keepers = await references.get({ kind: "configmaps", name: "keepers" });
        return keepers === undefined
          ? { kind: "wait", reason: "there are no keepers", afterMs: 3_600_000 }
          : undefined;
      },
    });
    await life.create();
    await life.settle();
    assert.equal(await life.phase(), "preparing");
    assert.equal(await readyMessage(life), "there are no keepers (hook prepare of the module zoo)");
    const metadata = { namespace: "org-acme", name: "keepers" };
    await life.fleet.memory.create({ apiVersion: "v1", kind: "ConfigMap", metadata });
    await life.settle();
    assert.equal(await life.phase(), "ready");
  });

  it("fail an instance with their reason", async () => {
    await using life = await openHooked({
      provisioned: () => ({ kind: "fail", reason: "the smoke test failed" }),
    });
    await life.create();
    await life.settle();
    assert.equal(await life.phase(), "failed");
    assert.equal(await life.status("rex", "failedReason"), "the smoke test failed");
  });

  it("that throw are repeated, and fail the instance when its time has passed", async () => {
    let calls = 0;
    await using life = await openHooked(
      {
        prepare: () => {
          calls += 1;
          throw new RangeError("password=1");
        },
      },
      { offering: { timeouts: { preparation: 300 } } },
    );
    await life.create();
    await life.settle();
    assert.equal(await life.phase(), "preparing");
    const synced = conditionOf(await life.read(), "Synced");
    assert.equal(synced, "False HookFailed");
    await life.fleet.pass(2 * minuteMs);
    assert.ok(calls > 2, `${calls} calls`);
    await life.fleet.pass(5 * minuteMs);
    assert.equal(await life.phase(), "failed");
    assert.equal(
      await life.status("rex", "failedReason"),
      "not complete after 5 min: the hook prepare of the module zoo failed (RangeError)",
    );
    assert.ok(!JSON.stringify(await life.read()).includes("password"));
  });

  it("that never return are named after their limit and called again", async () => {
    let isStuck = true;
    await using life = await openHooked({
      provisioned: async () =>
        isStuck ? await Promise.withResolvers<undefined>().promise : undefined,
    });
    await life.create();
    await life.fleet.pass();
    await life.agents.work();
    await life.fleet.pass(fleetLimits.hookStepMs + 1_000);
    assert.equal(await life.phase(), "provisioning");
    assert.match(JSON.stringify((await life.read())?.status), /took longer than 120 s/);
    isStuck = false;
    await life.fleet.pass(2 * fleetLimits.hookStepMs);
    assert.equal(await life.phase(), "ready");
  });

  it("hold a deletion, unless it is forced", async () => {
    await using life = await openHooked({
      remove: () => ({ kind: "wait", reason: "the bones are being moved", afterMs: 60_000 }),
    });
    await life.create();
    await life.settle();
    const place = instanceAt("rex");
    await life.fleet.as("alice").remove(place);
    await life.settle();
    assert.equal(await life.phase(), "deleting");
    const annotations = { "fleet.setpoint.dev/force-delete": "the module is broken" };
    await life.fleet.memory.patch(place, { metadata: { annotations } });
    await life.fleet.pass(2 * minuteMs);
    assert.equal(await life.read(), undefined);
  });
});
