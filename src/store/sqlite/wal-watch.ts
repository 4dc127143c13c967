/**
 * Keeps the write-ahead log from growing without end. Every few megabytes the background thread is
 * asked to copy it into the file, which disturbs nobody. Under a writer that never pauses that
 * alone never reaches the end of the log, so above a cap the writer itself finishes the copying,
 * of which little is then left, and begins the log anew.
 */
import { statSync } from "node:fs";

export interface WalLimits {
  readonly wakeBytes: number;
  readonly capBytes: number;
}

export const walLimits: WalLimits = { wakeBytes: 4 * 1_048_576, capBytes: 64 * 1_048_576 };

/** Pages that a write touches beside those of its document: the indexes. */
const pagesPerWrite = 3;
const pageBytes = 4_096;

export class WalWatch {
  readonly #path: string;
  readonly #limits: WalLimits;
  #written = 0;
  #nextCap: number;

  constructor(path: string, limits: WalLimits) {
    this.#path = `${path}-wal`;
    this.#limits = limits;
    this.#nextCap = limits.capBytes;
  }

  /** What to do after a commit. */
  wrote(writes: number, bytes: number): "nothing" | "wake" | "finish" {
    this.#written += bytes + writes * pagesPerWrite * pageBytes;
    if (this.#written < this.#limits.wakeBytes) return "nothing";
    this.#written = 0;
    return this.size() >= this.#nextCap ? "finish" : "wake";
  }

  /** A reader of an old snapshot can keep the log from being emptied; then it may grow on. */
  finished(isEmptied: boolean): void {
    this.#nextCap = isEmptied ? this.#limits.capBytes : this.size() + this.#limits.capBytes / 4;
  }

  size(): number {
    return statSync(this.#path, { throwIfNoEntry: false })?.size ?? 0;
  }
}
