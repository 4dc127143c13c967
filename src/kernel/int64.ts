// Integers of 64 bits. JSON.parse rounds whole numbers beyond 2^53; Kubernetes keeps every int64.
// Here an integer is a number while that is exact and a bigint beyond, and every document is read
// by `parseExact`. A whole number beyond int64 is a float, as in Kubernetes. An ordinary document
// costs one look at every sixteenth character; only one with a long integer needs a reviver.

export const minInt64 = -(2n ** 63n);
export const maxInt64 = 2n ** 63n - 1n;

export function isInt64(value: bigint): boolean {
  return value >= minInt64 && value <= maxInt64;
}

/** A number where that is exact or where the value is not an int64, and a bigint otherwise. */
export function integerOf(value: bigint): number | bigint {
  const near = Number(value);
  return Number.isSafeInteger(near) || !isInt64(value) ? near : value;
}

export function isNumber(value: unknown): value is number | bigint {
  return typeof value === "number" || typeof value === "bigint";
}

/** By value, whatever the types are. */
export function compareNumbers(a: number | bigint, b: number | bigint): number {
  if (a < b) return -1;
  return a > b ? 1 : 0;
}

/** JSON.parse that keeps every int64; throws what JSON.parse throws. */
export function parseExact(text: string): unknown {
  return hasLongInteger(text) ? JSON.parse(text, exactly) : JSON.parse(text);
}

/** A bigint is written as a number by every JSON.stringify of this process: see below. */
function exactly(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  if (typeof value !== "number" || Number.isSafeInteger(value)) return value;
  const source = context?.source ?? "";
  return isWhole.test(source) ? integerOf(BigInt(source)) : value;
}

const isWhole = /^-?\d+$/;

/** The fewest digits of an integer that is not exact as a number. */
const longDigits = 16;

/**
 * True when a text may contain an integer of 16 digits or more. Each such run of digits has one
 * at a multiple of 16, so the characters between are looked at only around a digit found there.
 */
export function hasLongInteger(text: string): boolean {
  const end = text.length;
  for (let i = longDigits - 1; i < end; i += longDigits) {
    if (!isDigit(text.charCodeAt(i))) continue;
    let first = i;
    while (first > 0 && isDigit(text.charCodeAt(first - 1))) first -= 1;
    let last = i;
    while (last + 1 < end && isDigit(text.charCodeAt(last + 1))) last += 1;
    if (last - first + 1 >= longDigits && standsAlone(text, first, last)) return true;
    // Goes on at the first such position behind this run.
    i = last - ((last + 1) % longDigits);
  }
  return false;
}

/** False for digits that begin or end like part of a string, and for those of a fraction. */
function standsAlone(text: string, first: number, last: number): boolean {
  const sign = text.charCodeAt(first - 1) === minus ? 1 : 0;
  const before = text.charAt(first - sign - 1);
  const after = text.charAt(last + 1);
  return " \t\n\r:,[".includes(before) && " \t\n\r,]}".includes(after);
}

const [minus, zero, nine] = [0x2d, 0x30, 0x39];

function isDigit(code: number): boolean {
  return code >= zero && code <= nine;
}

// JSON.stringify refuses a bigint that has no `toJSON`. Documents are written in many places, also
// by modules, so the method exists once for the whole process. Libraries like to define their own,
// which returns a string and would change the documents: that assignment has no effect.
const raw = JSON as unknown as { rawJSON(text: string): unknown };
const present = Object.getOwnPropertyDescriptor(BigInt.prototype, "toJSON");
if (present?.configurable !== false) {
  // oxlint-disable-next-line no-extend-native -- the platform has no other way for all callers
  Object.defineProperty(BigInt.prototype, "toJSON", {
    get: () => writeExactly,
    set: ignore,
    enumerable: false,
    configurable: false,
  });
}

function writeExactly(this: bigint): unknown {
  return raw.rawJSON(String(this));
}

function ignore(_method: unknown): void {
  // See above.
}
