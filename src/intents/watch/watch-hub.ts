// Delivers changes to those who watch. Watchers that want the same thing in the same form are one
// group: what a batch of changes looks like to them is made once, and the same bytes go to each.
// A watcher that starts in the past first reads the log up to where its group is; nothing is
// missed and nothing comes twice, because batches are told apart by the revision they end at.

import type { Change } from "../../store/port.ts";
import { namespacesKind } from "../write/namespace.ts";
import type { ChangeFeed } from "./change-feed.ts";

export interface WatchEvent {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly change: Change;
  /** It is still there but no longer selected: shown as it was before, at the new revision. */
  readonly isLeaving: boolean;
}

export interface WatchGroup {
  /** Equal exactly when selection and form are equal. */
  readonly key: string;
  /** The store's name of the kind. */
  readonly kind: string;
  /** Undefined: all namespaces, or a kind without namespaces. */
  readonly namespace: string | undefined;
  select(change: Change): WatchEvent | undefined;
  encode(events: readonly WatchEvent[]): Buffer | Promise<Buffer>;
}

export interface Watcher {
  /** Bytes are empty when nothing of the batch concerns the watcher. */
  deliver(bytes: Buffer, through: number): void;
  /** The group cannot go on, for example because a conversion failed. */
  fail(error: unknown): void;
  /** What is watched has changed its nature: the client is to begin again. */
  end(): void;
}

export interface WatchHub {
  /** Tells of everything after the returned revision. */
  join(group: WatchGroup, watcher: Watcher): { readonly position: number; leave(): void };
  readonly watchers: number;
  /** Ends all watches of a kind, because it is shown differently from now on or not at all. */
  endKind(kind: string): void;
  /** The revision up to which everybody has been told. */
  readonly position: number;
  /** Resolves once the position is at least this; ask only for what is in the log. */
  reached(revision: number): Promise<void>;
}

interface Joined {
  readonly watcher: Watcher;
  readonly from: number;
}

interface Room {
  readonly group: WatchGroup;
  readonly joined: Set<Joined>;
  /** The batch that is being encoded, when that takes longer than a moment. */
  tail: Promise<void> | undefined;
}

const nothing = Buffer.alloc(0);

export function watchHub(feed: ChangeFeed): WatchHub {
  const rooms = new Map<string, Room>();
  const byKind = new Map<string, Set<Room>>();
  let watchers = 0;

  feed.subscribe((changes, through) => {
    const ofKind = changes.length === 1 ? undefined : Map.groupBy(changes, ({ key }) => key.kind);
    for (const [kind, inKind] of byKind) {
      const [only] = changes;
      const own =
        ofKind === undefined ? (only?.key.kind === kind ? changes : []) : ofKind.get(kind);
      for (const room of inKind) tell(room, own ?? [], through);
    }
    for (const { key, type } of changes) {
      if (key.kind === namespacesKind && type === "deleted") endNamespace(key.name);
    }
  });

  /** The next namespace of this name may belong to another tenant. */
  const endNamespace = (name: string): void => {
    for (const room of rooms.values()) {
      if (room.group.namespace !== name) continue;
      const end = (): void => {
        for (const { watcher } of room.joined) watcher.end();
      };
      if (room.tail === undefined) end();
      else void room.tail.then(end);
    }
  };

  const leave = (room: Room, entry: Joined): void => {
    if (!room.joined.delete(entry)) return;
    watchers -= 1;
    if (room.joined.size > 0) return;
    rooms.delete(room.group.key);
    const inKind = byKind.get(room.group.kind);
    inKind?.delete(room);
    if (inKind?.size === 0) byKind.delete(room.group.kind);
  };

  return {
    join: (group, watcher) => {
      let room = rooms.get(group.key);
      if (room === undefined) {
        room = { group, joined: new Set(), tail: undefined };
        rooms.set(group.key, room);
        const inKind = byKind.get(group.kind) ?? new Set();
        byKind.set(group.kind, inKind.add(room));
      }
      const entry = { watcher, from: feed.position };
      const home = room;
      home.joined.add(entry);
      watchers += 1;
      return { position: entry.from, leave: () => leave(home, entry) };
    },
    endKind: (kind) => {
      // Whoever ends leaves; a set may be changed while it is walked.
      for (const { joined } of byKind.get(kind) ?? []) {
        for (const { watcher } of joined) watcher.end();
      }
    },
    get watchers() {
      return watchers;
    },
    get position() {
      return feed.position;
    },
    reached: (revision) => feed.reached(revision),
  };
}

function tell(room: Room, changes: readonly Change[], through: number): void {
  const events = changes.flatMap((change) => room.group.select(change) ?? []);
  const encode = (): Buffer | Promise<Buffer> =>
    events.length === 0 ? nothing : room.group.encode(events);
  if (room.tail !== undefined) {
    enqueue(room, room.tail.then(encode), through);
    return;
  }
  const bytes = encode();
  if (bytes instanceof Promise) enqueue(room, bytes, through);
  else deliver(room, bytes, through);
}

function enqueue(room: Room, bytes: Promise<Buffer>, through: number): void {
  const tail = deliverLater(room, bytes, through).finally(() => {
    if (room.tail === tail) room.tail = undefined;
  });
  room.tail = tail;
}

async function deliverLater(room: Room, bytes: Promise<Buffer>, through: number): Promise<void> {
  try {
    deliver(room, await bytes, through);
  } catch (error) {
    for (const { watcher } of room.joined) watcher.fail(error);
  }
}

function deliver(room: Room, bytes: Buffer, through: number): void {
  for (const { watcher, from } of room.joined) {
    if (through > from) watcher.deliver(bytes, through);
  }
}
