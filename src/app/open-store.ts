/**
 * Opens the store a configuration names, and makes sure that the key ring is the one of that store.
 * Folders and the ring are made on the first use by a process that may write; a ring only for an
 * empty store.
 *
 * A database that is missing, or has no bytes, is made only where nothing else of a store is: where
 * its keys or the administrator's token are, it was lost (a disk that is not mounted, a file that
 * was cut), and clients would take the empty store in its place for the truth.
 */
import { closeSync, existsSync, mkdirSync, openSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { SetpointError, isSetpointError } from "../kernel/errors.ts";
import { giveToOwnerOf } from "../store/file-rights.ts";
import { keyRing, newSealKey } from "../store/key-ring.ts";
import type { KeyRing } from "../store/key-ring.ts";
import type { ReplicatedStore } from "../store/replication.ts";
import { openPostgresStore } from "../store/postgres/store.ts";
import { openSqliteStore } from "../store/sqlite/store.ts";
import { storeLabel } from "./config.ts";
import type { StoreConfig, StoreLocation } from "./config.ts";
import { securePrivateFiles } from "./private-folder.ts";
import { createKeyFile, hasKeyFile, openKeyFile } from "./key-file.ts";

export interface OpenOptions {
  /** "write" makes what is missing; "read" touches nothing and works beside a running server. */
  readonly access: "write" | "read";
  /** Whether the database is filled anew: then keys and credentials may be there before it. */
  readonly isRestore?: boolean;
}

export async function openStore(
  config: StoreConfig,
  options: OpenOptions,
): Promise<ReplicatedStore> {
  const readOnly = options.access === "read";
  if (!readOnly) securePrivateFiles(config);
  if (!readOnly && options.isRestore !== true) checkNotLost(config);
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
export async function openExistingStore(config: StoreConfig): Promise<ReplicatedStore> {
  checkNotLost(config);
  if (!hasKeyFile(config.keyFile)) throw noKeyRing(config);
  await (await openStoreForBackup(config)).close();
  return await openStore(config, { access: "write" });
}

function noKeyRing({ keyFile }: StoreConfig): SetpointError {
  const isThere = existsSync(dirname(keyFile));
  const message = `there is no key ring at ${keyFile}${isThere ? "" : ", nor its folder"}`;
  return new SetpointError("config.invalid", message, {
    details: { option: "keys", path: keyFile },
    suggestion: isThere
      ? "name the key ring of this store with --keys, or copy it to that path"
      : "name the data folder of the server with --data, or its key ring with --keys",
  });
}

/** A backup needs no keys: what is sealed stays sealed. */
export async function openStoreForBackup(config: StoreConfig): Promise<ReplicatedStore> {
  return await openStoreForLooking(config);
}

/** Whether the ring is the right one, or there is one at all, is not asked. */
export async function openStoreForLooking(
  config: StoreConfig,
  ring?: KeyRing,
): Promise<ReplicatedStore> {
  return await openLocation(config, ring ?? keyRing([newSealKey()]), true);
}

async function checked(config: StoreConfig, store: ReplicatedStore): Promise<ReplicatedStore> {
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
      : "name the key ring of this store with --keys, or copy it to that path",
  });
}

async function openLocation(
  config: StoreConfig,
  keys: KeyRing,
  readOnly: boolean,
): Promise<ReplicatedStore> {
  switch (config.store.kind) {
    case "sqlite":
      return await openFile(config, config.store.path, keys, readOnly);
    case "postgres":
      return await openDatabase(config.store, keys, readOnly);
    default:
      return config.store satisfies never;
  }
}

/** Says which database it was about: who reads the message may not know what was configured. */
async function openDatabase(
  location: StoreLocation & { readonly kind: "postgres" },
  keys: KeyRing,
  readOnly: boolean,
): Promise<ReplicatedStore> {
  try {
    return await openPostgresStore({ url: location.url, keys, readOnly });
  } catch (error) {
    if (!isSetpointError(error)) throw error;
    const store = storeLabel(location);
    const { code, message, details, cause } = error;
    const isSetting = code === "config.invalid" || code === "store.unavailable";
    const advice = isSetting ? "check the database, and --store or SETPOINT_STORE" : undefined;
    throw new SetpointError(code, `${store}: ${message}`, {
      cause,
      details: { ...details, store },
      suggestion: error.suggestion ?? advice,
    });
  }
}

async function openFile(
  { dataFolder }: StoreConfig,
  path: string,
  keys: KeyRing,
  readOnly: boolean,
): Promise<ReplicatedStore> {
  if (readOnly) return await openSqliteStore({ path, keys, readOnly });
  const folder = dirname(path);
  makeFolder(folder, folder === dataFolder ? "data" : "store");
  const isMade = makePrivate(path);
  try {
    // One process has the file: whoever claimed something before it is gone.
    return await openSqliteStore({ path, keys, freesClaims: true });
  } catch (error) {
    // A full disk leaves a file without bytes, which would look like a database that was lost.
    if (isMade && isEmpty(path)) rmSync(path, { force: true });
    throw error;
  }
}

function checkNotLost({ dataFolder, store, keyFile }: StoreConfig): void {
  if (store.kind !== "sqlite" || !isEmpty(store.path)) return;
  const ours = [dataFolder, dirname(store.path)];
  // A ring that is kept elsewhere may be there before its store.
  const ring = ours.includes(dirname(keyFile)) ? [keyFile] : [];
  const found = [...ring, join(dataFolder, "admin.token")].filter((file) => existsSync(file));
  if (found.length === 0) return;
  const names = found.map((file) => basename(file)).join(" and ");
  const what = existsSync(store.path) ? "is empty" : "is missing";
  const message = `the database ${store.path} ${what}, but files that belong to it exist: ${names}`;
  throw new SetpointError("store.missing", message, {
    details: { path: store.path, found },
    suggestion:
      "restore a backup (setpoint restore FILE), name the database with --store or " +
      `SETPOINT_STORE, or move ${found.join(" and ")} away to start with an empty store`,
  });
}

/** Whether there is no file, or one without bytes. */
function isEmpty(path: string): boolean {
  try {
    return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0;
  } catch {
    // What may not even be looked at, the database tells better.
    return false;
  }
}

function makeFolder(path: string, option: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    const isFile = code === "EEXIST" || code === "ENOTDIR";
    const why = isFile ? ": a file has that name, or the name of a parent folder" : "";
    throw new SetpointError("config.invalid", `the folder ${path} cannot be created${why}`, {
      cause,
      details: { option, path },
      suggestion: `name another with --${option}`,
    });
  }
}

/**
 * A new database belongs to its owner alone; SQLite gives its other files the same mode. Tells
 * whether the file was made here.
 */
function makePrivate(path: string): boolean {
  try {
    const file = openSync(path, "ax", 0o600);
    giveToOwnerOf(dirname(path), file);
    closeSync(file);
    return true;
  } catch (error) {
    // An existing file keeps its mode; what else is wrong, the database says better.
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    return false;
  }
}
