/**
 * The key ring as a file. It is made on the first start, readable by its owner only, and replaced
 * whole (write, flush, rename), so that a crash never leaves half a ring. A running server looks at
 * the file again whenever it seals, meets a key it does not know, or tells others of its keys:
 * rotation needs no restart. A file that cannot be read then, because it is just being copied, is
 * looked at again the next time, and the ring from before goes on.
 */
import { readFileSync, statSync } from "node:fs";
import { SetpointError, isSetpointError } from "../kernel/errors.ts";
import { forbidden, isRefusal } from "../store/file-rights.ts";
import { formatKeyRing, keyRing, newSealKey, parseKeyRing } from "../store/key-ring.ts";
import type { KeyRing, SealKey } from "../store/key-ring.ts";
import { writeDurably } from "./durable-file.ts";

export function openKeyFile(path: string): KeyRing {
  let version = fileVersion(path);
  let ring = keyRing(readKeys(path));
  const fresh = (): KeyRing => {
    const found = fileVersion(path);
    if (found === version) return ring;
    try {
      const next = keyRing(readKeys(path));
      version = found;
      // A ring that has nothing in common with the one before is that of another store.
      if (next.ids().some((id) => ring.find(id) !== undefined)) ring = next;
    } catch (error) {
      const isPassing =
        isSetpointError(error, "config.invalid") || isSetpointError(error, "file.forbidden");
      if (!isPassing) throw error;
    }
    return ring;
  };
  return {
    active: () => fresh().active(),
    find: (id) => ring.find(id) ?? fresh().find(id),
    ids: () => fresh().ids(),
  };
}

/** The key that waits to be the active one; made if there is none. */
export function waitingKey(path: string): SealKey {
  const keys = readKeys(path);
  const waiting = keys.find(({ isWaiting }) => isWaiting === true);
  if (waiting !== undefined) return waiting;
  const key = { ...newSealKey(), isWaiting: true };
  replace(path, [...keys, key]);
  return key;
}

/** Puts the key first. Older keys stay, so that everything sealed before still opens. */
export function activateKey(path: string, id: string): void {
  const keys = readKeys(path);
  const key = keys.find((each) => each.id === id);
  if (key === undefined) throw new SetpointError("secret.key_missing", `${path} has no key ${id}`);
  const others = keys.filter((each) => each.id !== id);
  replace(path, [{ id, secret: key.secret }, ...others]);
}

/** Every key that sealed once and does so no more. */
export function oldKeys(path: string): readonly string[] {
  const keys = readKeys(path);
  const active = keyRing(keys).active();
  const isOld = ({ id, isWaiting }: SealKey): boolean => id !== active.id && isWaiting !== true;
  return keys.filter(isOld).map(({ id }) => id);
}

/** Safe only for keys that are retired and that nothing stored needs. */
export function dropKeys(path: string, ids: readonly string[]): void {
  replace(
    path,
    readKeys(path).filter(({ id }) => !ids.includes(id)),
  );
}

/** Makes a ring where there is none. Of two processes that do it at once, both use the first's. */
export function createKeyFile(path: string, key: SealKey): void {
  writeDurably(path, formatKeyRing([key]), { existing: "keep", mode: 0o600 });
}

/** Throws where that may not even be looked at: a ring that is there must not be made anew. */
export function hasKeyFile(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
  } catch (error) {
    throw isRefusal(error) ? forbidden(path, error) : error;
  }
}

function replace(path: string, keys: readonly SealKey[]): void {
  writeDurably(path, formatKeyRing(keys), { existing: "replace", mode: 0o600 });
}

function readKeys(path: string): readonly SealKey[] {
  try {
    return parseKeyRing(readFileSync(path, "utf8"));
  } catch (cause) {
    if (isSetpointError(cause)) {
      throw new SetpointError(cause.code, `${path}: ${cause.message}`, {
        details: { path },
        ...(cause.suggestion !== undefined && { suggestion: cause.suggestion }),
      });
    }
    if (isRefusal(cause)) throw forbidden(path, cause);
    throw new SetpointError("config.invalid", `the key ring file ${path} cannot be read`, {
      cause,
      details: { option: "keys", path },
      suggestion: "name the file with --keys; the first start of an empty store creates it",
    });
  }
}

/** Changes whenever the file is replaced, since that gives it another inode, or written anew. */
function fileVersion(path: string): string | undefined {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    return found === undefined ? undefined : `${found.ino}:${found.mtimeMs}:${found.size}`;
  } catch {
    // What may not be looked at is as good as gone; who reads it is told why.
    return undefined;
  }
}
