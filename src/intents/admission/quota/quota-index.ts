// The quotas of each namespace. Most namespaces have none, and then a write pays one lookup.

import type { LiveView } from "../../live-view.ts";
import { quotaOf, quotasKind } from "./quota.ts";
import type { Quota } from "./quota.ts";

export interface QuotaIndex {
  /** In the order of their names. */
  of(namespace: string): readonly Quota[];
  all(): Iterable<Quota>;
}

const none: readonly Quota[] = [];

export function quotaIndex(live: LiveView): QuotaIndex {
  const byNamespace = new Map<string, readonly Quota[]>();
  live.follow(quotasKind, (after, before) => {
    const { namespace = "", name = "" } = (after ?? before)?.key ?? {};
    const others = (byNamespace.get(namespace) ?? none).filter((quota) => quota.name !== name);
    const quotas = after === undefined ? others : [...others, quotaOf(after.resource)];
    if (quotas.length === 0) {
      byNamespace.delete(namespace);
      return;
    }
    byNamespace.set(namespace, quotas.toSorted(byName));
  });
  return {
    of: (namespace) => byNamespace.get(namespace) ?? none,
    all: function* all() {
      for (const quotas of byNamespace.values()) yield* quotas;
    },
  };
}

function byName(a: Quota, b: Quota): number {
  return a.name < b.name ? -1 : 1;
}
