// The state of one instance in a Rollout. Everything follows from the instance itself, so that a
// run after a crash sees what the run before it did. Pure.

import type { Operator } from "../clusters/cluster.ts";
import { upgradeProblem } from "../api/admin-versions.ts";
import type { Member, RolloutChange } from "./member.ts";
import type { Rollout, Versions } from "./rollout.ts";

export type Standing =
  /** Has other versions, and can be updated. */
  | { readonly kind: "pending" }
  /** Has other versions, and cannot be updated at present. */
  | { readonly kind: "waiting"; readonly reason: string }
  /** Should have the versions, and does not run them yet. */
  | { readonly kind: "updating"; readonly failsAtMs: number }
  | { readonly kind: "healthy" }
  /** Should have the versions, and failed or was not ready in time. */
  | { readonly kind: "failed"; readonly reason: string }
  /** Its versions were changed after the update; the Rollout leaves it alone. */
  | { readonly kind: "skipped" };

export interface StandingInput {
  readonly rollout: Pick<Rollout, "uid" | "versions" | "gates">;
  /** What the cluster of the instance reports; undefined for an unknown cluster. */
  readonly operatorsOf: (cluster: string) => readonly Operator[] | undefined;
  /** Why the last attempt to change an instance was refused; undefined without one. */
  readonly refusalOf: (member: Member) => string | undefined;
  readonly nowMs: number;
}

/** In a Rollout that moves forward. */
export function standingOf(member: Member, input: StandingInput): Standing {
  const { uid, versions } = input.rollout;
  const { change } = member;
  const isDesired = hasVersions(member.desired, versions);
  if (change?.uid === uid) {
    return isDesired ? updatedStanding(member, change, input) : { kind: "skipped" };
  }
  // The versions came from elsewhere, such as the placement of a new instance.
  if (isDesired) return newcomerStanding(member, input);
  const reason = waitReason(member, input);
  return reason === undefined ? { kind: "pending" } : { kind: "waiting", reason };
}

/** In a rollback, for an instance that the Rollout has changed. */
export function rollbackStanding(member: Member, input: StandingInput): Standing {
  const { change } = member;
  if (change?.uid !== input.rollout.uid) return { kind: "skipped" };
  if (change.isRolledBack) {
    if (!hasVersions(member.desired, change.from)) return { kind: "skipped" };
    return settledStanding(member, change, { ...input, versions: change.from });
  }
  return hasVersions(member.desired, input.rollout.versions)
    ? { kind: "pending" }
    : { kind: "skipped" };
}

/** Whether every component that is named has the version. */
export function hasVersions(versions: Versions, wanted: Versions): boolean {
  return Object.entries(wanted).every(([component, version]) => versions[component] === version);
}

function updatedStanding(member: Member, change: RolloutChange, input: StandingInput): Standing {
  const { versions } = input.rollout;
  return settledStanding(member, change, { ...input, versions });
}

interface SettledInput extends StandingInput {
  readonly versions: Versions;
}

function settledStanding(member: Member, change: RolloutChange, input: SettledInput): Standing {
  const { versions, nowMs, rollout } = input;
  if (runs(member, versions)) return { kind: "healthy" };
  // One that was not ready before is no sign that the versions are bad.
  if (!change.wasReady) return { kind: "skipped" };
  if (member.phase === "failed") return { kind: "failed", reason: "the instance has failed" };
  const sinceMs = Math.max(change.atMs, member.phase === "ready" ? 0 : member.phaseSinceMs);
  const failsAtMs = sinceMs + rollout.gates.notReadyMs;
  if (nowMs < failsAtMs) return { kind: "updating", failsAtMs };
  const lasted = `${Math.round((nowMs - sinceMs) / 1_000)} s`;
  const reason =
    member.phase === "ready"
      ? `the agent has not reported the versions for ${lasted}`
      : `the phase has been ${member.phase} for ${lasted}`;
  return { kind: "failed", reason };
}

/** It counts as done. While it is not ready, that is not the fault of the Rollout. */
function newcomerStanding(member: Member, { rollout }: StandingInput): Standing {
  return runs(member, rollout.versions) ? { kind: "healthy" } : { kind: "skipped" };
}

function runs(member: Member, versions: Versions): boolean {
  return member.phase === "ready" && !member.isUpgrading && hasVersions(member.actual, versions);
}

/** Why the versions cannot be changed; undefined when they can. */
function waitReason(member: Member, input: StandingInput): string | undefined {
  const { rollout, operatorsOf, refusalOf } = input;
  const { phase, desired, actual } = member;
  if (phase !== "ready" && phase !== "failed") return `the phase is ${phase}`;
  if (member.isUpgrading) return "another update is running";
  const operators = member.cluster === "" ? undefined : operatorsOf(member.cluster);
  const facts = { phase, desired, actual, upgrading: {}, operators };
  const problem = upgradeProblem(rollout.versions, facts);
  return problem === undefined
    ? refusalOf(member)
    : `the version of the ${problem.component}: ${problem.reason}`;
}
