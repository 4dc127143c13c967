// A write that changes a resource begins with its state. Where several processes share a database,
// asking for it is a round trip, while what this process saw last is in memory and nearly always
// still true. So the write is tried from memory first. The commit names the revision it began with,
// hence what is committed was decided from the newest state. Everything else, such as a refusal or
// that nothing changes, may come of an old state and is decided again from one that was read.

import { isSetpointError } from "../../kernel/errors.ts";
import type { StoredRecord } from "../../store/port.ts";
import { keyOfTarget } from "../request.ts";
import type { Intents, Target, Written } from "../request.ts";

/** Undefined when the state has to be read. */
export async function writtenFromMemory<T extends Written>(
  { store }: Intents,
  { target, isDryRun }: { readonly target: Target; readonly isDryRun: boolean },
  write: (record: StoredRecord) => Promise<T | undefined>,
): Promise<T | undefined> {
  const seen = isDryRun ? undefined : store.lastSeen(keyOfTarget(target));
  if (seen === undefined) return undefined;
  try {
    const written = await write(seen);
    return written?.outcome === "unchanged" ? undefined : written;
  } catch (error) {
    if (isTrouble(error)) throw error;
    return undefined;
  }
}

/** Not a refusal: whether the commit happened may even be unknown, so it is never repeated. */
function isTrouble(error: unknown): boolean {
  return !isSetpointError(error) || error.code.startsWith("store.");
}
