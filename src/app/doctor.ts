/**
 * Looks at an installation without changing it, and says in sentences what is sound, what is wrong
 * and what to do about it. Works beside a running server and on a store that does not start.
 */
import { accessSync, constants, statSync, statfsSync } from "node:fs";
import type { Stats } from "node:fs";
import { dirname, join } from "node:path";
import { closedFolder, forbidden, whyNotReadable } from "../store/file-rights.ts";
import type { KeyRing } from "../store/key-ring.ts";
import type { Store } from "../store/port.ts";
import { storeLabel } from "./config.ts";
import type { StoreConfig } from "./config.ts";
import { diagnoseModules } from "./doctor-modules.ts";
import { failure } from "./finding.ts";
import type { Finding } from "../contract/finding.ts";
import { hasKeyFile, openKeyFile } from "./key-file.ts";
import { openStoreForLooking, wrongKeyRing } from "./open-store.ts";

const lowDiskBytes = 1024 ** 3;
/** With less than this the next minutes of work may find no room. */
const noDiskBytes = 64 * 1024 ** 2;

interface DiagnoseOptions {
  /** Files of user modules. */
  readonly modules?: readonly string[];
  /** What the built-in modules found on this machine. */
  readonly machine?: readonly Finding[];
}

export async function diagnose(
  config: StoreConfig,
  { modules = [], machine = [] }: DiagnoseOptions = {},
): Promise<readonly Finding[]> {
  const findings: Finding[] = [runtimeFinding(), ...machine];
  if (config.store.kind === "sqlite") findings.push(...folderFindings(config.store.path));
  findings.push(...exposureFindings(config));
  const ring = ringOf(config, findings);
  try {
    await using store = await openStoreForLooking(config, ring);
    findings.push(...(await storeFindings(config, store)));
    if (ring !== undefined) findings.push(...(await keyFindings(config, store, ring)));
    findings.push(...(await diagnoseModules(modules, store)));
  } catch (error) {
    findings.push(failure("store", storeLabel(config.store), error));
    findings.push(...(await diagnoseModules(modules, undefined)));
  }
  return findings;
}

function runtimeFinding(): Finding {
  const { node, sqlite } = process.versions;
  return { level: "ok", subject: "runtime", message: `Node.js ${node}, SQLite ${sqlite}` };
}

function folderFindings(path: string): readonly Finding[] {
  const folder = dirname(path);
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    const { bavail, bsize } = statfsSync(folder);
    const freeBytes = bavail * bsize;
    const message = `${folder} is writable, ${sizeText(freeBytes)} free`;
    if (freeBytes >= lowDiskBytes) return [{ level: "ok", subject: "disk", message }];
    const suggestion = "free disk space: a full disk stops all writes";
    const level = freeBytes < noDiskBytes ? "bad" : "warn";
    return [{ level, subject: "disk", message, suggestion }];
  } catch (error) {
    return [folderFailure(folder, error)];
  }
}

/** Whether other users can replace keys, tokens or the database. */
function exposureFindings({ dataFolder, keyFile, store }: StoreConfig): readonly Finding[] {
  const subject = "disk";
  const database = store.kind === "sqlite" ? [store.path] : [];
  const files = [join(dataFolder, "admin.token"), join(dataFolder, "ca.key"), keyFile, ...database];
  const folders = new Set([dataFolder, ...files.map((path) => dirname(path))]);
  return [...folders, ...files].flatMap((path): readonly Finding[] => {
    const mode = statOf(path)?.mode ?? 0;
    if ((mode & 0o022) === 0) return [];
    const shown = (mode & 0o7777).toString(8).padStart(4, "0");
    const message = `${path} (mode ${shown}) can be written by other users`;
    return [{ level: "bad", subject, message, suggestion: `chmod go-w ${path}` }];
  });
}

function folderFailure(folder: string, error: unknown): Finding {
  if (statOf(folder)?.isDirectory() === false) {
    const suggestion = "name the folder of the server with --data";
    const message = `${folder} is a file, not a folder`;
    return { level: "bad", subject: "disk", message, suggestion };
  }
  const database = join(folder, "setpoint.db");
  if (closedFolder(database) !== undefined) {
    return failure("disk", folder, forbidden(database, error));
  }
  const suggestion = folderAdvice((error as NodeJS.ErrnoException).code);
  return { ...failure("disk", folder, error), suggestion };
}

