import assert from "node:assert/strict";
import { test } from "node:test";
import { boolean, assert as check, constantFrom, integer, property, record } from "fast-check";
import type { Arbitrary } from "fast-check";
import type { ReadReport } from "../clusters/report.ts";
import { readReport } from "../clusters/report.ts";
import { readOffering } from "../offering.ts";
import { sampleOffering } from "../sample-offering.ts";
import { decide } from "./decide.ts";
import type { Step } from "./decide.ts";
import type { Facts, Prepared } from "./facts.ts";
import type { Instance } from "./instance.ts";
import { mayMove, phases } from "./phases.ts";
import type { Phase } from "./phases.ts";

const hourMs = 3_600_000;
const offering = readOffering(sampleOffering());

const placement = { cluster: "east-1", placementId: "p1" };
const route = { name: "default", domain: "rex.example", router: "router.apps.east-1.example.com" };

const instance: Instance = {
  id: "i1",
  name: "rex",
  namespace: "org-acme",
  uid: "u1",
  organisation: "acme",
  owner: "alice",
  provider: "aws",
  region: "us-east-1",
  isMultiAz: true,
  type: "standard",
  traits: [],
  parameters: {},
  createdAtMs: 0,
  isForced: false,
  assigned: { cluster: undefined, versions: {}, expiresAtMs: undefined, suspension: undefined },
  phase: "accepted",
  phaseSinceMs: 0,
  budgetSinceMs: 0,
  wasProvisioned: true,
  placement: undefined,
  attempts: 1,
  placedAtMs: 0,
  refusedBy: [],
  host: "rex.example",
  routes: [],
  routesFrom: "",
  acceptRoutes: { wanted: "", done: "" },
  isRouted: false,
  leaving: [],
  desiredVersions: {},
  deniedAtMs: undefined,
  expiredAtMs: undefined,
  failedReason: "",
};

const base: Facts = {
  nowMs: 1_000,
  offering,
  instance,
  isDenied: false,
  lacksQuota: false,
  quota: "settled",
  isRemovalHeld: false,
  cluster: { domain: "apps.east-1.example.com" },
  leave: "no",
  isManaged: true,
  leftovers: [],
  report: undefined,
  preparing: { kind: "ready" },
  routes: { kind: "ready" },
};

function at(phase: Phase, more: Partial<Instance> = {}, facts: Partial<Facts> = {}): Facts {
  return { ...base, instance: { ...instance, placement, phase, ...more }, ...facts };
}

function report(status: string, reason = "", more = {}): ReadReport {
  const conditions = [{ type: "Ready", status, reason, message: "why" }];
  return readReport({ conditions, ...more });
}

const reportedRoutes = { routes: [{ name: "default", prefix: "", router: route.router }] };
const routed = { routes: [route], routesFrom: "east-1", isRouted: true };

test("an accepted instance is placed, then prepared, then given to the agent", () => {
  assert.equal(decide({ ...base, isManaged: false }).kind, "place");
  assert.deepEqual(decide(at("accepted")), { kind: "move", to: "preparing" });
  assert.deepEqual(decide(at("preparing")), { kind: "move", to: "provisioning" });
});

test("an instance is ready only when its routes exist", () => {
  const ready = report("True");
  const without = decide(at("provisioning", {}, { report: ready }));
  assert.equal(without.kind === "rest" && without.reason, "WaitingForRoutes");
  const withRoutes = report("True", "", reportedRoutes);
  assert.equal(decide(at("provisioning", {}, { report: withRoutes })).kind, "route");
  const stored = { routes: [route], routesFrom: "east-1" };
  const pending = { kind: "pending", message: "no record" } as const;
  const waiting = decide(at("provisioning", stored, { report: withRoutes, routes: pending }));
  assert.equal(waiting.kind, "rest");
  assert.equal(decide(at("provisioning", stored, { report: withRoutes })).kind, "routed");
  const step = decide(at("provisioning", routed, { report: withRoutes }));
  assert.deepEqual(step, { kind: "move", to: "ready" });
});

