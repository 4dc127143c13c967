// Equality and order of values. Numbers of different kinds compare by value, as doubles where one
// of them is a double; other values of different kinds are unequal, which is not an error.

import { tick } from "../inline-time.ts";
import { getOrUndefined, isNumeric } from "./numbers.ts";
import type { CelError, CelList, CelMap, CelValue } from "./values.ts";
import { error, noSuchOverload } from "./values.ts";

/** Counts what is compared inside of lists and maps, and may throw to stop it. */
export type Meter = () => void;

export function equal(a: CelValue, b: CelValue, meter?: Meter): boolean {
  tick();
  if (a === b) return true;
  if (typeof a !== "object" && typeof b !== "object" && typeof a === typeof b) return false;
  if (isNumeric(a) && isNumeric(b)) return compareNumbers(a, b) === 0;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (a.kind !== b.kind) return false;
  switch (a.kind) {
    case "bytes":
      return b.kind === "bytes" && Buffer.compare(a.bytes, b.bytes) === 0;
    case "timestamp":
      return b.kind === "timestamp" && a.seconds === b.seconds && a.nanos === b.nanos;
    case "duration":
      return b.kind === "duration" && a.nanos === b.nanos;
    case "type":
      return b.kind === "type" && a.name === b.name;
    case "list":
      return b.kind === "list" && equalLists(a, b, meter);
    case "map":
      return b.kind === "map" && equalMaps(a, b, meter);
    case "optional":
      if (b.kind !== "optional") return false;
      if (a.value === undefined || b.value === undefined) return a.value === b.value;
      return equal(a.value, b.value, meter);
    case "opaque":
      return b.kind === "opaque" && a.sameAs(b);
    default:
      return false;
  }
}

/** Below, at or above zero; or the error of comparing what has no order. */
export function compare(a: CelValue, b: CelValue): number | CelError {
  if (typeof a === "number" && typeof b === "number") return a - b;
  if (typeof a === "string" && typeof b === "string") return compareText(a, b);
  if (isNumeric(a) && isNumeric(b)) {
    return compareNumbers(a, b) ?? error("NaN values cannot be ordered");
  }
  if (typeof a === "boolean" && typeof b === "boolean") return Number(a) - Number(b);
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) {
    return noSuchOverload;
  }
  if (a.kind === "timestamp" && b.kind === "timestamp") {
    return a.seconds - b.seconds || a.nanos - b.nanos;
  }
  if (a.kind === "duration" && b.kind === "duration") return order(a.nanos, b.nanos);
  if (a.kind === "bytes" && b.kind === "bytes") return Buffer.compare(a.bytes, b.bytes);
  return noSuchOverload;
}

/** By code points, which is the order of UTF-8, and not by UTF-16 units. */
export function compareText(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x === y) continue;
    const isSurrogate = x >= 0xd800 && y >= 0xd800;
    return isSurrogate ? surrogatesLast(x) - surrogatesLast(y) : x - y;
  }
  return a.length - b.length;
}

/** Surrogates stand for characters above all others, but their units do not. */
function surrogatesLast(unit: number): number {
  return unit <= 0xdfff ? unit + 0x1_0000 : unit;
}

function compareNumbers(a: CelValue, b: CelValue): number | undefined {
  const x = getOrUndefined(a);
  const y = getOrUndefined(b);
  if (x === undefined || y === undefined) return undefined;
  if (isDouble(a) || isDouble(b)) return compareDoubles(Number(x), Number(y));
  if (x < y) return -1;
  return x > y ? 1 : 0;
}

function compareDoubles(x: number, y: number): number | undefined {
  if (x < y) return -1;
  if (x > y) return 1;
  return x === y ? 0 : undefined;
}

function isDouble(value: CelValue): boolean {
  return typeof value === "object" && value?.kind === "double";
}

function order(a: bigint, b: bigint): number {
  if (a < b) return -1;
  return a > b ? 1 : 0;
}

function equalLists(a: CelList, b: CelList, meter: Meter | undefined): boolean {
  if (a.size !== b.size) return false;
  if (a.sameAs !== undefined) return a.sameAs(b);
  for (let i = 0; i < a.size; i++) {
    meter?.();
    if (!equal(a.at(i), b.at(i), meter)) return false;
  }
  return true;
}

function equalMaps(a: CelMap, b: CelMap, meter: Meter | undefined): boolean {
  if (a.size !== b.size) return false;
  for (const key of a.keys()) {
    meter?.();
    const mine = a.get(key);
    const other = b.get(key);
    if (mine === undefined && other === undefined) continue;
    if (mine === undefined || other === undefined || !equal(mine, other, meter)) return false;
  }
  return a.hidesDifference?.(b) !== true;
}
