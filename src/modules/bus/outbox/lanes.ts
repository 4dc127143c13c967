// Events that are read and not confirmed, in lanes. Events of one environment share a lane, and a
// lane has at most one event on its way: so its order holds even when the broker refuses an event.
// Events of different lanes are on their way together.

import type { OutgoingMessage } from "../../../adapters/amqp/port.ts";

export interface PendingEvent {
  readonly lane: string;
  readonly revision: number;
  readonly message: OutgoingMessage;
}

interface Lane {
  readonly events: PendingEvent[];
  failures: number;
}

export class Lanes {
  readonly #lanes = new Map<string, Lane>();
  #ready: string[] = [];
  #readyFirst = 0;
  #events = 0;
  #bytes = 0;
  readonly #blocked = new Set<string>();

  get events(): number {
    return this.#events;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Lanes whose first event was returned or refused. */
  get blocked(): number {
    return this.#blocked.size;
  }

  add(event: PendingEvent): void {
    this.#events += 1;
    this.#bytes += event.message.body.length;
    const lane = this.#lanes.get(event.lane);
    if (lane !== undefined) {
      lane.events.push(event);
      return;
    }
    this.#lanes.set(event.lane, { events: [event], failures: 0 });
    this.#ready.push(event.lane);
  }

  /** The first event of a lane that has none on its way. Call `confirm` or `block` for it. */
  next(): PendingEvent | undefined {
    const name = this.#ready[this.#readyFirst];
    if (name === undefined) return undefined;
    this.#readyFirst += 1;
    if (this.#readyFirst > 1_024) {
      this.#ready = this.#ready.slice(this.#readyFirst);
      this.#readyFirst = 0;
    }
    return this.#lanes.get(name)?.events[0];
  }

  confirm({ lane: name, message }: PendingEvent): void {
    const lane = this.#lanes.get(name);
    if (lane === undefined) return;
    lane.events.shift();
    lane.failures = 0;
    this.#blocked.delete(name);
    this.#events -= 1;
    this.#bytes -= message.body.length;
    if (lane.events.length === 0) this.#lanes.delete(name);
    else this.#ready.push(name);
  }

  /** Returns how often the event has failed. The lane waits until `unblock`. */
  block({ lane: name }: PendingEvent): number {
    const lane = this.#lanes.get(name);
    if (lane === undefined) return 0;
    lane.failures += 1;
    this.#blocked.add(name);
    return lane.failures;
  }

  unblock({ lane }: PendingEvent): void {
    this.#ready.push(lane);
  }
}

/** Up to which revision all events are confirmed, whatever the order of the confirms. */
export class ConfirmedUpTo {
  readonly #open: { readonly revision: number; readonly atMs: number; left: number }[] = [];
  readonly #byRevision = new Map<number, { left: number }>();
  #read: number;

  constructor(read: number) {
    this.#read = read;
  }

  /** Before its events are sent. */
  opened(revision: number, atMs: number, events: number): void {
    if (events === 0) return;
    const entry = { revision, atMs, left: events };
    this.#open.push(entry);
    this.#byRevision.set(revision, entry);
  }

  /** The log was read up to here. */
  readTo(revision: number): void {
    this.#read = Math.max(this.#read, revision);
  }

  confirmed(revision: number): void {
    const entry = this.#byRevision.get(revision);
    if (entry === undefined) return;
    entry.left -= 1;
    if (entry.left > 0) return;
    this.#byRevision.delete(revision);
    while (this.#open[0]?.left === 0) this.#open.shift();
  }

  get revision(): number {
    const [oldest] = this.#open;
    return oldest === undefined ? this.#read : oldest.revision - 1;
  }

  /** When the oldest change without all confirms was made. */
  get oldestMs(): number | undefined {
    return this.#open[0]?.atMs;
  }
}
