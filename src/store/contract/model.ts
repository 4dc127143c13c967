/**
 * The contract as a program: a store in memory that does what port.ts says and nothing else. Every
 * call takes effect at once and answers on a microtask, and time comes from the clock it is given,
 * so a run is repeatable. It is the oracle of random.ts and the store of the engine's simulator.
 *
 * What it leaves out is what cannot be seen through the port: disks, queues, other processes,
 * sealing. Secrets stay in memory as they are, and `dump` refuses them.
 */
import type { Clock } from "../../kernel/clock.ts";
import type { Cause } from "../../kernel/cause.ts";
import { SetpointError } from "../../kernel/errors.ts";
import { keyText } from "../../kernel/resource.ts";
import type { ResourceKey } from "../../kernel/resource.ts";
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
import { recordRetirement } from "../key-care.ts";
import { keyRing, newSealKey } from "../key-ring.ts";
import type {
  Answer,
  Change,
  ChangePage,
  ChangesOptions,
  Claim,
  ClaimRef,
  ClaimRequest,
  CommitOptions,
  CompactResult,
  CounterState,
  DumpRow,
  Head,
  HistoryOptions,
  KeyUse,
  ListQuery,
  OtherRing,
  Page,
  Renewal,
  Store,
  StoredRecord,
  StoreStats,
  UniqueName,
  VerifyOptions,
  Write,
} from "../port.ts";
import { prepareCommit } from "../prepare.ts";
import type { Backlog, BacklogQuery, WorkState } from "../work-state.ts";
import { commitGroup } from "./model-commit.ts";
import { dumpRows, findings, stateFromRows } from "./model-dump.ts";
import { pageOf } from "./model-list.ts";
import { counterState, emptyState, entryAt, forgetUpTo, holderOf } from "./model-state.ts";
import type { Entry, ModelState } from "./model-state.ts";
import { Waiters } from "./model-waiters.ts";
import { backlogOf, chooseFairly, claimable, grant, renewClaims } from "./model-work.ts";
import { untilNextDue, workOf } from "./model-work.ts";

export class ModelStore implements Store {
  readonly engine = "sqlite";
  readonly #clock: Clock;
  readonly #ring = keyRing([newSealKey()]);
  #state: ModelState;
  #isClosed = false;
  #tick = 0;
  readonly #revisions = new Waiters();
  readonly #work = new Waiters();

  /** With the state of another model this opens the same data again. */
  constructor(clock: Clock, state: ModelState = emptyState()) {
    this.#clock = clock;
    this.#state = state;
  }

  get state(): ModelState {
    return this.#state;
  }

