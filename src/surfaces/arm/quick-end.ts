// The end of a change that comes in a moment. A request that is kept for it is answered as one that
// was done at once: with the finished resource, and with no operation to ask for. Only success is
// told so. Whatever else becomes of it, its operation tells, with the error and when it ended.

import type { Resource } from "../../kernel/resource.ts";
import type { ArmSurface } from "./arm-request.ts";
import { envelopeOf } from "./envelope.ts";
import type { ArmFace } from "./face.ts";
import { successIn } from "./operation-end.ts";
import { operationKey } from "./operations.ts";
import { provisioningIn } from "./provisioning-in.ts";
import { isTerminal } from "./provisioning.ts";
import { resourceAfter } from "./seen-resource.ts";

/** A resource as a request has written it. */
export interface JustWritten {
  readonly revision: number;
  readonly body: Buffer;
  readonly decoded: Resource;
}

/** Who makes many, one after the other, should not notice it; nor who makes one that takes long. */
const defaultAwaitEndMs = 100;

/** The resource as it ended; undefined when it has failed, or goes on after its time. */
export async function quickEnd(
  surface: ArmSurface,
  face: ArmFace,
  written: JustWritten,
): Promise<JustWritten | undefined> {
  const { awaitEndMs = defaultAwaitEndMs } = face;
  const { namespace = "" } = written.decoded.metadata;
  const mark = envelopeOf(written.decoded)?.operation;
  if (awaitEndMs === 0 || mark?.isAsync !== true) return undefined;
  const key = operationKey(namespace, mark.id);
  const followed = surface.followed.get(key);
  // So many wait already that one more would be in the way.
  using change = followed && surface.awaited.begin(followed.about);
  if (followed?.spec === undefined || change === undefined) return undefined;
  const { clock } = surface.intents;
  const untilMs = clock.nowMs() + awaitEndMs;
  let { revision } = written;
  let { latest: seen } = followed;
  for (;;) {
    if (seen === undefined || seen.revision <= revision) {
      seen = await change.within(untilMs - clock.nowMs(), revision);
    }
    if (seen?.type !== "updated" || seen.uid !== followed.spec.uid) return undefined;
    ({ revision } = seen);
    const decoded = resourceAfter(seen, { body: written.body, resource: written.decoded });
    const envelope = envelopeOf(decoded);
    // Another request took its place.
    if (envelope?.operation.id !== mark.id) return undefined;
    const success = successIn(decoded, envelope, { id: mark.id, ...followed.spec });
    if (success?.isLasting === true) {
      surface.followed.forget(key);
      return { revision, body: seen.body, decoded };
    }
    if (isTerminal(provisioningIn(surface, face, decoded, envelope).state)) return undefined;
  }
}
