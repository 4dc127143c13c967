// The pauses between the steps of one write: see kernel/pauses.ts.

import { nextTurn, pausesFor } from "../../kernel/pauses.ts";
import type { Pause } from "../../kernel/pauses.ts";
import { namespaceTenant, userTenant } from "../auth/tenant-name.ts";
import type { Caller, Target, WriteOptions } from "../request.ts";

export interface PausedWrite {
  readonly caller: Pick<Caller, "tenant" | "user">;
  readonly target: Pick<Target, "namespace">;
  readonly options: Pick<WriteOptions, "bodyBytes">;
}

/** A write is as large as the larger of what was sent and what is stored. */
export function writePauses(write: PausedWrite, storedBytes = 0): Pause {
  return pausesFor(Math.max(write.options.bodyBytes ?? 0, storedBytes), tenantOf(write));
}

/** For work that counts its steps itself. */
export function stepPauses(write: PausedWrite): () => Promise<void> {
  return () => nextTurn(tenantOf(write));
}

/** What the server writes for a resource counts for the namespace of the resource. */
function tenantOf({ caller, target: { namespace } }: PausedWrite): string {
  if (caller.tenant !== undefined) return caller.tenant;
  return namespace === "" ? userTenant(caller.user.name) : namespaceTenant(namespace);
}
