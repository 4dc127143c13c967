// The rooms of all watch groups, by kind and namespace: a change reaches the rooms that it may
// concern, and no other room costs it anything.

import type { WatchRoom } from "./watch-room.ts";

interface OfKind {
  /** Of all namespaces, or of a kind without namespaces. */
  readonly everywhere: Set<WatchRoom>;
  readonly byNamespace: Map<string, Set<WatchRoom>>;
}

/** Has a life cycle, hence a class. */
export class RoomIndex {
  readonly #rooms = new Map<string, WatchRoom>();
  readonly #kinds = new Map<string, OfKind>();

  get(key: string): WatchRoom | undefined {
    return this.#rooms.get(key);
  }

  /** A copy, so that rooms can be removed meanwhile. */
  all(): readonly WatchRoom[] {
    return [...this.#rooms.values()];
  }

  add(key: string, room: WatchRoom): void {
    const { kind, namespace } = room.group;
    this.#rooms.set(key, room);
    const ofKind = this.#kinds.get(kind) ?? noRooms();
    this.#kinds.set(kind, ofKind);
    if (namespace === undefined) ofKind.everywhere.add(room);
    else {
      const inNamespace = ofKind.byNamespace.get(namespace) ?? new Set<WatchRoom>();
      ofKind.byNamespace.set(namespace, inNamespace.add(room));
    }
  }

  /** False: the room is not in the index, or its key belongs to a newer room. */
  remove(key: string, room: WatchRoom): boolean {
    if (this.#rooms.get(key) !== room) return false;
    this.#rooms.delete(key);
    const { kind, namespace = "" } = room.group;
    const ofKind = this.#kinds.get(kind);
    const inNamespace = ofKind?.byNamespace.get(namespace);
    inNamespace?.delete(room);
    if (inNamespace?.size === 0) ofKind?.byNamespace.delete(namespace);
    ofKind?.everywhere.delete(room);
    const isEmpty = ofKind?.everywhere.size === 0 && ofKind.byNamespace.size === 0;
    if (isEmpty) this.#kinds.delete(kind);
    return true;
  }

  hasKind(kind: string): boolean {
    return this.#kinds.has(kind);
  }

  everywhere(kind: string): ReadonlySet<WatchRoom> {
    return this.#kinds.get(kind)?.everywhere ?? none;
  }

  inNamespace(kind: string, namespace: string): ReadonlySet<WatchRoom> {
    return this.#kinds.get(kind)?.byNamespace.get(namespace) ?? none;
  }

  /** Namespaces of the kind that have rooms of their own. */
  hasNamespaces(kind: string): boolean {
    return (this.#kinds.get(kind)?.byNamespace.size ?? 0) > 0;
  }
}

function noRooms(): OfKind {
  return { everywhere: new Set(), byNamespace: new Map() };
}

const none: ReadonlySet<WatchRoom> = new Set();
