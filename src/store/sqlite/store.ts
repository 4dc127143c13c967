/**
 * The embedded store: one SQLite file, one process. Reads run on the caller's thread through a
 * connection of their own and take microseconds; writes are gathered into batches and committed by
 * a writer thread, so the flush of the disk never holds up the event loop. An answer is given
 * after COMMIT, and by then the change is in the recent log and can be read.
 */
import { availableParallelism } from "node:os";
import type { Cause } from "../../kernel/cause.ts";
import { SetpointError, isSetpointError } from "../../kernel/errors.ts";
import { limits } from "../../kernel/limits.ts";
import { keyText } from "../../kernel/resource.ts";
import type { ResourceKey } from "../../kernel/resource.ts";
import { systemTimers } from "../../kernel/timers.ts";
import {
  checkBacklog,
  checkChanges,
  checkClaim,
  checkCount,
  checkHistory,
  checkKey,
  checkKinds,
  checkList,
  checkRenewal,
  checkVerify,
  findable,
  findableCounter,
  findableKeys,
  findableName,
} from "../arguments.ts";
import { CommitQueue } from "../commit-queue.ts";
import { eraseWith } from "../erasure.ts";
import type { EraseRequest } from "../erasure.ts";
import { checkActiveKey, recordRetirement, retiredKey, retirementKey } from "../key-care.ts";
import { checkEnds, sealedWith } from "../key-care.ts";
import type * as port from "../port.ts";
import { prepareCommit } from "../prepare.ts";
import type { PreparedGroup } from "../prepare.ts";
import { RecentLog, recordOf } from "../recent-log.ts";
import type { ReplicatedStore, Replication } from "../replication.ts";
import { openDocument } from "../seal.ts";
import type { Backlog, BacklogQuery, WorkState } from "../work-state.ts";
import { answerOf, changesOf, isSooner, recoveredAnswers } from "./answers.ts";
import { batchOf, unpackResult } from "./batch.ts";
import type { BatchResult } from "./batch.ts";
import { countKeys, dumpFile, erasureParts, loadInto, longList, resealAll } from "./care.ts";
import { bytesOnDisk } from "./engine.ts";
import { hazardsOf } from "./hazards.ts";
import { LaterPages } from "./later-pages.ts";
import { isLongList, list } from "./list.ts";
import { openFiles } from "./open.ts";
import type { OpenedFiles, SqliteOptions } from "./open.ts";
import { checkReadable } from "./reader.ts";
import { replicationOf } from "./replicated.ts";
import { storeError } from "./sql.ts";
import { ThreadDied } from "./thread.ts";
import { RunningKeys } from "./running-keys.ts";
import { readBacklog, readWork } from "./work-state.ts";

const followMs = 100;
/** Below this a flush is no longer than what the callers do with their answers. */
const quickFlushMs = 2;
/** Whether callers, commits and copying have a processor each: else the callers wait for one. */
const hasRoom = availableParallelism() > 2;

export async function openSqliteStore(options: SqliteOptions): Promise<SqliteStore> {
  const files = openFiles(options);
  try {
    // The writer's thread starts here, and its trouble shows here and not at the first commit.
    const state = files.isReadOnly ? undefined : await files.engine.writer.state();
    return new SqliteStore(files, options, state?.batch ?? 0);
  } catch (error) {
    files.release();
    throw storeError(error, options.path);
  }
}

export class SqliteStore implements ReplicatedStore {
  readonly engine = "sqlite";
  readonly replication: Replication;
  readonly #files: OpenedFiles;
  readonly #queue: CommitQueue;
  readonly #recent: RecentLog;
  readonly #closing = new AbortController();
  readonly #runningKeys = new RunningKeys();
  readonly #pages = new LaterPages();
  #compacted: number;
  #batch: number;
  /** A moving average. */
  #flushMs = quickFlushMs;
  #closed: Promise<void> | undefined;

