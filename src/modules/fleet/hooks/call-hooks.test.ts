import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ReconcileFailure, failed } from "../../../engine/outcome.ts";
import type { Context } from "../../../engine/reconciler.ts";
import { manualClock } from "../../../kernel/clock.ts";
import { isSetpointError } from "../../../kernel/errors.ts";
import { manualTimers } from "../../../kernel/manual-timers.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { fleetLimits } from "../limits.ts";
import type { Placement } from "../placement/place.ts";
import { callHooks } from "./call-hooks.ts";
import type { ModuleHooks } from "./call-hooks.ts";
import type { FleetHooks } from "./fleet-hooks.ts";
import type { OfferingHooks } from "./hooks.ts";

const instance: Resource = {
  apiVersion: "dinosaurs.example.dev/v1",
  kind: "Dinosaur",
  metadata: {
    name: "rex",
    namespace: "org-acme",
    uid: "u",
    generation: 1,
    creationTimestamp: "2026-01-01T00:00:00Z",
  },
  spec: { id: "d1" },
  status: { placement: { cluster: "eu-1" } },
};
const place = { offering: "dinosaurs", instance };

function contextOf(signal = new AbortController().signal): Context {
  return { signal, log: { warn: () => undefined } } as unknown as Context;
}

function hooksOf(...given: readonly FleetHooks[]): OfferingHooks {
  const all: readonly ModuleHooks[] = given.map((hooks, at) => ({
    module: `module-${at}`,
    offering: "dinosaurs",
    hooks,
  }));
  return callHooks(all, manualTimers(manualClock()));
}

describe("hooks at a point", () => {
  it("are not waited for when no module has any for the Offering", () => {
    const hooks = hooksOf({ ready: () => undefined });
    assert.equal(hooks.step("prepare", place, contextOf()), undefined);
    assert.equal(hooks.step("ready", { ...place, offering: "birds" }, contextOf()), undefined);
    assert.equal(hooks.admit("dinosaurs", { instance, old: undefined, user: "ann" }), undefined);
    const none: Placement = { candidates: [], excluded: [] };
    assert.equal(hooks.choose(place, none, contextOf()), undefined);
  });

  it("receive the instance with its organisation and cluster, as a copy", async () => {
    const hooks = hooksOf({
      prepare: ({ instance: given, ...rest }) => {
        assert.deepEqual(rest, { offering: "dinosaurs", organisation: "acme", cluster: "eu-1" });
        (given.metadata as { name: string }).name = "changed";
      },
    });
    assert.deepEqual(await hooks.step("prepare", place, contextOf()), { kind: "continue" });
    assert.equal(instance.metadata.name, "rex");
  });

  it("are called in the order of their modules until one does not continue", async () => {
    const called: string[] = [];
    const hooks = hooksOf(
      { prepare: () => void called.push("first") },
      { prepare: async () => ({ kind: "wait", reason: "the fence is open", afterMs: 50_000 }) },
      { prepare: () => void called.push("third") },
    );
    assert.deepEqual(await hooks.step("prepare", place, contextOf()), {
      kind: "wait",
      message: "the fence is open (hook prepare of the module module-1)",
      afterMs: 50_000,
    });
    assert.deepEqual(called, ["first"]);
  });

  it("keep delays within their bounds", async () => {
    const cases = [
      [undefined, fleetLimits.hookRetryMs],
      [0, fleetLimits.hookShortestMs],
      [1e12, fleetLimits.hookLongestMs],
    ] as const;
    for (const [afterMs, expected] of cases) {
      const given = afterMs === undefined ? {} : { afterMs };
      const hooks = hooksOf({ ready: () => ({ kind: "wait", reason: "r", ...given }) });
      const answer = await hooks.step("ready", place, contextOf());
      assert.equal(answer?.kind === "wait" ? answer.afterMs : undefined, expected);
    }
  });

  it("fail an instance while it is created, and delay every later step", async () => {
    const fail = (): { kind: "fail"; reason: string } => ({ kind: "fail", reason: "too small" });
    const hooks = hooksOf({ prepare: fail, provisioned: fail, ready: fail, remove: fail });
    for (const point of ["prepare", "provisioned"] as const) {
      const answer = await hooks.step(point, place, contextOf());
      assert.deepEqual(answer, { kind: "fail", message: "too small" }, point);
    }
    for (const point of ["ready", "remove"] as const) {
      assert.equal((await hooks.step(point, place, contextOf()))?.kind, "wait", point);
    }
  });

  it("that throw or return garbage are named, without the text of the error", async () => {
    const cases: readonly (readonly [unknown, string])[] = [
      [() => Promise.reject(new TypeError("password=1")), "TypeError"],
      // oxlint-disable-next-line prefer-promise-reject-errors -- authors may do so
      [() => Promise.reject("password=1"), "string"],
      [() => "yes", "InvalidHookResult"],
      [() => ({ kind: "done" }), "InvalidHookResult"],
      [() => ({ kind: "wait" }), "InvalidHookResult"],
      [() => ({ kind: "wait", reason: "r", afterMs: Number.NaN }), "InvalidHookResult"],
    ];
    for (const [prepare, name] of cases) {
      const hooks = hooksOf({ prepare } as FleetHooks);
      assert.deepEqual(await hooks.step("prepare", place, contextOf()), {
        kind: "broken",
        message: `the hook prepare of the module module-0 failed (${name})`,
      });
    }
  });

  it("that exceed their limit count as failed, and leave no timer behind", async () => {
    const clock = manualClock();
    const timers = manualTimers(clock);
    const never: FleetHooks = { remove: () => Promise.withResolvers<undefined>().promise };
    const hooks = callHooks([{ module: "slow", offering: "dinosaurs", hooks: never }], timers);
    const answer = hooks.step("remove", place, contextOf());
    await timers.advance(fleetLimits.hookStepMs);
    assert.deepEqual(await answer, {
      kind: "broken",
      message: "the hook remove of the module slow took longer than 120 s",
    });
    assert.equal(timers.pendingCount(), 0);
  });

  it("do not hide the end of their run", async () => {
    const ended = new ReconcileFailure(failed("ModuleRestarting", "the module is being restarted"));
    const restarting = hooksOf({ ready: () => Promise.reject(ended) });
    await assert.rejects(restarting.step("ready", place, contextOf()) ?? Promise.resolve(), ended);

    const lost = new AbortController();
    lost.abort(new Error("the claim is lost"));
    const aborted = hooksOf({ ready: () => Promise.reject(new Error("aborted")) });
    const step = aborted.step("ready", place, contextOf(lost.signal));
    await assert.rejects(step ?? Promise.resolve(), { message: "aborted" });
  });
});

