// Reconciles the instances of an Offering. Each turn of the loop reads the facts, decides
// (decide.ts) and performs one step. A run may stop anywhere: every step is idempotent, and what a
// step depends on is stored before it.

import { again, done } from "../../../engine/outcome.ts";
import type { Failed, Outcome, Readiness } from "../../../engine/outcome.ts";
import type { Context, Reconciler } from "../../../engine/reconciler.ts";
import { backoffMs } from "../../../engine/run/backoff.ts";
import { timeText } from "../../../kernel/clock.ts";
import { equalJson } from "../../../kernel/json.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { objectAt, textAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import type { ReadReport } from "../clusters/report.ts";
import { fleetLimits } from "../limits.ts";
import type { Offering } from "../offering.ts";
import { instanceKindId } from "../offerings/offering-index.ts";
import { performReserve } from "../quota-service/reserve-step.ts";
import { askHook, delayed, heldByHook } from "./ask-hook.ts";
import { heldRetryMs, releaseHold, requestRemoval } from "./automatic-removal.ts";
import { decide } from "./decide.ts";
import type { DisplaceReason, Move, Rest, Step } from "./decide.ts";
import { gatherFacts } from "./gather-facts.ts";
import type { Observed } from "./gather-facts.ts";
import { InstanceRun } from "./instance-run.ts";
import type { LifecyclePorts } from "./instance-run.ts";
import { deleteManaged, isOutdated, putManaged } from "./managed.ts";
import { newPlacementId, placeInstance, refusalOf } from "./place-instance.ts";
import { isHandedOver } from "./instance.ts";
import { isSuspension } from "./phases.ts";
import type { Phase } from "./phases.ts";
import { removeInstance } from "./remove.ts";
import { storedRoutes } from "./route-change.ts";

/** Steps of one run; an instance that needs more continues in the next run. */
const maxSteps = 30;

const retry = { soonMostMs: 60_000 };

export function instanceReconciler(ports: LifecyclePorts, name: string): Reconciler | undefined {
  const offering = ports.state.offerings.byName(name);
  if (offering === undefined) return undefined;
  const current = (): Offering => ports.state.offerings.byName(name) ?? offering;
  return {
    kind: instanceKindId(offering),
    reconcile: async (resource, context) => await reconcile(ports, current(), resource, context),
    remove: async (resource, context) =>
      await removeInstance(new InstanceRun(ports, current(), context, resource)),
    resyncMs: fleetLimits.driftCheckMs,
    retry,
  };
}

async function reconcile(
  ports: LifecyclePorts,
  offering: Offering,
  resource: Resource,
  context: Context,
): Promise<Outcome> {
  const run = new InstanceRun(ports, offering, context, resource);
  for (let steps = 0; steps < maxSteps; steps += 1) {
    const observed = await gatherFacts(run);
    await recordObserved(run, observed.facts.report);
    const outcome = await perform(run, decide(observed.facts), observed);
    if (outcome !== undefined) return outcome;
  }
  return again(0, { reason: "InProgress", message: "the instance has more steps" });
}

/** Undefined: the step is done, and the next one follows. */
async function perform(
  run: InstanceRun,
  step: Step,
  observed: Observed,
): Promise<Outcome | undefined> {
  switch (step.kind) {
    case "reserve":
      return await performReserve(run);
    case "place":
      return await performPlace(run);
    case "displace":
      await displace(run, step.why, step.message);
      return undefined;
    case "repeat":
      await repeat(run);
      return undefined;
    case "move":
      return await performMove(run, step);
    case "route":
      await recordRoutes(run, observed.facts.report);
      return undefined;
    case "routed":
      await run.record({ routesCreated: true });
      return undefined;
    case "deny":
      await run.record({ deniedAt: step.isDenied ? timeText(run.nowMs) : null });
      return undefined;
    case "expire":
      await run.record({ expiredAt: step.isExpired ? timeText(run.nowMs) : null });
      return undefined;
    case "leave":
      await leave(run, observed, step.isSettled);
      return undefined;
    case "remove":
      return await requestRemoval(run, step.reason, step.isBounded);
    case "rest":
      return await performRest(run, step, observed);
    default:
      return step satisfies never;
  }
}

