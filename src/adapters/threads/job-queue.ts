// Jobs that wait for a thread. Tenants take turns, and no tenant runs jobs on all threads, so that
// a thread is free, or is free soon, for another tenant. The number of jobs and their bytes are
// bounded: a tenant may have as much in the queue as it leaves free, and one job always. So tenants
// cannot use up the queue, and a job is refused only if its own tenant has others in it.

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
  /** Of those that wait: what the bounds apply to. */
  readonly bounded: Amount;
}

interface Amount {
  jobs: number;
  bytes: number;
}

export class JobQueue<J extends QueuedJob> {
  readonly #bounds: QueueBounds;
  /** In the order of turns. */
  readonly #tenants = new Map<string, Tenant<J>>();
  readonly #bounded: Amount = { jobs: 0, bytes: 0 };
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
    const tenant = this.#tenantOf(job.tenant);
    tenant.waiting.add(job);
    this.#count(tenant, job, 1);
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
    const own = this.#tenants.get(tenant)?.bounded;
    // A single job always fits: its size has limits of its own.
    if (own === undefined || own.jobs === 0) return false;
    const free = maxJobs - this.#bounded.jobs;
    if (own.jobs >= Math.min(maxTenantJobs, free)) return true;
    return own.bytes + bytes.byteLength > maxBytes - this.#bounded.bytes;
  }

  #takeOut(tenant: Tenant<J>, job: J): void {
    tenant.waiting.delete(job);
    this.#count(tenant, job, -1);
  }

  #count({ bounded }: Tenant<J>, { bytes, isContinued }: J, sign: 1 | -1): void {
    this.#jobs += sign;
    this.#bytes += sign * bytes.byteLength;
    if (isContinued) return;
    for (const amount of [bounded, this.#bounded]) {
      amount.jobs += sign;
      amount.bytes += sign * bytes.byteLength;
    }
  }

  #tenantOf(name: string): Tenant<J> {
    const none = { jobs: 0, bytes: 0 };
    const tenant = this.#tenants.get(name) ?? { waiting: new Set(), running: 0, bounded: none };
    this.#tenants.set(name, tenant);
    return tenant;
  }

  #forgetIdle(name: string, { waiting, running }: Tenant<J>): void {
    if (waiting.size === 0 && running === 0) this.#tenants.delete(name);
  }
}
