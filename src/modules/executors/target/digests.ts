// Digests of values that may be secret, for a status that users read. The key is a random value of
// the resource, which is stored sealed, so that a digest does not help to guess a short value.

import { createHash, createHmac } from "node:crypto";
import type { Context } from "../../../engine/reconciler.ts";

export type DigestOf = (text: string) => string;

export async function keyedDigests({
  remember,
  random,
}: Pick<Context, "remember" | "random">): Promise<DigestOf> {
  const key = await remember("digest-key", () => Buffer.from(random.bytes(32)).toString("hex"));
  return (text) => createHmac("sha256", key).update(text).digest("hex").slice(0, 32);
}

/** Of texts that are not secret. */
export function plainDigest(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
