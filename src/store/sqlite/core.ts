/**
 * The writer: everything that changes a database, done synchronously on one connection. It runs in
 * a thread of its own (worker.ts), or on the caller's thread for `:memory:` and for simulations.
 *
 * Each call is one transaction. The head is kept in memory too, and only moves after a COMMIT, so a
 * failed call leaves nothing behind. A COMMIT that fails in the disk is settled by looking at the
 * file again (`#settle`): it happened, it did not, or nobody can know. Until the log is flushed as
 * a whole, nothing more is answered (flush-again.ts); so it is with a log that a process left.
 *
 * Claims and renewals are in the log at once, where they outlive this process, but nobody waits
 * until they are on the disk: a machine that loses them has lost all who held one, since only one
 * process has the file. What must outlive that is the highest token, which is flushed before the
 * first claim that it covers.
 */
import type { DatabaseSync } from "node:sqlite";
import { SetpointError } from "../../kernel/errors.ts";
import type { ResourceKey } from "../../kernel/resource.ts";
import { loadFindings, unsoundDump } from "../load-check.ts";
import type { ErasedChange } from "../erasure.ts";
import type { Claim, ClaimRef, ClaimRequest, Renewal } from "../port.ts";
import type { Place, Promotion, Shipment, Standing } from "../replication.ts";
import { notPrimary } from "../shipment.ts";
import { packResult } from "./batch.ts";
import type { BatchGroup, Packed } from "./batch.ts";
import { Claims } from "./claims.ts";
import type { DatabaseClock } from "./clock.ts";
import { Compaction } from "./compaction.ts";
import type { Slice } from "./compaction.ts";
import { DueTimes } from "./due.ts";
import { flushAgain } from "./flush-again.ts";
import { Erasing } from "./erasing.ts";
import { Following } from "./following.ts";
import { Loader } from "./load.ts";
import type { LoadRow } from "./load.ts";
import { busyTimeoutMs } from "./schema.ts";
import { action, rows, sqliteCode, storeError } from "./sql.ts";
import type { Action } from "./sql.ts";
import { readStanding } from "./standing.ts";
import { verifyWithin } from "./verify.ts";
import { WriteGroups } from "./write-groups.ts";

export interface CoreOptions {
  readonly path: string;
  readonly clock: DatabaseClock;
  /** Opens the connection; called again when it is in doubt. */
  readonly connect: () => DatabaseSync;
}

export interface CoreState {
  readonly revision: number;
  readonly compacted: number;
  /** The newest batch committed. */
  readonly batch: number;
  /** What it and the one before it were answered: a line each, with the number of the batch. */
  readonly answers: string;
}

export interface Committed {
  /** A BatchResult. */
  readonly packed: Packed;
  /** How long the COMMIT took: whether batches should overlap depends on it. */
  readonly flushMs: number;
}

export interface ResealItem {
  readonly revision: number;
  readonly key: ResourceKey;
  /** The envelope as it was read: one that has changed meanwhile is left alone. */
  readonly before: Uint8Array;
  readonly sealed: Uint8Array;
  readonly digest: Uint8Array;
}

/** Tokens are reserved ahead, so that most claims leave the head alone, and need no flush. */
const reservedTokens = 16_384;
const ioError = 10;
const constraint = 19;
/** Another row that says the same: an empty line more or less after the answers. */
const differentHead = `UPDATE head SET answers = CASE substr(answers, -1)
  WHEN char(10) THEN rtrim(answers, char(10)) ELSE answers || char(10) END WHERE id = 1`;
/** How long the writer waits for readers when it begins the log anew. */
const checkpointWaitMs = 20;

interface Outcome<T> {
  readonly result: T;
  /** Follows in memory what was committed. */
  readonly commit?: () => void;
  /** Whether it is in the file; the marks of the head tell, where this is left out. */
  readonly isThere?: () => boolean;
}

interface Parts {
  readonly groups: WriteGroups;
  readonly due: DueTimes;
  readonly claims: Claims;
  readonly compaction: Compaction;
  readonly begin: Action;
  readonly end: Action;
  readonly setHead: Action;
  readonly setToken: Action;
  readonly reseal: Action;
  readonly redigest: Action;
  readonly erasing: Erasing;
  readonly following: Following;
}