test("a router outside the domain of the cluster is not stored", () => {
  const foreign = { routes: [{ name: "default", prefix: "", router: "evil.example.org" }] };
  const step = decide(at("provisioning", {}, { report: report("True", "", foreign) }));
  assert.equal(step.kind, "rest");
});

test("routes of a cluster are stored once", () => {
  const other = { routes: [{ name: "x", prefix: "x", router: route.router }] };
  const step = decide(at("ready", routed, { report: report("True", "", other) }));
  assert.equal(step.kind === "rest" && step.isReady, true);
});

test("a report that an instance is deleted does not change a live instance", () => {
  const step = decide(at("ready", routed, { report: report("False", "Deleted") }));
  assert.equal(step.kind === "rest" && step.isReady, true);
});

test("an error of the agent fails the instance, and a later success makes it ready", () => {
  const step = decide(at("provisioning", {}, { report: report("False", "Error") }));
  assert.equal(step.kind === "move" && step.to, "failed");
  const ready = decide(at("failed", routed, { report: report("True") }));
  assert.deepEqual(ready, { kind: "move", to: "ready" });
});

test("an instance that failed before the agent got it does not become ready by a report", () => {
  const ready = { report: report("True", "", reportedRoutes) };
  const before = decide(at("failed", { ...routed, wasProvisioned: false }, ready));
  assert.equal(before.kind === "rest" && before.reason, "Failed");
  const failed = { kind: "failed", message: "m", detail: "d" } as const;
  const unprepared = decide(at("failed", routed, { ...ready, preparing: failed }));
  assert.equal(unprepared.kind === "rest" && unprepared.reason, "Failed");
});

test("a rejected instance is asked for again, and a full cluster is left", () => {
  const rejected = { report: report("False", "Rejected") };
  assert.equal(decide(at("provisioning", {}, { ...rejected, nowMs: 60_000 })).kind, "repeat");
  const message = "cluster is full";
  const condition = { type: "Ready", status: "False", reason: "Rejected", message };
  const full = readReport({ conditions: [condition] });
  const step = decide(at("provisioning", {}, { report: full }));
  assert.equal(step.kind === "displace" && step.why, "full");
});

test("an instance that is not ready in time fails with the reason", () => {
  const late = { nowMs: 2 * hourMs };
  const step = decide(at("provisioning", {}, late));
  assert.match(step.kind === "move" ? (step.reason ?? "") : "", /not ready after/);
  const pending = { kind: "pending", message: "DNS does not answer" } as const;
  const prepared = decide(at("preparing", {}, { ...late, preparing: pending }));
  assert.match(prepared.kind === "move" ? (prepared.reason ?? "") : "", /DNS does not answer/);
});

test("the time to become ready starts again with another placement", () => {
  const nowMs = 2 * hourMs;
  const step = decide(at("provisioning", { budgetSinceMs: nowMs - 1_000 }, { nowMs }));
  assert.equal(step.kind, "rest");
});

test("a denied owner's instance is suspended and removed after the time of grace", () => {
  assert.equal(decide(at("ready", routed, { isDenied: true })).kind, "deny");
  const denied = { ...routed, deniedAtMs: 1_000 };
  const step = decide(at("ready", denied, { isDenied: true }));
  assert.equal(step.kind === "move" && step.to, "suspending");
  const later = { isDenied: true, nowMs: 15 * 24 * hourMs };
  assert.equal(decide(at("suspended", denied, later)).kind, "remove");
  assert.equal(decide(at("suspended", denied, { isDenied: false })).kind, "deny");
});

test("a suspended instance resumes when the reason has ended", () => {
  assert.deepEqual(decide(at("suspended")), { kind: "move", to: "resuming" });
  const step = decide(at("resuming", routed, { report: report("True") }));
  assert.deepEqual(step, { kind: "move", to: "ready" });
});

