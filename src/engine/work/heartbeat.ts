// Keeps the leases of everything this process holds: what waits for its turn, what runs, and what
// is being settled. All are renewed together every third of a lease. A lease is trusted only for as
// long as a timer runs that was started before the request for it was sent, less a margin; then its
// holder is told that it is lost, whatever the database thinks. By timers, since clocks may jump.

import type { Clock } from "../../kernel/clock.ts";
import { limits } from "../../kernel/limits.ts";
import type { Timers } from "../../kernel/timers.ts";
import type { ClaimRef, Renewal, Store } from "../../store/port.ts";
import { Cohort } from "./cohort.ts";
import { metric } from "../reporting/metric-names.ts";
import type { EnginePorts } from "../ports.ts";

export interface Holder {
  readonly claim: ClaimRef;
  /** Set and read here alone. */
  lease: Lease | undefined;
  /** The claim is no longer ours. Called once, and never after `drop`. */
  lost(): void;
}

/** One answer of the store about leases; all that it covers end together. */
export interface Lease {
  readonly number: number;
  readonly cohort: Cohort<Holder>;
  readonly sinceMs: number;
}

const retryMs = 500;

export class Heartbeat {
  readonly #store: Store;
  readonly #timers: Timers;
  readonly #clock: Clock;
  readonly #log: EnginePorts["log"];
  readonly #meter: EnginePorts["meter"];
  readonly #leaseMs: number;
  readonly #holders = new Map<number, Holder>();
  #leases = 0;
  #cancelBeat: (() => void) | undefined;
  #isStopped = false;

  constructor(ports: EnginePorts, leaseMs: number) {
    this.#store = ports.store;
    this.#timers = ports.timers;
    this.#clock = ports.clock;
    this.#log = ports.log;
    this.#meter = ports.meter;
    this.#leaseMs = leaseMs;
  }

  get held(): number {
    return this.#holders.size;
  }

  /** To be called before the request for a lease is sent. */
  beginLease(): Lease {
    const trustedMs = this.#leaseMs - Math.ceil(this.#leaseMs / 10);
    const cohort = new Cohort<Holder>(this.#timers, trustedMs, (holders) => this.#end(holders));
    this.#leases += 1;
    return { number: this.#leases, cohort, sinceMs: this.#clock.nowMs() };
  }

  /** False when the lease is over already, because its answer came too late. */
  hold(holder: Holder, lease: Lease): boolean {
    if (lease.cohort.isOver) return false;
    // Holders are written here alone, however their types call it.
    const held = holder;
    held.lease = lease;
    lease.cohort.join(held);
    this.#holders.set(held.claim.token, held);
    this.#armBeat(this.#leaseMs / 3);
    return true;
  }

  /** The claim was given back, or is to expire. */
  drop(holder: Holder): void {
    if (this.#holders.get(holder.claim.token) !== holder) return;
    this.#holders.delete(holder.claim.token);
    holder.lease?.cohort.leave(holder);
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancelBeat?.();
    for (const holder of this.#holders.values()) this.drop(holder);
  }

  #armBeat(afterMs: number): void {
    if (this.#isStopped || this.#cancelBeat !== undefined) return;
    this.#cancelBeat = this.#timers.after(afterMs, () => {
      this.#cancelBeat = undefined;
      this.#beat();
    });
  }

  #beat(): void {
    if (this.#holders.size === 0) return;
    const nowMs = this.#clock.nowMs();
    const stale: Holder[] = [];
    for (const holder of this.#holders.values()) {
      const ageMs = nowMs - (holder.lease?.sinceMs ?? 0);
      // What is young is renewed by the next beat, unless the clock was set back.
      if (ageMs < 0 || ageMs >= this.#leaseMs / 6) stale.push(holder);
    }
    for (let at = 0; at < stale.length; at += limits.maxClaimItems) {
      void this.#renew(stale.slice(at, at + limits.maxClaimItems));
    }
    this.#armBeat(this.#leaseMs / 3);
  }

  async #renew(holders: readonly Holder[]): Promise<void> {
    const lease = this.beginLease();
    let renewal: Renewal;
    try {
      const claims = holders.map(({ claim: { key, token } }) => ({ key, token }));
      renewal = await this.#store.renew(claims, this.#leaseMs);
    } catch (error) {
      lease.cohort.close();
      if (this.#isStopped) return;
      this.#meter.count(metric.renewalsFailed);
      this.#log.warn({ error, claims: holders.length }, "leases not renewed");
      this.#cancelBeat?.();
      this.#cancelBeat = undefined;
      this.#armBeat(Math.min(retryMs, this.#leaseMs / 20));
      return;
    }
    for (const { token } of renewal.renewed) this.#move(token, lease);
    lease.cohort.close();
    for (const { token } of renewal.lost) this.#lose(this.#holders.get(token));
  }

  /** An older answer that comes late never replaces a newer one. */
  #move(token: number, lease: Lease): void {
    const holder = this.#holders.get(token);
    if (holder === undefined || lease.cohort.isOver) return;
    if (holder.lease !== undefined && holder.lease.number >= lease.number) return;
    holder.lease?.cohort.leave(holder);
    holder.lease = lease;
    lease.cohort.join(holder);
  }

  #end(holders: ReadonlySet<Holder>): void {
    for (const holder of holders) this.#lose(holder);
  }

  #lose(holder: Holder | undefined): void {
    if (holder === undefined || this.#holders.get(holder.claim.token) !== holder) return;
    this.drop(holder);
    this.#meter.count(metric.claimsLost);
    holder.lost();
  }
}
