// Texts of clients that are whole: bytes in UTF-8, and no half of a surrogate pair, which an escape
// can write and UTF-8 cannot. The platform would put U+FFFD in place of both, and a password would
// silently be another one. Looking costs next to nothing; where it is wrong is asked only if so.

import { isUtf8 } from "node:buffer";
import { SetpointError } from "./errors.ts";
import type { Json } from "./json.ts";
import { formatTrail } from "./schema/trail.ts";
import type { Trail } from "./schema/trail.ts";

/** Throws request.invalid. */
export function decodeUtf8(bytes: Uint8Array): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const text = buffer.toString("utf8");
  if (isUtf8(bytes)) return text;
  const read = Buffer.from(text);
  const at = buffer.findIndex((byte, index) => byte !== read[index]);
  throw new SetpointError("request.invalid", `the text is not UTF-8 at byte ${at + 1}`);
}

/** Throws request.invalid for a half in the value that was read from the text. */
export function refuseHalves(text: string, value: Json): void {
  if (!mayHaveHalves(text)) return;
  const trail: Trail = [];
  if (!hasHalf(value, trail)) return;
  const place = formatTrail(trail).toWellFormed().slice(0, maxPlaceChars);
  const where = place === "" ? "" : ` at ${JSON.stringify(place)}`;
  throw new SetpointError("request.invalid", `the text${where} has half of a surrogate pair`);
}

const maxPlaceChars = 200;

/** JSON writes them with a small u and four digits, YAML also with a large one and eight. */
function mayHaveHalves(text: string): boolean {
  return (
    text.includes("\\ud") || text.includes("\\uD") || text.includes("\\U") || !text.isWellFormed()
  );
}

/** Leaves in the trail where the first one is. */
function hasHalf(value: Json, trail: Trail): boolean {
  if (typeof value === "string") return !value.isWellFormed();
  if (typeof value !== "object" || value === null) return false;
  const entries = Array.isArray(value) ? value.entries() : Object.entries(value);
  for (const [step, inner] of entries as Iterable<[string | number, Json]>) {
    trail.push(step);
    if (typeof step === "string" && !step.isWellFormed()) return true;
    if (hasHalf(inner, trail)) return true;
    trail.pop();
  }
  return false;
}
