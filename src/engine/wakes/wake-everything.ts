// For when the log cannot tell what changed: every resource that is reconciled is woken, and the
// journals of those that were deleted meanwhile are removed. It looks at each resource, so it is
// for the first start and for a log that was compacted while nobody followed it.

import { limits } from "../../kernel/limits.ts";
import type { Store } from "../../store/port.ts";
import { removal } from "./changes-to-wakes.ts";
import type { WakeRules } from "./changes-to-wakes.ts";
import { unlessAborted } from "../run/unless-aborted.ts";
import { commitWakes, wakeAll } from "./wakes.ts";

export async function wakeEverything(
  store: Pick<Store, "commit" | "getMany" | "list">,
  { index, reconciled }: Pick<WakeRules, "index" | "reconciled">,
  signal: AbortSignal,
): Promise<void> {
  for (const kind of reconciled) await wakeAll(store, kind, signal);
  const journals = [...index.all()];
  const size = limits.defaultPageItems;
  for (let start = 0; start < journals.length; start += size) {
    const portion = journals.slice(start, start + size);
    const reading = store.getMany(portion.map(({ key }) => key));
    const records = await unlessAborted(reading, signal);
    const orphans = portion.filter(({ uid }, at) => records[at]?.uid !== uid);
    const removals = orphans.map(({ key, uid }) => removal(key, uid));
    await commitWakes(store, removals, signal);
  }
}
