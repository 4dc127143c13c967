// The end of a change that comes in a moment. A request that is kept for it is answered as one that
// was done at once: with the finished resource, and with no operation to ask for. Only success is
// told so. Whatever else becomes of it, its operation tells, with the error and when it ended. Who
// sends the same request again meanwhile is kept, too.

import type { Resource } from "../../../kernel/resource.ts";
import type { ArmRequest } from "../request/arm-request.ts";
import type { ArmSurface } from "../request/surface-state.ts";
import type { SeenChange } from "../../../modules/resource-provider/operations/awaited-changes.ts";
import { envelopeOf } from "../../../modules/resource-provider/envelope.ts";
import type { ArmFace } from "../../../modules/resource-provider/face.ts";
import { timesOutAtMs } from "../../../modules/resource-provider/operations/operations.ts";
import { operationKey } from "../../../modules/resource-provider/operations/record.ts";
import { seenEnd } from "./seen-outcome.ts";

/** A resource as a request has written it, or found it. */
export interface KnownState {
  readonly revision: number;
  readonly body: Buffer;
  readonly decoded: Resource;
}

export interface Awaited {
  /** The last one that was seen. */
  readonly state: KnownState;
  readonly isDone: boolean;
}

/** Who makes many, one after the other, should not notice it; nor who makes one that takes long. */
const defaultAwaitEndMs = 100;

/** How long the requests to a face are kept; 0 for not at all. */
export function awaitEndMsOf({ awaitEndMs = defaultAwaitEndMs }: ArmFace): number {
  return awaitEndMs;
}

/** The resource when it has succeeded, or the time is over, or something else became of it. */
export async function quickEnd(
  surface: ArmSurface,
  { exchange }: ArmRequest,
  face: ArmFace,
  known: KnownState,
): Promise<Awaited> {
  let state = known;
  const { namespace = "" } = known.decoded.metadata;
  const mark = envelopeOf(known.decoded)?.operation;
  const awaitEndMs = mark?.isAsync === true ? awaitEndMsOf(face) : 0;
  const key = operationKey(namespace, mark?.id ?? "");
  const followed = awaitEndMs === 0 ? undefined : surface.followed.get(key);
  // So many may wait already that one more would be in the way.
  using change = followed && surface.awaited.begin(followed.about);
  if (mark === undefined || followed?.spec === undefined || change === undefined) {
    return { state, isDone: false };
  }
  const { spec, latest } = followed;
  const before = { body: known.body, resource: known.decoded };
  const look = (seen: SeenChange): boolean | undefined => {
    if (seen.revision <= state.revision) return undefined;
    const { what, resource } = seenEnd(surface, { id: mark.id, spec }, seen, before);
    if (what === "over") return false;
    state = { revision: seen.revision, body: seen.body, decoded: resource };
    return what === "succeeded" ? true : undefined;
  };
  const leftMs = timesOutAtMs(surface, spec) - surface.intents.clock.nowMs();
  exchange.onClose(() => change[Symbol.dispose]());
  const early = latest === undefined ? undefined : look(latest);
  const isDone = early ?? (await change.within(Math.min(awaitEndMs, leftMs), look)) ?? false;
  if (isDone) surface.followed.forget(key);
  return { state, isDone };
}
