/**
 * The store contract. This file is the specification: both implementations (sqlite/, postgres/)
 * pass the suite in contract/, and nothing above the store knows which one it has.
 *
 * The model. A store is one append-only log of changes plus indexes over it. Every change has a
 * revision: 1, 2, 3, ... with no number left out. The newest change of a key that is not a deletion
 * is the resource; its document is stored once, in the log. Everything a later module needs to be
 * true at one moment (names, quotas, due times, fences) is decided inside the commit.
 *
 * Promises, each tested by the contract suite or by tests/chaos:
 *  P1 durable       An answered commit survives kill -9 of every process and of the database.
 *  P2 atomic        A write is applied whole or not at all; so is an atomic group.
 *  P3 ordered       Revisions are gapless and become visible in order, in every process: who sees
 *                   revision r sees, or can read, every change <= r. r is never reused.
 *  P4 conditional   Every write carries a precondition that is checked inside the commit.
 *  P5 fenced        A write that names a claim is refused unless that claim is live at the commit.
 *  P6 exact         `changes(after)` returns each change > after once, in order, or `history.gone`.
 *  P7 honest        An error, of a call or of one write, means "not applied", except
 *                   `store.outcome_unknown`, which says so.
 *  P8 bounded       Queues have limits in writes and bytes; beyond them `store.overloaded`.
 *  P9 opaque        Documents come back byte for byte as written: unknown fields survive.
 *  P10 sealed       Values at `draft.secrets` are never on disk in the clear.
 *  P11 caused       A change records the cause of its write, and shows it wherever it is read.
 *  P12 one primary  A commit on a secondary is `store.not_primary` and changes nothing.
 *
 * Errors are SetpointErrors. A refused write is an answer, not an exception: `commit` rejects only
 * when the whole request failed (overloaded, unavailable, closed, full, outcome unknown, ...). A
 * large call is committed in several batches: when some of them failed and others did not, it
 * resolves, and each write of a failed batch is refused with that batch's error.
 */
import type { Draft } from "../kernel/draft.ts";
import type { SetpointError } from "../kernel/errors.ts";
import type { ResourceKey } from "../kernel/resource.ts";
import type { Requirement } from "../kernel/selector.ts";
import type { Cause } from "../kernel/cause.ts";
import type { DumpRow } from "./dump-row.ts";
import type { Erasure } from "./erasure.ts";
import type { KeyCare } from "./key-care.ts";
import type { Backlog, BacklogQuery, WorkState } from "./work-state.ts";

/**
 * Arguments. Counts and revisions are whole numbers >= 0 (`limit` and `leaseMs` >= 1); texts are
 * not empty (but a namespace), have no NUL and no half of a surrogate pair, and are bounded in
 * UTF-8 bytes: 253 for each part of a key, a uid and an owner, 1,024 for a term, 512 for a counter,
 * 1,500 for scope and name of a unique name together. Anything else, and any value that is not of
 * its type, is `request.invalid`, whose details name the argument, or the write and its field; a
 * `limit` or `perNamespace` above its bound is cut to it. What is looked up by a text that cannot
 * be stored is simply not there. See arguments.ts, write-form.ts and prepare.ts.
 *
 * Buffers are not copied. A draft's body must not be changed once `commit` was called: it is what
 * is stored, after its digest was taken, and what others read. Bodies that come back are shared
 * with the store's memory and with other callers: nobody may write to them.
 */
export interface Store extends KeyCare, Erasure, AsyncDisposable {
  readonly engine: "sqlite" | "postgres";

