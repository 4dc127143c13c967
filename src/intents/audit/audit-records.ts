// Audit records of writes, derived from the log: a record is a change and its cause. The commit
// stores both, so a committed write always has its record, and there is no second trail that could
// disagree. Records exist for as long as the history of the store (`--history`); the file of the
// audit log keeps what has to be kept for longer. Reads and refused requests make no change: they
// are in that file only.

import type { Cause } from "../../kernel/cause.ts";
import { isSetpointError } from "../../kernel/errors.ts";
import type { ResourceKey } from "../../kernel/resource.ts";
import type { Change, Store } from "../../store/port.ts";
import { erasureKindOf, erasureTarget } from "./erasures.ts";
import { lastBefore } from "../housekeeping/history.ts";

/** "erased": earlier states were erased from the history; the name is "*" for many resources. */
export type AuditOutcome = Change["type"] | "erased";

/** A change as the audit shows it. */
export type AuditedChange = Omit<Change, "type"> & { readonly type: AuditOutcome };

export interface AuditRecord {
  /** Of the change; also the cursor of a page. */
  readonly revision: number;
  /** When it was committed, in UTC with milliseconds. */
  readonly time: string;
  readonly outcome: AuditOutcome;
  /** The id of the kind, such as `configmaps` or `widgets.example.com`. */
  readonly kind: string;
  /** Empty for a resource outside of namespaces. */
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** Undefined for a change of a release that recorded no causes; so are the fields below. */
  readonly actor?: string;
  readonly surface?: string;
  readonly impersonator?: string;
  readonly traceId?: string;
  readonly correlationId?: string;
}

export interface AuditQuery {
  readonly actor?: string | undefined;
  readonly surface?: string | undefined;
  readonly traceId?: string | undefined;
  readonly correlationId?: string | undefined;
  readonly outcome?: AuditOutcome | undefined;
  readonly kind?: string | undefined;
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  /** Committed at this time or later, in milliseconds since the epoch. */
  readonly sinceMs?: number | undefined;
  /** Committed before this time. */
  readonly untilMs?: number | undefined;
  /** Only records with a smaller revision: the `next` of the page before. */
  readonly before?: number | undefined;
  /** From 1 to auditLimits.maxRecords; cut to it. */
  readonly limit?: number | undefined;
  /** Whether the caller may see the record of a change. Left out: all are shown. */
  readonly mayRead?: ((change: AuditedChange) => boolean | Promise<boolean>) | undefined;
}

export interface AuditPage {
  /** Newest first. */
  readonly records: readonly AuditRecord[];
  /**
   * Present when there may be more: pass it as `before`. A page ends also when it has looked at
   * many changes that are not wanted, so it may be empty and still have a `next`.
   */
  readonly next?: number;
  /** Changes up to this revision have been forgotten. */
  readonly compacted: number;
}

export const auditLimits = {
  defaultRecords: 100,
  maxRecords: 1_000,
  /** Changes that one page looks at. */
  searchedChanges: 20_000,
  /** Changes that are read at a time. */
  windowChanges: 500,
} as const;

/** Undefined for a change that the audit does not show. */
function audited(change: Change): AuditedChange | undefined {
  const target = erasureTarget(change.key);
  if (target === undefined) return change;
  // The record of an erasure is deleted as soon as the log has it.
  return change.type === "deleted" ? undefined : { ...change, key: target, type: "erased" };
}

export function auditRecordOf(change: AuditedChange): AuditRecord {
  const { revision, atMs, type, key, uid, cause } = change;
  const { kind, namespace, name } = key;
  const time = new Date(atMs).toISOString();
  return { revision, time, outcome: type, kind, namespace, name, uid, ...cause };
}

/** Newest first, page by page. */
export async function readAuditRecords(
  store: Pick<Store, "head" | "changes" | "history">,
  query: AuditQuery,
): Promise<AuditPage> {
  const { limit: asked = auditLimits.defaultRecords } = query;
  const limit = Math.max(1, Math.min(Math.trunc(asked), auditLimits.maxRecords));
  const head = await store.head();
  const { before = Number.MAX_SAFE_INTEGER, untilMs } = query;
  const last = Math.min(head.revision, before - 1);
  const newest =
    untilMs === undefined ? last : await lastBefore(store, untilMs, head.compacted, last);
  const key = keyOf(query);
  const read = key === undefined ? windowsOf(store, query) : historyOf(store, key);
  return await gather(read, query, { newest, limit, compacted: head.compacted });
}

