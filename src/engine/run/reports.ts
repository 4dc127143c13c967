// What is written about a resource once it was dealt with, as functions of its newest document: a
// write that lost a race is made anew from what is there by then.

import { isSetpointError } from "../../kernel/errors.ts";
import type { Resource } from "../../kernel/resource.ts";
import { failed } from "../outcome.ts";
import type { Outcome } from "../outcome.ts";
import { withStatus } from "./document-edits.ts";
import { logFailure } from "./failure-log.ts";
import { requestOf } from "./plan.ts";
import type { Plan, RunPlan } from "./plan.ts";
import type { Run } from "./run.ts";
import { settle, settleUntouched, settleUnwritten } from "./settle.ts";
import type { RunFacts, Settled } from "./settle.ts";
import { statusOf } from "./status.ts";

export type Report = (resource: Resource) => Settled & {
  /** The finalizer goes, and with the last one the resource. */
  readonly letsGo?: boolean;
};

/** What is said about a resource for which nothing was run. */
export function reportUnrun(run: Run, plan: Exclude<Plan, RunPlan>): Report {
  const { clock } = run.around.ports;
  switch (plan.kind) {
    case "nothing":
      return untouched;
    case "letGo":
      return (resource) => ({ ...untouched(resource), letsGo: true });
    case "paused":
    case "skipped": {
      const why = plan.kind === "paused" ? paused : skipped;
      return (resource) => settleUntouched(resource, why, clock.nowMs());
    }
    default:
      return reportOf(run, plan.outcome);
  }
}

export function reportOf(run: Run, outcome: Outcome): Report {
  logFailure(run, outcome);
  const { ports, resyncRandom } = run.around;
  const { clock } = ports;
  const random = outcome.kind === "done" ? resyncRandom : ports.random;
  if (run.reconciler.ownsStatus === true) {
    const settled = settleUnwritten(outcome, run.claim.attempts, run.reconciler, random);
    return (resource) => ({ status: statusOf(resource), isChanged: false, ...settled });
  }
  const facts = factsOf(run, clock.nowMs());
  const letsGo = facts.what === "remove" && outcome.kind === "done";
  return (resource) => {
    const settled = settle(resource, outcome, facts, run.reconciler, clock.nowMs(), random);
    // Once it is let go of there is nothing to come back for.
    return letsGo ? { ...settled, letsGo, releaseAfterMs: undefined } : settled;
  };
}

/** Only gives the claim back, for what cannot even be read. */
export function reportNothing(releaseAfterMs: number): Report {
  return () => ({ status: {}, isChanged: false, releaseAfterMs });
}

/** When what a run wants to write cannot be written, that is said instead. */
export function refusedStatus(error: unknown): Outcome {
  const why = isSetpointError(error) ? error.message : "it could not be encoded";
  return failed("StatusRefused", `the status that the run returned was refused: ${why}`, {
    retry: "slow",
  });
}

function factsOf(run: Run, nowMs: number): RunFacts {
  const resource = run.loaded();
  const isDeleting = resource.metadata.deletionTimestamp !== undefined;
  return {
    what: run.plan?.what ?? (isDeleting ? "remove" : "reconcile"),
    generation: resource.metadata.generation,
    request: requestOf(resource),
    note: run.plan?.note,
    startedMs: run.startedMs,
    tookMs: Math.max(0, nowMs - run.startedMs),
    worker: run.around.owner,
    looked: run.usedReferences,
    claims: run.claim.attempts,
    stored: (status) => statusOf(run.asStored(withStatus(run.current(), status))),
  };
}

function untouched(resource: Resource): Settled {
  return { status: statusOf(resource), isChanged: false, releaseAfterMs: undefined };
}

const paused = {
  status: "False",
  reason: "ReconcilePaused",
  message: "paused by the annotation setpoint.dev/paused",
} as const;

const skipped = {
  status: "True",
  reason: "Skipped",
  message: "the policy is skip, and this kind has no observe function",
} as const;
