/**
 * Forgets what was replaced. The mark moves first, in a commit of its own: from then on nobody can
 * ask for what is below it. Then the log is walked from the old mark to the new one in slices; for
 * each change the one it replaced is removed, and deletions are removed themselves. How far the
 * walk came is committed with each slice, so after a crash it goes on from there.
 */
import { performance } from "node:perf_hooks";
import type { DatabaseSync } from "node:sqlite";
import { limits } from "../../kernel/limits.ts";
import { action, rows } from "./sql.ts";

export interface Slice {
  readonly removed: number;
  readonly isDone: boolean;
}

/** How long a slice may hold the writer. */
const sliceGoalMs = 4;
const smallestSlice = 16;

function statements(db: DatabaseSync) {
  return {
    head: rows<[compacted: number, compacting: number]>(
      db,
      "SELECT compacted, compacting FROM head",
    ),
    mark: action(db, "UPDATE head SET compacted = ? WHERE id = 1"),
    progress: action(db, "UPDATE head SET compacting = ? WHERE id = 1"),
    nth: rows<[number]>(
      db,
      "SELECT revision FROM change WHERE revision > ? ORDER BY revision LIMIT 1 OFFSET ?",
    ),
    removeReplaced: action(
      db,
      `DELETE FROM change WHERE revision IN (
         SELECT previous FROM change
         WHERE revision > ? AND revision <= ? AND previous IS NOT NULL)`,
    ),
    removeDeletions: action(
      db,
      "DELETE FROM change WHERE revision > ? AND revision <= ? AND type = 'deleted'",
    ),
    oldestHeld: rows<[id: number, after: number]>(
      db,
      "SELECT id, after FROM held ORDER BY id LIMIT ?",
    ),
    removeHeld: action(db, "DELETE FROM held WHERE id <= ?"),
    heldUpTo: action(db, "UPDATE head SET held = max(held, ?) WHERE id = 1"),
  };
}

export class Compaction {
  readonly #sql: ReturnType<typeof statements>;
  #items = 256;

  constructor(db: DatabaseSync) {
    this.#sql = statements(db);
  }

  mark(upTo: number): number {
    const [compacted = 0] = this.#sql.head.get() ?? [];
    if (upTo <= compacted) return compacted;
    this.#sql.mark.run(upTo);
    return upTo;
  }

  slice(): Slice {
    const [compacted = 0, compacting = 0] = this.#sql.head.get() ?? [];
    const isTrimmed = this.#trimHeld(compacted);
    if (compacting >= compacted) return { removed: 0, isDone: isTrimmed };
    // By changes and not by numbers: a promotion may have left a gap of a billion.
    const [nth = compacted] = this.#sql.nth.get(compacting, this.#items - 1) ?? [];
    const to = Math.min(compacted, nth);
    // The replaced changes are collected before the first is removed, so a chain inside the slice
    // goes as a whole.
    const replaced = this.#sql.removeReplaced.run(compacting, to);
    const deletions = this.#sql.removeDeletions.run(compacting, to);
    this.#sql.progress.run(to);
    return {
      removed: Number(replaced.changes) + Number(deletions.changes),
      isDone: to >= compacted && isTrimmed,
    };
  }

  /** Who follows from the mark on has what was held before it. */
  #trimHeld(compacted: number): boolean {
    const oldest = this.#sql.oldestHeld.all(this.#items);
    const last = oldest.findLast(([, after]) => after < compacted)?.[0];
    if (last === undefined) return true;
    this.#sql.removeHeld.run(last);
    this.#sql.heldUpTo.run(last);
    return last !== oldest.at(-1)?.[0];
  }

  /** Sizes the next slice by the time of this one with its commit, which is the larger part. */
  timed<T>(slice: () => T): T {
    const start = performance.now();
    const result = slice();
    this.#adapt(performance.now() - start);
    return result;
  }

  #adapt(tookMs: number): void {
    if (tookMs > sliceGoalMs) this.#items = Math.max(smallestSlice, this.#items >> 1);
    else if (tookMs * 2 < sliceGoalMs) {
      this.#items = Math.min(limits.compactionBatchItems, this.#items * 2);
    }
  }
}
