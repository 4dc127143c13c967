// What the reconcilers of this module share. They write through the intents and not through the
// engine, because the status of their kinds has a form that Kubernetes fixes. So each write names
// the claim of its run.

import type { Context } from "../engine/reconciler.ts";
import { unlessAborted } from "../engine/run/unless-aborted.ts";
import type { Intents } from "../intents/request.ts";
import type { Resource } from "../kernel/resource.ts";
import type { ClaimRef } from "../store/port.ts";

/** As the former loops did: a failure is usually a race or a webhook that is away. */
export const retry = { soonFirstMs: 400, soonMostMs: 30_000 } as const;
/** How many resources of one kind are worked on at a time in a process. */
export const concurrency = 8;

/** For a kind that is not in namespaces. */
export function claimOf(kind: string, { metadata }: Resource, { token }: Context): ClaimRef {
  return { key: { kind, namespace: "", name: metadata.name }, token };
}

/**
 * Waits until the live view of this process shows the resource as the run received it, and with it
 * all kinds that existed when it was written. A claim may arrive before the log does.
 */
export async function untilShown(
  { live }: Pick<Intents, "live">,
  { metadata }: Resource,
  { signal }: Context,
): Promise<void> {
  await unlessAborted(live.reached(Number(metadata.resourceVersion ?? 0)), signal);
}