  constructor(files: OpenedFiles, options: SqliteOptions, batch: number) {
    const head = files.reader.head();
    this.#files = files;
    this.#batch = batch;
    this.#compacted = head.compacted;
    this.#recent = new RecentLog(head.revision);
    this.replication = replicationOf({
      files,
      recent: this.#recent,
      checkOpen: () => this.#checkOpen(),
      onHead: (revision) => this.#startAt(revision),
      load: async (rows, primary) => await this.#load(rows, primary),
    });
    this.#queue = new CommitQueue({
      commitBatch: async (groups) => await this.#commitBatch(groups),
      independent: false,
      overlap: () => this.#flushMs < quickFlushMs && (hasRoom || !files.engine.isCopying()),
      ...(options.maxQueuedWrites !== undefined && { maxQueuedWrites: options.maxQueuedWrites }),
    });
  }

  async commit(
    writes: readonly port.Write[],
    options?: port.CommitOptions,
  ): Promise<readonly port.Answer[]> {
    this.#checkOpen();
    if (this.#files.isReadOnly) throw this.#readOnly();
    const groups = prepareCommit(this.#files.ring, writes, options);
    this.#checkSeals(groups);
    return await this.#queue.submit(groups);
  }

  /** From memory where the newest change of the key is there, which it is before its answer. */
  async get(key: ResourceKey): Promise<port.StoredRecord | undefined> {
    checkKey(key);
    const id = keyText(key);
    const known = this.#runningKeys.has(id) ? undefined : this.#recent.newest(id);
    if (known === undefined) return this.#read(() => this.#files.reader.get(findable(key)));
    this.#checkOpen();
    return recordOf(known);
  }

  lastSeen(key: ResourceKey): undefined {
    checkKey(key);
    return undefined;
  }

  recentCause(revision: number): Cause | undefined {
    return this.#recent.at(revision)?.cause;
  }

  async getMany(keys: readonly ResourceKey[]): Promise<readonly (port.StoredRecord | undefined)[]> {
    return this.#read(() => {
      const asked = findableKeys(keys);
      return this.#inMemory(asked) ?? this.#files.reader.getMany(asked);
    });
  }

  /** Where the newest changes of all keys are there; what they show is of one moment, then. */
  #inMemory(keys: readonly ResourceKey[]): readonly (port.StoredRecord | undefined)[] | undefined {
    const known: (port.StoredRecord | undefined)[] = [];
    for (const key of keys) {
      const id = keyText(key);
      const newest = this.#runningKeys.has(id) ? undefined : this.#recent.newest(id);
      if (newest === undefined) return undefined;
      known.push(recordOf(newest));
    }
    return known;
  }

  async list(query: port.ListQuery): Promise<port.Page> {
    const { reader, engine, ring } = this.#files;
    const asked = checkList(query);
    const isLong = this.#read(() => isLongList(asked, this.#head().revision));
    const read = (): port.Page => this.#read(() => list(reader, asked));
    if (!isLong) return await this.#pages.read(asked, read);
    return await this.#call(async () => await longList(engine, ring, asked));
  }

  async head(): Promise<port.Head> {
    return this.#read(() => this.#head());
  }

  async changes(
    after: number,
    limit?: number,
    options?: port.ChangesOptions,
  ): Promise<port.ChangePage> {
    return this.#read(() => {
      const query = checkChanges(after, limit, options);
      if (this.#files.isReadOnly) return this.#files.reader.changes(query);
      const head = this.#head();
      checkReadable(after, head);
      const page = this.#recent.read(query, limits.maxPageBytes);
      return page === undefined ? this.#files.reader.changes(query) : { ...head, ...page };
    });
  }

  async advancedBeyond(after: number, signal?: AbortSignal): Promise<number> {
    this.#checkOpen();
    checkCount(after, "after");
    const ends = this.#untilClosed(signal);
    if (!this.#files.isReadOnly) return await this.#recent.revisionSignal.beyond(after, ends);
    // The process that writes is another one; there is nothing to wait on but its file.
    for (;;) {
      const { revision } = this.#read(() => this.#head());
      if (revision > after) return revision;
      await systemTimers.sleep(followMs, ends);
    }
  }

  async history(key: ResourceKey, options?: port.HistoryOptions): Promise<readonly port.Change[]> {
    return this.#read(() => this.#files.reader.history(findable(key), checkHistory(options)));
  }

  async compact(upTo: number, signal?: AbortSignal): Promise<port.CompactResult> {
    this.#checkOpen();
    checkCount(upTo, "upTo");
    signal?.throwIfAborted();
    const { writer } = this.#files.engine;
    const compacted = await writer.compactMark(upTo);
    this.#compacted = Math.max(this.#compacted, compacted);
    let removed = 0;
    for (;;) {
      signal?.throwIfAborted();
      this.#checkOpen();
      const slice = await writer.compactSlice();
      removed += slice.removed;
      if (slice.isDone) return { compacted, removed };
    }
  }

  async claim(request: port.ClaimRequest): Promise<readonly port.Claim[]> {
    this.#checkOpen();
    return await this.#files.engine.writer.claim(checkClaim(request));
  }

  async renew(claims: readonly port.ClaimRef[], leaseMs: number): Promise<port.Renewal> {
    this.#checkOpen();
    checkRenewal(claims, leaseMs);
    return await this.#files.engine.writer.renew(claims, leaseMs);
  }

  async nextDue(kinds: readonly string[]): Promise<number | undefined> {
    checkKinds(kinds);
    const dueAtMs = this.#read(() => this.#files.reader.nextDueAtMs(kinds));
    return dueAtMs === undefined ? undefined : Math.max(0, dueAtMs - this.#files.clock.nowMs());
  }

  async workOf(keys: readonly ResourceKey[]): Promise<readonly (WorkState | undefined)[]> {
    const { reader, clock } = this.#files;
    return this.#read(() => readWork(reader, findableKeys(keys), clock.nowMs()));
  }

  async backlog(query: BacklogQuery): Promise<Backlog> {
    const { reader, clock } = this.#files;
    return this.#read(() => readBacklog(reader, checkBacklog(query), clock.nowMs()));
  }

  workTick(): number {
    return this.#recent.workSignal.value;
  }

  async workArrived(seen: number, signal?: AbortSignal): Promise<number> {
    this.#checkOpen();
    checkCount(seen, "seen");
    if (this.#files.isReadOnly) throw this.#readOnly();
    return await this.#recent.workSignal.beyond(seen, this.#untilClosed(signal));
  }

  async nameHolder(name: port.UniqueName): Promise<ResourceKey | undefined> {
    return this.#read(() => this.#files.reader.nameHolder(findableName(name)));
  }

  async counter(counter: string): Promise<port.CounterState> {
    return this.#read(() => this.#files.reader.counter(findableCounter(counter)));
  }

  async stats(): Promise<port.StoreStats> {
    const { engine, clock, path, schemaVersion } = this.#files;
    const head = this.#read(() => this.#head());
    const counts = await engine.background.counts(clock.nowMs());
    const { writes: queuedWrites, bytes: queuedBytes } = this.#queue.load;
    const load = { queuedWrites, queuedBytes };
    return { ...head, ...counts, ...load, bytesOnDisk: bytesOnDisk(path), schemaVersion };
  }

  async verify(options?: port.VerifyOptions): Promise<readonly string[]> {
    this.#checkOpen();
    return await this.#files.engine.background.verify(checkVerify(options));
  }

  async hazards(): Promise<readonly string[]> {
    return this.#read(() => hazardsOf(this.#files.reader.db, this.#files.path));
  }

  async checkKeys(): Promise<void> {
    const { reader, ring } = this.#files;
    checkEnds(
      ring,
      this.#read(() => reader.sealedEnds()),
    );
    await checkActiveKey(this, ring);
  }

  async reseal(signal?: AbortSignal): Promise<number> {
    this.#checkOpen();
    if (this.#files.isReadOnly) throw this.#readOnly();
    await checkActiveKey(this, this.#files.ring);
    return await this.#call(async () => await resealAll(this.#files, signal), signal);
  }

  async erase(request: EraseRequest, signal?: AbortSignal): Promise<number> {
    this.#checkOpen();
    if (this.#files.isReadOnly) throw this.#readOnly();
    const erase = () => eraseWith(this, erasureParts(this.#files), request, signal);
    return await this.#call(erase, signal);
  }

  async keyUses(): Promise<readonly port.KeyUse[]> {
    this.#checkOpen();
    return await this.#call(async () => await countKeys(this.#files));
  }

  async retireKeys(ids: readonly string[]): Promise<void> {
    await recordRetirement(this, ids);
  }

  /** Keys are retired by the process that has the file, so none can be meanwhile. */
  #checkSeals(groups: readonly PreparedGroup[]): void {
    const { reader } = this.#files;
    const isRetired = (id: string): boolean => reader.get(retirementKey(id)) !== undefined;
    const retired = this.#read(() => sealedWith(groups).filter(isRetired));
    if (retired.length > 0) throw retiredKey(retired);
  }

  /** No other process writes. */
  async otherRings(): Promise<readonly port.OtherRing[]> {
    this.#checkOpen();
    return [];
  }

  /** The lock on the file sees to it. */
  async beginKeyChange(): Promise<void> {
    this.#checkOpen();
    if (this.#files.isReadOnly) throw this.#readOnly();
  }

  async *dump(): AsyncIterable<port.DumpRow> {
    this.#checkOpen();
    try {
      yield* dumpFile(this.#files, this.#closing.signal);
    } catch (error) {
      throw storeError(error, this.#files.path);
    }
  }

  async load(rows: AsyncIterable<port.DumpRow>): Promise<void> {
    this.#checkOpen();
    await this.#load(rows);
  }

  async #load(rows: AsyncIterable<port.DumpRow>, primary?: string): Promise<void> {
    const head = await loadInto(this.#files.engine, rows, primary);
    this.#startAt(head.revision, head.compacted);
    this.#recent.workSignal.advance();
  }

  #startAt(revision: number, compacted = revision): void {
    this.#compacted = compacted;
    this.#recent.skipTo(revision);
    this.#recent.forgetKeys();
  }

  async close(): Promise<void> {
    this.#closed ??= this.#close();
    await this.#closed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** Only for tests: the clock, settings of the writer's connection, and its sudden end. */
  get testing() {
    const { engine } = this.#files;
    return {
      advanceClock: async (ms: number) => await engine.advanceClock(ms),
      pragma: async (text: string) => await engine.writer.pragma(text),
      crashWriter: async () => await engine.crash(),
    };
  }

  async #close(): Promise<void> {
    this.#closing.abort(closedError());
    await this.#queue.close();
    try {
      await this.#files.engine.close();
    } finally {
      this.#files.release();
    }
  }

  async #commitBatch(
    groups: readonly PreparedGroup[],
  ): Promise<readonly (readonly port.Answer[])[]> {
    const batch = (this.#batch += 1);
    this.#runningKeys.begin(groups);
    try {
      const committing = this.#files.engine.commit(batch, batchOf(groups));
      // Calls are carried out in their order: who claims from now on is given what it makes due,
      // before the next batch, and while that is flushed there is work to do.
      if (isSooner(groups)) this.#recent.workSignal.advance();
      const { packed, flushMs } = await committing;
      this.#flushMs += (flushMs - this.#flushMs) / 8;
      const result = unpackResult(packed);
      this.#remember(groups, result);
      if (result.isWoken) this.#recent.workSignal.advance();
      return result.results.map((group) => group.map(answerOf));
    } catch (error) {
      // It may have been committed all the same, and then the file is ahead of the log.
      this.#recent.forgetKeys();
      if (error instanceof ThreadDied) return await this.#recover(batch, error);
      throw error;
    } finally {
      this.#runningKeys.end(groups);
    }
  }

  /** The batch is committed by now: whatever cannot be shown here, readers find in the file. */
  #remember(groups: readonly PreparedGroup[], result: BatchResult): void {
    const { ring } = this.#files;
    try {
      const { changes, ids } = changesOf(groups, result, (identity, document, sealed) =>
        openDocument(ring, identity, { document, sealed }),
      );
      // A batch whose outcome was unknown may have been committed before it.
      if (changes[0] !== undefined) this.#recent.skipTo(changes[0].revision - 1);
      this.#recent.append(changes, ids);
    } catch (error) {
      if (!isSetpointError(error)) throw error;
      for (const written of result.results.flat()) {
        if (written.kind === "committed") this.#recent.skipTo(written.revision);
      }
    }
  }

  /** The writer died with the batch: its successor looks whether it was committed. */
  async #recover(batch: number, cause: ThreadDied): Promise<readonly (readonly port.Answer[])[]> {
    const state = await this.#files.engine.writer.state().catch((error: unknown) => {
      throw new SetpointError(
        "store.outcome_unknown",
        "the thread of the store stopped during a commit and cannot be restarted",
        { cause: error },
      );
    });
    this.#recent.skipTo(state.revision);
    const answers = recoveredAnswers(state.answers, batch);
    if (answers === undefined) {
      const message = "the thread of the store stopped before the commit";
      throw new SetpointError("store.unavailable", message, { cause });
    }
    this.#recent.workSignal.advance();
    return answers;
  }

  #head(): port.Head {
    if (this.#files.isReadOnly) return this.#files.reader.head();
    return { revision: this.#recent.head, compacted: this.#compacted };
  }

  #read<T>(read: () => T): T {
    this.#checkOpen();
    try {
      return read();
    } catch (error) {
      throw storeError(error, this.#files.path);
    }
  }

  /** As `#read`, for what goes on in pieces. The reason of an abort is the caller's own. */
  async #call<T>(call: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    try {
      return await call();
    } catch (error) {
      if (signal?.aborted === true && error === signal.reason) throw error;
      throw storeError(error, this.#files.path);
    }
  }

  #checkOpen(): void {
    if (this.#closing.signal.aborted) throw closedError();
  }

  /** Aborts with the caller's signal, and at the latest when the store closes. */
  #untilClosed(signal: AbortSignal | undefined): AbortSignal {
    if (signal === undefined) return this.#closing.signal;
    return AbortSignal.any([signal, this.#closing.signal]);
  }

  #readOnly(): SetpointError {
    return new SetpointError("store.read_only", `${this.#files.path} was opened read-only`);
  }
}

function closedError(): SetpointError {
  return new SetpointError("store.closed", "the store is closed");
}
