/**
 * One-dimensional arrays in PostgreSQL's binary form. A batch carries its documents in such an
 * array: nothing is escaped here and nothing is unescaped there, which for 1 KiB documents costs
 * more than the rest of the call. `pg` sends a Buffer parameter as it is.
 */
import assert from "node:assert/strict";

const headerBytes = 20;
const oid = { bool: 16, bytea: 17, int8: 20, int2: 21, int4: 23, text: 25 } as const;

export function textArray(values: readonly (string | null)[]): Buffer {
  let bytes = headerBytes + 4 * values.length;
  for (const value of values) if (value !== null) bytes += Buffer.byteLength(value);
  const array = begin(oid.text, values.length, bytes);
  let at = headerBytes;
  for (const value of values) {
    const length = value === null ? -1 : array.write(value, at + 4);
    array.writeInt32BE(length, at);
    at += 4 + Math.max(0, length);
  }
  return array;
}

/** Documents and other bytes; `type` says what the database takes them for. */
export function bytesArray(values: readonly (Buffer | null)[], type: "bytea" | "text"): Buffer {
  let bytes = headerBytes;
  for (const value of values) bytes += 4 + (value?.length ?? 0);
  const array = begin(oid[type], values.length, bytes);
  let at = headerBytes;
  for (const value of values) {
    at = array.writeInt32BE(value?.length ?? -1, at);
    if (value !== null) at += value.copy(array, at);
  }
  return array;
}

export function int4Array(values: readonly number[]): Buffer {
  const array = begin(oid.int4, values.length, headerBytes + 8 * values.length);
  let at = headerBytes;
  for (const value of values) at = array.writeInt32BE(value, array.writeInt32BE(4, at));
  return array;
}

export function int2Array(values: readonly number[]): Buffer {
  const array = begin(oid.int2, values.length, headerBytes + 6 * values.length);
  let at = headerBytes;
  for (const value of values) at = array.writeInt16BE(value, array.writeInt32BE(2, at));
  return array;
}

export function int8Array(values: readonly (number | null)[]): Buffer {
  const present = values.reduce((count: number, value) => count + (value === null ? 0 : 1), 0);
  const array = begin(oid.int8, values.length, headerBytes + 4 * values.length + 8 * present);
  let at = headerBytes;
  for (const value of values) {
    at = array.writeInt32BE(value === null ? -1 : 8, at);
    if (value === null) continue;
    assert(Number.isSafeInteger(value), "a whole number");
    // Two halves: a BigInt for each number would be slower.
    at = array.writeInt32BE(Math.floor(value / 2 ** 32), at);
    at = array.writeUInt32BE(value >>> 0, at);
  }
  return array;
}

export function boolArray(values: readonly boolean[]): Buffer {
  const array = begin(oid.bool, values.length, headerBytes + 5 * values.length);
  let at = headerBytes;
  for (const value of values) at = array.writeUInt8(value ? 1 : 0, array.writeInt32BE(1, at));
  return array;
}

/** Dimensions, whether there may be nulls, element type, length, lower bound. */
function begin(type: number, length: number, bytes: number): Buffer {
  if (length === 0) {
    const empty = Buffer.alloc(12);
    empty.writeInt32BE(type, 8);
    return empty;
  }
  const array = Buffer.allocUnsafe(bytes);
  array.writeInt32BE(1, 0);
  array.writeInt32BE(1, 4);
  array.writeInt32BE(type, 8);
  array.writeInt32BE(length, 12);
  array.writeInt32BE(1, 16);
  return array;
}

/** The text form of a text array, for arrays inside of an array. */
export function arrayLiteral(values: readonly string[]): string {
  if (values.length === 0) return "{}";
  return `{${values.map((value) => `"${value.replaceAll(/["\\]/g, "\\$&")}"`).join(",")}}`;
}
