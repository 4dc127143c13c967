// What the server does about deletions besides the engine: the children of who is gone are deleted,
// a moment later and by nobody in particular. It also remembers what was deleted, and how, so that
// the outside can be compared with it.

import { annotations, finalizer } from "../../src/engine/names.ts";
import { decodeDocument } from "../../src/kernel/document.ts";
import { ownerUids } from "../../src/kernel/owners.ts";
import type { ResourceKey } from "../../src/kernel/resource.ts";
import type { Agenda } from "./agenda.ts";
import type { Dice } from "./dice.ts";
import { deletionOf } from "./people.ts";
import type { SharedStore } from "./shared-store.ts";
import { simKinds } from "./sim-kinds.ts";

export interface Gone {
  readonly key: ResourceKey;
  readonly uid: string;
  /** Whether the engine held it, so that what it had made was to be taken back. */
  readonly wasHeld: boolean;
}

export class Housekeeping {
  readonly gone: Gone[] = [];
  readonly #agenda: Agenda;
  readonly #shared: SharedStore;
  readonly #dice: Dice;
  #seen = 0;

  constructor(agenda: Agenda, shared: SharedStore, dice: Dice) {
    this.#agenda = agenda;
    this.#shared = shared;
    this.#dice = dice;
    shared.listen({ committed: (head) => this.#follow(head) });
  }

  #follow(head: number): void {
    const { log } = this.#shared.model.state;
    for (let revision = this.#seen + 1; revision <= head; revision += 1) {
      const entry = log.get(revision);
      if (entry?.type !== "deleted" || !(entry.key.kind in simKinds)) continue;
      const { annotations: annotated = {} } = decodeDocument(entry.body, revision).metadata;
      const isManaged = (annotated[annotations.policy] ?? "manage") === "manage";
      const wasHeld = isManaged && this.#hadFinalizer(entry.previous);
      this.gone.push({ key: entry.key, uid: entry.uid, wasHeld });
      this.#agenda.after(this.#dice.between(1, 3_000), () => void this.#collect(entry.uid));
    }
    this.#seen = head;
  }

  /** The last state that a deletion shows is without the finalizer that was let go with it. */
  #hadFinalizer(revision: number | undefined): boolean {
    const before = this.#shared.model.state.log.get(revision ?? 0);
    if (before === undefined) return false;
    const { finalizers = [] } = decodeDocument(before.body, before.revision).metadata;
    return finalizers.includes(finalizer);
  }

  async #collect(uid: string): Promise<void> {
    const children = [...this.#shared.model.state.live.values()].filter(({ key, entry }) => {
      if (!(key.kind in simKinds)) return false;
      return ownerUids(decodeDocument(entry.body, entry.revision)).includes(uid);
    });
    for (const { key, entry } of children) {
      const resource = decodeDocument(entry.body, entry.revision);
      if (resource.metadata.deletionTimestamp !== undefined) continue;
      await this.#shared.commit(undefined, [deletionOf(key, resource, this.#shared.nowMs())]);
    }
  }
}
