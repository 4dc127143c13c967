// Removes sessions and links after their time. Nothing depends on it: both are refused before.

import { numberAt } from "../../kernel/json-read.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { removeRecords } from "../idempotency/record-expiry.ts";
import type { Removal } from "../idempotency/record-expiry.ts";
import type { Intents } from "../request.ts";
import { linkKind, sessionKind } from "./own-record.ts";

/** Returns how many were removed. */
export async function removeOldSessions(
  ports: Pick<Intents, "store" | "clock">,
  how: Removal = {},
): Promise<number> {
  const isOver = (document: JsonObject, nowMs: number): boolean =>
    (numberAt(document, "expiresMs") ?? 0) <= nowMs;
  let removed = 0;
  for (const kind of [sessionKind, linkKind]) {
    removed += await removeRecords(ports, { kind, isOver }, how);
  }
  return removed;
}
