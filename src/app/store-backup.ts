/**
 * Backups of the store that a configuration names. Everything that a restore needs is looked at
 * before it makes anything: the file, and the keys that open what is sealed in it. One that fails
 * later has loaded nothing and takes away the files it made, so that it can simply be tried again.
 */
import { lstatSync, rmSync, rmdirSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { systemClock } from "../kernel/clock.ts";
import { SetpointError, isSetpointError } from "../kernel/errors.ts";
import { readSummary, restoreBackup, writeBackup } from "../store/backup.ts";
import type { BackupSummary } from "../store/backup.ts";
import type { Store } from "../store/port.ts";
import type { StoreConfig } from "./config.ts";
import { hasKeyFile, openKeyFile } from "./key-file.ts";
import { openStore } from "./open-store.ts";

/** A verified backup file of an open store. */
export async function writeStoreBackup(store: Store, file: string): Promise<BackupSummary> {
  return await writeBackup(store, resolve(file), systemClock.nowMs());
}

/** The load checks the data against every invariant before anybody can see it. */
export async function restoreStoreBackup(
  config: StoreConfig,
  file: string,
): Promise<BackupSummary> {
  const path = resolve(file);
  checkKeys(config, path, await readSummary(path));
  const takeAway = whatIsMissing(config);
  try {
    return await restoreInto(config, path);
  } catch (error) {
    // The files of a store that another process has open, or has filled, are not ours.
    const isOther =
      isSetpointError(error, "store.locked") || isSetpointError(error, "store.not_empty");
    if (!isOther) takeAway();
    throw error;
  }
}

async function restoreInto(config: StoreConfig, path: string): Promise<BackupSummary> {
  await using store = await openStore(config, { access: "write", isRestore: true });
  return await restoreBackup(store, path, openKeyFile(config.keyFile));
}

function checkKeys({ keyFile }: StoreConfig, path: string, { keyIds }: BackupSummary): void {
  const ring = hasKeyFile(keyFile) ? openKeyFile(keyFile) : undefined;
  const missing = keyIds.filter((id) => ring?.find(id) === undefined);
  if (missing.length === 0) return;
  const why =
    ring === undefined ? `there is no key ring at ${keyFile}` : `${keyFile} has other keys`;
  const message = `${path} has secrets that need the keys of its own store, and ${why}`;
  throw new SetpointError("secret.key_missing", message, {
    details: { option: "keys", path: keyFile, keyIds: missing },
    suggestion:
      ring === undefined
        ? `add --keys FILE with the keys.json of that store, or copy that file to ${keyFile}`
        : "add --keys FILE with the keys.json of that store",
  });
}

/** Notes what is not there yet; the returned function takes away what has come since. */
function whatIsMissing({ dataFolder, store, keyFile }: StoreConfig): () => void {
  const database = store.kind === "sqlite" ? store.path : undefined;
  const ofDatabase = database === undefined ? [] : ["", "-wal", "-shm", ".lock"];
  const files = [keyFile, ...ofDatabase.map((end) => `${database}${end}`)].filter(isMissing);
  const folders = [dataFolder, dirname(keyFile), dirname(database ?? keyFile)].flatMap(
    missingFolders,
  );
  return () => {
    for (const file of files) rmSync(file, { force: true });
    // The longest first, so that each is empty when its turn comes; one that is not stays.
    for (const folder of folders.toSorted((a, b) => b.length - a.length)) {
      try {
        rmdirSync(folder);
      } catch {
        continue;
      }
    }
  };
}

function missingFolders(path: string): readonly string[] {
  return isMissing(path) ? [path, ...missingFolders(dirname(path))] : [];
}

/** A link that leads nowhere is there, and so may be what cannot be looked at. */
function isMissing(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) === undefined;
  } catch {
    return false;
  }
}
