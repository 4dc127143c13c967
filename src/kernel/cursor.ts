// Cursors of paged answers: opaque texts that say where the next page begins. A cursor is bound to
// the query that it continues, and has a checksum, so that a damaged cursor, or one of another
// query, is refused instead of giving a wrong page. It grants nothing: rights are checked for each
// page. A client can compute the checksum, so the position is checked as any other input.

import { hash } from "node:crypto";
import { SetpointError } from "./errors.ts";
import { parseExact } from "./int64.ts";
import type { Json } from "./json.ts";
import { limits } from "./limits.ts";

const checkChars = 16;

/** `query` is everything that must be the same for the next page, in one text. */
export function encodeCursor(position: Json, query: string): string {
  const payload = Buffer.from(JSON.stringify(position)).toString("base64url");
  return `${checkOf(payload, query)}${payload}`;
}

/** Throws request.invalid for a cursor of another query. The position can be any JSON. */
export function decodeCursor(cursor: string, query: string): Json {
  const payload = cursor.slice(checkChars);
  const isSound =
    cursor.length <= limits.maxCursorChars &&
    /^[\w-]+$/.test(payload) &&
    cursor.slice(0, checkChars) === checkOf(payload, query);
  if (!isSound) throw notOfQuery();
  try {
    return parseExact(Buffer.from(payload, "base64url").toString("utf8")) as Json;
  } catch {
    throw notOfQuery();
  }
}

/** For pages that are continued below or above a revision. */
export function decodeRevisionCursor(cursor: string, query: string): number {
  const position = decodeCursor(cursor, query);
  if (typeof position === "number" && Number.isSafeInteger(position) && position > 0) {
    return position;
  }
  throw notOfQuery();
}

function checkOf(payload: string, query: string): string {
  return hash("sha256", `${payload}\n${query}`, "base64url").slice(0, checkChars);
}

export function notOfQuery(): SetpointError {
  const message = "the cursor is damaged, or belongs to another query";
  return new SetpointError("request.invalid", message, {
    details: { field: "query.cursor" },
    suggestion: "repeat the query without a cursor, and follow the cursors of its responses",
  });
}
