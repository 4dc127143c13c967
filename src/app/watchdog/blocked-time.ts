// How long a thread has been blocked, from the number of its beats. The time is added up in steps
// of the observer, and one step counts for at most twice its planned length: when the machine was
// suspended, or the observer itself did not run, that time says nothing about the thread.

export class BlockedTime {
  readonly #stepMs: number;
  #beats: number | undefined;
  #blockedMs = 0;

  constructor(stepMs: number) {
    this.#stepMs = stepMs;
  }

  /** The time since the last beat, after a look that came `elapsedMs` after the one before. */
  look(beats: number, elapsedMs: number): number {
    if (beats === this.#beats) this.#blockedMs += Math.min(elapsedMs, this.#stepMs * 2);
    else this.#blockedMs = 0;
    this.#beats = beats;
    return this.#blockedMs;
  }
}