async function performPlace(run: InstanceRun): Promise<Outcome | undefined> {
  const placed = await placeInstance(run);
  switch (placed.kind) {
    case "placed":
      run.context.event("Normal", "Placed", `on cluster ${placed.cluster}`);
      return undefined;
    case "failed":
      await run.fail(placed.message);
      return undefined;
    case "none": {
      const { reason, message, afterMs } = placed;
      return again(afterMs, { reason, message });
    }
    default:
      return placed satisfies never;
  }
}

/** The phase follows when the instance has another placement. */
async function displace(run: InstanceRun, why: DisplaceReason, message: string): Promise<void> {
  const { instance, ports, context } = run;
  const { placement, id, leaving, phase, refusedBy } = instance;
  if (placement === undefined) return;
  const { cluster } = placement;
  context.event("Normal", "Displaced", message);
  // What customers use stays until the instance is ready elsewhere.
  const isServing = why === "leaving" && instance.isRouted && instance.routesFrom === cluster;
  const isRefusing = why === "full";
  const status: JsonObject = {
    placement: {
      cluster: null,
      placementId: null,
      at: timeText(run.nowMs),
      refusedBy: isRefusing ? withRefusal(refusedBy, cluster) : [...refusedBy],
    },
    leaving: [...new Set([...leaving, cluster])],
  };
  if (phase !== "ready" && phase !== "failed") await run.record(status);
  else await run.move("provisioning", { ...status, ...restartedBudget(run), failedReason: null });
  if (!isServing) await deleteManaged(ports, context, { cluster, id });
}

function withRefusal(refusedBy: readonly string[], cluster: string): readonly string[] {
  return [...new Set([...refusedBy, cluster])].slice(-fleetLimits.maxPlacementReasons);
}

/** The time to become ready counts from now. */
function restartedBudget({ nowMs }: InstanceRun): JsonObject {
  return { budgetSince: timeText(nowMs), enteredProvisioningAt: timeText(nowMs) };
}

/** A report about the rejected placement is stale from now on. */
async function repeat(run: InstanceRun): Promise<void> {
  const { instance, context } = run;
  const attempts = instance.attempts + 1;
  const at = timeText(run.nowMs);
  await run.record({ placement: { placementId: newPlacementId(context), attempts, at } });
}

async function recordRoutes(run: InstanceRun, report: ReadReport | undefined): Promise<void> {
  const { host, placement, acceptRoutes } = run.instance;
  const routes = storedRoutes(host, report?.routes ?? []);
  await run.record({
    routes: routes.map(({ name, domain, router }) => ({ name, domain, router })),
    routesFrom: placement?.cluster ?? null,
    routesCreated: false,
    routesAccepted: acceptRoutes.wanted || null,
  });
}

/** Running versions, and which parts are being replaced. Unchanged values are not written. */
async function recordObserved(run: InstanceRun, report: ReadReport | undefined): Promise<void> {
  if (report === undefined || report.kind === "unknown") return;
  const status = objectAt(run.resource, "status");
  const observed: JsonObject = {
    ...(Object.keys(report.versions).length === 0 ? {} : { actualVersions: report.versions }),
    upgrading: { ...report.updating },
  };
  const isSame = Object.entries(observed).every(([key, value]) =>
    equalJson(status[key] ?? null, value),
  );
  if (!isSame) await run.record(observed);
}

async function performMove(
  run: InstanceRun,
  { to, reason, detail }: Move,
): Promise<Outcome | undefined> {
  if (to === "failed") {
    await run.fail(reason ?? "", detail);
    return undefined;
  }
  const held = await heldByHook(run, to);
  if (held.kind === "held") return held.outcome;
  if (held.kind === "free") await run.move(to, fieldsOf(run, to));
  return undefined;
}

