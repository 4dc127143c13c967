// A client may know a newer revision than this process, for a moment: another process told it. The
// request waits a little for it, and is refused when the revision does not come.

import { limits } from "../../kernel/limits.ts";
import { revisionTooLarge } from "../../intents/refusals.ts";
import type { Surface } from "./context.ts";

export async function waitForRevision(
  { intents: { store }, timers }: Pick<Surface, "intents" | "timers">,
  revision: number,
): Promise<void> {
  const head = await store.head();
  if (head.revision >= revision) return;
  const giveUp = new AbortController();
  const cancel = timers.after(limits.futureRevisionWaitMs, () => giveUp.abort());
  try {
    await store.advancedBeyond(revision - 1, giveUp.signal);
  } catch (error) {
    if (!giveUp.signal.aborted) throw error;
    throw revisionTooLarge(revision, (await store.head()).revision);
  } finally {
    cancel();
  }
}