function folderAdvice(code: string | undefined): string {
  if (code === "EROFS") return "mount the disk read-write";
  if (code === "EACCES" || code === "EPERM") {
    return "make the user of the server the owner of the folder";
  }
  return "start a server once to create it, or name the right folder with --data";
}

function keyFileFinding(path: string): Finding {
  const subject = "keys";
  const refusal = whyNotReadable(path);
  if (refusal !== undefined) return failure(subject, path, refusal);
  const found = statOf(path);
  if (found === undefined || !found.isFile()) {
    const suggestion =
      "name the key ring of this store with --keys; `serve` creates one for an empty store";
    return { level: "bad", subject, message: `there is no key ring at ${path}`, suggestion };
  }
  if ((found.mode & 0o077) !== 0) {
    const message = `${path} can be read by other users`;
    return { level: "bad", subject, message, suggestion: `chmod 600 ${path}` };
  }
  return {
    level: "ok",
    subject,
    message: `${path} is private. Keep a copy separate from the backups`,
  };
}

/** Undefined when there is none or it cannot be read; then the findings say so. */
function ringOf({ keyFile }: StoreConfig, findings: Finding[]): KeyRing | undefined {
  findings.push(keyFileFinding(keyFile));
  if (whyNotReadable(keyFile) !== undefined) return undefined;
  try {
    return hasKeyFile(keyFile) ? openKeyFile(keyFile) : undefined;
  } catch (error) {
    findings.push(failure("keys", "the key ring", error));
    return undefined;
  }
}

/** Every key that anything stored needs, against those of the ring. */
async function keyFindings(
  config: StoreConfig,
  store: Store,
  ring: KeyRing,
): Promise<readonly Finding[]> {
  const subject = "keys";
  const missing = (await store.keyUses()).filter(({ id }) => ring.find(id) === undefined);
  const lost = missing.map(({ id, changes, resources }): Finding => {
    const named = resources.map(({ kind, namespace, name }) => `${kind} ${namespace}/${name}`);
    const what = `${changes === 1 ? "1 change" : `${changes} changes`} cannot be opened`;
    return {
      level: "bad",
      subject,
      message: `${id} is not in ${config.keyFile}: ${what}, of ${named.join(", ")}`,
      suggestion:
        "find the key ring with this key, or delete these resources and create them again",
    };
  });
  try {
    await store.checkKeys();
  } catch (error) {
    return [...lost, failure(subject, "serve would refuse", wrongKeyRing(config, error))];
  }
  if (lost.length > 0) return lost;
  return [{ level: "ok", subject, message: "the key ring has every key that the store needs" }];
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    // Not to be looked at is, for a report, as good as not there.
    return undefined;
  }
}

async function storeFindings(config: StoreConfig, store: Store): Promise<readonly Finding[]> {
  const stats = await store.stats();
  const size = `${stats.resources} resources, ${stats.changes} changes, ${stats.due} due`;
  const span = `revisions ${stats.compacted} to ${stats.revision}`;
  const opened: Finding = {
    level: "ok",
    subject: "store",
    message:
      `${storeLabel(config.store)}, schema ${stats.schemaVersion}: ${size}; ${span}; ` +
      sizeText(stats.bytesOnDisk),
  };
  const hazards = (await store.hazards()).map((message): Finding => ({
    level: "bad",
    subject: "durability",
    message,
  }));
  const problems = await store.verify({ limit: 20 });
  const verified: readonly Finding[] =
    problems.length === 0
      ? [{ level: "ok", subject: "data", message: "every invariant holds" }]
      : problems.map((message) => ({
          level: "bad",
          subject: "data",
          message,
          suggestion: "keep this store unchanged, and restore the last backup into an empty store",
        }));
  return [opened, ...hazards, ...verified];
}

export function sizeText(bytes: number): string {
  const isSmall = bytes < 1024 ** 2;
  return isSmall ? `${(bytes / 1024).toFixed(1)} KiB` : `${(bytes / 1024 ** 2).toFixed(1)} MiB`;
}
