// The entries of the timeline: pages that are held while new entries are counted.

import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { insight } from "../../api/insight.ts";
import type { TimelineQuery, TimelineEntry, TimelinePage } from "../../api/insight.ts";
import { useQuery } from "../../query/query.ts";
import { timelineQuery } from "./filter.ts";
import type { TimelineFilter } from "./filter.ts";

interface Held {
  readonly key: string;
  readonly items: readonly TimelineEntry[];
  readonly next: string | undefined;
}

export interface Timeline {
  readonly shown: Held | undefined;
  /** The newest page. */
  readonly data: TimelinePage | undefined;
  readonly error: Error | undefined;
  readonly refetch: () => void;
  /** How many entries are newer than those that are shown; `isMore`: at least. */
  readonly news: number;
  readonly isMore: boolean;
  readonly showNews: () => void;
  readonly loadMore: () => void;
  readonly query: TimelineQuery;
}

const pageEntries = 100;

export function useTimeline(filter: TimelineFilter, namespace: string): Timeline {
  const key = `timeline ${namespace} ${JSON.stringify(filter)}`;
  const query = useMemo(() => timelineQuery(filter, namespace, Date.now()), [key]);
  const { data, error, refetch } = useQuery(
    key,
    async (signal) => await insight.timeline({ ...query, limit: pageEntries }, signal),
    { live: () => true },
  );
  const held = useSignal<Held | undefined>(undefined);
  const failure = useSignal<Error | undefined>(undefined);
  useEffect(() => {
    if (data !== undefined && held.peek()?.key !== key) held.value = heldOf(key, data);
  }, [data, key]);
  const shown = held.value?.key === key ? held.value : data && heldOf(key, data);
  const more = async (): Promise<void> => {
    if (shown?.next === undefined) return;
    failure.value = undefined;
    try {
      const page = await insight.timeline({ ...query, limit: pageEntries, cursor: shown.next });
      held.value = { key, items: [...shown.items, ...page.items], next: page.next };
    } catch (reason) {
      failure.value = reason instanceof Error ? reason : new Error(String(reason));
    }
  };
  const news = shown === undefined || data === undefined ? 0 : newsIn(shown, data);
  return {
    shown,
    data,
    error: error ?? failure.value,
    refetch,
    news,
    isMore: news === pageEntries,
    showNews: () => {
      if (data !== undefined) held.value = heldOf(key, data);
    },
    loadMore: () => void more(),
    query,
  };
}

function heldOf(key: string, { items, next }: TimelinePage): Held {
  return { key, items, next };
}

function newsIn(shown: Held, { items }: TimelinePage): number {
  const newest = shown.items[0]?.revision ?? 0;
  return items.filter(({ revision }) => revision > newest).length;
}
