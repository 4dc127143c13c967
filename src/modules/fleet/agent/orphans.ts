// Which instances of a data plane are orphans: they have the labels of the agent, and the control
// plane does not list them. Pure but for what it remembers between two lists.

/** Up to so many orphans are removed at once, or a tenth of all that exists. */
const alwaysRemoved = 5;
const removedShare = 0.1;

export class Orphans {
  #suspected: ReadonlySet<string> = new Set();
  readonly #confirmed = new Set<string>();

  /** To be removed: two lists in a row were without them. */
  get confirmed(): ReadonlySet<string> {
    return this.#confirmed;
  }

  /** After each complete list. Returns how many orphans are kept because they are too many. */
  listed(existing: readonly string[], desired: { has(id: string): boolean }): number {
    const orphans = existing.filter((id) => !desired.has(id));
    const twice = orphans.filter((id) => this.#suspected.has(id));
    this.#suspected = new Set(orphans);
    this.#confirmed.clear();
    if (twice.length > Math.max(alwaysRemoved, existing.length * removedShare)) return twice.length;
    for (const id of twice) this.#confirmed.add(id);
    return 0;
  }

  removed(id: string): void {
    this.#confirmed.delete(id);
  }
}
