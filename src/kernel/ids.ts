// The port for new identities. Production uses the system's UUIDs; the simulator derives them
// from its seed, so that a failing run can be repeated with the very same identities.

import { randomUUID } from "node:crypto";
import type { Random } from "./random.ts";

export interface Ids {
  /** A version 4 UUID in lower case. */
  uid(): string;
}

export const systemIds: Ids = { uid: () => randomUUID() };

export function seededIds(random: Random): Ids {
  return { uid: () => uuidFrom(random.bytes(16)) };
}

/** Sets the version and variant bits of RFC 9562 on 16 random bytes. */
function uuidFrom(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes).toString("hex");
  const variant = "89ab"[Number.parseInt(hex.charAt(16), 16) & 3];
  const third = `4${hex.slice(13, 16)}`;
  const fourth = `${variant}${hex.slice(17, 20)}`;
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${third}-${fourth}-${hex.slice(20)}`;
}
