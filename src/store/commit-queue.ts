/**
 * Group commit without a timer: whatever queued while the last batch was being committed is the
 * next batch. A lone caller waits for nobody; many callers share one disk flush.
 *
 * Where a flush takes no longer than the callers need to react to their answers, waiting for all of
 * them leaves the disk idle half of the time. Then (`overlap`) what is there is split in two: one
 * half is committed while the other half is answered and asks again.
 *
 * The queue is bounded in writes and bytes. Beyond that `submit` refuses at once with
 * `store.overloaded`, so a slow disk shows as a typed error and not as growing memory.
 *
 * A database that judges a whole batch as one set needs batches in which no group depends on
 * another (`independent: true`): a group that touches a key already in the batch waits for the next
 * one, and so does every later group on its keys, which keeps the order of calls per key. Such a
 * database may be given a second batch behind the one under way (`ahead: true`), so that it need
 * not wait until callers have read their answers: only a full one, and none that depends on what is
 * under way, because the two may come to be judged in either order.
 */
import { SetpointError, isSetpointError } from "../kernel/errors.ts";
import { limits } from "../kernel/limits.ts";
import { keyText } from "../kernel/resource.ts";
import type { Answer } from "./port.ts";
import type { PreparedGroup } from "./prepare.ts";

export interface CommitQueueOptions {
  /** Commits a batch durably; answers group by group, write by write. Rejects for the batch. */
  readonly commitBatch: (
    batch: readonly PreparedGroup[],
  ) => Promise<readonly (readonly Answer[])[]>;
  readonly independent: boolean;
  /** Whether a second batch may be handed over while one is being committed. Never, if left out. */
  readonly overlap?: () => boolean;
  /** Whether a full batch is handed over behind the one that is being committed. */
  readonly ahead?: boolean;
  readonly maxQueuedWrites?: number;
  readonly maxQueuedBytes?: number;
}

const unknown = "store.outcome_unknown";
/** A smaller batch is not worth a flush of its own. */
const smallestShare = 8;

interface Ticket {
  /** The call it belongs to: groups of one call are committed in their order. */
  readonly call: readonly PreparedGroup[];
  readonly group: PreparedGroup;
  readonly settle: (answers: readonly Answer[]) => void;
  readonly fail: (error: unknown) => void;
}

export class CommitQueue {
  readonly #options: CommitQueueOptions;
  readonly #maxWrites: number;
  readonly #maxBytes: number;
  #waiting: Ticket[] = [];
  #batches = 0;
  readonly #underWay = new Set<Dependence>();
  #isPumping = false;
  readonly #idle: (() => void)[] = [];
  #writes = 0;
  #bytes = 0;
  #closed = false;

  constructor(options: CommitQueueOptions) {
    this.#options = options;
    this.#maxWrites = options.maxQueuedWrites ?? limits.maxQueuedWrites;
    this.#maxBytes = options.maxQueuedBytes ?? limits.maxQueuedBytes;
  }

