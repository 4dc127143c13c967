// Delivers changes to watchers. Watchers of one tenant that want the same changes in the same form
// are one group: a change is judged and encoded once for all of them. Groups work in turns between
// tenants (kernel/fair-turns.ts), so the watches of one tenant do not delay those of another. A
// watcher joins at the position of the hub and receives every batch after it, exactly once.
//
// What waits for its turn is bounded: beyond the bound, the groups that are furthest behind are
// dropped. Their clients resume from the last revision that they have received.

import type { FairTurns } from "../../kernel/fair-turns.ts";
import { limits } from "../../kernel/limits.ts";
import type { Change } from "../../store/port.ts";
import { namespacesKind } from "../write/namespace.ts";
import type { ChangeFeed } from "./change-feed.ts";
import { FrameCache } from "./frame-cache.ts";
import { FrameWaits } from "./frame-waits.ts";
import { RoomIndex } from "./room-index.ts";
import { WatchRoom } from "./watch-room.ts";
import type { Batch, Joined } from "./watch-room.ts";

export interface WatchEvent {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly change: Change;
  /** It is still there but no longer selected: shown as it was before, at the new revision. */
  readonly isLeaving: boolean;
}

export interface WatchGroup {
  /** Equal exactly when selection and form are equal. */
  readonly key: string;
  /** Whose turns it uses. */
  readonly tenant: string;
  /** The store's name of the kind. */
  readonly kind: string;
  /** Undefined: all namespaces, or a kind without namespaces. */
  readonly namespace: string | undefined;
  select(change: Change): WatchEvent | undefined;
  frame(event: WatchEvent): Buffer | Promise<Buffer>;
}

export interface Watcher {
  /** The frames of a batch, at least one; other watchers get the same buffers. */
  deliver(frames: readonly Buffer[]): void;
  /** The group cannot continue, for example because a conversion failed. */
  fail(error: unknown): void;
  /** The kind or the namespace has changed: the client must begin again. */
  end(): void;
  /** Too much waits to be delivered: the client must resume from what it has received. */
  drop(): void;
}

/** The part that a watcher has in the hub. */
export interface Membership {
  /** The watcher receives everything after this revision. */
  readonly from: number;
  /** The revision up to which everything was delivered. */
  through(): number;
  leave(): void;
}

export interface WatchHub {
  join(group: WatchGroup, watcher: Watcher): Membership;
  readonly watchers: number;
  /** The frames that all groups share. */
  readonly frames: FrameCache;
  /** Bytes of changes that wait to be delivered. */
  readonly queuedBytes: number;
  /** Ends all watches of a kind, because it is shown differently from now on or not at all. */
  endKind(kind: string): void;
  /** The revision up to which changes have reached the groups. */
  readonly position: number;
  /** Resolves once the position is at least this; ask only for a revision in the log. */
  reached(revision: number): Promise<void>;
}

export interface WatchHubInput {
  readonly feed: ChangeFeed;
  readonly turns: FairTurns;
  /** For tests. */
  readonly maxQueuedBytes?: number;
}

export function watchHub(input: WatchHubInput): WatchHub {
  return new Hub(input);
}

/** What a change holds besides its document. */
const changeBytes = 512;
/** A place in the queue of a room. */
const placeBytes = 8;

class Hub implements WatchHub {
  readonly #feed: ChangeFeed;
  readonly #turns: FairTurns;
  readonly #maxQueuedBytes: number;
  readonly frames = new FrameCache();
  readonly #waits: FrameWaits;
  readonly #rooms = new RoomIndex();
  /** Batches that some room has not delivered, the oldest first. */
  readonly #queued = new Set<Batch>();
  /** Rooms that have not delivered all of their batches. */
  readonly #busy = new Set<WatchRoom>();
  #queuedBytes = 0;
  #watchers = 0;

