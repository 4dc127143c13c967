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
  return pausesFor(Math.max(write.options.bodyBytes ?? 0, storedBytes), tenantOfWrite(write));
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
