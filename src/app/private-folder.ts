/**
 * Keys, tokens and the database belong in a folder that only its owner can write: who can write the
 * folder can replace them. A given folder that others can write, as volumes of Kubernetes are, gets
 * a subfolder for them. A folder that has become writable with data in it is refused.
 */
import { chmodSync, lstatSync, statSync } from "node:fs";
import type { Stats } from "node:fs";
import { basename, dirname, join } from "node:path";
import { SetpointError } from "../kernel/errors.ts";
import { isSuperuser } from "../store/file-rights.ts";
import type { StoreConfig } from "./config.ts";

const subfolder = "private";
const openBits = 0o022;
const stickyBit = 0o1000;
/** Of a data folder in use; each exists after the first start. */
const ownFiles = ["keys.json", "admin.token", "ca.key"];
const otherFiles = ["server.pem", "kubeconfig"];

/** Where the data of a given folder is, or will be. Creates nothing. */
export function privateFolder(given: string): string {
  const found = statOf(given);
  if (found?.isDirectory() !== true || holdsData(given, found)) return given;
  const inner = join(given, subfolder);
  const ofInner = statOf(inner);
  const isUsed = ofInner !== undefined && holdsData(inner, ofInner);
  return isUsed || isOpen(found) ? inner : given;
}

/** In a folder that others can write, only files of this user count. */
function holdsData(folder: string, found: Stats): boolean {
  return ownFiles.some((name) => {
    const file = linkStatOf(join(folder, name));
    return file !== undefined && (!isOpen(found) || isOwn(file, found));
  });
}

/**
 * Refuses what others can write. Permissions of files that belong to this user are corrected: some
 * systems add permissions for a group when they mount a volume.
 */
export function securePrivateFiles(config: StoreConfig): void {
  const { dataFolder, keyFile, store } = config;
  if (basename(dataFolder) === subfolder) secure(dataFolder, true);
  const database = store.kind === "sqlite" ? [store.path, `${store.path}-wal`] : [];
  for (const path of new Set([dataFolder, ...[keyFile, ...database].map(dirname)])) {
    refuseOpenFolder(path, path === dataFolder);
  }
  const inFolder = [...ownFiles, ...otherFiles].map((name) => join(dataFolder, name));
  for (const path of new Set([...inFolder, keyFile, ...database])) secure(path, false);
}

/**
 * In an open folder, other users can replace the files whatever the permissions of those are. A
 * sticky folder prevents that for files that exist, so a file named by an option may be in one.
 */
function refuseOpenFolder(path: string, isDataFolder: boolean): void {
  const found = statOf(path);
  if (found === undefined || !isOpen(found)) return;
  if (!isDataFolder) {
    if ((found.mode & stickyBit) !== 0) return;
    throw refused(path, found, "can be written by other users");
  }
  throw refused(
    path,
    found,
    "holds keys and data and can be written by other users",
    undefined,
    `chmod go-w ${path}; if you cannot change the folder, move its files to ` +
      `${join(path, subfolder)}, a folder with mode 0700`,
  );
}

function secure(path: string, isFolder: boolean): void {
  const found = linkStatOf(path);
  if (found === undefined) return;
  // A database may be a link to a file on another disk.
  const target = found.isSymbolicLink() && !isFolder ? statOf(path) : found;
  if (target === undefined) return;
  if (isFolder && !target.isDirectory()) throw refused(path, target, "is not a folder");
  if (!isOwn(target, statOf(dirname(path)))) {
    throw refused(path, target, "belongs to another user");
  }
  if (!isOpen(target)) return;
  try {
    chmodSync(path, target.mode & 0o777 & ~openBits);
  } catch (cause) {
    throw refused(path, target, "can be written by other users", cause);
  }
}

function refused(
  path: string,
  { mode, uid }: Stats,
  why: string,
  cause?: unknown,
  suggestion = `run as its owner: chmod go-w ${path}; or use another folder with --data`,
): SetpointError {
  const shown = (mode & 0o7777).toString(8).padStart(4, "0");
  return new SetpointError("file.exposed", `${path} (mode ${shown}, user ${uid}) ${why}`, {
    cause,
    details: { path, mode: shown },
    suggestion,
  });
}

function isOpen({ mode }: Stats): boolean {
  return (mode & openBits) !== 0;
}

/** The superuser may run a server on the data of another user, who then owns the folder too. */
function isOwn(found: Stats | undefined, folder: Stats | undefined): boolean {
  if (found === undefined) return false;
  if (found.uid === process.geteuid?.() || found.uid === 0) return true;
  return isSuperuser() && found.uid === folder?.uid;
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    // Another part reports what this user may not look at.
    return undefined;
  }
}

function linkStatOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