/** What a move records with the phase. */
function fieldsOf(run: InstanceRun, to: Phase): JsonObject {
  const now = timeText(run.nowMs);
  switch (to) {
    case "provisioning": {
      const isFirst = run.instance.phase === "preparing";
      const budget = isFirst ? { enteredProvisioningAt: now } : restartedBudget(run);
      return { ...budget, failedReason: null };
    }
    case "ready":
      return { failedReason: null, suspendedAt: null, readyAt: firstReadyAt(run) };
    case "suspended":
      return { suspendedAt: now };
    default:
      return {};
  }
}

/** Usage is counted from then on. */
function firstReadyAt({ resource, nowMs }: InstanceRun): string {
  return textAt(resource.status, "readyAt") || timeText(nowMs);
}

/** Deletes what is on clusters that the instance has left, and forgets what does not exist. */
async function leave(run: InstanceRun, { facts }: Observed, isSettled: boolean): Promise<void> {
  const { instance, ports, context } = run;
  const left = facts.leftovers.filter(({ state }) => state !== "gone");
  for (const { cluster, state } of left) {
    if (!isSettled || state !== "present") continue;
    await deleteManaged(ports, context, { cluster, id: instance.id });
  }
  const leaving = left.map(({ cluster }) => cluster);
  await run.record({ leaving: leaving.length === 0 ? null : leaving });
}

/** Nothing moves. What the agent should apply is brought up to date. */
async function performRest(
  run: InstanceRun,
  step: Rest,
  observed: Observed,
): Promise<Outcome | undefined> {
  const { phase } = run.instance;
  await releaseHold(run);
  if (!(await updateManaged(run, observed))) return undefined;
  const { reason, message } = step;
  const ready: Readiness = { status: step.isReady ? "True" : "False", reason, message };
  const { preparing, routes } = observed.facts;
  const blocked = [preparing, routes].find((each) => each.kind === "blocked");
  if (blocked !== undefined) return blockedOutcome(run, step, blocked.failure, ready);
  const answer = phase === "ready" ? await askHook(run, "ready") : undefined;
  if (answer?.kind === "broken") return delayed(answer);
  const heldMs = run.isRemovalHeld ? heldRetryMs : Infinity;
  const hookMs = answer?.kind === "wait" ? answer.afterMs : Infinity;
  const outgrownMs = observed.isOutgrown ? fleetLimits.placementRetryMs : Infinity;
  const afterMs = Math.min(step.afterMs ?? Infinity, heldMs, hookMs, outgrownMs);
  if (afterMs > fleetLimits.driftCheckMs) return done({ ready });
  return again(afterMs, { ready, reason, message });
}

/** Repeated with back-off, and not later than the next deadline of the instance. */
function blockedOutcome(
  { context: { attempt, random } }: InstanceRun,
  { afterMs: deadlineMs = Infinity }: Rest,
  failure: Failed,
  ready: Readiness,
): Failed {
  const pace = failure.retry === "soon" ? "soon" : "slow";
  const pauseMs = failure.afterMs ?? backoffMs(pace, attempt, retry, random);
  return { ...failure, ready, afterMs: Math.min(pauseMs, deadlineMs) };
}

/** False when the cluster has no room for the type that the instance has now: it moves then. */
async function updateManaged(
  run: InstanceRun,
  { managed, isOutgrown }: Observed,
): Promise<boolean> {
  const { ports, context, instance, offering } = run;
  const { placement, phase, refusedBy, host } = instance;
  if (managed === undefined || placement === undefined || !isHandedOver(instance)) return true;
  const { cluster, placementId } = placement;
  const type = textAt(managed.spec, "type");
  const shown = isOutgrown ? { ...instance, type } : instance;
  const isSuspended = isSuspension(phase);
  const wanted = { offering, instance: shown, cluster, placementId, host, isSuspended };
  if (!isOutdated(managed, wanted)) return true;
  try {
    await putManaged(ports, context, wanted);
    return true;
  } catch (error) {
    if (shown.type === type || refusalOf(error) === undefined) throw error;
    const at = timeText(run.nowMs);
    await run.record({ placement: { refusedBy: withRefusal(refusedBy, cluster), at } });
    return false;
  }
}
