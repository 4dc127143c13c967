// One server has one digest, by whatever URL and credential it is reached.

import { createHash } from "node:crypto";

/** `uid` is that of the namespace kube-system of the server. */
export function serverDigest(uid: string): string {
  return createHash("sha256").update(`server ${uid}`).digest("hex").slice(0, 32);
}