  /**
   * Applies writes and answers each, in the order given. Without `atomic` each write stands alone:
   * one may be refused while its neighbours are committed. With `atomic` all are committed, with
   * consecutive revisions, or none: the writes at fault answer with their own error and the others
   * with `resource.group_refused`. Two writes of one call may not name the same key. A call of more
   * than limits.maxCallBytes, or a group of more than limits.maxGroupBytes, is
   * `request.too_large`; a document with secrets counts twice.
   *
   * Calls that arrive while a commit runs are committed together by the next one (group commit):
   * one disk flush serves many callers. Writes on the same key take effect in the order of the
   * calls. Answers come after the flush. A call that is not atomic may take several flushes; when
   * one of them fails its writes are refused with the reason (`store.full`, `store.unavailable`,
   * `store.outcome_unknown`, ...) while the others are answered as usual. It rejects only when no
   * write of it was judged.
   */
  commit(writes: readonly Write[], options?: CommitOptions): Promise<readonly Answer[]>;

  /**
   * The newest committed state of a key, or undefined. Linearizable: never older than an answer.
   * Rejects when its secrets cannot be opened (`secret.key_missing`, `secret.unsealable`); all
   * other reads show such a resource `unopened`, so that one does not hide the others.
   */
  get(key: ResourceKey): Promise<StoredRecord | undefined>;
  /**
   * A state that the key had, from memory: what this process saw last, while another one may have
   * written since. To begin a write with that names its revision, never to be shown. Undefined when
   * nothing is in memory, or when `get` asks no database either.
   */
  lastSeen(key: ResourceKey): StoredRecord | undefined;
  /**
   * As `get`, for many keys on one snapshot, answers in the order of the keys. At most
   * limits.maxPageItems keys (`request.too_large`); their bytes are not bounded.
   */
  getMany(keys: readonly ResourceKey[]): Promise<readonly (StoredRecord | undefined)[]>;

  /**
   * One page of a kind in (namespace, name) order, by code point, all from one snapshot. The
   * snapshot is the newest, or revision `at`; `from` of the next call continues the same snapshot,
   * whatever was written in between. A snapshot older than the compaction mark gives
   * `history.gone`; one newer than the head gives `revision.future`. Selectors are answered through
   * indexes on a current snapshot.
   *
   * A page ends at `limit` records, or before the record that would make it larger than
   * limits.maxPageBytes of bodies (the first always fits), or when it has looked at many rows that
   * a selector does not want. So it may be short or even empty and still have a `next`: stop only
   * when `next` is absent.
   */
  list(query: ListQuery): Promise<Page>;

  /** How far the log goes, as this process knows it. Never ahead of what can be read. */
  head(): Promise<Head>;
  /**
   * Changes with revision > after, oldest first, at most `limit` (and a byte bound, P8). With
   * `kinds` only those of these kinds; a page then ends also when it has looked at much of the log
   * in vain, so it may be empty below the head. Go on from `through`.
   */
  changes(after: number, limit?: number, options?: ChangesOptions): Promise<ChangePage>;
  /**
   * Resolves with the head as soon as a revision > after is readable here, from whichever process
   * it came; milliseconds after the commit. Rejects with the signal's reason when aborted.
   */
  advancedBeyond(after: number, signal?: AbortSignal): Promise<number>;
  /** The cause of a change that is in memory; undefined when it is not, or has none. */
  recentCause(revision: number): Cause | undefined;
  /** The changes of one key, newest first, through deletions and re-creations, above compaction. */
  history(key: ResourceKey, options?: HistoryOptions): Promise<readonly Change[]>;

  /**
   * Forgets superseded changes with revision <= upTo (at most the head). From the first moment,
   * snapshots and cursors below the mark answer `history.gone`; the removal itself goes on in
   * slices that never hold writers for long. What is current at the mark stays, so any state >= the
   * mark can still be read. Returns what was removed. Resumes after a crash.
   */
  compact(upTo: number, signal?: AbortSignal): Promise<CompactResult>;

