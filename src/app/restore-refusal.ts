/**
 * Why a restore was refused, in the order in which an operator has to hear it: a store that holds
 * data is refused whoever has it open, so who would stop a server first would do it for nothing.
 */
import { SetpointError, isSetpointError } from "../kernel/errors.ts";
import { storeLabel } from "./config.ts";
import type { StoreConfig } from "./config.ts";
import { openStoreForBackup } from "./open-store.ts";

/** The error to show for one that a restore ended with. */
export async function restoreRefusal(config: StoreConfig, error: unknown): Promise<unknown> {
  const isLocked = isSetpointError(error, "store.locked");
  const isFull = isSetpointError(error, "store.not_empty");
  if (!isFull && !(isLocked && (await holdsData(config)))) return error;
  const store = storeLabel(config.store);
  return new SetpointError(
    "store.not_empty",
    `${store} holds data; a restore needs an empty store`,
    {
      cause: isFull ? error.cause : error,
      details: { store },
      suggestion:
        config.store.kind === "sqlite"
          ? "restore into a new folder: --data NEW-FOLDER"
          : "restore into an empty database: --store or SETPOINT_STORE",
    },
  );
}

async function holdsData(config: StoreConfig): Promise<boolean> {
  try {
    await using store = await openStoreForBackup(config);
    return (await store.head()).revision > 0;
  } catch (error) {
    // Then the first error is what there is to tell.
    if (isSetpointError(error)) return false;
    throw error;
  }
}
