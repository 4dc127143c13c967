// How often a resource was being run when its worker was lost. The store only knows that a claim
// ended without a word, which is true for all that the worker held, most of which had not even
// begun. So what was lost once already says, before its reconciler runs again, that it begins; any
// report takes that back. The number of the claim says whether it still counts: claims are counted
// from one again after a report.

import { findCondition } from "../../kernel/conditions.ts";
import { isJsonObject } from "../../kernel/json.ts";
import type { JsonObject } from "../../kernel/json.ts";
import type { Resource } from "../../kernel/resource.ts";
import { withStatus } from "./document-edits.ts";
import type { Run } from "./run.ts";
import { conditionsOf, reconcileStatusOf, statusOf, syncedType } from "./status.ts";
import { workerLostReason } from "./status.ts";

const nothing: JsonObject = {};

/** `claims` is how often it was claimed since a claim on it last ended with a word. */
export function lossesOf(resource: Resource, claims: number): number {
  const status = statusOf(resource);
  const { begun } = reconcileStatusOf(status);
  const { claim, times } = isJsonObject(begun) ? begun : nothing;
  const isCounted = typeof claim === "number" && claim < claims && typeof times === "number";
  if (isCounted) return times;
  // What was put aside gets its next chance alone, and one only.
  const reason = findCondition(conditionsOf(status), syncedType)?.reason;
  return reason === workerLostReason ? 1 : 0;
}

/** Whether it is to say that it begins. */
export function saysThatItBegins({ claim, reconciler }: Run, resource: Resource): boolean {
  if (reconciler.ownsStatus === true) return false;
  return claim.attempts > 1 || lossesOf(resource, claim.attempts) > 0;
}

/**
 * What is still held against it after a run that was refused before it could do anything: that is
 * a word, but not about the resource. Undefined: nothing.
 */
export function begunAfterRefusal(resource: Resource, claims: number): JsonObject | undefined {
  const { begun } = reconcileStatusOf(statusOf(resource));
  const { claim, times } = isJsonObject(begun) ? begun : nothing;
  const isOwn = claim === claims && typeof times === "number";
  const losses = isOwn ? times - 1 : lossesOf(resource, claims);
  // Whoever had it before was lost, and may not have got so far as to say that it began.
  const held = Math.max(losses, claims > 1 ? 1 : 0);
  return held > 0 ? { claim: 0, times: held } : undefined;
}

/** That it began is not held against it any more, whatever becomes of its worker. */
function withoutBegun(resource: Resource, claim: number): Resource {
  const status = statusOf(resource);
  const { begun, ...others } = reconcileStatusOf(status);
  if (!isJsonObject(begun) || begun["claim"] !== claim) return resource;
  const times = Number(begun["times"]) - 1;
  const left = times > 0 ? { begun: { claim, times } } : {};
  return withStatus(resource, { ...status, reconcile: { ...others, ...left } });
}

/** Of a run that goes on. Nobody waits for it: the end of the run says more. */
export async function takeBackBegun(run: Run): Promise<void> {
  try {
    if (run.phase !== "running" || run.abortCause !== undefined) return;
    await run.update((resource) => withoutBegun(resource, run.claim.attempts));
  } catch (error) {
    run.around.ports.log.debug({ error, key: run.key }, "start record of a run not removed");
  }
}

/** To be stored before the reconciler runs. */
export function withBegun(resource: Resource, claim: number): Resource {
  const status = statusOf(resource);
  const begun = { claim, times: lossesOf(resource, claim) + 1 };
  const reconcile = { ...reconcileStatusOf(status), begun } as JsonObject;
  return withStatus(resource, { ...status, reconcile });
}
