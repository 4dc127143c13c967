/**
 * Keeps the recent log going on without gaps. Own commits are offered with their bytes and need no
 * reading back; since revisions have no gaps, what is missing between the log's head and a known
 * revision was committed by another process (or is a deletion shown from the stored document) and
 * is read by range. Only then are those changes announced, so who hears of a revision can read it.
 *
 * When nobody follows the log, or after a long absence, nothing is loaded: the log jumps ahead, and
 * readers of the part in between read the database. So it does when reading takes long, because an
 * own commit is answered once the log has reached it.
 */
import { limits } from "../../kernel/limits.ts";
import type { Timers } from "../../kernel/timers.ts";
import type { Change } from "../port.ts";
import type { RecentLog } from "../recent-log.ts";

export interface TailOptions {
  readonly log: RecentLog;
  readonly timers: Timers;
  /** Changes > after and <= upTo, oldest first; may give fewer, but never none. */
  readonly read: (after: number, upTo: number) => Promise<readonly Change[]>;
}

/** Further behind than this, the log jumps. */
const maxCatchUp = 4 * limits.eventPageItems;
/** What takes longer to read is left to those who ask for it. */
const readLimitMs = 1_000;

export class Tail {
  readonly #options: TailOptions;
  readonly #offered = new Map<number, Change>();
  #target: number;
  #filling: Promise<void> | undefined;
  #isFollowed = false;
  /** Something that took too long is still being read: nobody waits for more. */
  #isLate = false;
  #isClosed = false;

  constructor(options: TailOptions) {
    this.#options = options;
    this.#target = options.log.head;
  }

  /** Own changes, in order, and the head after them. */
  offer(changes: readonly Change[], head: number): void {
    const { log } = this.#options;
    const follows = changes[0]?.revision === log.head + 1;
    if (follows && changes.at(-1)?.revision === log.head + changes.length) {
      log.append(changes);
    } else {
      for (const change of changes) {
        if (change.revision > log.head) this.#offered.set(change.revision, change);
      }
    }
    this.advance(head);
  }

  /** Somebody reads along: changes of other processes are worth reading once, for all. */
  follow(): void {
    this.#isFollowed = true;
  }

  /** The database has all revisions up to here. */
  advance(head: number): void {
    this.#target = Math.max(this.#target, head);
    if (this.#target <= this.#options.log.head) return;
    // On a later turn, so that a filling which ends at once does not end before it is noted here.
    this.#filling ??= Promise.resolve().then(async () => await this.#fill());
  }

  /** Resolves when the log has reached this revision, which is known to be committed. */
  async reach(revision: number): Promise<void> {
    const { log } = this.#options;
    if (log.head < revision) await log.revisionSignal.beyond(revision - 1);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#filling;
  }

  async #fill(): Promise<void> {
    const { log } = this.#options;
    try {
      while (log.head < this.#target) {
        this.#appendOffered();
        if (log.head >= this.#target) break;
        const isFar = this.#target - log.head > maxCatchUp;
        const isRead = this.#isFollowed && !isFar && !this.#isLate && !this.#isClosed;
        if (!isRead) log.skipTo(this.#target);
        else await this.#readMissing();
      }
    } catch {
      // Not readable at the moment. The revisions are committed all the same; who asks for their
      // changes asks the database, and gets its error.
      log.skipTo(this.#target);
    } finally {
      for (const revision of this.#offered.keys()) {
        if (revision <= log.head) this.#offered.delete(revision);
      }
      this.#filling = undefined;
      // Who follows says so again at its next step.
      this.#isFollowed = false;
    }
  }

  #appendOffered(): void {
    const { log } = this.#options;
    const run: Change[] = [];
    for (let next = log.head + 1; ; next += 1) {
      const change = this.#offered.get(next);
      if (change === undefined) break;
      this.#offered.delete(next);
      run.push(change);
    }
    if (run.length > 0) log.append(run);
  }

  async #readMissing(): Promise<void> {
    const { log, read } = this.#options;
    const after = log.head;
    let upTo = after + 1;
    while (upTo < this.#target && !this.#offered.has(upTo + 1)) upTo += 1;
    const changes = await this.#inTime(read(after, upTo));
    // The log may have gone on meanwhile, by an offer that followed its head.
    const missing = changes.filter((change) => change.revision > log.head);
    if (changes.length === 0) log.skipTo(upTo);
    else log.append(missing);
  }

  async #inTime<T>(reading: Promise<T>): Promise<T> {
    const { promise: limit, reject } = Promise.withResolvers<never>();
    const cancel = this.#options.timers.after(readLimitMs, () => {
      this.#isLate = true;
      const end = (): boolean => (this.#isLate = false);
      reading.then(end, end);
      reject(new Error(`the log was not read within ${readLimitMs} ms`));
    });
    try {
      return await Promise.race([reading, limit]);
    } finally {
      cancel();
    }
  }
}
