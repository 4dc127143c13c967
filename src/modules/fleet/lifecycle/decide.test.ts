import assert from "node:assert/strict";
import { test } from "node:test";
import { boolean, assert as check, constantFrom, integer, property, record } from "fast-check";
import type { ReadReport } from "../clusters/report.ts";
import { readReport } from "../clusters/report.ts";
import { readOffering } from "../offering.ts";
import { sampleOffering } from "../sample-offering.ts";
import { decide } from "./decide.ts";
import type { Facts } from "./facts.ts";
import type { Instance } from "./instance.ts";
import { mayMove, phases } from "./phases.ts";
import type { Phase } from "./phases.ts";

const hourMs = 3_600_000;
const offering = readOffering(sampleOffering());

const placement = { cluster: "east-1", placementId: "p1", attempts: 1, atMs: 0, refusedBy: [] };
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
  enteredProvisioningAtMs: 0,
  placement: undefined,
  host: "rex.example",
  routes: [],
  routesFrom: "",
  isRouted: false,
  leaving: [],
  desiredVersions: {},
  deniedAtMs: undefined,
  suspendedAtMs: undefined,
  failedReason: "",
};

const base: Facts = {
  nowMs: 1_000,
  offering,
  instance,
  isDenied: false,
  quota: "settled",
  cluster: { domain: "apps.east-1.example.com", isDraining: false },
  isManaged: true,
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
  const step = decide(at("provisioning", { enteredProvisioningAtMs: nowMs - 1_000 }, { nowMs }));
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
  const draining = { domain: "apps.east-1.example.com", isDraining: true };
  const drained = decide(at("ready", routed, { cluster: draining }));
  assert.equal(drained.kind === "displace" && drained.why, "leaving");
  const gone = decide(at("ready", routed, { cluster: undefined }));
  assert.equal(gone.kind === "displace" && gone.why, "no-cluster");
});

test("a type with a lifespan is removed at its end, and other types are not", () => {
  const eval48 = { ...offering, types: [{ ...offering.types[0], name: "eval", lifespanMs: 1 }] };
  const facts = { offering: eval48 as typeof offering };
  assert.equal(decide(at("ready", { ...routed, type: "eval" }, facts)).kind, "remove");
  assert.equal(decide(at("ready", { ...routed, type: "standard" }, facts)).kind, "rest");
});

test("a step is always an edge of the table, and a rest has a reason", () => {
  const facts = record({
    phase: constantFrom(...phases),
    nowMs: integer({ min: 0, max: 100 * 24 * hourMs }),
    isDenied: boolean(),
    isManaged: boolean(),
    hasCluster: boolean(),
    isDraining: boolean(),
    hasPlacement: boolean(),
    hasRoutes: boolean(),
    status: constantFrom("True", "False", "Unknown", "x"),
    reason: constantFrom("", "Error", "Rejected", "Deleted", "Suspended", "Installing"),
    prepared: constantFrom("ready", "pending", "failed"),
    deniedAtMs: constantFrom(undefined, 1_000),
  });
  check(
    property(facts, (given) => {
      const prepared = { kind: given.prepared, message: "m" } as Facts["preparing"];
      const { isDraining } = given;
      const domain = "apps.east-1.example.com";
      const step = decide({
        ...base,
        nowMs: given.nowMs,
        isDenied: given.isDenied,
        isManaged: given.isManaged,
        cluster: given.hasCluster ? { domain, isDraining } : undefined,
        report: report(given.status, given.reason, reportedRoutes),
        preparing: prepared,
        routes: prepared,
        instance: {
          ...instance,
          phase: given.phase,
          placement: given.hasPlacement ? placement : undefined,
          deniedAtMs: given.deniedAtMs,
          ...(given.hasRoutes ? routed : {}),
        },
      });
      if (step.kind === "move") assert.ok(mayMove(given.phase, step.to), `to ${step.to}`);
      if (step.kind === "rest") assert.notEqual(step.reason, "");
      if (step.kind === "rest" && step.afterMs !== undefined) assert.ok(step.afterMs >= 0);
    }),
    { numRuns: 2_000 },
  );
});
