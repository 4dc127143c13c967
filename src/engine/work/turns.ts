// Who runs next, of what this process has claimed. The limits are exact here: slots in all, of one
// kind, of one namespace. Namespaces take turns by weight, and each may have only so much that one
// more could arrive: a share of the slots as if there were one more namespace than there is, and a
// share of what the others leave. The last eighth is for those who run nothing yet, and that of a
// kind for those who run none of it. So whatever hangs, a newcomer starts at once, until very many
// tenants hang at the same time.

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
  /** Set when its turn comes. */
  startedMs: number;
}

/** Whom to ask for more of, and how much. */
export interface Survey {
  /** How many may be claimed beyond what can start now, because runs end so quickly. */
  readonly ahead: number;
  /** Those of which more would only wait: no more may start, and none is about to end. */
  readonly fullNamespaces: readonly string[];
  readonly fullKinds: ReadonlySet<string>;
}

/** What is expected to end in this time is claimed ahead. */
const horizonMs = 50;
const mostTenants = 1_024;

export class Turns<T extends Contender> {
  readonly #options: TurnOptions;
  readonly #namespaces = new Map<string, Tenant<T>>();
  /** Those with something queued, in the order of their turns. */
  readonly #ring = new Set<Tenant<T>>();
  readonly #kinds = new Map<string, KindLoad>();
  readonly #running = new Set<T>();
  readonly #pace = new Pace();
  #queued = 0;
  /** Of the namespaces that run something. */
  #weight = 0;

  constructor(options: TurnOptions) {
    this.#options = options;
  }

  get queued(): number {
    return this.#queued;
  }

  get running(): ReadonlySet<T> {
    return this.#running;
  }