export class Core {
  readonly #options: CoreOptions;
  #db: DatabaseSync;
  #parts: Parts;
  #revision = 0;
  /** The last token handed out, and the last one that the head says may have been. */
  #lastToken = 0;
  #reservedToken = 0;
  #batch = 0;
  /** What the last batch was answered, as it is kept in the head. */
  #answers = "";
  #flushMs = 0;
  /** Whether the connection flushes each COMMIT. */
  #isFlushing = true;
  /** Whether something in the log may not be on the disk, though a flush would succeed. */
  #isInDoubt = true;
  #loader: Loader | undefined;
  /** How the primary is named, on a secondary. */
  #primary: string | undefined;

  constructor(options: CoreOptions) {
    this.#options = options;
    this.#db = options.connect();
    this.#parts = partsOf(this.#db);
    this.#readHead();
  }

  state(): CoreState {
    const row = rows<[number, number, number, string]>(
      this.#db,
      "SELECT revision, compacted, batch, answers FROM head",
    ).get();
    const [revision = 0, compacted = 0, batch = 0, answers = ""] = row ?? [];
    return { revision, compacted, batch, answers };
  }

  /** The answers are packed at once, since they are committed with what they answer. */
  commit(batch: number, groups: readonly BatchGroup[]): Committed {
    if (this.#primary !== undefined) throw notPrimary(this.#primary);
    const atMs = this.#options.clock.nowMs();
    const packed = this.#transaction(() => {
      const applied = this.#parts.groups.apply(groups, this.#revision, atMs);
      const result = packResult({ atMs, isWoken: applied.isWoken, results: applied.results });
      if (!applied.isChanged) return { result };
      // Two batches may be under way at once, so the answers of the last two are kept.
      const answers = `${batch} ${result.text}`;
      const next = [applied.revision, batch, `${answers}\n${this.#answers}`] as const;
      this.#checkAlone(this.#parts.setHead.run(...next, this.#revision, this.#batch));
      const commit = (): void => {
        this.#revision = applied.revision;
        this.#batch = batch;
        this.#answers = answers;
      };
      return { result, commit };
    });
    return { packed, flushMs: this.#flushMs };
  }

