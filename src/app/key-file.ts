/**
 * The key ring as a file. It is made on the first start, readable by its owner only, and replaced
 * whole (write, flush, rename), so that a crash never leaves half a ring. A running server reads
 * the file again when it meets a key it does not know: rotation needs no restart.
 */
import { readFileSync, statSync } from "node:fs";
import { SetpointError, isSetpointError } from "../kernel/errors.ts";
import { formatKeyRing, keyRing, newSealKey, parseKeyRing } from "../store/key-ring.ts";
import type { KeyRing, SealKey } from "../store/key-ring.ts";
import { writeDurably } from "./durable-file.ts";

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
  writeDurably(path, formatKeyRing([key, ...readKeys(path)]), { existing: "replace", mode: 0o600 });
  return key;
}

/** Drops every key but the active one; safe only after everything was sealed again. */
export function dropOldKeys(path: string): number {
  const [active, ...old] = readKeys(path);
  if (active === undefined || old.length === 0) return 0;
  writeDurably(path, formatKeyRing([active]), { existing: "replace", mode: 0o600 });
  return old.length;
}

/** Makes a ring where there is none. Of two processes that do it at once, both use the first's. */
export function createKeyFile(path: string, key: SealKey): void {
  writeDurably(path, formatKeyRing([key]), { existing: "keep", mode: 0o600 });
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
