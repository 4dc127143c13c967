// Shares a bounded amount between tenants: requests in progress, watches, bodies in transit, or
// bytes of memory. A tenant may hold at most a multiple of what is free at that moment (its share,
// see docs/decisions/0017-admission-by-cost.md). So the more tenants hold, the less each of them
// may hold, and something is always free for a tenant that holds nothing: one tenant, or any
// number of them, can slow down only themselves. What does not fit waits in the queue of its
// tenant, and tenants take turns. Queues and waits are bounded; beyond a bound the request is
// refused with request.overloaded.

import { assert } from "../../kernel/assert.ts";
import { overloaded } from "../../kernel/overloaded.ts";
import type { Timers } from "../../kernel/timers.ts";

export interface FairLaneOptions {
  readonly timers: Timers;
  readonly capacity: number;
  /** What a tenant may hold, as a multiple of the free amount. */
  readonly shareOf: (tenant: string) => number;
  /** A tenant may hold this much whenever it is free, whatever its share. */
  readonly least: number;
  readonly maxQueuedPerTenant: number;
  /** 0: what does not fit is refused at once. */
  readonly maxQueued: number;
  readonly maxWaitMs: number;
  /** Tenants that anyone can multiply: all of them together hold at most `most`. */
  readonly common?: CommonBound;
}

export interface CommonBound {
  readonly includes: (tenant: string) => boolean;
  readonly most: number;
}

export interface WaitOptions {
  /** Ends the wait. */
  readonly signal?: (() => AbortSignal) | undefined;
  /** Called before the wait. What it throws refuses the request. */
  readonly onWait?: (() => void) | undefined;
}

export interface LaneCounts {
  readonly held: number;
  readonly waiting: number;
}

interface Tenant {
  readonly name: string;
  readonly share: number;
  readonly isCommon: boolean;
  held: number;
  /** In the order of arrival. */
  readonly queue: Set<Waiter>;
}

interface Waiter {
  readonly amount: number;
  readonly admit: () => void;
}

/** Has a life cycle, hence a class. */
export class FairLane {
  readonly #options: FairLaneOptions;
  readonly #tenants = new Map<string, Tenant>();
  /** Tenants with a queue, in the order of turns. */
  readonly #turns = new Set<Tenant>();
  #held = 0;
  #heldInCommon = 0;
  #waiting = 0;

  constructor(options: FairLaneOptions) {
    this.#options = options;
  }

  counts(): LaneCounts {
    return { held: this.#held, waiting: this.#waiting };
  }

  heldBy(tenant: string): number {
    return this.#tenants.get(tenant)?.held ?? 0;
  }

  /**
   * Takes an amount, which must be returned with `leave`. Undefined means that it was taken at
   * once, which is the common case and creates no promise. The options are called only for a wait.
   */
  enter(name: string, amount = 1, options: WaitOptions = {}): Promise<void> | undefined {
    const tenant = this.#tenantOf(name);
    // No tenant with a queue could enter now: `leave` has admitted all that could.
    if (tenant.queue.size === 0 && this.#fits(tenant, amount)) {
      this.#count(tenant, amount);
      return undefined;
    }
    if (tenant.queue.size >= this.#maxQueueOf()) {
      this.#settle(tenant);
      throw overloaded();
    }
    try {
      options.onWait?.();
    } catch (error) {
      this.#settle(tenant);
      throw error;
    }
    return this.#wait(tenant, amount, options.signal?.());
  }

  /** Takes more without waiting, or throws: holders that wait for each other would never end. */
  grow(name: string, amount: number): void {
    const tenant = this.#tenantOf(name);
    if (this.#fits(tenant, amount)) this.#count(tenant, amount);
    else {
      this.#settle(tenant);
      throw overloaded();
    }
  }

  /** Counts what is held already. False when the tenant holds more than it may. */
  add(name: string, amount: number): boolean {
    const tenant = this.#tenantOf(name);
    const isWithin = this.#fits(tenant, amount);
    this.#count(tenant, amount);
    return isWithin;
  }

  leave(name: string, amount = 1): void {
    const tenant = this.#tenants.get(name);
    assert(tenant !== undefined && tenant.held >= amount, "only what was taken is returned");
    this.#count(tenant, -amount);
    this.#settle(tenant);
    if (this.#turns.size > 0) this.#admitWaiting();
  }

  #fits({ held, share, isCommon }: Tenant, amount: number): boolean {
    const { capacity, least, common } = this.#options;
    const free = capacity - this.#held;
    if (isCommon && this.#heldInCommon + amount > (common?.most ?? capacity)) return false;
    return amount <= free && held + amount <= Math.max(least, share * free);
  }

  /** A queue is shorter when all queues together are nearly full, so that each tenant has one. */
  #maxQueueOf(): number {
    const { maxQueued, maxQueuedPerTenant } = this.#options;
    return Math.min(maxQueuedPerTenant, Math.ceil((maxQueued - this.#waiting) * queueShare));
  }

  #count(tenant: Tenant, amount: number): void {
    tenant.held += amount;
    this.#held += amount;
    if (tenant.isCommon) this.#heldInCommon += amount;
  }

  #tenantOf(name: string): Tenant {
    const known = this.#tenants.get(name);
    if (known !== undefined) return known;
    const { shareOf, common } = this.#options;
    const isCommon = common?.includes(name) ?? false;
    const tenant = { name, share: shareOf(name), isCommon, held: 0, queue: new Set<Waiter>() };
    this.#tenants.set(name, tenant);
    return tenant;
  }

  #settle(tenant: Tenant): void {
    if (tenant.queue.size === 0) this.#turns.delete(tenant);
    if (tenant.held === 0 && tenant.queue.size === 0) this.#tenants.delete(tenant.name);
  }

  #admitWaiting(): void {
    let tenant = this.#nextTenant();
    while (tenant !== undefined) {
      const [waiter] = tenant.queue;
      assert(waiter !== undefined, "a tenant with a turn has a request that waits");
      // To the end of the turns.
      this.#turns.delete(tenant);
      this.#turns.add(tenant);
      this.#count(tenant, waiter.amount);
      this.#remove(tenant, waiter);
      waiter.admit();
      tenant = this.#nextTenant();
    }
  }

  /** The first tenant in the order of turns whose oldest request fits. */
  #nextTenant(): Tenant | undefined {
    for (const tenant of this.#turns) {
      const [waiter] = tenant.queue;
      if (waiter !== undefined && this.#fits(tenant, waiter.amount)) return tenant;
    }
    return undefined;
  }

  #remove(tenant: Tenant, waiter: Waiter): void {
    if (!tenant.queue.delete(waiter)) return;
    this.#waiting -= 1;
    this.#settle(tenant);
  }

  /** Until there is room, the time is over or the client leaves. */
  async #wait(tenant: Tenant, amount: number, signal: AbortSignal | undefined): Promise<void> {
    const { timers, maxWaitMs } = this.#options;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiter = { amount, admit: resolve };
    tenant.queue.add(waiter);
    this.#turns.add(tenant);
    this.#waiting += 1;
    const giveUp = (): void => {
      this.#remove(tenant, waiter);
      reject(overloaded());
      // The next request of the tenant may be smaller.
      if (this.#turns.size > 0) this.#admitWaiting();
    };
    const cancel = timers.after(maxWaitMs, giveUp);
    signal?.addEventListener("abort", giveUp, { once: true });
    if (signal?.aborted === true) giveUp();
    try {
      await promise;
    } finally {
      cancel();
      signal?.removeEventListener("abort", giveUp);
    }
  }
}

/** The part of the free places of all queues that the queue of one tenant may have. */
const queueShare = 0.25;
