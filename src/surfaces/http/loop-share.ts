// The event loop is shared, too: reading a page of a list blocks it for a millisecond or more. When
// many lists are in progress, their pages must not follow each other without a pause. In one turn
// of the loop, pages are read up to a number of bytes; the next ones wait for a later turn, while
// other requests are handled. Tenants that wait take turns.

export interface LoopShareOptions {
  /** Bytes of pages in one turn of the event loop. */
  readonly bytesPerTurn: number;
  /** Runs the function in a later turn of the event loop. */
  readonly later: (run: () => void) => void;
}

/** The turns of one request. */
export interface PageTurns {
  readonly tenant: string;
  /** Waits for a turn of the event loop in which a page can be read. Undefined: this one. */
  pageTurn(): Promise<void> | undefined;
  pageRead(bytes: number): void;
}

/** Has a life cycle, hence a class. */
export class LoopShare {
  readonly #options: LoopShareOptions;
  readonly #waiting = new Map<string, (() => void)[]>();
  #spent = 0;
  #isPlanned = false;

  constructor(options: LoopShareOptions) {
    this.#options = options;
  }

  turnsOf(tenant: string): PageTurns {
    return {
      tenant,
      pageTurn: () => this.enter(tenant),
      pageRead: (bytes) => this.spend(bytes),
    };
  }

  /** Undefined means that the page can be read in this turn. */
  enter(tenant: string): Promise<void> | undefined {
    if (this.#waiting.size === 0 && this.#spent < this.#options.bytesPerTurn) return undefined;
    const { promise, resolve } = Promise.withResolvers<void>();
    const queue = this.#waiting.get(tenant);
    if (queue === undefined) this.#waiting.set(tenant, [resolve]);
    else queue.push(resolve);
    this.#plan();
    return promise;
  }

  /** A page of this many bytes was read. */
  spend(bytes: number): void {
    this.#spent += bytes;
    this.#plan();
  }

  #plan(): void {
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    this.#options.later(() => this.#turn());
  }

  /** One page in each turn while some wait: its bytes are known only afterwards. */
  #turn(): void {
    this.#isPlanned = false;
    this.#spent = 0;
    const [next] = this.#waiting;
    if (next === undefined) return;
    const [tenant, queue] = next;
    this.#waiting.delete(tenant);
    const admit = queue.shift();
    if (queue.length > 0) this.#waiting.set(tenant, queue);
    this.#plan();
    admit?.();
  }
}
