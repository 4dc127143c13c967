// Reads what was claimed, all of a batch in one go. A claim without its document is of no use, so
// it is tried again for as long as one of the leases lasts.

import type { StoredRecord } from "../store/port.ts";
import type { EnginePorts } from "./ports.ts";
import type { Run } from "./run.ts";

const firstRetryMs = 50;
const lastRetryMs = 2_000;

/** In the order of the runs; undefined when there was no way, or no reason any more. */
export async function loadClaims(
  { store, log, timers }: EnginePorts,
  runs: readonly Run[],
  isStopping: () => boolean,
): Promise<readonly (StoredRecord | undefined)[] | undefined> {
  const keys = runs.map(({ key }) => key);
  for (let delayMs = firstRetryMs; ; delayMs = Math.min(lastRetryMs, delayMs * 2)) {
    try {
      return await store.getMany(keys);
    } catch (error) {
      log.warn({ error, claims: keys.length }, "claimed resources were not read");
    }
    await timers.sleep(delayMs);
    if (isStopping() || runs.every((run) => run.isLost)) return undefined;
  }
}
