// Ids that must not be guessed, such as those of sessions. The store contains their hashes only, so
// that a reader of a backup cannot use them.

import { hash } from "node:crypto";
import type { Random } from "../../kernel/random.ts";
import { sessionLimits } from "./session-limits.ts";

export function newSecretId(random: Random): string {
  return Buffer.from(random.bytes(sessionLimits.secretBytes)).toString("base64url");
}

/** Whether a text of a client can be such an id. */
export function isSecretId(text: string): boolean {
  return /^[\w-]{43}$/.test(text);
}

export function hashOfId(id: string): string {
  return hash("sha256", id, "hex");
}
