// Work on large templates and environments runs in turns with the work of other tenants.

import { namespaceTenant } from "../../../intents/auth/tenant-name.ts";
import { timedPauses } from "../../../kernel/pauses.ts";
import { inTurns } from "../../../kernel/sliced.ts";
import type { Sliced } from "../../../kernel/sliced.ts";

export async function inTurnsOf<T>(namespace: string, work: Sliced<T>): Promise<T> {
  return await inTurns(work, timedPauses(namespaceTenant(namespace)));
}
