// The pauses between the steps of one write: see kernel/pauses.ts.

import { limits } from "../../kernel/limits.ts";
import { nextTurn, pausesFor, timedPauses } from "../../kernel/pauses.ts";
import type { Pause } from "../../kernel/pauses.ts";
import { namespaceTenant, userTenant } from "../auth/tenant-name.ts";
import type { Caller, Target, WriteOptions } from "../request.ts";

export interface PausedWrite {
  readonly caller: Pick<Caller, "tenant" | "user">;
  readonly target: Pick<Target, "namespace">;
  readonly options: Pick<WriteOptions, "bodyBytes">;
}

/**
 * A write is as large as the larger of what was sent and what is stored. Where the size of what was
 * sent is not known, as for the documents that other surfaces make, a step of a request that took
 * long is followed by a pause. What the server writes itself never waits for the real time: its
 * clock may be a simulated one.
 */
export function writePauses(write: PausedWrite, storedBytes = 0): Pause {
  const { bodyBytes } = write.options;
  const tenant = tenantOfWrite(write);
  const isRequest = write.caller.tenant !== undefined;
  const isUnknown = bodyBytes === undefined && storedBytes < limits.minSlicedBytes;
  if (isRequest && isUnknown) return timedPauses(tenant);
  return pausesFor(Math.max(bodyBytes ?? 0, storedBytes), tenant);
}

/** For work that counts its steps itself. */
export function stepPauses(write: PausedWrite): () => Promise<void> {
  return () => nextTurn(tenantOfWrite(write));
}

/** What the server writes for a resource counts for the namespace of the resource. */
export function tenantOfWrite({ caller, target }: Omit<PausedWrite, "options">): string {
  const { namespace } = target;
  if (caller.tenant !== undefined) return caller.tenant;
  return namespace === "" ? userTenant(caller.user.name) : namespaceTenant(namespace);
}
