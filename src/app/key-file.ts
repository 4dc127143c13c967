/**
 * The key ring as a file. It is made on the first start, readable by its owner only, and replaced
 * whole (write, flush, rename), so that a crash never leaves half a ring. A running server reads
 * the file again when it meets a key it does not know: rotation needs no restart.
 */
import {
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
} from "node:fs";
import { rmSync, statSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { SetpointError } from "../kernel/errors.ts";
import { formatKeyRing, keyRing, newSealKey, parseKeyRing } from "../store/key-ring.ts";
import type { KeyRing, SealKey } from "../store/key-ring.ts";

export function openKeyFile(path: string, options: { readonly create: boolean }): KeyRing {
  if (options.create) createOnce(path);
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

function createOnce(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  if (fileVersion(path) === undefined) replaceFile(path, formatKeyRing([newSealKey()]), "keep");
}

function readKeys(path: string): readonly SealKey[] {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (cause) {
    throw new SetpointError("config.invalid", `the key ring file ${path} cannot be read`, {
      cause,
      details: { option: "keys", path },
      suggestion: "name the file with --keys; it is made beside the store on the first start",
    });
  }
  return parseKeyRing(text);
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
