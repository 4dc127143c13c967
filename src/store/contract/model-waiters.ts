/** Those who wait for a number that only grows to pass a value. */
interface Waiter {
  readonly seen: number;
  readonly resolve: (value: number) => void;
  readonly reject: (reason: Error) => void;
}

export class Waiters {
  readonly #waiting = new Set<Waiter>();

  async beyond(seen: number, value: number, signal?: AbortSignal): Promise<number> {
    signal?.throwIfAborted();
    if (value > seen) return value;
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    const waiter: Waiter = { seen, resolve, reject };
    const abort = (): void => reject(signal?.reason as Error);
    this.#waiting.add(waiter);
    signal?.addEventListener("abort", abort, { once: true });
    try {
      return await promise;
    } finally {
      this.#waiting.delete(waiter);
      signal?.removeEventListener("abort", abort);
    }
  }

  wake(value: number): void {
    for (const waiter of this.#waiting) if (value > waiter.seen) waiter.resolve(value);
  }

  fail(reason: Error): void {
    for (const waiter of this.#waiting) waiter.reject(reason);
  }
}