  /**
   * Claims up to `limit` resources of these kinds whose due time has come and that nobody holds.
   * When more is due than fits, namespaces take turns: none gets its second before each other
   * namespace visited got its first. Time is the database's. A claim is an exclusive lease with a
   * token that only grows; it ends by release, by deletion of the resource, or by expiry. It
   * survives the death of its process, unless the store belongs to one process alone and was told
   * to free claims when it opens (SQLite's `freesClaims`), since then nobody can be at work; its
   * token is never given again.
   */
  claim(request: ClaimRequest): Promise<readonly Claim[]>;
  /** Extends live claims to now + leaseMs. Those no longer live come back in `lost`. */
  renew(claims: readonly ClaimRef[], leaseMs: number): Promise<Renewal>;
  /** Milliseconds until the next unclaimed due time (or lease end) of these kinds; 0 = due now. */
  nextDue(kinds: readonly string[]): Promise<number | undefined>;
  /**
   * How the work on each of these stands, all at one moment, in the order of the keys; undefined
   * for what is settled or not there. At most limits.maxPageItems keys (`request.too_large`).
   */
  workOf(keys: readonly ResourceKey[]): Promise<readonly (WorkState | undefined)[]>;
  /** How much of a kind is due, and what comes next; what is settled costs nothing. */
  backlog(query: BacklogQuery): Promise<Backlog>;
  /**
   * A number that grows whenever something may have become due sooner, in any process. What is due
   * only after limits.workHorizonMs need not move it: who waits asks `nextDue` more often. Who
   * claims after it has grown is given what became due; other reads may still be without it.
   */
  workTick(): number;
  /** Resolves once `workTick()` > seen. Rejects with the signal's reason when aborted. */
  workArrived(seen: number, signal?: AbortSignal): Promise<number>;

  /** Who holds a unique name, and how full a counter is. */
  nameHolder(name: UniqueName): Promise<ResourceKey | undefined>;
  counter(counter: string): Promise<CounterState>;

  stats(): Promise<StoreStats>;
  /** Checks the invariants of the stored data themselves; an empty list means sound. */
  verify(options?: VerifyOptions): Promise<readonly string[]>;
  /** Settings of the database that break P1, as sentences that say what to do; usually none. */
  hazards(): Promise<readonly string[]>;

  /** Everything, on one snapshot, while writers go on. Sealed values stay sealed. */
  dump(): AsyncIterable<DumpRow>;
  /**
   * Fills an empty store (`store.not_empty` otherwise) from a dump; all or nothing. A dump that
   * breaks what `verify` checks is `backup.invalid`.
   */
  load(rows: AsyncIterable<DumpRow>): Promise<void>;

  /** Refuses new work, answers what was accepted, releases everything. Idempotent. */
  close(): Promise<void>;
}

/** Kept beside, as they are only for those who look on, erase, or change keys. */
export type { KeyCare, KeyUse, OtherRing } from "./key-care.ts";
export type { Backlog, BacklogQuery, LiveClaim, WorkItem, WorkState } from "./work-state.ts";
export type { DumpRow } from "./dump-row.ts";

// --- writing -------------------------------------------------------------------------------------

export type Write = Put | Delete | Schedule;

export interface Put {
  readonly kind: "put";
  readonly key: ResourceKey;
  /** Must equal the stored uid when the resource exists: the identity of a key never changes. */
  readonly uid: string;
  readonly draft: Draft;
  readonly when: Precondition;
  readonly cause: Cause;
  readonly claim?: ClaimRef;
  readonly due?: DueChange;
  /**
   * What the resource holds from now on; undefined leaves each as it is, [] lets go of all. Held
   * things are let go when the resource is deleted.
   */
  readonly names?: readonly UniqueName[];
  readonly uses?: readonly CounterUse[];
  readonly bounds?: readonly CounterBound[];
}

export interface Delete {
  readonly kind: "delete";
  readonly key: ResourceKey;
  readonly when: Precondition;
  readonly cause: Cause;
  readonly claim?: ClaimRef;
  /** The last state to show in the deletion's change; the stored one when left out. */
  readonly last?: Draft;
}

/** Changes only when work is due; has no revision. */
export interface Schedule {
  readonly kind: "schedule";
  readonly key: ResourceKey;
  readonly when: Precondition;
  readonly claim?: ClaimRef;
  readonly due: DueChange;
}

