// Whether a watch can resume after a resource version: the version has been reached, and the
// changes after it are kept.

import { SetpointError } from "../../../kernel/errors.ts";
import { limits } from "../../../kernel/limits.ts";
import type { FleetRequest, FleetRoutePorts } from "./fleet-route.ts";

/** Throws history.gone or revision.future. */
export async function checkWatchVersion(
  ports: FleetRoutePorts,
  { signal }: FleetRequest,
  after: number,
): Promise<void> {
  const { revision, compacted } = await ports.store.head();
  if (after < compacted) {
    const message = `gt_version: the changes after ${after} are not kept any more`;
    throw new SetpointError("history.gone", message, {
      suggestion: "watch without gt_version, which begins with the present state",
    });
  }
  if (after <= revision || (await isReached(ports, after, signal))) return;
  const message = `gt_version: ${after} has not been reached; the newest is ${revision}`;
  throw new SetpointError("revision.future", message);
}

/** Another server may be ahead of this one for a short time. */
async function isReached(
  { store, timers }: FleetRoutePorts,
  revision: number,
  signal: AbortSignal,
): Promise<boolean> {
  const stop = new AbortController();
  const cancel = timers.after(limits.futureRevisionWaitMs, () => stop.abort());
  const either = AbortSignal.any([stop.signal, signal]);
  try {
    let head = 0;
    while (head < revision) head = await store.advancedBeyond(head, either);
    return true;
  } catch (error) {
    if (either.aborted) return false;
    throw error;
  } finally {
    cancel();
  }
}
