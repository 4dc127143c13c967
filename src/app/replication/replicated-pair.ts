/** Opens the two stores of a replication, which are two databases with one key ring. */
import { SetpointError, isSetpointError } from "../../kernel/errors.ts";
import type { ReplicatedStore } from "../../store/replication.ts";
import { storeConfig, storeLabel } from "../config.ts";
import type { StoreConfig } from "../config.ts";
import { openExistingStore, openStore } from "../open-store.ts";

/** The store at `from`, with the keys of the other one. */
export function primaryConfig(own: StoreConfig, from: string): StoreConfig {
  const config = { ...storeConfig({ store: from, data: own.dataFolder }), keyFile: own.keyFile };
  if (storeLabel(config.store) !== storeLabel(own.store)) return config;
  throw new SetpointError("config.invalid", "--from and --store name the same store", {
    details: { option: "from" },
    suggestion: "name the store of the primary with --from, and that of the secondary with --store",
  });
}

/** Only for reading: the servers of the primary go on. */
export async function openPrimary(config: StoreConfig): Promise<ReplicatedStore> {
  return await openStore(config, { access: "read" });
}

/** For a change of its role. A server that has an embedded store has to be stopped before. */
export async function openForRole(config: StoreConfig): Promise<ReplicatedStore> {
  try {
    return await openExistingStore(config);
  } catch (error) {
    if (!isSetpointError(error, "store.locked")) throw error;
    throw new SetpointError(error.code, error.message, {
      cause: error,
      details: error.details,
      suggestion: "stop the server, or `setpoint replication follow`, that has the store open",
    });
  }
}
