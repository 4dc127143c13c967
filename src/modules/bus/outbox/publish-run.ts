// Publishes from the log over one connection. Reading, sending and storing the place run side by
// side: a page is read while earlier events are on their way, and the place follows the confirms.
// The run ends with its connection; the next one begins at the stored place, so an event without a
// confirm is published again with the same id.

import type { Publisher } from "../../../adapters/amqp/port.ts";
import type { ProcessPorts } from "../../../contract/ports.ts";
import { isSetpointError } from "../../../kernel/errors.ts";
import type { ClaimRef, Store } from "../../../store/port.ts";
import { busLimits } from "../limits.ts";
import { pauseMs } from "../link.ts";
import { eventsMetric, lostMetric } from "../metrics.ts";
import { readCursor, writeCursor } from "./cursor.ts";
import { lostEvent } from "./events-lost.ts";
import type { EventsOfChange } from "./event-reader.ts";
import { ConfirmedUpTo, Lanes } from "./lanes.ts";
import type { PendingEvent } from "./lanes.ts";
import type { OutboxState } from "./outbox-state.ts";

export interface PublishInput extends Pick<
  ProcessPorts,
  "timers" | "random" | "log" | "meter" | "clock"
> {
  readonly store: Store;
  readonly claim: ClaimRef;
  readonly eventsOf: EventsOfChange;
  readonly kinds: () => KindsToRead;
  readonly state: OutboxState;
  readonly exchange: string;
  readonly source: string;
}

/** Which kinds are published, as this process knows it. */
export interface KindsToRead {
  /** Undefined for all. */
  readonly ids: readonly string[] | undefined;
  /** Whether no definition up to this revision changes the answer. */
  readonly isCurrent: (through: number) => Promise<boolean>;
}

/** Rejects with `claim.lost` when another process leads. */
export async function publishFromLog(
  input: PublishInput,
  publisher: Publisher,
  signal: AbortSignal,
): Promise<void> {
  const start = await startOf(input);
  const run = new PublishRun(input, publisher, start);
  await run.run(signal);
}

/** The first start publishes what happens from then on. */
async function startOf({ store, claim }: PublishInput): Promise<number> {
  const stored = await readCursor(store);
  if (stored !== undefined) return stored;
  const { revision: through } = await store.head();
  await writeCursor(store, claim, { through, isFirst: true });
  return through;
}

class PublishRun {
  readonly #input: PublishInput;
  readonly #publisher: Publisher;
  readonly #lanes = new Lanes();
  readonly #upTo: ConfirmedUpTo;
  readonly #ended = new AbortController();
  readonly #cancels = new Set<() => void>();
  #position: number;
  #saved: number;
  #unconfirmed = 0;
  #hasConfirmed = false;
  #isPumping = false;
  #room = Promise.withResolvers<void>();
  #news = Promise.withResolvers<void>();

  constructor(input: PublishInput, publisher: Publisher, start: number) {
    this.#input = input;
    this.#publisher = publisher;
    this.#upTo = new ConfirmedUpTo(start);
    this.#position = start;
    this.#saved = start;
    input.state.through = start;
  }

