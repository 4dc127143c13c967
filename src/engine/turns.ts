// Who runs next, of what this process has claimed. The limits are exact here: slots in all, of one
// kind, of one namespace. Namespaces take turns by weight, and each may have only so much that one
// more could arrive: a share of the slots as if there were one more namespace than there is, and a
// share of what the others leave. The last eighth is for those who run nothing yet. So whatever
// hangs, a newcomer starts at once, until very many tenants hang at the same time.

import { Pace } from "./pace.ts";

export interface TurnOptions {
  readonly slots: number;
  /** No namespace runs more than this, however much is free. */
  readonly perNamespace: number;
  readonly weightOf: (namespace: string) => number;
  readonly concurrencyOf: (kind: string) => number;
}

/** Anything that waits for a turn. */
export interface Contender {
  readonly key: { readonly kind: string; readonly namespace: string };
}

export class Turns<T extends Contender> {
  readonly #options: TurnOptions;
  readonly #namespaces = new Map<string, Tenant<T>>();
  /** Those with something queued, in the order of their turns. */
  readonly #ring = new Set<Tenant<T>>();
  readonly #kinds = new Map<string, KindLoad>();
  #queued = 0;
  #running = 0;
  /** Of the namespaces that run something. */
  #weight = 0;

  constructor(options: TurnOptions) {
    this.#options = options;
  }

  get queued(): number {
    return this.#queued;
  }

  get running(): number {
    return this.#running;
  }

  get free(): number {
    return Math.max(0, this.#options.slots - this.#running);
  }

  add(item: T): void {
    const { namespace, kind } = item.key;
    const tenant = this.#tenant(namespace);
    let queue = tenant.queues.get(kind);
    if (queue === undefined) tenant.queues.set(kind, (queue = new Set()));
    queue.add(item);
    tenant.queued += 1;
    this.#queued += 1;
    this.#kind(kind).queued += 1;
    this.#ring.add(tenant);
  }

  /** Takes back what was added and has not started; false when it has, or was never added. */
  withdraw(item: T): boolean {
    const tenant = this.#namespaces.get(item.key.namespace);
    const queue = tenant?.queues.get(item.key.kind);
    if (tenant === undefined || queue === undefined || !queue.has(item)) return false;
    this.#unqueue(tenant, queue, item);
    this.#forget(tenant);
    return true;
  }

  /** The next that may start, which from now on counts as running. */
  next(): T | undefined {
    if (this.#running >= this.#options.slots) return undefined;
    for (const tenant of this.#ring) {
      if (!this.#mayStart(tenant)) continue;
      const item = this.#firstOf(tenant);
      if (item === undefined) continue;
      this.#start(tenant, item);
      return item;
    }
    return undefined;
  }

  /** What had started is over and its slot is free again. */
  done(item: T, nowMs: number): void {
    const tenant = this.#tenant(item.key.namespace);
    const load = this.#kind(item.key.kind);
    tenant.running -= 1;
    load.running -= 1;
    this.#running -= 1;
    tenant.pace.note(nowMs);
    load.pace.note(nowMs);
    if (tenant.running === 0) this.#weight -= tenant.weight;
    if (this.#running === 0) this.#weight = 0;
    this.#forget(tenant);
  }

  /** Namespaces of which more would only wait: they are full and do not finish quickly. */
  fullNamespaces(nowMs: number): readonly string[] {
    const full: string[] = [];
    for (const tenant of this.#namespaces.values()) {
      if (tenant.running === 0 || this.#mayStart(tenant)) continue;
      if (tenant.queued >= tenant.pace.recent(nowMs)) full.push(tenant.namespace);
    }
    return full;
  }

  isKindFull(kind: string, nowMs: number): boolean {
    const load = this.#kinds.get(kind);
    if (load === undefined || load.running < this.#options.concurrencyOf(kind)) return false;
    return load.queued >= load.pace.recent(nowMs);
  }

  *waiting(): Iterable<T> {
    for (const tenant of this.#ring) for (const queue of tenant.queues.values()) yield* queue;
  }

  #mayStart({ running, weight }: Tenant<T>): boolean {
    const { slots, perNamespace } = this.#options;
    const free = slots - this.#running;
    if (running === 0) return free > 0 && perNamespace > 0;
    if (free <= Math.floor(slots / 8) || running >= perNamespace) return false;
    const share = Math.floor((slots * weight) / (this.#weight + 1));
    const left = Math.ceil(((free + running) * weight) / (weight + 1));
    return running < Math.min(share, left);
  }

  #firstOf(tenant: Tenant<T>): T | undefined {
    for (const [kind, queue] of tenant.queues) {
      if (this.#kind(kind).running >= this.#options.concurrencyOf(kind)) continue;
      for (const item of queue) return item;
    }
    return undefined;
  }

  #start(tenant: Tenant<T>, item: T): void {
    const { kind } = item.key;
    const queue = tenant.queues.get(kind);
    if (queue !== undefined) this.#unqueue(tenant, queue, item);
    if (tenant.running === 0) this.#weight += tenant.weight;
    tenant.running += 1;
    this.#running += 1;
    this.#kind(kind).running += 1;
    tenant.credit -= 1;
    if (tenant.credit >= 1 || tenant.queued === 0) return;
    tenant.credit = Math.max(0, tenant.credit) + tenant.weight;
    this.#ring.delete(tenant);
    this.#ring.add(tenant);
  }

  #unqueue(tenant: Tenant<T>, queue: Set<T>, item: T): void {
    queue.delete(item);
    if (queue.size === 0) tenant.queues.delete(item.key.kind);
    tenant.queued -= 1;
    this.#queued -= 1;
    this.#kind(item.key.kind).queued -= 1;
    if (tenant.queued === 0) this.#ring.delete(tenant);
  }

  #forget(tenant: Tenant<T>): void {
    if (tenant.running === 0 && tenant.queued === 0) this.#namespaces.delete(tenant.namespace);
  }

  #tenant(namespace: string): Tenant<T> {
    let tenant = this.#namespaces.get(namespace);
    if (tenant === undefined) {
      const weight = usable(this.#options.weightOf(namespace));
      tenant = newTenant(namespace, weight);
      this.#namespaces.set(namespace, tenant);
    }
    return tenant;
  }

  #kind(kind: string): KindLoad {
    let load = this.#kinds.get(kind);
    if (load === undefined) {
      this.#kinds.set(kind, (load = { running: 0, queued: 0, pace: new Pace() }));
    }
    return load;
  }
}

interface Tenant<T> {
  readonly namespace: string;
  readonly weight: number;
  /** By kind, each in the order of arrival. */
  readonly queues: Map<string, Set<T>>;
  readonly pace: Pace;
  queued: number;
  running: number;
  /** Starts left in this turn. */
  credit: number;
}

interface KindLoad {
  readonly pace: Pace;
  queued: number;
  running: number;
}

function newTenant<T>(namespace: string, weight: number): Tenant<T> {
  const counts = { queued: 0, running: 0, credit: weight };
  return { namespace, weight, queues: new Map(), pace: new Pace(), ...counts };
}

/** People write weights. */
function usable(weight: number): number {
  return Number.isFinite(weight) ? Math.min(100, Math.max(0.1, weight)) : 1;
}