  /** Accepted and not yet answered, including the batch being committed. */
  get load(): { readonly writes: number; readonly bytes: number } {
    return { writes: this.#writes, bytes: this.#bytes };
  }

  /**
   * Takes all groups of a call or none; answers once each of them was judged. A call may span
   * several batches: it rejects only when all of them failed.
   */
  async submit(groups: readonly PreparedGroup[]): Promise<readonly Answer[]> {
    if (this.#closed) throw new SetpointError("store.closed", "the store is closed");
    const [only] = groups;
    if (only !== undefined && groups.length === 1) {
      this.#admit(only.writes.length, only.bytes);
      return await this.#enqueue(groups, only);
    }
    return await this.#submitAll(groups);
  }

  /** Apart, so that the common call of one group does not pay for what this one closes over. */
  async #submitAll(groups: readonly PreparedGroup[]): Promise<readonly Answer[]> {
    const writes = groups.reduce((sum, group) => sum + group.writes.length, 0);
    const bytes = groups.reduce((sum, group) => sum + group.bytes, 0);
    this.#admit(writes, bytes);
    const settled = await Promise.allSettled(groups.map((group) => this.#enqueue(groups, group)));
    const failures = settled.flatMap((o) => (o.status === "rejected" ? [o.reason as unknown] : []));
    if (failures.length > 0 && failures.length === groups.length) {
      // Nothing was judged: the call failed as a whole. What may have been applied is said first.
      throw failures.find((error) => isSetpointError(error, unknown)) ?? failures[0];
    }
    // Some of it was committed, which no rejection could say: what failed is refused by write.
    return settled.flatMap((outcome, index) => {
      if (outcome.status === "fulfilled") return outcome.value;
      const error = asSetpointError(outcome.reason);
      return groups[index]?.writes.map((): Answer => ({ kind: "refused", error })) ?? [];
    });
  }

  /** Refuses new calls and resolves when everything accepted was answered. */
  async close(): Promise<void> {
    this.#closed = true;
    if (this.#writes === 0) return;
    await new Promise<void>((resolve) => {
      this.#idle.push(resolve);
    });
  }

  #enqueue(call: Ticket["call"], group: PreparedGroup): Promise<readonly Answer[]> {
    this.#wakePump();
    return new Promise((settle, fail) => {
      this.#waiting.push({ call, group, settle, fail });
    });
  }

  /** Soon, so that callers of the same turn of the event loop join the same batch. */
  #wakePump(): void {
    if (this.#isPumping) return;
    this.#isPumping = true;
    queueMicrotask(() => this.#pump());
  }

  #admit(writes: number, bytes: number): void {
    // An empty queue takes anything that passed its own limits: one large call is not an overload.
    const crowded = this.#writes + writes > this.#maxWrites || this.#bytes + bytes > this.#maxBytes;
    if (crowded && this.#writes > 0) {
      throw new SetpointError("store.overloaded", "too many writes are waiting for the disk", {
        details: { queuedWrites: this.#writes, queuedBytes: this.#bytes },
        suggestion: "retry with exponential backoff",
      });
    }
    this.#writes += writes;
    this.#bytes += bytes;
  }

  #pump(): void {
    this.#isPumping = false;
    const isOverlapping = this.#options.overlap?.() === true;
    const most = isOverlapping ? Math.max(smallestShare, Math.ceil(this.#writes / 2)) : undefined;
    while (this.#waiting.length > 0 && this.#batches < (isOverlapping || this.#isFull ? 2 : 1)) {
      const dependence = this.#options.independent ? new Dependence(this.#underWay) : undefined;
      const batch = this.#takeBatch(dependence, most);
      if (batch.length === 0) return;
      this.#batches += 1;
      if (dependence !== undefined) this.#underWay.add(dependence);
      void this.#commit(batch, dependence);
    }
  }

  /** Whether enough waits for a batch that goes ahead of the answers to the last one. */
  get #isFull(): boolean {
    return this.#options.ahead === true && this.#waiting.length >= limits.maxCommitWrites;
  }

  async #commit(batch: readonly Ticket[], dependence: Dependence | undefined): Promise<void> {
    let outcome: readonly (readonly Answer[])[] | undefined;
    let failure: unknown;
    try {
      outcome = await this.#options.commitBatch(batch.map((ticket) => ticket.group));
    } catch (error) {
      failure = error;
    }
    if (dependence !== undefined) this.#underWay.delete(dependence);
    for (let index = 0; index < batch.length; index += 1) {
      const ticket = batch[index];
      if (ticket === undefined) break;
      this.#writes -= ticket.group.writes.length;
      this.#bytes -= ticket.group.bytes;
      const answers = outcome?.[index];
      if (answers === undefined) ticket.fail(failure);
      else ticket.settle(answers);
    }
    this.#batches -= 1;
    if (this.#writes === 0) for (const resolve of this.#idle.splice(0)) resolve();
    if (this.#waiting.length > 0) this.#wakePump();
  }

  #takeBatch(
    dependence: Dependence | undefined,
    mostWrites: number = limits.maxCommitWrites,
  ): readonly Ticket[] {
    const batch: Ticket[] = [];
    const later: Ticket[] = [];
    let writes = 0;
    let bytes = 0;
    let index = 0;
    for (; index < this.#waiting.length; index += 1) {
      const ticket = this.#waiting[index];
      if (ticket === undefined) break;
      const { group } = ticket;
      const full =
        writes + group.writes.length > Math.min(mostWrites, limits.maxCommitWrites) ||
        bytes + group.bytes > limits.maxCommitBytes;
      if (full && batch.length > 0) break;
      if (dependence?.mustWait(ticket) === true) {
        later.push(ticket);
        continue;
      }
      batch.push(ticket);
      writes += group.writes.length;
      bytes += group.bytes;
    }
    this.#waiting =
      later.length === 0 ? this.#waiting.slice(index) : later.concat(this.#waiting.slice(index));
    return batch;
  }
}

function asSetpointError(error: unknown): SetpointError {
  if (isSetpointError(error)) return error;
  // What a foreign error left behind is not known.
  return new SetpointError(unknown, "the commit failed in an unexpected way", {
    cause: error,
  });
}

/** What a batch touches, while it is put together and while it is under way. */
class Dependence {
  readonly #underWay: readonly Dependence[];
  /** Of the groups in the batch. */
  readonly #taken = new Touched();
  /** Of those that have to wait; who comes after them on their keys waits as well. */
  readonly #postponed = new Touched();

  /** @param underWay The batches that are being committed. */
  constructor(underWay: Iterable<Dependence>) {
    this.#underWay = [...underWay];
  }

  /** Whether a group depends on one that came before, or its call does already. */
  mustWait({ call, group: { writes } }: Ticket): boolean {
    const fences: string[] = [];
    for (const { id, write } of writes) {
      if (write.claim === undefined) continue;
      fences.push(write.claim.key === write.key ? id : keyText(write.claim.key));
    }
    const mustWait =
      this.#taken.isTouched(writes, fences) ||
      this.#postponed.calls.has(call) ||
      this.#postponed.isTouched(writes, fences) ||
      this.#underWay.some((other) => other.#isInTheWay(call, writes, fences));
    (mustWait ? this.#postponed : this.#taken).add(call, writes, fences);
    return mustWait;
  }

  #isInTheWay(...[call, writes, fences]: Parameters<Touched["add"]>): boolean {
    return this.#taken.calls.has(call) || this.#taken.isTouched(writes, fences);
  }
}

/** Keys that are written, and those of the claims that are leaned on: these may be shared. */
class Touched {
  readonly calls = new Set<Ticket["call"]>();
  readonly #written = new Set<string>();
  readonly #leanedOn = new Set<string>();

  add(call: Ticket["call"], writes: PreparedGroup["writes"], fences: readonly string[]): void {
    this.calls.add(call);
    for (const { id } of writes) this.#written.add(id);
    for (const fence of fences) this.#leanedOn.add(fence);
  }

  isTouched(writes: PreparedGroup["writes"], fences: readonly string[]): boolean {
    if (this.#written.size === 0) return false;
    for (const { id } of writes) {
      if (this.#written.has(id) || this.#leanedOn.has(id)) return true;
    }
    for (const fence of fences) if (this.#written.has(fence)) return true;
    return false;
  }
}
