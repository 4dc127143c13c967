// What was known a moment ago, by a text. Bounded: the newest are kept, and what is asked for stays
// with them. It is kept in two halves of which the older one goes as a whole, so that nothing is
// kept account of for each.

export class RecentMap<T> {
  readonly #most: number;
  #newer = new Map<string, T>();
  #older = new Map<string, T>();

  constructor(most: number) {
    this.#most = most;
  }

  get(key: string): T | undefined {
    const newer = this.#newer.get(key);
    if (newer !== undefined) return newer;
    const older = this.#older.get(key);
    if (older !== undefined) this.set(key, older);
    return older;
  }

  delete(key: string): void {
    this.#newer.delete(key);
    this.#older.delete(key);
  }

  set(key: string, value: T): void {
    if (this.#newer.size >= this.#most / 2) {
      this.#older = this.#newer;
      this.#newer = new Map();
    }
    this.#newer.set(key, value);
  }
}