  constructor({ feed, turns, maxQueuedBytes = limits.maxWatchQueueBytes }: WatchHubInput) {
    this.#feed = feed;
    this.#turns = turns;
    this.#waits = new FrameWaits(turns);
    this.#maxQueuedBytes = maxQueuedBytes;
    feed.subscribe((changes, through) => this.#receive(changes, through));
  }

  get watchers(): number {
    return this.#watchers;
  }

  get queuedBytes(): number {
    return this.#queuedBytes;
  }

  get position(): number {
    return this.#feed.position;
  }

  reached(revision: number): Promise<void> {
    return this.#feed.reached(revision);
  }

  join(group: WatchGroup, watcher: Watcher): Membership {
    const key = keyOf(group);
    const room = this.#rooms.get(key) ?? this.#open(key, group);
    const { position: from } = this.#feed;
    const entry: Joined = { watcher, from };
    room.joined.add(entry);
    this.#watchers += 1;
    return {
      from,
      through: () => Math.max(from, room.oldest === undefined ? this.#feed.position : room.through),
      leave: () => this.#leave(room, entry),
    };
  }

  endKind(kind: string): void {
    for (const room of this.#rooms.all()) {
      if (room.group.kind !== kind) continue;
      this.#rooms.remove(keyOf(room.group), room);
      room.close((watcher) => watcher.end());
    }
  }

  #open(key: string, group: WatchGroup): WatchRoom {
    const room = new WatchRoom(group, {
      schedule: (each) => this.#turns.add(each.group.tenant, each.step),
      wait: (frame, each) => this.#waits.add(frame, each.group.tenant, each),
      release: (batch, each) => this.#release(batch, each),
    });
    this.#rooms.add(key, room);
    return room;
  }

  #leave(room: WatchRoom, entry: Joined): void {
    if (!room.leave(entry)) return;
    this.#watchers -= 1;
    if (room.joined.size === 0) this.#rooms.remove(keyOf(room.group), room);
  }

  #receive(changes: readonly Change[], through: number): void {
    for (const [kind, ofKind] of Map.groupBy(changes, ({ key }) => key.kind)) {
      if (!this.#rooms.hasKind(kind)) continue;
      this.#hand(this.#rooms.everywhere(kind), ofKind, through);
      if (!this.#rooms.hasNamespaces(kind)) continue;
      for (const [namespace, inIt] of Map.groupBy(ofKind, ({ key }) => key.namespace)) {
        this.#hand(this.#rooms.inNamespace(kind, namespace), inIt, through);
      }
    }
    for (const { key, type } of changes) {
      if (key.kind === namespacesKind && type === "deleted") this.#endNamespace(key.name);
    }
    if (this.#queuedBytes > this.#maxQueuedBytes) this.#dropLate();
  }

  #hand(rooms: ReadonlySet<WatchRoom>, changes: readonly Change[], through: number): void {
    if (rooms.size === 0) return;
    const documents = changes.reduce((sum, { body }) => sum + body.length + changeBytes, 0);
    const bytes = documents + rooms.size * placeBytes;
    const batch: Batch = { changes, through, bytes, rooms: 0 };
    this.#queued.add(batch);
    this.#queuedBytes += bytes;
    // All have it before the first step: a step may close a room, which changes the set.
    const all = [...rooms];
    for (const room of all) {
      room.push(batch, this.#feed.position);
      this.#busy.add(room);
    }
    for (const room of all) this.#turns.add(room.group.tenant, room.step);
  }

  #release(batch: Batch, room: WatchRoom): void {
    if (room.oldest === undefined) this.#busy.delete(room);
    batch.rooms -= 1;
    if (batch.rooms > 0 || !this.#queued.delete(batch)) return;
    this.#queuedBytes -= batch.bytes;
  }

  /** The next namespace of this name may belong to another tenant. */
  #endNamespace(name: string): void {
    for (const room of this.#rooms.all()) {
      if (room.group.namespace !== name) continue;
      this.#rooms.remove(keyOf(room.group), room);
      room.endAfterQueue();
    }
  }

  /** Down to half of the bound, so that this is rare. */
  #dropLate(): void {
    const age = ({ oldest }: WatchRoom): number => oldest?.through ?? Number.POSITIVE_INFINITY;
    for (const room of [...this.#busy].sort((one, other) => age(one) - age(other))) {
      if (this.#queuedBytes <= this.#maxQueuedBytes / 2) return;
      this.#rooms.remove(keyOf(room.group), room);
      room.close((watcher) => watcher.drop());
    }
  }
}

function keyOf({ tenant, key }: WatchGroup): string {
  return `${tenant}\n${key}`;
}
