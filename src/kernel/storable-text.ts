// Which texts a store keeps exactly: those that every database takes, in UTF-8 and within a bound.
// It is asked where texts of others become keys, before a store would refuse all that comes along.

import { limits } from "./limits.ts";
import type { ResourceKey } from "./resource.ts";

/** What is wrong with a text that both databases should keep exactly; undefined: nothing. */
export function textFault(text: string, maxBytes: number): string | undefined {
  if (typeof text !== "string") return "must be a string";
  if (text === "") return "empty";
  if (!isAtMost(text, maxBytes)) return `longer than ${maxBytes} bytes`;
  return isStorable(text) ? undefined : "contains NUL or a lone surrogate";
}

export function isStorable(text: string): boolean {
  return !text.includes("\u0000") && text.isWellFormed();
}

/** Whether there can be a resource of this key and uid at all. */
export function isStorableIdentity({ kind, namespace, name }: ResourceKey, uid: string): boolean {
  const parts = namespace === "" ? [kind, name, uid] : [kind, namespace, name, uid];
  return parts.every((part) => textFault(part, limits.maxNameLength) === undefined);
}

function isAtMost(text: string, maxBytes: number): boolean {
  // A unit of UTF-16 is one to three bytes of UTF-8: most texts need not be measured.
  if (text.length * 3 <= maxBytes) return true;
  return text.length <= maxBytes && Buffer.byteLength(text) <= maxBytes;
}
