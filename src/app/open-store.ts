/**
 * Opens the store a configuration names, and makes sure that the key ring is the one of that store.
 * Folders and the ring are made on the first use by a process that may write; a ring only for an
 * empty store.
 */
import { closeSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { SetpointError, isSetpointError } from "../kernel/errors.ts";
import { keyRing, newSealKey } from "../store/key-ring.ts";
import type { KeyRing } from "../store/key-ring.ts";
import type { Store } from "../store/port.ts";
import { openPostgresStore } from "../store/postgres/store.ts";
import { openSqliteStore } from "../store/sqlite/store.ts";
import { storeLabel } from "./config.ts";
import type { StoreConfig } from "./config.ts";
import { createKeyFile, hasKeyFile, openKeyFile } from "./key-file.ts";

export interface OpenOptions {
  /** "write" makes what is missing; "read" touches nothing and works beside a running server. */
  readonly access: "write" | "read";
}

export async function openStore(config: StoreConfig, options: OpenOptions): Promise<Store> {
  const readOnly = options.access === "read";
  if (hasKeyFile(config.keyFile) || readOnly) {
    return await checked(config, await openLocation(config, openKeyFile(config.keyFile), readOnly));
  }
  // Only an empty store gets a new ring: beside a store with data its own ring was lost.
  const keyFolder = dirname(config.keyFile);
  makeFolder(keyFolder, keyFolder === config.dataFolder ? "data" : "keys");
  const key = newSealKey();
  const store = await openLocation(config, keyRing([key]), readOnly);
  const { revision } = await store.head();
  await store.close();
  if (revision > 0) throw noKeyRing(config);
  createKeyFile(config.keyFile, key);
  return await openLocation(config, openKeyFile(config.keyFile), readOnly);
}

/** To write to what is there, ring and store: nothing is made. */
export async function openExistingStore(config: StoreConfig): Promise<Store> {
  if (!hasKeyFile(config.keyFile)) throw noKeyRing(config);
  await (await openStoreForBackup(config)).close();
  return await openStore(config, { access: "write" });
}

function noKeyRing({ keyFile }: StoreConfig): SetpointError {
  return new SetpointError("config.invalid", `there is no key ring at ${keyFile}`, {
    details: { option: "keys", path: keyFile },
    suggestion: "name the ring that this store was made with by --keys, or copy it there",
  });
}

/** A backup needs no keys: what is sealed stays sealed. */
export async function openStoreForBackup(config: StoreConfig): Promise<Store> {
  return await openStoreForLooking(config);
}

/** Whether the ring is the right one, or there is one at all, is not asked. */
export async function openStoreForLooking(config: StoreConfig, ring?: KeyRing): Promise<Store> {
  return await openLocation(config, ring ?? keyRing([newSealKey()]), true);
}

async function checked(config: StoreConfig, store: Store): Promise<Store> {
  try {
    await store.checkKeys();
    return store;
  } catch (error) {
    await store.close();
    throw wrongKeyRing(config, error);
  }
}

export function wrongKeyRing({ keyFile, store }: StoreConfig, error: unknown): unknown {
  if (!isSetpointError(error)) return error;
  const isStale = error.code === "secret.key_retired";
  const judgement = isStale ? "is out of date for" : "is not the key ring of the store";
  const message = `${keyFile} ${judgement} ${storeLabel(store)}: ${error.message}`;
  return new SetpointError(error.code, message, {
    details: error.details,
    suggestion: isStale
      ? "copy the key ring of the server where the keys were rotated to this file"
      : "name the ring that this store was made with by --keys, or copy it there",
  });
}

async function openLocation(config: StoreConfig, keys: KeyRing, readOnly: boolean): Promise<Store> {
  switch (config.store.kind) {
    case "sqlite": {
      if (!readOnly) {
        const folder = dirname(config.store.path);
        makeFolder(folder, folder === config.dataFolder ? "data" : "store");
        makePrivate(config.store.path);
      }
      // One process has the file: whoever claimed something before it is gone.
      const freesClaims = !readOnly;
      return await openSqliteStore({ path: config.store.path, keys, readOnly, freesClaims });
    }
    case "postgres":
      return await openPostgresStore({ url: config.store.url, keys, readOnly });
    default:
      return config.store satisfies never;
  }
}

function makeFolder(path: string, option: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw new SetpointError("config.invalid", `the folder ${path} cannot be made`, {
      cause,
      details: { option, path },
      suggestion: `name another with --${option}`,
    });
  }
}

/** A new database belongs to its owner alone; SQLite gives its other files the same mode. */
function makePrivate(path: string): void {
  try {
    closeSync(openSync(path, "ax", 0o600));
  } catch (error) {
    // An existing file keeps its mode; what else is wrong, the database says better.
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
  }
}