export type Precondition =
  /** The key has no resource. Refused: `resource.already_exists`. */
  | { readonly kind: "absent" }
  /**
   * It exists at exactly this revision (with this uid, which a deletion that shows a last state
   * with secrets must name). Refused: `resource.conflict`, or `resource.not_found`.
   */
  | { readonly kind: "revision"; readonly revision: number; readonly uid?: string }
  /** It exists (with this uid). Refused: `resource.not_found`, or `resource.conflict` (the uid). */
  | { readonly kind: "exists"; readonly uid?: string };

/** A live claim on `key` is required: the written resource's own, or its parent's. */
export interface ClaimRef {
  readonly key: ResourceKey;
  readonly token: number;
}

export type DueChange =
  /**
   * Due in `afterMs` at the latest; never later than it already was. While somebody holds a claim
   * the wish is kept and takes effect at the release, so a change during a reconcile is not lost.
   */
  | { readonly kind: "wake"; readonly afterMs: number }
  /**
   * Ends the claim named by the write, which must be on the written resource itself. Due again in
   * `afterMs`, or settled when undefined, or as soon as a wake that came meanwhile asks. `attempts`
   * counts claims since it was last reset.
   */
  | { readonly kind: "release"; readonly afterMs?: number; readonly attempts: "keep" | "reset" };

/**
 * A name that one resource may hold in a scope. Refused: `name.taken`, whose details say which name
 * it is and who holds it.
 */
export interface UniqueName {
  readonly scope: string;
  readonly name: string;
  /**
   * The key that the name is made for. Who has that key takes the name when it is created, and
   * holds it until it is deleted or takes another name of the scope, so that a store need not keep
   * anything for it. Everybody else who takes the name, or asks for its holder, says its home.
   */
  readonly home?: ResourceKey;
}

/**
 * An amount (a whole number from 0 to limits.maxCounterAmount) held against a counter. A write
 * whose uses raise a bounded counter above its bound is refused: `counter.exceeded`, whose details
 * say which counter, the value it would have and its bound. Lowering is never refused.
 */
export interface CounterUse {
  readonly counter: string;
  readonly amount: number;
}

/** The bound of a counter, set by one resource (a second: `name.taken`). May be below the value. */
export interface CounterBound {
  readonly counter: string;
  readonly max: number;
}

export interface CommitOptions {
  readonly atomic?: boolean;
}

export type Answer =
  | { readonly kind: "committed"; readonly revision: number }
  /**
   * Same bytes and terms as stored, or a schedule: no revision was used. Due changes did happen.
   * A release may tell the revision that was claimed, although there is a newer one.
   * Bodies with secrets are compared by a digest that is keyed with the active key: after a key
   * rotation and before `reseal` has come by, writing the same body again counts as a change.
   */
  | { readonly kind: "unchanged"; readonly revision: number }
  | { readonly kind: "refused"; readonly error: SetpointError };

// --- reading -------------------------------------------------------------------------------------

export interface StoredRecord {
  readonly key: ResourceKey;
  readonly uid: string;
  readonly revision: number;
  /** The encoded document as it was written, without metadata.resourceVersion (spliceRevision). */
  readonly body: Buffer;
  /** Why its secrets could not be opened: they are null in the body. Never from `get`. */
  readonly unopened?: SetpointError;
}

export interface ListQuery {
  readonly kind: string;
  /** undefined: all namespaces. */
  readonly namespace?: string;
  readonly labels?: readonly Requirement[];
  readonly fields?: readonly FieldRequirement[];
  /** Only resources that name this uid as an owner. */
  readonly owner?: string;
  readonly limit?: number;
  readonly at?: number;
  readonly from?: Position;
  /** Asks for `remaining`; with a selector in vain. */
  readonly countRemaining?: boolean;
}

export interface FieldRequirement {
  readonly path: string;
  readonly operator: "in" | "notin";
  readonly values: readonly string[];
}

