// All instances of a Rollout at one time: how many stand how, and which of them come next. Pure.

import { fleetLimits } from "../limits.ts";
import type { RolloutCounts } from "./gates.ts";
import type { Member } from "./member.ts";
import type { Rollout } from "./rollout.ts";
import { rollbackStanding, standingOf } from "./standing.ts";
import type { StandingInput } from "./standing.ts";

export interface Survey {
  readonly counts: RolloutCounts;
  /** Instances that the Rollout returned to their earlier versions. */
  readonly reverted: number;
  /** Can be updated, or reverted; those that are not ready last, or first in a rollback. */
  readonly pending: readonly Member[];
  /** When the next instance that is being updated has failed; undefined when there is none. */
  readonly nextFailureMs: number | undefined;
  readonly waitingFor: readonly WaitReason[];
  /** The first of them. */
  readonly failures: readonly Failure[];
}

export interface WaitReason {
  readonly reason: string;
  readonly instances: number;
}

export interface Failure {
  readonly member: Member;
  readonly reason: string;
}

export interface SurveyInput extends StandingInput {
  readonly rollout: Rollout;
  readonly members: readonly Member[];
  readonly isRollback: boolean;
}

export function survey(input: SurveyInput): Survey {
  const { members, isRollback, rollout } = input;
  const number = { healthy: 0, updating: 0, failed: 0, waiting: 0, skipped: 0, pending: 0 };
  const pending: Member[] = [];
  const failures: Failure[] = [];
  const reasons = new Map<string, number>();
  let nextFailureMs: number | undefined;
  let reverted = 0;
  for (const member of members) {
    const standing = isRollback ? rollbackStanding(member, input) : standingOf(member, input);
    number[standing.kind] += 1;
    if (member.change?.uid === rollout.uid && member.change.isRolledBack) reverted += 1;
    if (standing.kind === "pending") pending.push(member);
    if (standing.kind === "waiting") {
      reasons.set(standing.reason, (reasons.get(standing.reason) ?? 0) + 1);
    }
    if (standing.kind === "updating") {
      nextFailureMs = Math.min(nextFailureMs ?? Infinity, standing.failsAtMs);
    }
    if (standing.kind === "failed" && failures.length < fleetLimits.maxRolloutFailures) {
      failures.push({ member, reason: standing.reason });
    }
  }
  const { healthy, updating, failed, waiting, skipped } = number;
  const updated = healthy + updating + failed + skipped;
  return {
    counts: { total: members.length, updated, healthy, updating, failed, waiting },
    reverted,
    pending: ordered(pending, rollout.uid, isRollback),
    nextFailureMs,
    waitingFor: mostFrequent(reasons),
    failures,
  };
}

/**
 * An order that is the same in every run and differs between Rollouts, so that the first wave is
 * not always the same customers. An update begins with ready instances, because they show whether
 * the versions work. A rollback begins with the others.
 */
function ordered(members: readonly Member[], uid: string, isRollback: boolean): readonly Member[] {
  const rank = ({ phase }: Member): number => ((phase === "ready") === isRollback ? 1 : 0);
  return members
    .map((member) => ({ member, rank: rank(member), place: placeOf(`${uid}/${member.uid}`) }))
    .toSorted((one, other) => one.rank - other.rank || one.place - other.place)
    .map(({ member }) => member);
}

/** FNV-1a: evenly spread, and the same in every process. */
function placeOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  }
  return hash >>> 0;
}

function mostFrequent(reasons: ReadonlyMap<string, number>): readonly WaitReason[] {
  return [...reasons]
    .map(([reason, instances]) => ({ reason, instances }))
    .toSorted((one, other) => other.instances - one.instances)
    .slice(0, fleetLimits.maxRolloutFailures);
}
