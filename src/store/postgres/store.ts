/**
 * The store on PostgreSQL: many processes on one database. Commits of a process are batched and go
 * as one function call per batch (writers.ts); reads use a small pool; a third kind of connection
 * listens for what other processes commit. Revisions, fences and leases are the database's business
 * throughout: no promise rests on a process being alive or on time.
 */
import type { Cause } from "../../kernel/cause.ts";
import { systemClock } from "../../kernel/clock.ts";
import type { Clock } from "../../kernel/clock.ts";
import { isSetpointError, SetpointError } from "../../kernel/errors.ts";
import { systemIds } from "../../kernel/ids.ts";
import { limits } from "../../kernel/limits.ts";
import { keyText } from "../../kernel/resource.ts";
import type { ResourceKey } from "../../kernel/resource.ts";
import { systemTimers } from "../../kernel/timers.ts";
import type { Timers } from "../../kernel/timers.ts";
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
import { checkActiveKey, recordRetirement, ringNewsMs } from "../key-care.ts";
import type { KeyRing } from "../key-ring.ts";
import type * as port from "../port.ts";
import { prepareCommit } from "../prepare.ts";
import type { PreparedGroup } from "../prepare.ts";
import { RecentLog, recordOf } from "../recent-log.ts";
import type { ReplicatedStore } from "../replication.ts";
import type { Backlog, BacklogQuery, WorkState } from "../work-state.ts";
import { outcomeOf } from "./answers.ts";
import { compactUpTo, readCounter, readHazards, readHolder, readStats } from "./care.ts";
import { dumpRows } from "./dump.ts";
import { erasureParts } from "./erasing.ts";
import { isFaultOfOne, typedFailure } from "./failures.ts";
import { checkKeys, countKeys, earlierStatementsEnd, resealAll } from "./key-care.ts";
import { readPage } from "./list.ts";
import { Listener } from "./listener.ts";
import { loadRows } from "./load.ts";
import { checkSchema, isUsable, migrate } from "./migrate.ts";
import type { Version } from "./migrate.ts";
import { Pool } from "./pool.ts";
import { Reach } from "./reach.ts";
import { ReadQueue } from "./read-queue.ts";
import { PostgresReplication } from "./replicated.ts";
import { checkReadable, readChanges, readHistory, readMany, readRange } from "./reads.ts";
import { RingBoard } from "./ring-board.ts";
import { checkSchemaName } from "./session.ts";
import type { SessionConfig } from "./session.ts";
import type { PostgresStoreOptions } from "./store-options.ts";
import { Tail } from "./tail.ts";
import { findings } from "./verify.ts";
import { claimDue, claimingOn, renewClaims, untilNextDue } from "./work.ts";
import type { Claiming } from "./work.ts";
import { readBacklog, readWork } from "./work-state.ts";
import { Writers } from "./writers.ts";

const connectTimeoutMs = 3_000;
const staleWriterMs = 7 * 24 * 3_600_000;

export async function openPostgresStore(options: PostgresStoreOptions): Promise<PostgresStore> {
  checkSchemaName(options.schema);
  const timers = options.timers ?? systemTimers;
  const patienceMs = options.readPatienceMs ?? 10_000;
  const clock = options.clock ?? systemClock;
  const session: SessionConfig = {
    url: options.url,
    schema: options.schema ?? "setpoint",
    timers,
    connectTimeoutMs,
    readOnly: options.readOnly === true,
    statementTimeoutMs: Math.max(1_000, Math.floor(patienceMs * 0.8)),
    reach: new Reach(clock),
  };
  const size = options.readConnections ?? 8;
  const pool = new Pool({ session, clock, timers, size, patienceMs });
  try {
    if (session.readOnly) {
      await checkSchema(pool, session.schema);
    } else {
      await migrate(pool, session);
      const text = "DELETE FROM writer WHERE at_ms < now_v1(0) - $1";
      await pool.rows({ text }, [staleWriterMs]);
    }
    const [head] = await pool.rows({ text: "SELECT revision, compacted FROM head WHERE one" });
    const store = new PostgresStore({
      options,
      session,
      pool,
      clock,
      timers,
      head: { revision: head?.[0] as number, compacted: head?.[1] as number },
    });
    await store.listen();
    return store;
  } catch (error) {
    await pool.close();
    throw error;
  }
}