  async run(given: AbortSignal): Promise<void> {
    const signal = AbortSignal.any([given, this.#ended.signal]);
    try {
      await Promise.all([
        this.#endOn(signal, this.#read(signal)),
        this.#endOn(signal, this.#save(signal)),
      ]);
    } finally {
      this.#ended.abort();
      for (const cancel of this.#cancels) cancel();
      await this.#saveOnce();
    }
  }

  /** An abort is the usual end; another failure ends both loops. */
  async #endOn(signal: AbortSignal, work: Promise<void>): Promise<void> {
    try {
      await work;
    } catch (error) {
      const isEnd = signal.aborted;
      this.#ended.abort();
      if (!isEnd) throw error;
    }
  }

  async #read(signal: AbortSignal): Promise<void> {
    const { store, kinds, state } = this.#input;
    for (;;) {
      signal.throwIfAborted();
      if (this.#isFull()) {
        await abortable(this.#room.promise, signal);
        continue;
      }
      const { ids, isCurrent } = kinds();
      const options = ids === undefined ? {} : { kinds: ids };
      const page =
        ids?.length === 0
          ? await this.#skipAll()
          : await this.#page(() => store.changes(this.#position, busLimits.pageChanges, options));
      // A definition that another process wrote may be in the page before this process knows it.
      if (page === undefined || !(await isCurrent(page.through))) continue;
      for (const change of page.changes) {
        const events = await this.#input.eventsOf(change);
        this.#upTo.opened(change.revision, change.atMs, events.length);
        for (const event of events) this.#lanes.add(event);
        this.#upTo.readTo(change.revision);
        this.#pump();
      }
      this.#position = page.through;
      this.#upTo.readTo(page.through);
      state.head = page.revision;
      this.#note();
      if (this.#isFar()) this.#news.resolve();
      if (page.through >= page.revision) {
        state.head = await store.advancedBeyond(page.through, signal);
      }
    }
  }

  /** While no kind is wanted, the log is passed without reading it. */
  async #skipAll(): Promise<
    Pick<Awaited<ReturnType<Store["changes"]>>, "changes" | "through" | "revision">
  > {
    const { revision } = await this.#input.store.head();
    return { changes: [], through: revision, revision };
  }

  /** Undefined when the place was moved beyond history that does not exist. */
  async #page<P>(read: () => Promise<P>): Promise<P | undefined> {
    try {
      return await read();
    } catch (error) {
      const isCompacted = isSetpointError(error, "history.gone");
      if (!isCompacted && !isSetpointError(error, "revision.future")) throw error;
      await this.#jump();
      return undefined;
    }
  }

  /** History that was compacted, or that a restored backup does not have. */
  async #jump(): Promise<void> {
    const { store, state, log, meter, clock, exchange, source } = this.#input;
    const { revision, compacted } = await store.head();
    const isBehind = this.#position < compacted;
    const lost = isBehind
      ? { from: this.#position + 1, to: compacted }
      : { from: revision + 1, to: this.#position };
    const through = isBehind ? compacted : revision;
    state.lost = lost;
    meter.count(lostMetric);
    log.error(lost, "events lost: history is not available");
    this.#position = through;
    this.#upTo.readTo(through);
    const event = lostEvent({
      ...lost,
      revision: through,
      timeMs: clock.nowMs(),
      exchange,
      source,
    });
    this.#upTo.opened(through, clock.nowMs(), 1);
    this.#lanes.add(event);
    this.#pump();
  }

  #isFull(): boolean {
    const { maxBufferedEvents, maxBufferedBytes } = busLimits;
    return this.#lanes.events >= maxBufferedEvents || this.#lanes.bytes >= maxBufferedBytes;
  }

  #pump(): void {
    if (this.#isPumping) return;
    this.#isPumping = true;
    while (this.#unconfirmed < busLimits.maxUnconfirmed && !this.#ended.signal.aborted) {
      if (!this.#publisher.isWritable) {
        void this.#publisher.writable().then(() => this.#pump());
        break;
      }
      const event = this.#lanes.next();
      if (event === undefined) break;
      void this.#send(event);
    }
    this.#isPumping = false;
  }

  async #send(event: PendingEvent): Promise<void> {
    this.#unconfirmed += 1;
    const outcome = await this.#publisher.publish(event.message);
    this.#unconfirmed -= 1;
    this.#input.meter.count(eventsMetric, { outcome: outcome.kind });
    switch (outcome.kind) {
      case "confirmed":
        this.#confirm(event);
        break;
      case "returned":
      case "refused":
        this.#postpone(event, `${outcome.kind}: ${outcome.reason}`);
        break;
      case "lost":
        this.#input.state.link.reason ??= outcome.reason;
        this.#ended.abort();
        break;
      default:
        outcome satisfies never;
    }
    this.#pump();
  }

  #confirm(event: PendingEvent): void {
    this.#lanes.confirm(event);
    this.#upTo.confirmed(event.revision);
    this.#hasConfirmed = true;
    this.#note();
    if (!this.#isFull()) {
      this.#room.resolve();
      this.#room = Promise.withResolvers();
    }
    this.#news.resolve();
  }

  /** The events of the lane wait, and those of other lanes continue. */
  #postpone(event: PendingEvent, reason: string): void {
    const { timers, random, log, state } = this.#input;
    const failures = this.#lanes.block(event);
    state.waitingReason = reason;
    if (failures === 1) {
      log.warn({ event: event.message.messageId, lane: event.lane, reason }, "event not taken");
    }
    this.#note();
    const cancel = timers.after(pauseMs(failures, random.next()), () => {
      this.#cancels.delete(cancel);
      this.#lanes.unblock(event);
      this.#pump();
    });
    this.#cancels.add(cancel);
  }

  #note(): void {
    const { state } = this.#input;
    state.through = this.#upTo.revision;
    state.oldestMs = this.#upTo.oldestMs;
    state.waiting = this.#lanes.blocked;
  }

  async #save(signal: AbortSignal): Promise<void> {
    for (;;) {
      await abortable(this.#news.promise, signal);
      this.#news = Promise.withResolvers();
      const isSaved = await this.#saveOnce();
      const { savePauseMs, longestRetryMs } = busLimits;
      await this.#input.timers.sleep(isSaved ? savePauseMs : longestRetryMs / 10, signal);
    }
  }

  /**
   * Its own record is a change as well, so the place is not stored for each change that it passes:
   * only after events, or after many changes.
   */
  async #saveOnce(): Promise<boolean> {
    const { store, claim, log } = this.#input;
    const through = this.#upTo.revision;
    if (through <= this.#saved || !(this.#hasConfirmed || this.#isFar())) return true;
    try {
      this.#hasConfirmed = false;
      await writeCursor(store, claim, { through });
      this.#saved = through;
      return true;
    } catch (error) {
      if (isSetpointError(error, "claim.lost")) throw error;
      this.#hasConfirmed = true;
      log.warn({ error }, "place of the outbox not stored");
      this.#news.resolve();
      return false;
    }
  }

  #isFar(): boolean {
    return this.#upTo.revision - this.#saved >= busLimits.saveEveryRevisions;
  }
}

async function abortable(promise: Promise<void>, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(signal.reason as Error);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