describe("admit", () => {
  const write = { instance, old: undefined, user: "ann" };

  it("refuses with all problems of all modules", async () => {
    const hooks = hooksOf(
      { admit: ({ user }) => [{ field: "spec.owner", message: `${user} may not` }] },
      { admit: async () => [{ field: "spec.region", message: "is closed" }] },
    );
    await assert.rejects(hooks.admit("dinosaurs", write) ?? Promise.resolve(), (error) => {
      assert.ok(isSetpointError(error, "fleet.validation"));
      assert.equal(error.message, "spec.owner: ann may not; spec.region: is closed");
      assert.equal(error.details["field"], "spec.owner");
      return true;
    });
  });

  it("distinguishes a creation from an update", async () => {
    const seen: string[] = [];
    const hooks = hooksOf({ admit: ({ operation }) => void seen.push(operation) });
    await hooks.admit("dinosaurs", write);
    await hooks.admit("dinosaurs", { ...write, old: instance });
    assert.deepEqual(seen, ["create", "update"]);
  });

  it("refuses the write when a function fails", async () => {
    const hooks = hooksOf({ admit: () => Promise.reject(new RangeError("secret")) });
    await assert.rejects(hooks.admit("dinosaurs", write) ?? Promise.resolve(), (error) => {
      assert.ok(isSetpointError(error, "module.unavailable"));
      assert.equal(error.message, "the hook admit of the module module-0 failed (RangeError)");
      return true;
    });
  });
});

describe("choose", () => {
  const placement: Placement = {
    candidates: ["a", "b", "c"].map((cluster) => ({
      cluster,
      versions: { operator: "1.0.0" },
      reason: "least used",
    })),
    excluded: [{ cluster: "d", reason: "is full", lacksVersion: false }],
  };

  it("ranks and leaves out clusters, and says so", async () => {
    const hooks = hooksOf(
      { choose: ({ candidates }) => candidates.map(({ cluster }) => cluster).toReversed() },
      { choose: () => ["b", "a", "b"] },
    );
    const chosen = await hooks.choose(place, placement, contextOf());
    assert.deepEqual(
      chosen?.candidates.map(({ cluster, versions }) => [cluster, versions?.operator]),
      [
        ["b", "1.0.0"],
        ["a", "1.0.0"],
      ],
    );
    assert.deepEqual(
      chosen.excluded.map(({ cluster, reason }) => `${cluster} ${reason}`),
      ["d is full", "c was left out by the hook choose of the module module-1"],
    );
  });

  it("fails the run when it names a cluster that was not offered", async () => {
    const hooks = hooksOf({ choose: () => ["d"] });
    await assert.rejects(hooks.choose(place, placement, contextOf()) ?? Promise.resolve(), {
      name: "ReconcileFailure",
      message: "the hook choose of the module module-0 failed (InvalidHookResult)",
    });
  });
});
