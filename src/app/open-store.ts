/**
 * Opens the store a configuration names. The embedded store's folder and the key ring are made on
 * first use by a process that may write, and never by one that only looks.
 */
import { mkdirSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { systemClock } from "../kernel/clock.ts";
import { SetpointError } from "../kernel/errors.ts";
import { restoreBackup, writeBackup } from "../store/backup.ts";
import type { BackupSummary } from "../store/backup.ts";
import type { KeyRing } from "../store/key-ring.ts";
import type { Store } from "../store/port.ts";
import { openPostgresStore } from "../store/postgres/store.ts";
import { openSqliteStore } from "../store/sqlite/store.ts";
import type { StoreConfig } from "./config.ts";
import { openKeyFile } from "./key-file.ts";

export interface OpenOptions {
  /** "write" makes what is missing; "read" touches nothing and works beside a running server. */
  readonly access: "write" | "read";
}

export async function openStore(config: StoreConfig, options: OpenOptions): Promise<Store> {
  const readOnly = options.access === "read";
  const keys = openKeyFile(config.keyFile, { create: !readOnly });
  return await openLocation(config, keys, readOnly);
}

async function openLocation(config: StoreConfig, keys: KeyRing, readOnly: boolean): Promise<Store> {
  switch (config.store.kind) {
    case "sqlite":
      if (!readOnly) mkdirSync(dirname(config.store.path), { recursive: true, mode: 0o700 });
      return await openSqliteStore({ path: config.store.path, keys, readOnly });
    case "postgres":
      return await openPostgresStore({ url: config.store.url, keys, readOnly });
    default:
      return config.store satisfies never;
  }
}

/** A verified backup file of an open store. */
export async function writeStoreBackup(store: Store, file: string): Promise<BackupSummary> {
  return await writeBackup(store, resolve(file), systemClock.nowMs());
}

/** Restores, then checks the data against every invariant before anybody relies on it. */
export async function restoreStoreBackup(store: Store, file: string): Promise<BackupSummary> {
  const summary = await restoreBackup(store, resolve(file));
  const problems = await store.verify({ limit: 5 });
  if (problems.length > 0) {
    throw new SetpointError("backup.invalid", "the restored store is not sound", {
      details: { problems: [...problems] },
      suggestion: "restore another backup into another empty store",
    });
  }
  return summary;
}
