// The filter of the timeline, as the URL has it and as the server reads it.

import type { TimelineQuery, TimelineEntry } from "../../api/insight.ts";
import { findKind, kindNamed } from "../../api/kinds.ts";

export interface TimelineFilter {
  readonly actor: string;
  /** "orders", "Database/orders" or "Database". */
  readonly resource: string;
  readonly outcome: string;
  /** "users" leaves out what the server itself has written. */
  readonly by: string;
  readonly trace: string;
  /** The last minutes, or an interval. */
  readonly last: string;
  readonly from: string;
  readonly to: string;
}

const names = ["actor", "resource", "outcome", "by", "trace", "last", "from", "to"] as const;

export function filterOf(query: URLSearchParams): TimelineFilter {
  const entries = names.map((name) => [name, query.get(name) ?? ""] as const);
  return Object.fromEntries(entries) as unknown as TimelineFilter;
}

export function isFiltered(filter: TimelineFilter): boolean {
  return names.some((name) => filter[name] !== "");
}

export const noFilter: Readonly<Record<(typeof names)[number], undefined>> = {
  actor: undefined,
  resource: undefined,
  outcome: undefined,
  by: undefined,
  trace: undefined,
  last: undefined,
  from: undefined,
  to: undefined,
};

/** `ns` narrows the timeline to a namespace; `nowMs` is what "the last hour" is measured from. */
export function timelineQuery(filter: TimelineFilter, ns: string, nowMs: number): TimelineQuery {
  const { actor, outcome, by, trace, last, from, to } = filter;
  const minutes = Number(last);
  const since =
    Number.isFinite(minutes) && minutes > 0
      ? new Date(nowMs - minutes * 60_000).toISOString()
      : from;
  return {
    actor,
    // The server refuses other words of a URL.
    outcome: outcome as TimelineQuery["outcome"],
    by: by as TimelineQuery["by"],
    trace,
    from: since,
    to,
    namespace: ns,
    ...aboutOf(filter.resource),
  };
}

/** A kind by any of its names, a name, or both with a slash between them. */
export function aboutOf(text: string): { readonly kind?: string; readonly name?: string } {
  const [word = "", name] = text.trim().split("/");
  if (word === "") return name === undefined || name === "" ? {} : { name };
  const kind = kindNamed(word) ?? findKind(word);
  // What is not a kind is refused by the server, with a message that names the kind.
  if (name !== undefined) return { kind: kind?.id ?? word, ...(name === "" ? {} : { name }) };
  return kind === undefined ? { name: word } : { kind: kind.id };
}

/** As the field of the filter takes it. */
export function resourceText({ kind, name }: Pick<TimelineEntry, "kind" | "name">): string {
  return `${kind}/${name}`;
}