/** Where a page ended: the snapshot and the last key of it. */
export interface Position {
  readonly revision: number;
  readonly namespace: string;
  readonly name: string;
}

export interface Page {
  /** The snapshot: `changes(revision)` continues exactly where this page's state ends. */
  readonly revision: number;
  readonly records: readonly StoredRecord[];
  /** Present iff there may be more, however few records this page has. */
  readonly next?: Position;
  /**
   * How many records of the snapshot follow this page. Only where it was asked for and there is a
   * `next`, and only while the answer is cheap: it is left out when more follow, or more was
   * changed since the snapshot, than arguments.ts (`readLimits`) says.
   */
  readonly remaining?: number;
}

export interface Change {
  readonly revision: number;
  readonly type: "created" | "updated" | "deleted";
  readonly key: ResourceKey;
  readonly uid: string;
  /** The change this one replaced; undefined for a creation. */
  readonly previous: number | undefined;
  /** The database's clock at the commit. */
  readonly atMs: number;
  /** Undefined for a change of a release that did not record causes. */
  readonly cause?: Cause;
  /** The new state; for a deletion the last one. */
  readonly body: Buffer;
  /** As in StoredRecord. */
  readonly unopened?: SetpointError;
  readonly terms: readonly string[];
  /** The replaced change's terms, present only when they differ: selector transitions need them. */
  readonly previousTerms?: readonly string[];
}

export interface Head {
  readonly revision: number;
  /** `changes(after)` and `at` need to be >= this. */
  readonly compacted: number;
}

export interface ChangesOptions {
  /** At least one, at most limits.maxClaimKinds. */
  readonly kinds?: readonly string[];
}

export interface ChangePage extends Head {
  readonly changes: readonly Change[];
  /**
   * How far the log was read: every wanted change > after and <= this is in the page. The next page
   * is `changes(through)`. Equal to `revision` when there is nothing more to read yet.
   */
  readonly through: number;
}

export interface HistoryOptions {
  readonly limit?: number;
  /** Only changes with a smaller revision. */
  readonly before?: number;
}

export interface CompactResult {
  readonly compacted: number;
  readonly removed: number;
}

// --- work ----------------------------------------------------------------------------------------

export interface ClaimRequest {
  readonly owner: string;
  /** At least one. */
  readonly kinds: readonly string[];
  /** At most limits.maxClaimItems are given. */
  readonly limit: number;
  /** From 1 to limits.maxLeaseTtlMs. */
  readonly leaseMs: number;
  /** At most this many of one namespace in this batch; bounded as `limit` is. */
  readonly perNamespace?: number;
  /** Namespaces that are full for now. */
  readonly skipNamespaces?: readonly string[];
}

export interface Claim extends ClaimRef {
  readonly uid: string;
  readonly revision: number;
  readonly expiresAtMs: number;
  /** When it became due, so that latency can be measured. */
  readonly dueAtMs: number;
  /** 1 for the first claim since attempts were last reset. */
  readonly attempts: number;
  /**
   * The document at `revision`, where it came along: what every wake that the claim uses up was
   * about. Left out where reading it costs no round trip, or when it cannot be opened.
   */
  readonly body?: Buffer;
}

export interface Renewal {
  readonly renewed: readonly (ClaimRef & { readonly expiresAtMs: number })[];
  readonly lost: readonly ClaimRef[];
}

export interface CounterState {
  readonly value: number;
  readonly max: number | undefined;
}

// --- care ----------------------------------------------------------------------------------------

export interface StoreStats extends Head {
  readonly resources: number;
  readonly changes: number;
  readonly due: number;
  readonly bytesOnDisk: number;
  readonly queuedWrites: number;
  readonly queuedBytes: number;
  readonly schemaVersion: number;
}

export interface VerifyOptions {
  /** Stop after this many findings; as many as a page has when left out. */
  readonly limit?: number;
}