  claim(request: ClaimRequest): readonly Claim[] {
    const nowMs = this.#options.clock.nowMs();
    const isReserved = this.#lastToken + request.limit <= this.#reservedToken;
    return this.#transaction(() => {
      const result = this.#parts.claims.claim(request, nowMs, this.#lastToken);
      const lastToken = this.#lastToken + result.length;
      const reservedToken = isReserved ? this.#reservedToken : lastToken + reservedTokens;
      if (!isReserved) {
        this.#checkAlone(this.#parts.setToken.run(reservedToken, this.#reservedToken));
      }
      const commit = (): void => {
        this.#lastToken = lastToken;
        this.#reservedToken = reservedToken;
      };
      // Tokens are never given twice, so one of them tells whether all were granted.
      return { result, commit, isThere: () => this.#parts.due.holds(result[0]) };
    }, !isReserved);
  }

  renew(claims: readonly ClaimRef[], leaseMs: number): Renewal {
    const nowMs = this.#options.clock.nowMs();
    const run = () => ({ result: this.#parts.due.renew(claims, leaseMs, nowMs) });
    return this.#transaction(run, false);
  }

  /** Moves the compaction mark; the removal is done by slices. Returns the mark. */
  compactMark(upTo: number): number {
    const mark = Math.min(upTo, this.#revision);
    return this.#transaction(() => ({ result: this.#parts.compaction.mark(mark) }));
  }

  compactSlice(): Slice {
    const { compaction } = this.#parts;
    return compaction.timed(() => this.#transaction(() => ({ result: compaction.slice() })));
  }

  /** Replaces envelopes that are still what they were. */
  reseal(items: readonly ResealItem[]): number {
    return this.#transaction(() => {
      let result = 0;
      for (const { revision, key, before, sealed, digest } of items) {
        const done = this.#parts.reseal.run(sealed, digest, revision, before);
        if (Number(done.changes) === 0) continue;
        result += 1;
        this.#parts.redigest.run(digest, key.kind, key.namespace, key.name, revision);
      }
      return { result };
    });
  }

  /** Overwrites what the erased rows leave in the file, which SQLite otherwise does not do. */
  erase(changes: readonly ErasedChange[]): number {
    this.#db.exec("PRAGMA secure_delete = ON");
    try {
      return this.#transaction(() => ({ result: this.#parts.erasing.run(changes) }));
    } finally {
      this.#db.exec("PRAGMA secure_delete = OFF");
    }
  }

  loadBegin(): void {
    if (this.#loader !== undefined) throw new SetpointError("store.not_empty", "a load is running");
    this.#makeSure();
    this.#flushCommits(true);
    this.#db.exec("BEGIN IMMEDIATE");
    try {
      this.#loader = new Loader(this.#db, this.#options.clock.nowMs());
    } catch (error) {
      this.#db.exec("ROLLBACK");
      throw error;
    }
  }

  loadRows(loaded: readonly LoadRow[]): void {
    try {
      this.#loader?.add(loaded);
    } catch (cause) {
      if (sqliteCode(cause) !== constraint) throw cause;
      throw new SetpointError("backup.invalid", "the dump holds something twice", { cause });
    }
  }

  follow(shipment: Shipment): Place {
    const { following } = this.#parts;
    return this.#changeRole(() => following.follow(shipment)).at;
  }

  demote(primary: string, epoch?: number): Standing {
    return this.#changeRole(() => this.#parts.following.demote(primary, epoch));
  }

  promote(promotion: Promotion): Standing {
    const nowMs = this.#options.clock.nowMs();
    return this.#changeRole(() => this.#parts.following.promote(promotion, nowMs));
  }

  /** What is in memory follows the file, which no other process changes. */
  #changeRole(change: () => unknown): Standing {
    const marks = (): string => JSON.stringify(readStanding(this.#db).standing);
    const before = marks();
    this.#transaction(() => {
      change();
      return { result: undefined, isThere: () => marks() !== before };
    });
    this.#readHead();
    return readStanding(this.#db).standing;
  }

  /** With the name of a primary the store becomes its secondary. */
  loadEnd(primary?: string): CoreState {
    this.#loader?.finish(primary !== undefined);
    if (primary !== undefined) this.#parts.following.demote(primary);
    const problems = verifyWithin(this.#db, loadFindings);
    if (problems.length > 0) throw unsoundDump(problems);
    try {
      this.#db.exec("COMMIT");
    } catch (error) {
      // The marks tell: an empty store has none.
      const isThere = sqliteCode(error) === ioError && this.#settle({ result: undefined }, error);
      if (!isThere) throw storeError(error, this.#options.path);
    }
    this.#loader = undefined;
    this.#readHead();
    return this.state();
  }

  loadAbort(): void {
    this.#loader = undefined;
    if (this.#db.isTransaction) this.#db.exec("ROLLBACK");
  }

  /** For tests: settings that make the disk small, and the like. */
  pragma(text: string): unknown {
    return this.#db.prepare(`PRAGMA ${text}`).all();
  }

  /** Copies the end of the log without waiting for anybody: the next commit begins it anew. */
  rewind(): boolean {
    return this.checkpoint("PASSIVE");
  }

  /**
   * Moves the log into the database file; false when a reader or the disk was in the way. What was
   * committed is safe in the log all the same, so no commit is answered with that failure.
   */
  checkpoint(mode: "PASSIVE" | "RESTART" | "TRUNCATE"): boolean {
    this.#db.exec(`PRAGMA busy_timeout = ${checkpointWaitMs}`);
    try {
      const row = rows<[busy: number]>(this.#db, `PRAGMA wal_checkpoint(${mode})`).get();
      return row?.[0] === 0;
    } catch (error) {
      if (sqliteCode(error) === undefined) throw error;
      return false;
    } finally {
      this.#db.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
    }
  }

  close(): void {
    this.loadAbort();
    this.#db.close();
  }

  #transaction<T>(run: () => Outcome<T>, isFlushed = true): T {
    if (this.#loader !== undefined) {
      throw new SetpointError("store.unavailable", "a backup is being restored into this store");
    }
    let done: ReturnType<typeof run> | undefined;
    try {
      if (isFlushed) this.#makeSure();
      this.#flushCommits(isFlushed);
      this.#parts.begin.run();
      done = run();
      const startMs = performance.now();
      this.#parts.end.run();
      this.#flushMs = performance.now() - startMs;
    } catch (error) {
      if (done !== undefined && sqliteCode(error) === ioError && this.#settle(done, error)) {
        return done.result;
      }
      this.#rollback();
      throw storeError(error, this.#options.path);
    }
    done.commit?.();
    return done.result;
  }

  /** The lock keeps others out; should it ever fail, nobody writes over what they do not know. */
  #checkAlone({ changes }: { readonly changes: number | bigint }): void {
    if (Number(changes) === 1) return;
    const { path } = this.#options;
    throw new SetpointError("store.locked", `another process has written to ${path}`, {
      details: { path },
    });
  }

  #makeSure(): void {
    if (!this.#isInDoubt) return;
    flushAgain(`${this.#options.path}-wal`);
    this.#isInDoubt = false;
  }

  /** A COMMIT that is flushed flushes all that were not before it. */
  #flushCommits(isFlushing: boolean): void {
    if (isFlushing === this.#isFlushing) return;
    this.#db.exec(`PRAGMA synchronous = ${isFlushing ? "FULL" : "NORMAL"}`);
    this.#isFlushing = isFlushing;
  }

  /** A connection that cannot even roll back is of no use: a new one begins at the last commit. */
  #rollback(): void {
    try {
      if (this.#db.isTransaction) this.#db.exec("ROLLBACK");
    } catch {
      this.#reconnect();
    }
  }

  #reconnect(): void {
    this.#db.close();
    this.#db = this.#options.connect();
    this.#isFlushing = true;
    this.#parts = partsOf(this.#db);
    this.#readHead();
  }

  /**
   * The disk failed a COMMIT: tells whether it happened. Its frames may lie in the log although it
   * did not, and a crash now could bring them to life; another commit in their place makes sure
   * that it cannot. It has to change something, or else SQLite writes nothing.
   */
  #settle({ isThere }: Outcome<unknown>, cause: unknown): boolean {
    const before = this.#marks();
    this.#isInDoubt = true;
    try {
      this.#rollback();
      this.#reconnect();
      flushAgain(`${this.#options.path}-wal`);
      this.#db.exec(`BEGIN IMMEDIATE; ${differentHead}; COMMIT`);
      this.#isInDoubt = false;
    } catch (error) {
      const { path } = this.#options;
      throw new SetpointError(
        "store.outcome_unknown",
        `the disk failed during a commit, which may have happened (${path})`,
        { cause: new AggregateError([cause, error]), details: { path } },
      );
    }
    return isThere?.() ?? this.#marks() !== before;
  }

  /** Differs after every commit that changes the log. */
  #marks(): string {
    return `${this.#revision} ${this.#batch}`;
  }

  #readHead(): void {
    const [revision = 0, lastToken = 0, batch = 0, answers = ""] =
      rows<[number, number, number, string]>(
        this.#db,
        "SELECT revision, last_token, batch, answers FROM head",
      ).get() ?? [];
    this.#revision = revision;
    this.#lastToken = lastToken;
    this.#reservedToken = lastToken;
    this.#batch = batch;
    [this.#answers = ""] = answers.split("\n", 1);
    this.#primary = this.#readPrimary();
  }

  #readPrimary(): string | undefined {
    const { role, primary } = readStanding(this.#db).standing;
    return role === "secondary" ? primary : undefined;
  }
}

function partsOf(db: DatabaseSync): Parts {
  const due = new DueTimes(db);
  return {
    due,
    groups: new WriteGroups(db, due),
    claims: new Claims(db),
    compaction: new Compaction(db),
    erasing: new Erasing(db),
    following: new Following(db),
    begin: action(db, "BEGIN IMMEDIATE"),
    end: action(db, "COMMIT"),
    setHead: action(
      db,
      `UPDATE head SET revision = ?, batch = ?, answers = ?
       WHERE id = 1 AND revision = ? AND batch = ?`,
    ),
    setToken: action(db, "UPDATE head SET last_token = ? WHERE id = 1 AND last_token = ?"),
    reseal: action(
      db,
      "UPDATE change SET sealed = ?, digest = ? WHERE revision = ? AND sealed = ?",
    ),
    redigest: action(
      db,
      `UPDATE resource SET digest = ?
       WHERE kind = ? AND namespace = ? AND name = ? AND revision = ?`,
    ),
  };
}
