// How many objects there are, and for how many of them the quota holds the place itself. Objects
// hold their own place from the moment they are created under a quota; those that are older hold
// none, so the quota does it for them. A quota never holds more places than it has: if there are
// more objects than it allows, it is simply full.

import { kindId } from "../../../kernel/kind.ts";
import { timedPauses } from "../../../kernel/pauses.ts";
import type { CounterUse, Store } from "../../../store/port.ts";
import { namespaceTenant } from "../../auth/tenant-name.ts";
import type { KindRegistry } from "../../kinds/registry.ts";
import { counterOf, countedKind, olderCounterOf } from "./quota.ts";
import type { Quota } from "./quota.ts";

export interface Usage {
  readonly used: ReadonlyMap<string, number>;
  /** What the quota has to hold for the objects that are older than it. */
  readonly uses: readonly CounterUse[];
  /** Whether that differs from what it holds now. */
  readonly isChanged: boolean;
}

export interface UsageWorld {
  readonly store: Store;
  readonly kinds: KindRegistry;
}

/** Undefined when objects came or went meanwhile: ask again. */
export async function usageOf(quota: Quota, world: UsageWorld): Promise<Usage | undefined> {
  const { store } = world;
  const used = new Map<string, number>();
  const uses: CounterUse[] = [];
  let isChanged = false;
  const pause = timedPauses(namespaceTenant(quota.namespace));
  for (const [resource, max] of quota.hard) {
    // The embedded store reads without a turn of the event loop.
    await pause();
    const [counter, older] = [counterOf(quota, resource), olderCounterOf(quota, resource)];
    const held = (await store.counter(older)).value;
    const before = (await store.counter(counter)).value;
    const count = await countObjects(quota.namespace, resource, world);
    const after = (await store.counter(counter)).value;
    if (before !== after) return undefined;
    const own = after - held;
    const amount = Math.max(0, Math.min(count, max) - own);
    used.set(resource, count);
    isChanged ||= amount !== held;
    if (amount > 0) uses.push({ counter, amount }, { counter: older, amount });
  }
  return { used, uses, isChanged };
}

async function countObjects(
  namespace: string,
  resource: string,
  { store, kinds }: UsageWorld,
): Promise<number> {
  const id = countedKind(resource) ?? "";
  const served = kinds.all().find(({ kind }) => kindId(kind) === id);
  if (served === undefined || served.kind.scope !== "Namespaced") return 0;
  const query = { kind: served.id, namespace };
  let page = await store.list({ ...query, limit: 1, countRemaining: true });
  let count = 0;
  for (;;) {
    count += page.records.length;
    if (page.next === undefined) return count;
    if (page.remaining !== undefined) return count + page.remaining;
    page = await store.list({ ...query, from: page.next, countRemaining: true });
  }
}
