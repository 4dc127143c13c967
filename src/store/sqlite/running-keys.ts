/**
 * The keys of batches that the writer has received and not yet answered. For these keys the file
 * may be newer than the log in memory. A caller that has read the file, as a list does, must not
 * read an older state afterwards, so these keys are read from the file.
 */
import type { PreparedGroup } from "../prepare.ts";

export class RunningKeys {
  /** The number of running batches that contain a key. */
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
