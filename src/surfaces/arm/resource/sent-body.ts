// Whether who asks may is known before the body of a request is read, and a body may take as long
// as its sender wants. What was allowed before may not be any more when it is there: the
// subscription may have another state, a role may be gone, and another resource may have the path.

import type { ArmRequest } from "../request/arm-request.ts";
import type { ArmSurface } from "../request/surface-state.ts";
import type { Located } from "./located.ts";
import { passSubscription } from "../request/subscription-gate.ts";

/** Throws where the caller may not do the same with what is found; the request for that. */
export type Reauthorize = (found: Located) => ArmRequest;

/** Nearly all bodies come with their heads. */
const soonMs = 100;

/** What `read` gives; whether it is still allowed is asked again where that took its time. */
export async function sentBody<T>(
  surface: ArmSurface,
  found: Located,
  reauthorize: Reauthorize,
  read: () => Promise<T>,
): Promise<T> {
  const { clock } = surface.intents;
  const beganMs = clock.nowMs();
  const body = await read();
  if (clock.nowMs() < beganMs + soonMs) return body;
  reauthorize(found);
  await passSubscription(surface, found.place.subscription, "write");
  return body;
}