  get free(): number {
    return Math.max(0, this.#options.slots - this.#running.size);
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
  next(nowMs: number): T | undefined {
    if (this.#queued === 0 || this.#running.size >= this.#options.slots) return undefined;
    for (const tenant of this.#ring) {
      if (!this.#mayStart(tenant)) continue;
      const item = this.#firstOf(tenant);
      if (item === undefined) continue;
      this.#start(tenant, item, nowMs);
      return item;
    }
    return undefined;
  }

  /** What had started is over and its slot is free again; false when it was not running. */
  done(item: T, nowMs: number): boolean {
    if (!this.#running.delete(item)) return false;
    const tenant = this.#tenant(item.key.namespace);
    const load = this.#kind(item.key.kind);
    const tookMs = nowMs - item.startedMs;
    this.#pace.note(tookMs);
    tenant.pace.note(tookMs);
    load.pace.note(tookMs);
    load.running -= 1;
    tenant.running -= 1;
    countDown(tenant.kinds, item.key.kind);
    if (tenant.running > 0) return true;
    // The sum of many additions is not quite that of as many subtractions.
    this.#weight = this.#running.size === 0 ? 0 : this.#weight - tenant.weight;
    this.#forget(tenant);
    return true;
  }

  survey(nowMs: number): Survey {
    const slow = this.#countSlow(nowMs);
    const fullNamespaces: string[] = [];
    for (const [tenant, slowOnes] of slow.tenants) {
      // What is queued may wait for others of its kind; then more of it would wait as well.
      const isStuck = tenant.queued > 0 && this.#firstOf(tenant) === undefined;
      if (this.#mayStart(tenant) && !isStuck) continue;
      const ahead = tenant.pace.within(horizonMs, tenant.running - slowOnes);
      if (tenant.queued >= ahead) fullNamespaces.push(tenant.namespace);
    }
    const fullKinds = new Set<string>();
    for (const [kind, slowOnes] of slow.kinds) {
      const load = this.#kind(kind);
      if (load.running < this.#options.concurrencyOf(kind)) continue;
      const ahead = load.pace.within(horizonMs, load.running - slowOnes);
      if (load.queued >= ahead) fullKinds.add(kind);
    }
    const ahead = this.#pace.within(horizonMs, this.#options.slots - slow.count);
    return { ahead, fullNamespaces, fullKinds };
  }

  *waiting(): Iterable<T> {
    for (const tenant of this.#ring) for (const queue of tenant.queues.values()) yield* queue;
  }

  /** What runs for so long already that nobody knows when it ends. */
  #countSlow(nowMs: number): SlowOnes<T> {
    const tenants = new Map<Tenant<T>, number>();
    const kinds = new Map<string, number>();
    let count = 0;
    for (const { key, startedMs } of this.#running) {
      const isSlow = Math.abs(nowMs - startedMs) > horizonMs;
      const tenant = this.#tenant(key.namespace);
      tenants.set(tenant, (tenants.get(tenant) ?? 0) + Number(isSlow));
      kinds.set(key.kind, (kinds.get(key.kind) ?? 0) + Number(isSlow));
      count += Number(isSlow);
    }
    return { tenants, kinds, count };
  }

  #mayStart({ running, weight }: Tenant<T>): boolean {
    const { slots, perNamespace } = this.#options;
    const free = slots - this.#running.size;
    if (running === 0) return free > 0 && perNamespace > 0;
    if (free <= Math.floor(slots / 8) || running >= perNamespace) return false;
    const share = Math.floor((slots * weight) / (this.#weight + 1));
    const left = Math.ceil(((free + running) * weight) / (weight + 1));
    return running < Math.min(share, left);
  }

  #firstOf(tenant: Tenant<T>): T | undefined {
    for (const [kind, queue] of tenant.queues) {
      if (!this.#mayStartKind(tenant, kind)) continue;
      for (const item of queue) return item;
    }
    return undefined;
  }

  #mayStartKind(tenant: Tenant<T>, kind: string): boolean {
    const most = this.#options.concurrencyOf(kind);
    const free = most - this.#kind(kind).running;
    if (free <= 0 || most === Infinity) return free > 0;
    return free > Math.ceil(most / 8) || !tenant.kinds.has(kind);
  }

  #start(tenant: Tenant<T>, item: T, nowMs: number): void {
    const { kind } = item.key;
    const queue = tenant.queues.get(kind);
    if (queue !== undefined) this.#unqueue(tenant, queue, item);
    if (tenant.running === 0) this.#weight += tenant.weight;
    tenant.running += 1;
    this.#running.add(item);
    this.#kind(kind).running += 1;
    tenant.kinds.set(kind, (tenant.kinds.get(kind) ?? 0) + 1);
    const started = item;
    started.startedMs = nowMs;
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

  /** Idle tenants are remembered for their pace, within reason. */
  #forget(tenant: Tenant<T>): void {
    if (tenant.running > 0 || tenant.queued > 0) return;
    if (this.#namespaces.size > mostTenants) this.#namespaces.delete(tenant.namespace);
  }

  #tenant(namespace: string): Tenant<T> {
    let tenant = this.#namespaces.get(namespace);
    if (tenant === undefined) {
      tenant = newTenant(namespace);
      this.#namespaces.set(namespace, tenant);
    }
    // The weight may change, but not while it is part of a sum.
    if (tenant.running === 0 && tenant.queued === 0) {
      tenant.weight = usable(this.#options.weightOf(namespace));
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
  /** By kind, each in the order of arrival. */
  readonly queues: Map<string, Set<T>>;
  /** How many run, by kind. */
  readonly kinds: Map<string, number>;
  readonly pace: Pace;
  weight: number;
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

interface SlowOnes<T> {
  readonly tenants: ReadonlyMap<Tenant<T>, number>;
  readonly kinds: ReadonlyMap<string, number>;
  readonly count: number;
}

function newTenant<T>(namespace: string): Tenant<T> {
  const counts = { weight: 1, queued: 0, running: 0, credit: 1 };
  return { namespace, queues: new Map(), kinds: new Map(), pace: new Pace(), ...counts };
}

function countDown(counts: Map<string, number>, key: string): void {
  const left = (counts.get(key) ?? 0) - 1;
  if (left > 0) counts.set(key, left);
  else counts.delete(key);
}

/** People write weights. */
function usable(weight: number): number {
  return Number.isFinite(weight) ? Math.min(100, Math.max(0.1, weight)) : 1;
}