interface Parts {
  readonly options: PostgresStoreOptions;
  readonly session: SessionConfig;
  readonly pool: Pool;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly head: port.Head;
}

export class PostgresStore implements ReplicatedStore {
  readonly engine = "postgres";
  readonly replication: PostgresReplication;
  readonly #id: string;
  readonly #ring: KeyRing;
  readonly #session: SessionConfig;
  readonly #pool: Pool;
  readonly #skewMs: () => number;
  readonly #log: RecentLog;
  readonly #tail: Tail;
  readonly #reads: ReadQueue;
  readonly #queue: CommitQueue;
  readonly #writers: Writers;
  readonly #listener: Listener;
  readonly #board: RingBoard;
  readonly #timers: Timers;
  readonly #working: Claiming;
  readonly #closing = new AbortController();
  #compacted: number;
  /** Set while the schema is one that this release cannot work with. */
  #tooNew: SetpointError | undefined;
  #closed: Promise<void> | undefined;

  constructor({ options, session, pool, clock, timers, head }: Parts) {
    this.#id = (options.ids ?? systemIds).uid();
    this.#ring = options.keys;
    this.#session = session;
    this.#pool = pool;
    this.#skewMs = options.clockSkewMs ?? (() => 0);
    this.#compacted = head.compacted;
    const log = new RecentLog(head.revision);
    this.#log = log;
    this.#working = claimingOn({ pool, ring: this.#ring, log, clockSkewMs: this.#skewMs });
    this.#reads = new ReadQueue(() => this.#reading, this.#log);
    // Not by the pool: commits wait for this, and shall not wait for those who read.
    const read = async (after: number, upTo: number): Promise<readonly port.Change[]> =>
      await this.#listener.ask((one) => readRange({ pool: one, ring: this.#ring }, after, upTo));
    this.#tail = new Tail({ log, timers, read });
    this.#writers = new Writers({
      session,
      id: this.#id,
      clock,
      timers,
      patienceMs: options.commitPatienceMs ?? 10_000,
      clockSkewMs: this.#skewMs,
      held: this.#working.held,
    });
    this.#queue = new CommitQueue({
      commitBatch: async (batch) => await this.#commitBatch(batch),
      independent: true,
      ahead: true,
      ...(options.maxQueuedWrites !== undefined && { maxQueuedWrites: options.maxQueuedWrites }),
      ...(options.maxQueuedBytes !== undefined && { maxQueuedBytes: options.maxQueuedBytes }),
    });
    this.#timers = timers;
    this.replication = new PostgresReplication({
      pool,
      ring: this.#ring,
      session,
      clockSkewMs: this.#skewMs,
      checkOpen: () => this.#checkOpen(),
      raiseMark: (revision) => this.#raiseMark(revision),
      reached: async (revision) => await this.#reach(revision),
      load: async (rows, primary) => await this.#load(rows, primary),
    });
    this.#board = new RingBoard(this.#ring, session.schema);
    this.#listener = new Listener({
      board: session.readOnly ? undefined : this.#board,
      session,
      clock,
      ownId: this.#id,
      pollMs: ringNewsMs,
      onHead: (revision) => this.#tail.advance(revision),
      onWork: () => this.#log.workSignal.advance(),
      onCompacted: (mark) => this.#raiseMark(mark),
      onVersion: (found) => this.#judgeSchema(found),
    });
  }

  async listen(): Promise<void> {
    await this.#listener.start();
  }

  async commit(
    writes: readonly port.Write[],
    options: port.CommitOptions = {},
  ): Promise<readonly port.Answer[]> {
    this.#checkOpen();
    const groups = prepareCommit(this.#ring, writes, options);
    if (groups.length === 0) return [];
    const answers = await this.#queue.submit(groups);
    let newest = 0;
    for (const answer of answers) {
      if (answer.kind === "committed" && answer.revision > newest) newest = answer.revision;
    }
    // Who was answered finds its change in this process' log, or in the database if that is slow.
    if (newest > this.#log.head) await this.#tail.reach(newest);
    return answers;
  }

  async get(key: ResourceKey): Promise<port.StoredRecord | undefined> {
    this.#checkOpen();
    return await this.#reads.get(findable(key));
  }

  lastSeen(key: ResourceKey): port.StoredRecord | undefined {
    checkKey(key);
    const seen = this.#log.newest(keyText(key));
    return seen === undefined ? undefined : recordOf(seen);
  }

  recentCause(revision: number): Cause | undefined {
    return this.#log.at(revision)?.cause;
  }

  async getMany(keys: readonly ResourceKey[]): Promise<readonly (port.StoredRecord | undefined)[]> {
    this.#checkOpen();
    return await readMany(this.#reading, findableKeys(keys));
  }

  async list(query: port.ListQuery): Promise<port.Page> {
    this.#checkOpen();
    return await readPage(this.#reading, checkList(query));
  }

  async head(): Promise<port.Head> {
    this.#checkOpen();
    return { revision: this.#log.head, compacted: this.#compacted };
  }

  async changes(
    after: number,
    limit?: number,
    options?: port.ChangesOptions,
  ): Promise<port.ChangePage> {
    this.#checkOpen();
    const query = checkChanges(after, limit, options);
    this.#tail.follow();
    if (after <= this.#log.head) {
      checkReadable(after, this.#log.head, this.#compacted);
      const recent = this.#log.read(query, limits.maxPageBytes);
      if (recent !== undefined) {
        return { revision: this.#log.head, compacted: this.#compacted, ...recent };
      }
    }
    const upTo = Math.max(after, this.#log.head);
    const page = await readChanges(this.#reading, query, upTo);
    this.#tail.advance(page.revision);
    return { ...page, revision: upTo };
  }

  async advancedBeyond(after: number, signal?: AbortSignal): Promise<number> {
    this.#checkOpen();
    checkCount(after, "after");
    this.#tail.follow();
    return await this.#log.revisionSignal.beyond(after, this.#orClosing(signal));
  }

  async history(key: ResourceKey, options?: port.HistoryOptions): Promise<readonly port.Change[]> {
    this.#checkOpen();
    return await readHistory(this.#reading, findable(key), checkHistory(options));
  }

  async compact(upTo: number, signal?: AbortSignal): Promise<port.CompactResult> {
    this.#checkOpen();
    checkCount(upTo, "upTo");
    signal?.throwIfAborted();
    const onMark = (mark: number): void => this.#raiseMark(mark);
    return await compactUpTo(this.#pool, upTo, { id: this.#id, signal, onMark });
  }

  async claim(request: port.ClaimRequest): Promise<readonly port.Claim[]> {
    this.#checkOpen();
    return await claimDue(this.#working, checkClaim(request));
  }

  async renew(claims: readonly port.ClaimRef[], leaseMs: number): Promise<port.Renewal> {
    this.#checkOpen();
    checkRenewal(claims, leaseMs);
    return await renewClaims(this.#working, claims, leaseMs);
  }

  async nextDue(kinds: readonly string[]): Promise<number | undefined> {
    this.#checkOpen();
    checkKinds(kinds);
    return await untilNextDue(this.#working, kinds);
  }

  async workOf(keys: readonly ResourceKey[]): Promise<readonly (WorkState | undefined)[]> {
    this.#checkOpen();
    return await readWork(this.#working, findableKeys(keys));
  }

  async backlog(query: BacklogQuery): Promise<Backlog> {
    this.#checkOpen();
    return await readBacklog(this.#working, checkBacklog(query));
  }

  workTick(): number {
    return this.#log.workSignal.value;
  }

  async workArrived(seen: number, signal?: AbortSignal): Promise<number> {
    this.#checkOpen();
    checkCount(seen, "seen");
    return await this.#log.workSignal.beyond(seen, this.#orClosing(signal));
  }

  async nameHolder(name: port.UniqueName): Promise<ResourceKey | undefined> {
    this.#checkOpen();
    return await readHolder(this.#pool, findableName(name));
  }

  async counter(counter: string): Promise<port.CounterState> {
    this.#checkOpen();
    return await readCounter(this.#pool, findableCounter(counter));
  }

  async stats(): Promise<port.StoreStats> {
    this.#checkOpen();
    return await readStats(this.#pool, this.#skewMs(), this.#queue.load);
  }

  async verify(options?: port.VerifyOptions): Promise<readonly string[]> {
    this.#checkOpen();
    return await findings(this.#pool, checkVerify(options));
  }

  async hazards(): Promise<readonly string[]> {
    this.#checkOpen();
    return await readHazards(this.#pool);
  }

  async checkKeys(): Promise<void> {
    this.#checkOpen();
    await checkKeys(this.#reading);
    await checkActiveKey(this, this.#ring);
  }

  async reseal(signal?: AbortSignal): Promise<number> {
    this.#checkOpen();
    await checkActiveKey(this, this.#ring);
    return await resealAll(this.#reading, signal);
  }

  async erase(request: EraseRequest, signal?: AbortSignal): Promise<number> {
    this.#checkOpen();
    return await eraseWith(this, erasureParts(this.#pool, this.#skewMs), request, signal);
  }

  async keyUses(): Promise<readonly port.KeyUse[]> {
    this.#checkOpen();
    return await countKeys(this.#pool);
  }

  async retireKeys(ids: readonly string[]): Promise<void> {
    await recordRetirement(this, ids);
    await earlierStatementsEnd(this.#pool, this.#timers);
  }

  async otherRings(): Promise<readonly port.OtherRing[]> {
    this.#checkOpen();
    return await this.#listener.ask((session) => this.#board.others(session));
  }

  async beginKeyChange(): Promise<void> {
    this.#checkOpen();
    await this.#listener.ask((session) => this.#board.beginChange(session));
  }

  async *dump(): AsyncIterable<port.DumpRow> {
    this.#checkOpen();
    yield* dumpRows(this.#session, this.#skewMs());
  }

  async load(rows: AsyncIterable<port.DumpRow>): Promise<void> {
    this.#checkOpen();
    await this.#load(rows);
  }

  async #load(rows: AsyncIterable<port.DumpRow>, primary?: string): Promise<void> {
    const options = { clockSkewMs: this.#skewMs(), primary };
    const { head, compacted } = await loadRows(this.#session, rows, options);
    this.#raiseMark(compacted);
    await this.#reach(head);
    this.#log.workSignal.advance();
  }

  async #reach(head: number): Promise<void> {
    this.#tail.advance(head);
    await this.#tail.reach(head);
  }

  async close(): Promise<void> {
    this.#closed ??= this.#close();
    await this.#closed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #close(): Promise<void> {
    this.#closing.abort(closed());
    await this.#queue.close();
    await this.#tail.close();
    await this.replication.close();
    await Promise.all([this.#listener.close(), this.#pool.close(), this.#writers.close()]);
  }

  async #commitBatch(
    batch: readonly PreparedGroup[],
  ): Promise<readonly (readonly port.Answer[])[]> {
    try {
      return await this.#commitTogether(batch);
    } catch (error) {
      const isOneAtFault = batch.length > 1 && isSetpointError(error) && isFaultOfOne(error);
      if (!isOneAtFault) throw error;
    }
    // The database has refused all for the sake of one: its neighbours must not suffer.
    const answers: (readonly port.Answer[])[] = [];
    for (const group of batch) answers.push(await this.#commitAlone(group));
    return answers;
  }

  async #commitAlone(group: PreparedGroup): Promise<readonly port.Answer[]> {
    try {
      return (await this.#commitTogether([group])).flat();
    } catch (error) {
      const failure = typedFailure(error);
      return group.writes.map(() => ({ kind: "refused", error: failure }));
    }
  }

  async #commitTogether(
    batch: readonly PreparedGroup[],
  ): Promise<readonly (readonly port.Answer[])[]> {
    if (this.#tooNew !== undefined) throw this.#tooNew;
    const answer = await this.#writers.commit(batch);
    const outcome = outcomeOf(batch, answer);
    this.#listener.answered(outcome);
    this.#tail.offer(outcome.changes, outcome.head);
    return outcome.answers;
  }

  get #reading(): { readonly pool: Pool; readonly ring: KeyRing } {
    return { pool: this.#pool, ring: this.#ring };
  }

  #raiseMark(mark: number): void {
    this.#compacted = Math.max(this.#compacted, mark);
  }

  #orClosing(signal: AbortSignal | undefined): AbortSignal {
    const closing = this.#closing.signal;
    return signal === undefined ? closing : AbortSignal.any([signal, closing]);
  }

  #checkOpen(): void {
    if (this.#closed !== undefined) throw closed();
    if (this.#tooNew !== undefined) throw this.#tooNew;
  }

  /** A newer release may have changed it while this process runs. */
  #judgeSchema(found: Version): void {
    this.#tooNew = undefined;
    try {
      isUsable(found);
    } catch (error) {
      this.#tooNew = typedFailure(error);
    }
  }
}

function closed(): SetpointError {
  return new SetpointError("store.closed", "the store is closed");
}
