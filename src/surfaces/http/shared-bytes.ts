// Memory that several answers of a tenant wait with, such as the frame of a large change that a
// thousand watches receive. It is charged to the tenant once, for as long as one of them holds it.

import { assert } from "../../kernel/assert.ts";
import type { FairLane } from "./fair-lane.ts";

/** Has a life cycle, hence a class. */
export class SharedBytes {
  readonly #memory: FairLane;
  /** The number of holders, by tenant and memory. */
  readonly #holders = new Map<string, Map<Buffer, number>>();

  constructor(memory: FairLane) {
    this.#memory = memory;
  }

  /** False when the tenant holds more than it may. */
  hold(tenant: string, memory: Buffer): boolean {
    const holders = this.#holders.get(tenant) ?? new Map<Buffer, number>();
    this.#holders.set(tenant, holders);
    const before = holders.get(memory) ?? 0;
    holders.set(memory, before + 1);
    return before > 0 || this.#memory.add(tenant, memory.length);
  }

  drop(tenant: string, memory: Buffer): void {
    const holders = this.#holders.get(tenant);
    const before = holders?.get(memory);
    assert(holders !== undefined && before !== undefined, "only memory that is held is dropped");
    if (before > 1) {
      holders.set(memory, before - 1);
      return;
    }
    holders.delete(memory);
    if (holders.size === 0) this.#holders.delete(tenant);
    this.#memory.leave(tenant, memory.length);
  }
}
