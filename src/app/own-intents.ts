/** The write path for records of the server itself. */
import { admissionChain } from "../intents/admission/admission.ts";
import type { Intents } from "../intents/request.ts";

/** Policies of users must not keep a server from starting, or from recording its own state. */
export function ownIntentsOf(intents: Intents): Intents {
  return { ...intents, admission: admissionChain([]) };
}
