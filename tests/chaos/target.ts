// Opens the store that a test names as text, so that a child process can be told which one to use:
// `sqlite:/path/of/the/file` or `postgres://...`. The sealing key is fixed, because the process
// that checks must read what the process that was killed has sealed.
import { keyRing } from "../../src/store/key-ring.ts";
import type { Store } from "../../src/store/port.ts";

export const chaosKeys = keyRing([{ id: "00c0ffee00c0ffee", secret: Buffer.alloc(32, "chaos") }]);

export interface TargetOptions {
  readonly maxQueuedWrites?: number;
  /** How long a server that is away is waited for; the embedded store has none. */
  readonly patienceMs?: number;
}

export function sqliteTarget(path: string): string {
  return `sqlite:${path}`;
}

/** Imports only the engine it needs, so that one engine is tested while the other is broken. */
export async function openTarget(target: string, options: TargetOptions = {}): Promise<Store> {
  const { patienceMs, ...bounds } = options;
  if (target.startsWith("sqlite:")) {
    const { openSqliteStore } = await import("../../src/store/sqlite/store.ts");
    return await openSqliteStore({
      path: target.slice("sqlite:".length),
      keys: chaosKeys,
      ...bounds,
    });
  }
  const { openPostgresStore } = await import("../../src/store/postgres/store.ts");
  const patience =
    patienceMs === undefined ? {} : { commitPatienceMs: patienceMs, readPatienceMs: patienceMs };
  return await openPostgresStore({ url: target, keys: chaosKeys, ...patience, ...bounds });
}
