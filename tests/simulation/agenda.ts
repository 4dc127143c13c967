// Virtual time. Everything that happens in a simulated world is an event on its agenda; time jumps
// from one event to the next, and every promise that an event settled has run to its end before
// the next event begins. So a run depends on its seed alone, and hours pass in milliseconds.

interface Event {
  readonly atMs: number;
  readonly order: number;
  /** Undefined once it has been cancelled: taking it out of the middle of a heap costs more. */
  run: (() => void) | undefined;
}

export class Agenda {
  /** True time, by which nobody in the world lives: each process has a clock of its own. */
  nowMs = 0;
  /** Events carried out so far. */
  count = 0;
  readonly #heap: Event[] = [];
  #order = 0;
  #failure: Error | undefined;

  /** Calls `run` once after `ms`; the returned function cancels it. */
  after(ms: number, run: () => void): () => void {
    this.#order += 1;
    const event: Event = { atMs: this.nowMs + Math.max(0, ms), order: this.#order, run };
    push(this.#heap, event);
    return () => {
      event.run = undefined;
    };
  }

  /** How many events are still to come. */
  get pending(): number {
    return this.#heap.filter(({ run }) => run !== undefined).length;
  }

  /** Ends `advance` at the next event by throwing this: nothing after it would mean anything. */
  fail(reason: Error): void {
    this.#failure ??= reason;
  }

  async advance(ms: number): Promise<void> {
    const untilMs = this.nowMs + ms;
    const { promise, resolve, reject } = Promise.withResolvers<undefined>();
    const step = (): void => {
      try {
        if (this.#failure !== undefined) throw this.#failure;
        if (!this.#carryOutNext(untilMs)) {
          resolve(undefined);
          return;
        }
      } catch (error) {
        reject(error);
        return;
      }
      afterMicrotasks(step);
    };
    afterMicrotasks(step);
    await promise;
    this.nowMs = untilMs;
  }

  #carryOutNext(untilMs: number): boolean {
    for (let next = this.#heap[0]; next !== undefined; next = this.#heap[0]) {
      if (next.run !== undefined && next.atMs > untilMs) return false;
      pop(this.#heap);
      if (next.run === undefined) continue;
      this.nowMs = next.atMs;
      this.count += 1;
      next.run();
      return true;
    }
    return false;
  }
}

/**
 * Microtasks are all done before the next tick begins, and a tick that is asked for by one of them
 * comes after the rest of them. It is several times faster than waiting for an immediate.
 */
function afterMicrotasks(run: () => void): void {
  queueMicrotask(() => process.nextTick(run));
}

function isBefore(a: Event, b: Event): boolean {
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);
}

function push(heap: Event[], event: Event): void {
  let at = heap.length;
  heap.push(event);
  while (at > 0) {
    const above = (at - 1) >> 1;
    const parent = heap[above];
    if (parent === undefined || !isBefore(event, parent)) break;
    heap[at] = parent;
    at = above;
  }
  heap[at] = event;
}

function pop(heap: Event[]): void {
  const last = heap.pop();
  if (last === undefined || heap.length === 0) return;
  let at = 0;
  for (;;) {
    const left = 2 * at + 1;
    const [one, two] = [heap[left], heap[left + 1]];
    if (one === undefined) break;
    const isRight = two !== undefined && isBefore(two, one);
    const child = isRight ? two : one;
    if (!isBefore(child, last)) break;
    heap[at] = child;
    at = isRight ? left + 1 : left;
  }
  heap[at] = last;
}
