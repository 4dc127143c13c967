// Takes work from the store whenever there is both work and room. It sleeps until one of three
// things happens: the store says that work arrived, the next due time comes, or room was made. A
// slow back-stop only bounds what a lost notice could cost. Claims are soft: what is claimed beyond
// need goes back unharmed. The exact limits are those of turns.ts.

import { limits } from "../../kernel/limits.ts";
import type { ResourceKey } from "../../kernel/resource.ts";
import type { Claim, ClaimRequest } from "../../store/port.ts";
import type { Heartbeat, Lease } from "./heartbeat.ts";
import type { EnginePorts } from "../ports.ts";

export interface ClaimLoopOptions {
  readonly ports: EnginePorts;
  readonly heartbeat: Heartbeat;
  /** What to ask for now; undefined when there is no room. */
  readonly request: () => ClaimRequest | undefined;
  readonly deliver: (claims: readonly Claim[], lease: Lease) => void;
}

/** Within the horizon of what the store tells about, so that nothing later than it is missed. */
const backstopMs = Math.min(30_000, limits.workHorizonMs);
/** Between looks while something due may not be taken: nobody tells when others become due. */
const crowdedMs = 100;
const firstRetryMs = 100;
const lastRetryMs = 5_000;

export class ClaimLoop {
  readonly #options: ClaimLoopOptions;
  readonly #stop = new AbortController();
  readonly #ended: Promise<void>;
  #state: "awake" | "fullHouse" | "noWork" | "trouble" = "awake";
  /** Ends the current sleep. */
  #wake: (() => void) | undefined;
  #cancelDue: (() => void) | undefined;
  #isListening = false;
  /** Something happened while a claim was under way that its request did not know. */
  #isOutdated = false;
  #last: ClaimRequest | undefined;
  #failures = 0;
  /** Looks in a row that found nothing although something is due. */
  #vain = 0;

  constructor(options: ClaimLoopOptions) {
    this.#options = options;
    this.#ended = this.#run();
  }

  /** Something of this kind and namespace is over, so there may be room. Called for every run. */
  roomMade(key: ResourceKey): void {
    if (this.#state === "fullHouse") this.#wake?.();
    // Free slots are no reason to look again when there was nothing to fill them with.
    else if (this.#wasLeftOut(key)) this.changed();
  }

  /** What may be asked for has changed. */
  changed(): void {
    this.#isOutdated = true;
    if (this.#state === "noWork" || this.#state === "fullHouse") this.#wake?.();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    this.#wake?.();
    await this.#ended;
  }

  async #run(): Promise<void> {
    const { store } = this.#options.ports;
    while (!this.#stop.signal.aborted) {
      const request = this.#options.request();
      this.#last = request;
      this.#isOutdated = false;
      if (request === undefined) {
        await this.#sleep("fullHouse", backstopMs);
        continue;
      }
      const seen = store.workTick();
      const claimed = await this.#claim(request);
      if (claimed === undefined) await this.#sleep("trouble", this.#retryMs());
      else if (isDry(request, claimed)) await this.#untilWork(request, seen, claimed);
    }
  }

  async #claim(request: ClaimRequest): Promise<number | undefined> {
    const { ports, heartbeat, deliver } = this.#options;
    const lease = heartbeat.beginLease();
    try {
      const claims = await ports.store.claim(request);
      if (claims.length > 0) deliver(claims, lease);
      this.#failures = 0;
      return claims.length;
    } catch (error) {
      this.#failures += 1;
      if (!this.#stop.signal.aborted) ports.log.warn({ error }, "work not claimed");
      return undefined;
    } finally {
      lease.cohort.close();
    }
  }

  /** Everything that is due and may be taken was taken. */
  async #untilWork(request: ClaimRequest, seen: number, claimed: number): Promise<void> {
    if (claimed > 0) this.#vain = 0;
    if (this.#isOutdated || this.#options.ports.store.workTick() > seen) return;
    void this.#listen(seen);
    void this.#wakeWhenDue(request);
    await this.#sleep("noWork", backstopMs);
    this.#cancelDue?.();
    this.#cancelDue = undefined;
  }

  async #listen(seen: number): Promise<void> {
    if (this.#isListening) return;
    this.#isListening = true;
    try {
      await this.#options.ports.store.workArrived(seen, this.#stop.signal);
      if (this.#state === "noWork") this.#wake?.();
    } catch {
      // A store in trouble: the next claim finds out.
      this.#lookIn(lastRetryMs);
    } finally {
      this.#isListening = false;
    }
  }

  async #wakeWhenDue(request: ClaimRequest): Promise<void> {
    let dueMs: number | undefined;
    try {
      dueMs = await this.#options.ports.store.nextDue(request.kinds);
    } catch {
      // As above.
      dueMs = lastRetryMs;
    }
    if (dueMs === undefined || this.#last !== request) return;
    this.#lookIn(dueMs > 0 ? dueMs : this.#vainMs(request));
  }

  /** Ends a sleep that waits for work after this time, unless it ends before. */
  #lookIn(afterMs: number): void {
    if (this.#state !== "noWork" || afterMs >= backstopMs) return;
    this.#cancelDue?.();
    this.#cancelDue = this.#options.ports.timers.after(afterMs, () => this.#wake?.());
  }

  /** Something is due that was not given: held back by us, or at this moment by somebody else. */
  #vainMs({ skipNamespaces = [] }: ClaimRequest): number {
    this.#vain += 1;
    if (skipNamespaces.length > 0) return crowdedMs;
    return Math.min(crowdedMs, 2 ** Math.min(10, this.#vain - 1));
  }

  #retryMs(): number {
    const delayMs = Math.min(lastRetryMs, firstRetryMs * 2 ** Math.min(10, this.#failures - 1));
    return Math.round(delayMs * (1 - this.#options.ports.random.next() / 4));
  }

  #wasLeftOut({ kind, namespace }: ResourceKey): boolean {
    const request = this.#last;
    if (request === undefined) return true;
    return request.skipNamespaces?.includes(namespace) === true || !request.kinds.includes(kind);
  }

  async #sleep(state: "fullHouse" | "noWork" | "trouble", ms: number): Promise<void> {
    if (this.#stop.signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#state = state;
    this.#wake = resolve;
    const cancel = this.#options.ports.timers.after(ms, resolve);
    await promise;
    cancel();
    this.#state = "awake";
    this.#wake = undefined;
  }
}

function isDry({ limit, perNamespace = limit }: ClaimRequest, claimed: number): boolean {
  return perNamespace < limit ? claimed === 0 : claimed < limit;
}
