// Values that were computed from a stored state, by its revision: no two states have the same
// revision, so a value never becomes stale. Bounded in bytes; the oldest is dropped first.

export class RevisionCache<T> {
  readonly #maxBytes: number;
  readonly #kept = new Map<number, { readonly value: T; readonly bytes: number }>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get(revision: number): T | undefined {
    return this.#kept.get(revision)?.value;
  }

  /** A value of more than a tenth of the cache is not kept. */
  set(revision: number, value: T, bytes: number): void {
    if (bytes > this.#maxBytes / 10) return;
    this.#drop(revision);
    this.#kept.set(revision, { value, bytes });
    this.#bytes += bytes;
    for (const oldest of this.#kept.keys()) {
      if (this.#bytes <= this.#maxBytes) break;
      this.#drop(oldest);
    }
  }

  #drop(revision: number): void {
    this.#bytes -= this.#kept.get(revision)?.bytes ?? 0;
    this.#kept.delete(revision);
  }
}