/** Changes at or below a revision, newest first, down to `through`; undefined: no older ones. */
type ReadBelow = (
  newest: number,
  compacted: number,
) => Promise<{ readonly changes: readonly Change[]; readonly through: number } | undefined>;

interface Bounds {
  readonly newest: number;
  readonly limit: number;
  readonly compacted: number;
}

async function gather(
  read: ReadBelow,
  query: AuditQuery,
  { newest, limit, compacted }: Bounds,
): Promise<AuditPage> {
  const records: AuditRecord[] = [];
  let at = newest;
  while (at > compacted && newest - at < auditLimits.searchedChanges) {
    const part = await unlessForgotten(read(at, compacted));
    if (part === undefined) return { records, compacted };
    for (const each of part.changes) {
      const change = audited(each);
      if (change === undefined || !isWanted(change, query)) continue;
      if (query.mayRead !== undefined && !(await query.mayRead(change))) continue;
      records.push(auditRecordOf(change));
      if (records.length === limit) return { records, next: change.revision, compacted };
    }
    const oldest = part.changes.at(-1);
    const isPast = oldest !== undefined && oldest.atMs < (query.sinceMs ?? 0);
    if (isPast) return { records, compacted };
    at = part.through;
  }
  return at > compacted ? { records, next: at + 1, compacted } : { records, compacted };
}

/** Windows of the log are read from the last one to the first; inside, the log is ascending. */
function windowsOf(store: Pick<Store, "changes">, { kind }: AuditQuery): ReadBelow {
  const options = kind === undefined ? [] : [{ kinds: [kind, erasureKindOf(kind)] }];
  return async (newest, compacted) => {
    const through = Math.max(compacted, newest - auditLimits.windowChanges);
    const changes: Change[] = [];
    for (let after = through; after < newest;) {
      const page = await store.changes(after, auditLimits.windowChanges, ...options);
      changes.push(...page.changes.filter(({ revision }) => revision <= newest));
      after = page.through;
    }
    return { changes: changes.toReversed(), through };
  };
}

/** Of the resource and of its erasures, as far down as both were read. */
function historyOf(store: Pick<Store, "history">, key: ResourceKey): ReadBelow {
  const keys = [key, { ...key, kind: erasureKindOf(key.kind) }];
  return async (newest) => {
    const options = { before: newest + 1, limit: auditLimits.windowChanges };
    const changes: Change[] = [];
    let oldest = Number.POSITIVE_INFINITY;
    let complete = 0;
    for (const each of keys) {
      const found = await store.history(each, options);
      const last = found.at(-1)?.revision ?? oldest;
      oldest = Math.min(oldest, last);
      if (found.length >= auditLimits.windowChanges) complete = Math.max(complete, last);
      changes.push(...found);
    }
    if (changes.length === 0) return undefined;
    const through = Math.max(complete, oldest);
    const read = changes.filter(({ revision }) => revision >= through);
    return { changes: read.sort((a, b) => b.revision - a.revision), through: through - 1 };
  };
}

function keyOf({ kind, namespace, name }: AuditQuery): ResourceKey | undefined {
  if (kind === undefined || namespace === undefined || name === undefined) return undefined;
  return { kind, namespace, name };
}

function isWanted(change: AuditedChange, query: AuditQuery): boolean {
  const { key, atMs, type, cause } = change;
  return (
    isSame(query.kind, key.kind) &&
    isSame(query.namespace, key.namespace) &&
    isSame(query.name, key.name) &&
    isSame(query.outcome, type) &&
    atMs >= (query.sinceMs ?? 0) &&
    atMs < (query.untilMs ?? Infinity) &&
    causeParts.every((part) => isSame(query[part], cause?.[part]))
  );
}

const causeParts = [
  "actor",
  "surface",
  "traceId",
  "correlationId",
] as const satisfies readonly (keyof Cause)[];

function isSame(wanted: string | undefined, found: string | undefined): boolean {
  return wanted === undefined || wanted === found;
}

/** A compaction may overtake the reader: the page ends where the history does. */
async function unlessForgotten<T>(reading: Promise<T | undefined>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (isSetpointError(error, "history.gone")) return undefined;
    throw error;
  }
}