test("an instance leaves a cluster that is drained or was removed", () => {
  for (const phase of ["preparing", "provisioning", "ready", "failed", "suspended"] as const) {
    const suspension = phase === "suspended" ? "unpaid" : undefined;
    const assigned = { ...instance.assigned, suspension };
    const drained = decide(at(phase, { ...routed, assigned }, { leave: "possible" }));
    assert.equal(drained.kind === "displace" && drained.why, "leaving", phase);
  }
  const ready = { report: report("True"), leave: "blocked" } as const;
  const blocked = decide(at("ready", routed, ready));
  assert.equal(blocked.kind === "rest" && blocked.isReady, true, "it stays where it is");
  const gone = decide(at("ready", routed, { cluster: undefined }));
  assert.equal(gone.kind === "displace" && gone.why, "no-cluster");
});

test("a type with a lifespan is removed at its end, and other types are not", () => {
  const eval48 = { ...offering, types: [{ ...offering.types[0], name: "eval", lifespanMs: 1 }] };
  const facts = { offering: eval48 as typeof offering };
  assert.equal(decide(at("ready", { ...routed, type: "eval" }, facts)).kind, "remove");
  assert.equal(decide(at("ready", { ...routed, type: "standard" }, facts)).kind, "rest");
});

test("what an earlier placement left is deleted when the instance is ready elsewhere", () => {
  const leftovers = [{ cluster: "west-1", state: "present" }] as const;
  const moving = decide(at("provisioning", {}, { leftovers }));
  assert.equal(moving.kind, "rest");
  const ready = decide(at("ready", routed, { leftovers, report: report("True") }));
  assert.deepEqual(ready, { kind: "leave", isSettled: true });
  const gone = [{ cluster: "west-1", state: "gone" }] as const;
  assert.equal(decide(at("provisioning", {}, { leftovers: gone })).kind, "leave");
});

test("an instance whose removal is held is suspended all the same", () => {
  const denied = { ...routed, deniedAtMs: 1_000 };
  const later = { isDenied: true, nowMs: 15 * 24 * hourMs };
  const due = decide(at("ready", denied, later));
  assert.deepEqual(due, { kind: "remove", reason: "the owner is denied", isBounded: true });
  const held = decide(at("ready", denied, { ...later, isRemovalHeld: true }));
  assert.equal(held.kind === "move" && held.to, "suspending");
});

const anyFacts = record({
  phase: constantFrom(...phases),
  nowMs: integer({ min: 0, max: 100 * 24 * hourMs }),
  isDenied: boolean(),
  isManaged: boolean(),
  isRemovalHeld: boolean(),
  hasCluster: boolean(),
  leave: constantFrom("no", "possible", "blocked"),
  hasPlacement: boolean(),
  hasRoutes: boolean(),
  isRouted: boolean(),
  leftover: constantFrom(undefined, "present", "deleting", "gone"),
  status: constantFrom("True", "False", "Unknown", "x"),
  reason: constantFrom("", "Error", "Rejected", "Deleted", "Suspended", "Installing"),
  prepared: constantFrom("ready", "pending", "failed"),
  routes: constantFrom("ready", "pending", "failed"),
  deniedAtMs: constantFrom(undefined, 1_000),
  expiresAtMs: constantFrom(undefined, 1_000, 50 * 24 * hourMs),
  expiredAtMs: constantFrom(undefined, 1_000),
  suspension: constantFrom(undefined, "unpaid"),
  quota: constantFrom("settled", "needed"),
});

type Given = typeof anyFacts extends Arbitrary<infer T> ? T : never;

function factsOf(given: Given): Facts {
  const { phase, nowMs, isDenied, isManaged, isRemovalHeld, leave, quota } = given;
  const prepared = (kind: string): Prepared =>
    ({ kind, message: "m", ...(kind === "failed" ? { detail: "d" } : {}) }) as Prepared;
  const { suspension, expiresAtMs, expiredAtMs, deniedAtMs, isRouted, leftover } = given;
  const own = given.hasPlacement ? placement : undefined;
  const leftovers = leftover === undefined ? [] : [{ cluster: "west-1", state: leftover } as const];
  return {
    ...base,
    nowMs,
    isDenied,
    isRemovalHeld,
    quota,
    isManaged: own !== undefined && isManaged,
    leave: own === undefined ? "no" : leave,
    leftovers,
    cluster: own && given.hasCluster ? { domain: "apps.east-1.example.com" } : undefined,
    report: report(given.status, given.reason, reportedRoutes),
    preparing: prepared(given.prepared),
    routes: prepared(given.routes),
    instance: {
      ...instance,
      phase,
      placement: own,
      deniedAtMs,
      expiredAtMs,
      leaving: leftovers.map(({ cluster }) => cluster),
      assigned: { ...instance.assigned, suspension, expiresAtMs },
      ...(given.hasRoutes ? { ...routed, isRouted } : {}),
    },
  };
}

