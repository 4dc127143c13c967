// One watch group with its watchers, and the batches of changes that they have not received yet. A
// room works in small steps (kernel/fair-turns.ts): it judges one change, or serves one watcher.
// So neither the number of changes nor that of watchers blocks the event loop. Batches are handled
// in order, and a frame that takes longer holds up its own room alone.

import type { Change } from "../../store/port.ts";
import type { FrameWaiter } from "./frame-waits.ts";
import type { Watcher, WatchGroup } from "./watch-hub.ts";

/** Changes that the hub hands to its rooms; all rooms share it. */
export interface Batch {
  /** Of one kind, and of one namespace where the room has one. */
  readonly changes: readonly Change[];
  /** The revision up to which the room knows everything after this batch. */
  readonly through: number;
  /** What it and the places in the queues hold in memory. */
  readonly bytes: number;
  /** The number of rooms that have not delivered it. */
  rooms: number;
}

/** A watcher with the revision from which on it receives changes. */
export interface Joined {
  readonly watcher: Watcher;
  readonly from: number;
}

export interface RoomPorts {
  /** The room has work. */
  readonly schedule: (room: WatchRoom) => void;
  /** The room waits for a frame. */
  readonly wait: (frame: Promise<Buffer>, room: WatchRoom) => void;
  /** The batch is no longer in the queue of the room. */
  readonly release: (batch: Batch, room: WatchRoom) => void;
}

/** How the watchers of a room are closed, when all of them are. */
type Closing = (watcher: Watcher) => void;

/** Has a life cycle, hence a class: open, closing. */
export class WatchRoom implements FrameWaiter {
  readonly group: WatchGroup;
  readonly joined = new Set<Joined>();
  /** One step; true while more can be done at once. */
  readonly step = (): boolean => this.#step();
  readonly #ports: RoomPorts;
  #queue: Batch[] = [];
  #through = 0;
  /** The next change of the first batch, and the frames of those before it. */
  #at = 0;
  #frames: Buffer[] = [];
  #awaited: Promise<Buffer> | undefined;
  /** The watchers that have not received the frames of the first batch. */
  #unserved: Iterator<Joined> | undefined;
  #closing: Closing | undefined;
  #unclosed: Iterator<Joined> | undefined;
  #endsAfterQueue = false;

  constructor(group: WatchGroup, ports: RoomPorts) {
    this.group = group;
    this.#ports = ports;
  }

  /** The oldest batch that a watcher of the room has not received. */
  get oldest(): Batch | undefined {
    return this.#queue[0];
  }

  /** The revision up to which all watchers have received everything, while a batch is queued. */
  get through(): number {
    return this.#through;
  }

  /** `position` is the end of the batch before, of this room or not. */
  push(batch: Batch, position: number): void {
    if (this.#queue.length === 0) this.#through = position;
    batch.rooms += 1;
    this.#queue.push(batch);
  }

  leave(entry: Joined): boolean {
    if (!this.joined.delete(entry)) return false;
    if (this.joined.size === 0) this.#clear();
    return true;
  }

  /** Drops what is queued and closes every watcher. */
  close(closing: Closing): void {
    this.#clear();
    this.#closing = closing;
    this.#ports.schedule(this);
  }

  /** Ends every watcher when it has received what is queued. */
  endAfterQueue(): void {
    this.#endsAfterQueue = true;
    this.#ports.schedule(this);
  }

  #step(): boolean {
    if (this.#closing !== undefined) return this.#closeOne(this.#closing);
    if (this.#awaited !== undefined) return false;
    const [batch] = this.#queue;
    if (batch === undefined) {
      if (this.#endsAfterQueue) this.close((watcher) => watcher.end());
      return this.#endsAfterQueue;
    }
    const change = batch.changes[this.#at];
    if (change !== undefined) return this.#judge(change);
    if (this.#frames.length > 0) {
      this.#unserved ??= this.joined.values();
      const next = this.#unserved.next();
      if (next.done !== true) return this.#serve(next.value, batch);
    }
    this.#finish(batch);
    return this.#queue.length > 0 || this.#endsAfterQueue;
  }

  /** Frames must come in the order of the changes, so one that takes longer is waited for. */
  #judge(change: Change): boolean {
    this.#at += 1;
    try {
      const event = this.group.select(change);
      if (event === undefined) return true;
      const frame = this.group.frame(event);
      if (!(frame instanceof Promise)) {
        this.#frames.push(frame);
        return true;
      }
      this.#awaited = frame;
      this.#ports.wait(frame, this);
      return false;
    } catch (error) {
      this.close((watcher) => watcher.fail(error));
      return true;
    }
  }

  receive(frame: Promise<Buffer>, bytes: Buffer): void {
    // Another batch may be the first by now, if this one was dropped.
    if (frame !== this.#awaited) return;
    this.#awaited = undefined;
    this.#frames.push(bytes);
    this.#ports.schedule(this);
  }

  refuse(frame: Promise<Buffer>, error: unknown): void {
    if (frame === this.#awaited) this.close((watcher) => watcher.fail(error));
  }

  #serve({ watcher, from }: Joined, { through }: Batch): boolean {
    if (through <= from) return true;
    try {
      watcher.deliver(this.#frames);
    } catch (error) {
      watcher.fail(error);
    }
    return true;
  }

  #finish(batch: Batch): void {
    this.#queue.shift();
    this.#begin();
    this.#through = batch.through;
    this.#ports.release(batch, this);
  }

  #closeOne(closing: Closing): boolean {
    this.#unclosed ??= this.joined.values();
    const next = this.#unclosed.next();
    if (next.done === true) return false;
    closing(next.value.watcher);
    return true;
  }

  #clear(): void {
    const queue = this.#queue;
    this.#queue = [];
    this.#begin();
    for (const batch of queue) this.#ports.release(batch, this);
  }

  #begin(): void {
    this.#at = 0;
    this.#frames = [];
    this.#awaited = undefined;
    this.#unserved = undefined;
  }
}
