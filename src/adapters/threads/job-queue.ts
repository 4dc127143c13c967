// Jobs that wait for a thread. Tenants take turns, and no tenant runs jobs on all threads, so that
// a thread is free, or is free soon, for another tenant. The number of jobs and their bytes are
// bounded, in total and per tenant; a job beyond a bound is refused.

export interface QueuedJob {
  readonly tenant: string;
  readonly bytes: Uint8Array;
  /** The bounds do not apply: it belongs to a request that was accepted. */
  readonly isContinued: boolean;
}

export interface QueueBounds {
  readonly threads: number;
  readonly maxJobs: number;
  readonly maxTenantJobs: number;
  readonly maxBytes: number;
}

interface Tenant<J> {
  readonly waiting: Set<J>;
  running: number;
}

export class JobQueue<J extends QueuedJob> {
  readonly #bounds: QueueBounds;
  /** In the order of turns. */
  readonly #tenants = new Map<string, Tenant<J>>();
  #jobs = 0;
  #bytes = 0;

  constructor(bounds: QueueBounds) {
    this.#bounds = bounds;
  }

  get length(): number {
    return this.#jobs;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** False: the queue is full. */
  add(job: J): boolean {
    if (!job.isContinued && this.#isFull(job)) return false;
    this.#tenantOf(job.tenant).waiting.add(job);
    this.#jobs += 1;
    this.#bytes += job.bytes.byteLength;
    return true;
  }

  /** The job whose turn it is; it counts as running until `finished`. */
  next(): J | undefined {
    const maxRunning = Math.max(1, this.#bounds.threads - 1);
    for (const [name, tenant] of this.#tenants) {
      const [job] = tenant.waiting;
      if (job === undefined || tenant.running >= maxRunning) continue;
      this.#takeOut(tenant, job);
      tenant.running += 1;
      // Behind all other tenants.
      this.#tenants.delete(name);
      this.#tenants.set(name, tenant);
      return job;
    }
    return undefined;
  }

  finished({ tenant: name }: J): void {
    const tenant = this.#tenantOf(name);
    tenant.running -= 1;
    this.#forgetIdle(name, tenant);
  }

  /** Takes out a job that waits. False: it does not wait any more. */
  remove(job: J): boolean {
    const tenant = this.#tenants.get(job.tenant);
    if (tenant === undefined || !tenant.waiting.has(job)) return false;
    this.#takeOut(tenant, job);
    this.#forgetIdle(job.tenant, tenant);
    return true;
  }

  /** Takes out all jobs that wait. */
  drain(): readonly J[] {
    const all: J[] = [];
    for (const { waiting } of this.#tenants.values()) for (const job of waiting) all.push(job);
    for (const job of all) this.remove(job);
    return all;
  }

  #isFull({ tenant, bytes }: J): boolean {
    const { maxJobs, maxTenantJobs, maxBytes } = this.#bounds;
    const waiting = this.#tenants.get(tenant)?.waiting.size ?? 0;
    if (this.#jobs >= maxJobs || waiting >= maxTenantJobs) return true;
    // A single job always fits: its size has limits of its own.
    return this.#jobs > 0 && this.#bytes + bytes.byteLength > maxBytes;
  }

  #takeOut(tenant: Tenant<J>, job: J): void {
    tenant.waiting.delete(job);
    this.#jobs -= 1;
    this.#bytes -= job.bytes.byteLength;
  }

  #tenantOf(name: string): Tenant<J> {
    const tenant = this.#tenants.get(name) ?? { waiting: new Set(), running: 0 };
    this.#tenants.set(name, tenant);
    return tenant;
  }

  #forgetIdle(name: string, { waiting, running }: Tenant<J>): void {
    if (waiting.size === 0 && running === 0) this.#tenants.delete(name);
  }
}
