/**
 * The key ring as a file. It is made on the first start, readable by its owner only, and replaced
 * whole (write, flush, rename), so that a crash never leaves half a ring. A running server reads
 * the file again when it meets a key it does not know: rotation needs no restart.
 */
import { closeSync, fsyncSync, linkSync, openSync, readFileSync, renameSync } from "node:fs";
import { rmSync, statSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { SetpointError, isSetpointError } from "../kernel/errors.ts";
import { formatKeyRing, keyRing, newSealKey, parseKeyRing } from "../store/key-ring.ts";
import type { KeyRing, SealKey } from "../store/key-ring.ts";

export function openKeyFile(path: string): KeyRing {
  let keys = readKeys(path);
  let ring = keyRing(keys);
  let version = fileVersion(path);
  const refresh = (): void => {
    const found = fileVersion(path);
    if (found === version) return;
    version = found;
    keys = readKeys(path);
    ring = keyRing(keys);
  };
  return {
    active: () => {
      refresh();
      return ring.active();
    },
    find: (id) => {
      const known = ring.find(id);
      if (known !== undefined) return known;
      refresh();
      return ring.find(id);
    },
  };
}

/** Puts a new key first. Older keys stay, so that everything sealed before still opens. */
export function addKey(path: string): SealKey {
  const key = newSealKey();
  replaceFile(path, formatKeyRing([key, ...readKeys(path)]), "replace");
  return key;
}

/** Drops every key but the active one; safe only after everything was sealed again. */
export function dropOldKeys(path: string): number {
  const [active, ...old] = readKeys(path);
  if (active === undefined || old.length === 0) return 0;
  replaceFile(path, formatKeyRing([active]), "replace");
  return old.length;
}

/** Makes a ring where there is none. Of two processes that do it at once, both use the first's. */
export function createKeyFile(path: string, key: SealKey): void {
  replaceFile(path, formatKeyRing([key]), "keep");
}

export function hasKeyFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

function readKeys(path: string): readonly SealKey[] {
  try {
    return parseKeyRing(readFileSync(path, "utf8"));
  } catch (cause) {
    if (isSetpointError(cause)) {
      throw new SetpointError(cause.code, `${path}: ${cause.message}`, { details: { path } });
    }
    throw new SetpointError("config.invalid", `the key ring file ${path} cannot be read`, {
      cause,
      details: { option: "keys", path },
      suggestion: "name the file with --keys; it is made on the first start of an empty store",
    });
  }
}

/** Changes whenever the file is replaced, since that gives it another inode. */
function fileVersion(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined ? undefined : `${found.ino}:${found.mtimeMs}`;
}

/** "keep" never overwrites: of two processes that start at once, one makes the ring. */
function replaceFile(path: string, text: string, existing: "replace" | "keep"): void {
  const partial = `${path}.${process.pid}.partial`;
  const file = openSync(partial, "w", 0o600);
  try {
    writeSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  if (existing === "replace") renameSync(partial, path);
  else {
    try {
      linkSync(partial, path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    } finally {
      rmSync(partial, { force: true });
    }
  }
  const folder = openSync(dirname(path), "r");
  fsyncSync(folder);
  closeSync(folder);
}
