/**
 * Wakes the resources of a kind that are not ready or not synced. `setpoint dev` does so when it
 * starts, because its user has probably just corrected a reconciler that failed. Other resources
 * keep their due times.
 */
import { isTrue } from "../kernel/conditions.ts";
import { decodeDocument } from "../kernel/document.ts";
import { limits } from "../kernel/limits.ts";
import type { Store, StoredRecord } from "../store/port.ts";
import { conditionsOf, statusOf } from "../engine/run/status.ts";
import { unlessAborted } from "../engine/run/unless-aborted.ts";
import { commitWakes, wake } from "../engine/wakes/wakes.ts";

export async function wakeUnsettled(
  store: Pick<Store, "commit" | "list">,
  kind: string,
  signal: AbortSignal,
): Promise<void> {
  const limit = limits.defaultPageItems;
  let page = await unlessAborted(store.list({ kind, limit }), signal);
  for (;;) {
    const wakes = page.records.filter(isUnsettled).map(({ key, uid }) => wake(key, uid));
    await commitWakes(store, wakes, signal);
    if (page.next === undefined) return;
    page = await unlessAborted(store.list({ kind, limit, from: page.next }), signal);
  }
}

function isUnsettled({ body, revision }: StoredRecord): boolean {
  const conditions = conditionsOf(statusOf(decodeDocument(body, revision)));
  return !isTrue(conditions, "Ready") || !isTrue(conditions, "Synced");
}