  async commit(writes: readonly Write[], options: CommitOptions = {}): Promise<readonly Answer[]> {
    this.#checkOpen();
    // Only for its checks of form: those are the same code for every store.
    prepareCommit(this.#ring, writes, options);
    const nowMs = this.#clock.nowMs();
    const answers =
      options.atomic === true
        ? commitGroup(this.#state, writes, nowMs)
        : writes.flatMap((write) => commitGroup(this.#state, [write], nowMs));
    this.#revisions.wake(this.#state.head);
    if (writes.some((write) => write.kind !== "delete" && write.due !== undefined)) {
      this.#work.wake(++this.#tick);
    }
    return answers;
  }

  async get(key: ResourceKey): Promise<StoredRecord | undefined> {
    this.#checkOpen();
    return recordOf(this.#state.live.get(keyText(findable(key)))?.entry);
  }

  lastSeen(key: ResourceKey): undefined {
    checkKey(key);
    return undefined;
  }

  recentCause(revision: number): Cause | undefined {
    return this.#state.log.get(revision)?.cause;
  }

  async getMany(keys: readonly ResourceKey[]): Promise<readonly (StoredRecord | undefined)[]> {
    this.#checkOpen();
    return findableKeys(keys).map((key) => recordOf(this.#state.live.get(keyText(key))?.entry));
  }

  async list(query: ListQuery): Promise<Page> {
    this.#checkOpen();
    const asked = checkList(query);
    const revision = query.from?.revision ?? query.at ?? this.#state.head;
    this.#checkReadable(revision);
    const entries = [...this.#state.chains.values()].flatMap(
      (chain) => entryAt(chain, revision) ?? [],
    );
    return pageOf(entries, asked, revision);
  }

  async head(): Promise<Head> {
    this.#checkOpen();
    return { revision: this.#state.head, compacted: this.#state.compacted };
  }

  async changes(after: number, limit?: number, options?: ChangesOptions): Promise<ChangePage> {
    this.#checkOpen();
    const query = checkChanges(after, limit, options);
    this.#checkReadable(after);
    const { head: revision, compacted, log } = this.#state;
    const changes: Change[] = [];
    for (let next = after + 1; next <= revision && changes.length < query.limit; next += 1) {
      const entry = log.get(next);
      const isWanted = query.kinds?.includes(entry?.key.kind ?? "") !== false;
      if (entry !== undefined && isWanted) changes.push(changeOf(entry));
    }
    const isFull = changes.length >= query.limit;
    const through = (isFull ? changes.at(-1)?.revision : undefined) ?? revision;
    return { revision, compacted, changes, through };
  }

  async advancedBeyond(after: number, signal?: AbortSignal): Promise<number> {
    this.#checkOpen();
    checkCount(after, "after");
    return await this.#revisions.beyond(after, this.#state.head, signal);
  }

  async history(key: ResourceKey, options?: HistoryOptions): Promise<readonly Change[]> {
    this.#checkOpen();
    const { limit, before = Infinity } = checkHistory(options);
    const chain = this.#state.chains.get(keyText(findable(key))) ?? [];
    return chain
      .filter(({ revision }) => revision > this.#state.compacted && revision < before)
      .toReversed()
      .slice(0, limit)
      .map(changeOf);
  }

  async compact(upTo: number, signal?: AbortSignal): Promise<CompactResult> {
    this.#checkOpen();
    checkCount(upTo, "upTo");
    signal?.throwIfAborted();
    const mark = Math.max(this.#state.compacted, Math.min(upTo, this.#state.head));
    const removed = forgetUpTo(this.#state, mark);
    return { compacted: mark, removed };
  }

  async claim(request: ClaimRequest): Promise<readonly Claim[]> {
    this.#checkOpen();
    const asked = checkClaim(request);
    const nowMs = this.#clock.nowMs();
    return chooseFairly(claimable(this.#state, asked, nowMs), asked).map((live) =>
      grant(this.#state, live, this.#state.lastToken + 1, nowMs, request),
    );
  }

  /** Grants what another store granted, when the contract allows it; for comparing the two. */
  adopt(claims: readonly ClaimRef[], request: ClaimRequest): readonly Claim[] {
    const nowMs = this.#clock.nowMs();
    const allowed = claimable(this.#state, request, nowMs);
    return claims.map(({ key, token }) => {
      const live = allowed.find((candidate) => keyText(candidate.key) === keyText(key));
      if (live === undefined) throw new Error(`${keyText(key)} may not be claimed now`);
      return grant(this.#state, live, token, nowMs, request);
    });
  }

  async renew(claims: readonly ClaimRef[], leaseMs: number): Promise<Renewal> {
    this.#checkOpen();
    checkRenewal(claims, leaseMs);
    return renewClaims(this.#state, claims, this.#clock.nowMs(), leaseMs);
  }

  async nextDue(kinds: readonly string[]): Promise<number | undefined> {
    this.#checkOpen();
    checkKinds(kinds);
    return untilNextDue(this.#state, kinds, this.#clock.nowMs());
  }

  async workOf(keys: readonly ResourceKey[]): Promise<readonly (WorkState | undefined)[]> {
    this.#checkOpen();
    const nowMs = this.#clock.nowMs();
    return findableKeys(keys).map((key) => workOf(this.#state, key, nowMs));
  }

  async backlog(query: BacklogQuery): Promise<Backlog> {
    this.#checkOpen();
    return backlogOf(this.#state, checkBacklog(query), this.#clock.nowMs());
  }

  workTick(): number {
    return this.#tick;
  }

  async workArrived(seen: number, signal?: AbortSignal): Promise<number> {
    this.#checkOpen();
    checkCount(seen, "seen");
    return await this.#work.beyond(seen, this.#tick, signal);
  }

  async nameHolder(name: UniqueName): Promise<ResourceKey | undefined> {
    this.#checkOpen();
    return holderOf(this.#state, findableName(name))?.key;
  }

  async counter(counter: string): Promise<CounterState> {
    this.#checkOpen();
    return counterState(this.#state, findableCounter(counter));
  }

  async stats(): Promise<StoreStats> {
    this.#checkOpen();
    const { head: revision, compacted, live, log } = this.#state;
    const nowMs = this.#clock.nowMs();
    const due = [...live.values()].filter(({ work }) => (work.dueAtMs ?? Infinity) <= nowMs).length;
    return {
      revision,
      compacted,
      resources: live.size,
      changes: log.size,
      due,
      bytesOnDisk: 0,
      queuedWrites: 0,
      queuedBytes: 0,
      schemaVersion: 1,
    };
  }

  async verify(options?: VerifyOptions): Promise<readonly string[]> {
    this.#checkOpen();
    return findings(this.#state).slice(0, checkVerify(options));
  }

  async hazards(): Promise<readonly string[]> {
    this.#checkOpen();
    return [];
  }

  async checkKeys(): Promise<void> {
    this.#checkOpen();
  }

  async reseal(signal?: AbortSignal): Promise<number> {
    this.#checkOpen();
    signal?.throwIfAborted();
    return 0;
  }

  /** The model seals nothing, so it has nothing to erase. */
  async erase(): Promise<number> {
    this.#checkOpen();
    return 0;
  }

  async keyUses(): Promise<readonly KeyUse[]> {
    this.#checkOpen();
    return [];
  }

  async retireKeys(ids: readonly string[]): Promise<void> {
    await recordRetirement(this, ids);
  }

  async otherRings(): Promise<readonly OtherRing[]> {
    this.#checkOpen();
    return [];
  }

  async beginKeyChange(): Promise<void> {
    this.#checkOpen();
  }

  async *dump(): AsyncIterable<DumpRow> {
    this.#checkOpen();
    yield* dumpRows(this.#state, this.#clock.nowMs());
  }

  async load(rows: AsyncIterable<DumpRow>): Promise<void> {
    this.#checkOpen();
    if (this.#state.head > 0) throw new SetpointError("store.not_empty", "the store is not empty");
    const loaded = await stateFromRows(rows, this.#clock.nowMs());
    this.#state = loaded;
    this.#revisions.wake(loaded.head);
    this.#work.wake(++this.#tick);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#revisions.fail(closed());
    this.#work.fail(closed());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #checkOpen(): void {
    if (this.#isClosed) throw closed();
  }

  #checkReadable(revision: number): void {
    const { head, compacted } = this.#state;
    if (revision < compacted) throw new SetpointError("history.gone", `below ${compacted}`);
    if (revision > head) throw new SetpointError("revision.future", `the head is ${head}`);
  }
}

export function recordOf(entry: Entry | undefined): StoredRecord | undefined {
  if (entry === undefined) return undefined;
  const { key, uid, revision, body } = entry;
  return { key, uid, revision, body };
}

function changeOf(entry: Entry): Change {
  const { revision, type, key, uid, previous, atMs, cause, body, terms, previousTerms } = entry;
  return {
    revision,
    type,
    key,
    uid,
    previous,
    atMs,
    body,
    terms,
    ...(cause !== undefined && { cause }),
    ...(previousTerms !== undefined && { previousTerms }),
  };
}

function closed(): SetpointError {
  return new SetpointError("store.closed", "the store is closed");
}
