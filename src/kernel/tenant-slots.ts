// Lets a bounded number of programs run. Tenants take turns, and one tenant never holds more than
// its share, so a tenant whose host hangs leaves places for the others.

export interface TenantSlots {
  /** False: too many calls of the tenant wait. Rejects with the reason of the signal. */
  take(tenant: string, signal: AbortSignal): Promise<boolean>;
  release(tenant: string): void;
}

export interface SlotBounds {
  readonly slots: number;
  /** Of one tenant. */
  readonly share: number;
  /** Waiting calls of one tenant. */
  readonly queue: number;
}

interface Line {
  running: number;
  readonly waiting: Set<() => void>;
}

export function tenantSlots({ slots, share, queue }: SlotBounds): TenantSlots {
  let running = 0;
  /** In the order of turns. */
  const lines = new Map<string, Line>();
  const start = (): void => {
    for (const [tenant, line] of lines) {
      if (running >= slots) return;
      const [go] = line.waiting;
      if (go === undefined || line.running >= share) continue;
      line.waiting.delete(go);
      lines.delete(tenant);
      lines.set(tenant, line);
      line.running += 1;
      running += 1;
      go();
    }
  };
  const forget = (tenant: string, line: Line): void => {
    if (line.running === 0 && line.waiting.size === 0) lines.delete(tenant);
  };
  return {
    take: async (tenant, signal) => {
      signal.throwIfAborted();
      const line = lines.get(tenant) ?? { running: 0, waiting: new Set() };
      if (line.waiting.size >= queue) return false;
      lines.set(tenant, line);
      const turn = Promise.withResolvers<void>();
      const go = (): void => turn.resolve();
      line.waiting.add(go);
      const stop = (): void => {
        // A call that has its slot uses it, and sees the abort there.
        if (!line.waiting.delete(go)) return;
        forget(tenant, line);
        turn.reject(signal.reason);
      };
      signal.addEventListener("abort", stop, { once: true });
      start();
      try {
        await turn.promise;
      } finally {
        signal.removeEventListener("abort", stop);
      }
      return true;
    },
    release: (tenant) => {
      const line = lines.get(tenant);
      if (line === undefined) return;
      line.running -= 1;
      running -= 1;
      // Behind the tenants that came meanwhile.
      lines.delete(tenant);
      if (line.running > 0 || line.waiting.size > 0) lines.set(tenant, line);
      start();
    },
  };
}
