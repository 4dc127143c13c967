// How many connections a server has. Each takes memory and a file descriptor, and without file
// descriptors a server accepts no client at all. Connections without an identified request are
// bounded: when there are too many, the oldest of them ends, whose client had the most time to send
// one. The others belong to the tenant of their last request, and a tenant may hold as many as it
// leaves free: what it opens beyond ends with its first answer.

export interface ConnectionSharesPorts {
  /** Connections with a tenant. */
  readonly most: number;
  /** Connections without an identified request. */
  readonly mostNew: number;
}

interface Connection {
  readonly end: () => void;
  tenant: string | undefined;
}

/** Has a life cycle, hence a class. */
export class ConnectionShares {
  readonly #ports: ConnectionSharesPorts;
  readonly #connections = new Map<string, Connection>();
  /** The oldest first. */
  readonly #new = new Set<string>();
  readonly #tenants = new Map<string, number>();
  /** Connections with a tenant. */
  #known = 0;

  constructor(ports: ConnectionSharesPorts) {
    this.#ports = ports;
  }

  get size(): number {
    return this.#connections.size;
  }

  /** The name is unique among open connections. */
  opened(name: string, end: () => void): void {
    this.#connections.set(name, { end, tenant: undefined });
    this.#new.add(name);
    if (this.#new.size <= this.#ports.mostNew) return;
    const [oldest] = this.#new;
    if (oldest !== undefined) this.#drop(oldest);
  }

  closed(name: string): void {
    const found = this.#connections.get(name);
    if (found === undefined) return;
    this.#connections.delete(name);
    this.#new.delete(name);
    this.#leave(found);
  }

  /** The tenant of the last request. False: the connection has to end with the answer. */
  belongs(name: string, tenant: string): boolean {
    const found = this.#connections.get(name);
    if (found === undefined || found.tenant === tenant) return true;
    this.#new.delete(name);
    this.#leave(found);
    const held = this.#tenants.get(tenant) ?? 0;
    const isWithin = held < this.#ports.most - this.#known;
    found.tenant = tenant;
    this.#tenants.set(tenant, held + 1);
    this.#known += 1;
    return isWithin;
  }

  #drop(name: string): void {
    const found = this.#connections.get(name);
    this.closed(name);
    found?.end();
  }

  #leave({ tenant }: Connection): void {
    if (tenant === undefined) return;
    const held = (this.#tenants.get(tenant) ?? 0) - 1;
    if (held > 0) this.#tenants.set(tenant, held);
    else this.#tenants.delete(tenant);
    this.#known -= 1;
  }
}
