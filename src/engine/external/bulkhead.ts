// Lets so many in at a time and a few more wait, first come first served within a namespace. No
// room can be filled by one namespace: it may take a place only while it has fewer than are left,
// as if another were always about to come. Of those who wait, whose namespace has the fewest
// inside goes first. It knows no time: whoever waited too long gives up by itself.

export interface BulkheadPolicy {
  /** Inside at a time. */
  readonly calls: number;
  /** Waiting at a time. */
  readonly queue: number;
}

interface Tenant<W> {
  inside: number;
  readonly queue: Set<W>;
}

export class Bulkhead<W> {
  readonly #policy: BulkheadPolicy;
  readonly #tenants = new Map<string, Tenant<W>>();
  #inside = 0;
  #waiting = 0;

  constructor(policy: BulkheadPolicy) {
    this.#policy = policy;
  }

  get inside(): number {
    return this.#inside;
  }

  get waiting(): number {
    return this.#waiting;
  }

  enter(namespace: string, waiter: W): "inside" | "waiting" | "full" {
    const tenant = this.#tenants.get(namespace) ?? { inside: 0, queue: new Set() };
    if (tenant.queue.size === 0 && this.#mayEnter(tenant)) {
      this.#letIn(namespace, tenant);
      return "inside";
    }
    if (tenant.queue.size >= this.#policy.queue - this.#waiting) return "full";
    this.#tenants.set(namespace, tenant);
    tenant.queue.add(waiter);
    this.#waiting += 1;
    return "waiting";
  }

  /** Those who are inside now instead of waiting. */
  leave(namespace: string): readonly W[] {
    const left = this.#tenants.get(namespace);
    if (left === undefined || left.inside === 0) {
      throw new Error("no call of this namespace is in progress");
    }
    left.inside -= 1;
    this.#inside -= 1;
    const entered: W[] = [];
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      const tenant = this.#tenants.get(next);
      const [waiter] = tenant?.queue ?? [];
      if (tenant === undefined || waiter === undefined) break;
      tenant.queue.delete(waiter);
      this.#waiting -= 1;
      this.#letIn(next, tenant);
      entered.push(waiter);
    }
    this.#forget(namespace, left);
    return entered;
  }

  /** A waiter goes away; nothing happens when it is inside already. */
  giveUp(namespace: string, waiter: W): void {
    const tenant = this.#tenants.get(namespace);
    if (tenant === undefined || !tenant.queue.delete(waiter)) return;
    this.#waiting -= 1;
    this.#forget(namespace, tenant);
  }

  #mayEnter(tenant: Tenant<W>): boolean {
    return tenant.inside < this.#policy.calls - this.#inside;
  }

  /** Among equals it is the last to have its turn again. */
  #letIn(namespace: string, tenant: Tenant<W>): void {
    this.#tenants.delete(namespace);
    this.#tenants.set(namespace, tenant);
    tenant.inside += 1;
    this.#inside += 1;
  }

  #next(): string | undefined {
    let found: string | undefined;
    let fewest = Number.POSITIVE_INFINITY;
    for (const [namespace, tenant] of this.#tenants) {
      if (tenant.queue.size === 0 || tenant.inside >= fewest || !this.#mayEnter(tenant)) continue;
      found = namespace;
      fewest = tenant.inside;
    }
    return found;
  }

  #forget(namespace: string, { inside, queue }: Tenant<W>): void {
    if (inside === 0 && queue.size === 0) this.#tenants.delete(namespace);
  }
}
