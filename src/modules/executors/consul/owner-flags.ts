// The mark by which a key of Consul is known to belong to a ConsulKeys: its Flags, a number that
// Consul stores with the value in the same operation. It has a common part for all keys of Setpoint
// and 36 bits of the uid. It is below 2^53, because clients in JavaScript round larger numbers.

import { createHash } from "node:crypto";

/** 12 bits. */
const tag = 0x5e7;
const ownBits = 2 ** 36;

export function flagsOf(uid: string): number {
  const digest = createHash("sha256").update(uid).digest();
  return tag * ownBits + (digest.readUIntBE(0, 6) % ownBits);
}

/** Whether a ConsulKeys of any server wrote the key last. */
export function isMarked(flags: number): boolean {
  return Math.floor(flags / ownBits) === tag;
}
