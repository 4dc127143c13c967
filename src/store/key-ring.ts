/**
 * The keys that seal secrets at rest. One key is active and seals; the others only open. Rotation
 * adds a key that waits, so that it can be brought to every process before anything is sealed with
 * it; makes it the active one; and `Store.reseal` moves everything to it, after which the old key
 * may be retired and dropped (ADR 9). The text form is a JSON file that the operator keeps: losing
 * it loses the secrets, by design.
 */
import { randomBytes } from "node:crypto";
import { SetpointError } from "../kernel/errors.ts";
import { parseExact } from "../kernel/int64.ts";

export interface SealKey {
  /** 16 hexadecimal digits, written into every envelope. */
  readonly id: string;
  readonly secret: Buffer;
  /** It has not sealed anything yet, and does not until it is made the active one. */
  readonly isWaiting?: boolean;
}

export interface KeyRing {
  active(): SealKey;
  find(id: string): SealKey | undefined;
  /** All of them. */
  ids(): readonly string[];
}

const restoreCopy = "restore the separate copy of this file";

export function keyRing(keys: readonly SealKey[]): KeyRing {
  const byId = new Map(keys.map((key) => [key.id, key]));
  const active = keys.find(({ isWaiting }) => isWaiting !== true);
  if (active === undefined) {
    throw new SetpointError("config.invalid", "the key ring has no active key", {
      suggestion: restoreCopy,
    });
  }
  return { active: () => active, find: (id) => byId.get(id), ids: () => [...byId.keys()] };
}

export function newSealKey(): SealKey {
  return { id: randomBytes(8).toString("hex"), secret: randomBytes(32) };
}

/** The active key comes first: releases that know of no waiting keys take the first. */
export function formatKeyRing(keys: readonly SealKey[]): string {
  const list = keys.map(({ id, secret, isWaiting }) => ({
    id,
    secret: secret.toString("base64"),
    ...(isWaiting === true && { waiting: true }),
  }));
  return `${JSON.stringify({ keys: list }, undefined, 2)}\n`;
}

export function parseKeyRing(text: string): readonly SealKey[] {
  const entries = readEntries(text);
  return entries.map((entry, index) => {
    const { id, secret, waiting } = (entry ?? {}) as Readonly<Record<string, unknown>>;
    if (typeof id !== "string" || !/^[0-9a-f]{16}$/.test(id)) {
      throw malformed(`keys[${index}].id must be 16 hexadecimal digits`);
    }
    const bytes = Buffer.from(typeof secret === "string" ? secret : "", "base64");
    if (bytes.length !== 32) throw malformed(`keys[${index}].secret must be 32 bytes in base64`);
    return waiting === true ? { id, secret: bytes, isWaiting: true } : { id, secret: bytes };
  });
}

function readEntries(text: string): readonly unknown[] {
  let parsed: unknown;
  try {
    parsed = parseExact(text);
  } catch {
    // The cause is left out on purpose: a JSON error message quotes the text, which is secret.
    throw malformed("the file is not JSON");
  }
  const keys = (parsed as { keys?: unknown } | null)?.keys;
  if (!Array.isArray(keys) || keys.length === 0) throw malformed("keys must be a non-empty list");
  return keys;
}

function malformed(why: string): SetpointError {
  return new SetpointError("config.invalid", `the key ring file is malformed: ${why}`, {
    suggestion: restoreCopy,
  });
}
