// Rooms that wait for a frame that takes time. Thousands of rooms can wait for the same frame. They
// continue in steps, in the turns of their tenant, and not all at once when the frame is made.

import type { FairTurns } from "../../kernel/fair-turns.ts";

export interface FrameWaiter {
  /** The frame that the waiter asked for. */
  receive(frame: Promise<Buffer>, bytes: Buffer): void;
  /** The frame could not be made. */
  refuse(frame: Promise<Buffer>, error: unknown): void;
}

/** Has a life cycle, hence a class. */
export class FrameWaits {
  readonly #turns: FairTurns;
  /** By frame and tenant. */
  readonly #waiters = new Map<Promise<Buffer>, Map<string, Set<FrameWaiter>>>();

  constructor(turns: FairTurns) {
    this.#turns = turns;
  }

  add(frame: Promise<Buffer>, tenant: string, waiter: FrameWaiter): void {
    const known = this.#waiters.get(frame);
    const byTenant = known ?? new Map<string, Set<FrameWaiter>>();
    const waiters = byTenant.get(tenant) ?? new Set();
    byTenant.set(tenant, waiters.add(waiter));
    if (known !== undefined) return;
    this.#waiters.set(frame, byTenant);
    void this.#settled(frame);
  }

  async #settled(frame: Promise<Buffer>): Promise<void> {
    try {
      const bytes = await frame;
      this.#wake(frame, (waiter) => waiter.receive(frame, bytes));
    } catch (error) {
      this.#wake(frame, (waiter) => waiter.refuse(frame, error));
    }
  }

  #wake(frame: Promise<Buffer>, wake: (waiter: FrameWaiter) => void): void {
    const byTenant = this.#waiters.get(frame) ?? new Map<string, Set<FrameWaiter>>();
    this.#waiters.delete(frame);
    for (const [tenant, waiters] of byTenant) {
      const left = waiters.values();
      this.#turns.add(tenant, () => {
        const next = left.next();
        if (next.done !== true) wake(next.value);
        return next.done !== true;
      });
    }
  }
}
