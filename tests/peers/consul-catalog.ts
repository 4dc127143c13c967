// The services of the Consul double: registration at the agent, checks that expire, maintenance.

export interface AgentService {
  readonly ID: string;
  readonly Name: string;
  readonly Tags?: readonly string[];
  readonly Address?: string;
  readonly Port?: number;
  readonly Check?: { readonly CheckID?: string; readonly TTL?: string; readonly Status?: string };
}

interface Check {
  readonly CheckID: string;
  readonly serviceId: string;
  status: string;
  readonly ttlMs: number;
  timer: NodeJS.Timeout | undefined;
}

export class ConsulCatalog {
  readonly #services = new Map<string, AgentService>();
  readonly #checks = new Map<string, Check>();
  readonly #changed: () => void;

  constructor(changed: () => void) {
    this.#changed = changed;
  }

  register(service: AgentService): void {
    this.#services.set(service.ID, service);
    const { Check: given } = service;
    if (given !== undefined) {
      const CheckID = given.CheckID ?? `service:${service.ID}`;
      const ttlMs = Number.parseFloat(given.TTL ?? "0") * 1_000;
      const check = { CheckID, serviceId: service.ID, status: "critical", ttlMs, timer: undefined };
      this.#drop(CheckID);
      this.#checks.set(CheckID, check);
      this.#set(check, given.Status ?? "critical");
    }
    this.#changed();
  }

  /** False when there is no such service. */
  deregister(id: string): boolean {
    for (const check of this.#checks.values()) {
      if (check.serviceId === id) this.#drop(check.CheckID);
    }
    const wasThere = this.#services.delete(id);
    if (wasThere) this.#changed();
    return wasThere;
  }

  /** False when there is no such check. */
  report(checkId: string, status: string): boolean {
    const check = this.#checks.get(checkId);
    if (check === undefined) return false;
    const isNew = check.status !== status;
    this.#set(check, status);
    if (isNew) this.#changed();
    return true;
  }

  maintain(id: string, isEnabled: boolean): void {
    const CheckID = `_service_maintenance:${id}`;
    if (isEnabled) {
      this.#checks.set(CheckID, {
        CheckID,
        serviceId: id,
        status: "critical",
        ttlMs: 0,
        timer: undefined,
      });
    } else this.#drop(CheckID);
    this.#changed();
  }

  health(name: string, tag: string): readonly object[] {
    const services = [...this.#services.values()].filter((service) => {
      return service.Name === name && (tag === "" || (service.Tags ?? []).includes(tag));
    });
    return services.map((service) => ({
      Node: { Node: "node-1", Address: "127.0.0.1", Datacenter: "dc1" },
      Service: {
        ID: service.ID,
        Service: service.Name,
        Tags: service.Tags ?? [],
        Address: service.Address ?? "",
        Port: service.Port ?? 0,
      },
      Checks: [...this.#checks.values()].flatMap(({ CheckID, serviceId, status: Status }) =>
        serviceId === service.ID ? [{ Node: "node-1", CheckID, Name: CheckID, Status }] : [],
      ),
    }));
  }

  close(): void {
    for (const { timer } of this.#checks.values()) clearTimeout(timer);
  }

  #set(check: Check, status: string): void {
    clearTimeout(check.timer);
    check.status = status;
    if (check.ttlMs === 0 || status === "critical") return;
    check.timer = setTimeout(() => {
      check.status = "critical";
      this.#changed();
    }, check.ttlMs).unref();
  }

  #drop(checkId: string): void {
    clearTimeout(this.#checks.get(checkId)?.timer);
    this.#checks.delete(checkId);
  }
}