/** What the reconciler does with a step, as far as the facts show it. */
function performed(facts: Facts, step: Step): Facts {
  const { instance: before, nowMs } = facts;
  const after = (more: Partial<Instance>, others: Partial<Facts> = {}): Facts => ({
    ...facts,
    ...others,
    instance: { ...before, ...more },
  });
  switch (step.kind) {
    case "reserve":
      return after({}, { quota: "settled" });
    case "place":
      return after({ placement, placedAtMs: nowMs }, managedFacts);
    case "displace": {
      const isMoved = before.phase === "ready" || before.phase === "failed";
      const phase = isMoved ? "provisioning" : before.phase;
      const budgetSinceMs = isMoved ? nowMs : before.budgetSinceMs;
      const gone = {
        cluster: undefined,
        isManaged: false,
        leave: "no",
        report: undefined,
      } as const;
      return after({ placement: undefined, phase, budgetSinceMs }, gone);
    }
    case "repeat":
      return after({ placedAtMs: nowMs, attempts: before.attempts + 1 });
    case "move": {
      const isMoved = step.to === "provisioning" && before.phase !== "preparing";
      const budgetSinceMs = isMoved ? nowMs : before.budgetSinceMs;
      return after({ phase: step.to, phaseSinceMs: nowMs, budgetSinceMs });
    }
    case "route":
      return after({ routes: [route], routesFrom: "east-1", isRouted: false });
    case "routed":
      return after({ isRouted: true });
    case "deny":
      return after({ deniedAtMs: step.isDenied ? nowMs : undefined });
    case "expire":
      return after({ expiredAtMs: step.isExpired ? nowMs : undefined });
    case "leave":
      return after({}, { leftovers: left(facts, step.isSettled) });
    case "remove":
      return after({}, { isRemovalHeld: true });
    case "rest":
      return facts;
    default:
      return step satisfies never;
  }
}

const managedFacts: Partial<Facts> = {
  isManaged: true,
  cluster: { domain: "apps.east-1.example.com" },
  report: undefined,
};

function left({ leftovers }: Facts, isSettled: boolean): Facts["leftovers"] {
  return leftovers
    .filter(({ state }) => state !== "gone")
    .map((each) => (isSettled ? { cluster: each.cluster, state: "deleting" } : each));
}

test("a step is always an edge of the table, and a rest has a reason", () => {
  check(
    property(anyFacts, (given) => {
      const step = decide(factsOf(given));
      if (step.kind === "move") assert.ok(mayMove(given.phase, step.to), `to ${step.to}`);
      if (step.kind === "rest") assert.notEqual(step.reason, "");
      if (step.kind === "rest" && step.afterMs !== undefined) assert.ok(step.afterMs >= 0);
    }),
    { numRuns: 2_000 },
  );
});

test("every instance comes to rest after a few steps, and equal facts give equal steps", () => {
  check(
    property(anyFacts, (given) => {
      let facts = factsOf(given);
      const trace: string[] = [];
      for (let steps = 0; steps < 25; steps += 1) {
        const step = decide(facts);
        assert.deepEqual(decide(facts), step);
        if (step.kind === "rest") return;
        trace.push(step.kind === "move" ? step.to : step.kind);
        facts = performed(facts, step);
      }
      assert.fail(`no rest after ${trace.join(", ")}`);
    }),
    { numRuns: 5_000 },
  );
});
