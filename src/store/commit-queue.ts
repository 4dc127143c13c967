/**
 * Group commit without a timer: whatever queued while the last batch was being committed is the
 * next batch. A lone caller waits for nobody; many callers share one disk flush.
 *
 * The queue is bounded in writes and bytes. Beyond that `submit` refuses at once with
 * `store.overloaded`, so a slow disk shows as a typed error and not as growing memory.
 *
 * A database that judges a whole batch as one set needs batches in which no group depends on
 * another (`independent: true`): a group that touches a key already in the batch waits for the next
 * one, and so does every later group on its keys, which keeps the order of calls per key.
 */
import { SetpointError } from "../kernel/errors.ts";
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
  readonly maxQueuedWrites?: number;
  readonly maxQueuedBytes?: number;
}

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
  #running: Promise<void> | undefined;
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

  /** Takes all groups of a call or none; answers once each of them was judged. */
  async submit(groups: readonly PreparedGroup[]): Promise<readonly Answer[]> {
    if (this.#closed) throw new SetpointError("store.closed", "the store is closed");
    const writes = groups.reduce((sum, group) => sum + group.writes.length, 0);
    const bytes = groups.reduce((sum, group) => sum + group.bytes, 0);
    this.#admit(writes, bytes);
    const answers = groups.map(
      (group) =>
        new Promise<readonly Answer[]>((settle, fail) => {
          this.#waiting.push({ call: groups, group, settle, fail });
        }),
    );
    // Callers of the same turn of the event loop join the same batch.
    this.#running ??= Promise.resolve().then(() => this.#run());
    if (answers[0] !== undefined && answers.length === 1) return await answers[0];
    const settled = await Promise.allSettled(answers);
    const failed = settled.find((outcome) => outcome.status === "rejected");
    if (failed !== undefined) throw failed.reason;
    return settled.flatMap((outcome) => (outcome.status === "fulfilled" ? outcome.value : []));
  }

  /** Refuses new calls and resolves when everything accepted was answered. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#running;
  }

  #admit(writes: number, bytes: number): void {
    // An empty queue takes anything that passed its own limits: one large call is not an overload.
    const crowded = this.#writes + writes > this.#maxWrites || this.#bytes + bytes > this.#maxBytes;
    if (crowded && this.#writes > 0) {
      throw new SetpointError("store.overloaded", "too many writes are waiting for the disk", {
        details: { queuedWrites: this.#writes, queuedBytes: this.#bytes },
        suggestion: "try again in a moment",
      });
    }
    this.#writes += writes;
    this.#bytes += bytes;
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#takeBatch();
      await this.#commit(batch);
    }
    this.#running = undefined;
  }

  async #commit(batch: readonly Ticket[]): Promise<void> {
    let outcome: readonly (readonly Answer[])[] | undefined;
    let failure: unknown;
    try {
      outcome = await this.#options.commitBatch(batch.map((ticket) => ticket.group));
    } catch (error) {
      failure = error;
    }
    for (const [index, ticket] of batch.entries()) {
      this.#writes -= ticket.group.writes.length;
      this.#bytes -= ticket.group.bytes;
      const answers = outcome?.[index];
      if (answers === undefined) ticket.fail(failure);
      else ticket.settle(answers);
    }
  }

  #takeBatch(): readonly Ticket[] {
    const batch: Ticket[] = [];
    const later: Ticket[] = [];
    const touched = new Touched();
    const postponed = new Set<Ticket["call"]>();
    let writes = 0;
    let bytes = 0;
    let index = 0;
    for (; index < this.#waiting.length; index += 1) {
      const ticket = this.#waiting[index];
      if (ticket === undefined) break;
      const { group } = ticket;
      const full =
        writes + group.writes.length > limits.maxCommitWrites ||
        bytes + group.bytes > limits.maxCommitBytes;
      if (full && batch.length > 0) break;
      if (this.#options.independent && (!touched.add(group) || postponed.has(ticket.call))) {
        postponed.add(ticket.call);
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

/** Which keys a batch writes, and on whose claims it leans. Fences may be shared, writes not. */
class Touched {
  readonly #written = new Set<string>();
  readonly #leanedOn = new Set<string>();

  /** Adds the group's keys; false when it depends on a group that came before. */
  add(group: PreparedGroup): boolean {
    let independent = true;
    const fences: string[] = [];
    for (const { id, write } of group.writes) {
      if (this.#written.has(id) || this.#leanedOn.has(id)) independent = false;
      if (write.claim === undefined) continue;
      const fence = keyText(write.claim.key);
      if (fence !== id && this.#written.has(fence)) independent = false;
      fences.push(fence);
    }
    for (const { id } of group.writes) this.#written.add(id);
    for (const fence of fences) this.#leanedOn.add(fence);
    return independent;
  }
}
