// When an instance is suspended and removed without a request: its lifespan, its expiry, and a
// denied owner. Pure.

import type { Facts } from "./facts.ts";

export interface Deadline {
  readonly atMs: number;
  readonly reason: string;
  /** Whether the removals of an hour are bounded. The end of a lifespan is planned. */
  readonly isBounded: boolean;
}

/** Why the instance must be suspended now; undefined when it must not. */
export function suspensionReason(facts: Facts): string | undefined {
  const { instance, isDenied } = facts;
  if (instance.assigned.suspension !== undefined) return instance.assigned.suspension;
  if (isDenied) return "the owner is denied";
  if (facts.lacksQuota) return withoutQuota;
  return isExpired(facts) ? "the instance has expired" : undefined;
}

const withoutQuota = "the owner has no quota for the instance any more";

export function isExpired({ instance, nowMs, lacksQuota }: Facts): boolean {
  const { expiresAtMs } = instance.assigned;
  return lacksQuota || (expiresAtMs !== undefined && expiresAtMs <= nowMs);
}

/** The first time at which the instance is removed without a request. */
export function removalDeadline(facts: Facts): Deadline | undefined {
  const { instance, offering, isDenied, lacksQuota } = facts;
  const deadlines: Deadline[] = [];
  const { createdAtMs, deniedAtMs, expiredAtMs, type, assigned } = instance;
  const lifespanMs = offering.types.find(({ name }) => name === type)?.lifespanMs;
  if (lifespanMs !== undefined) {
    const reason = `the lifespan of instances of type ${type} has ended`;
    deadlines.push({ atMs: createdAtMs + lifespanMs, reason, isBounded: false });
  }
  if (assigned.expiresAtMs !== undefined) {
    const atMs = assigned.expiresAtMs + offering.suspension.expiryGraceMs;
    deadlines.push({ atMs, reason: "the instance has expired", isBounded: true });
  }
  if (lacksQuota && expiredAtMs !== undefined) {
    const atMs = expiredAtMs + offering.suspension.expiryGraceMs;
    deadlines.push({ atMs, reason: withoutQuota, isBounded: true });
  }
  if (isDenied && deniedAtMs !== undefined) {
    const atMs = deniedAtMs + offering.suspension.deniedGraceMs;
    deadlines.push({ atMs, reason: "the owner is denied", isBounded: true });
  }
  return deadlines.sort((one, other) => one.atMs - other.atMs)[0];
}

/** The next time at which a deadline of the instance passes. */
export function nextDeadlineMs(facts: Facts): number | undefined {
  const { instance, nowMs } = facts;
  const times = [removalDeadline(facts)?.atMs, instance.assigned.expiresAtMs];
  const future = times.filter((at) => at !== undefined && at > nowMs) as readonly number[];
  return future.length === 0 ? undefined : Math.min(...future);
}
