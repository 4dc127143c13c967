/**
 * The keys of batches that the writer has and that are not answered yet. For these the file may
 * already be ahead of the log in memory, and whoever read the file (a list does) must not read
 * something older afterwards: so a key that is under way is read from the file.
 */
import type { PreparedGroup } from "../prepare.ts";

export class UnderWay {
  /** In how many batches a key is. */
  readonly #batches = new Map<string, number>();

  has(id: string): boolean {
    return this.#batches.has(id);
  }

  begin(groups: readonly PreparedGroup[]): void {
    for (const { writes } of groups) {
      for (const { id } of writes) this.#batches.set(id, (this.#batches.get(id) ?? 0) + 1);
    }
  }

  end(groups: readonly PreparedGroup[]): void {
    for (const { writes } of groups) {
      for (const { id } of writes) {
        const others = (this.#batches.get(id) ?? 1) - 1;
        if (others === 0) this.#batches.delete(id);
        else this.#batches.set(id, others);
      }
    }
  }
}
