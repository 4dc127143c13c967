// Whether a quantity is an integer depends, in Kubernetes, on how it was written: "1" is one, but
// "1.0" and "1000m" are not, because an amount keeps its scale. This follows that scale through
// parsing and sums. Amounts that need more than 64 bits have none, and are never integers.

import { maxInt, minInt } from "../values.ts";

/** The value is `value` × 10^`scale`. */
export interface Amount {
  readonly value: bigint;
  readonly scale: number;
}

const decimals = ["n", "u", "m", "", "k", "M", "G", "T", "P", "E"];
const binaries = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
const mostDigits = 18;

/** Undefined when the amount is kept in arbitrary precision. The text is a quantity. */
export function parseAmount(text: string): Amount | undefined {
  const found = /^([+-]?)0*(\d*)\.?(\d*)(.*)$/.exec(text);
  if (found === null) return undefined;
  const [, sign = "", number = "", fraction = "", suffix = ""] = found;
  const whole = number === "" ? "0" : number;
  const shift = shiftOf(whole, fraction, suffix);
  if (shift === undefined) return undefined;
  const scale = shift.scale - fraction.length;
  const size = BigInt(whole + fraction) * shift.factor;
  if (scale < -9 || size > maxInt) return undefined;
  return { value: sign === "-" ? -size : size, scale };
}

function shiftOf(
  whole: string,
  fraction: string,
  suffix: string,
): { readonly scale: number; readonly factor: bigint } | undefined {
  const binary = binaries.indexOf(suffix);
  if (binary > 0) {
    const bits = binary * 10;
    const isExact = fraction === "" && 15 - whole.length - Math.trunc((bits * 3) / 10) - 1 >= 0;
    return isExact ? { scale: 0, factor: 2n ** BigInt(bits) } : undefined;
  }
  if (whole.length + fraction.length > mostDigits) return undefined;
  const decimal = decimals.indexOf(suffix);
  const scale = decimal >= 0 ? decimal * 3 - 9 : Number(suffix.slice(1));
  return { scale, factor: 1n };
}

export function addAmounts(a: Amount | undefined, b: Amount | undefined): Amount | undefined {
  if (a === undefined || b === undefined) return undefined;
  if (b.value === 0n) return a;
  if (a.value === 0n) return b;
  const scale = Math.min(a.scale, b.scale);
  const value = scaled(a, scale) + scaled(b, scale);
  return value < minInt || value > maxInt ? undefined : { value, scale };
}

export function negateAmount(amount: Amount | undefined): Amount | undefined {
  return amount === undefined ? undefined : { ...amount, value: -amount.value };
}

/** Undefined when it is not an integer, or not one of 64 bits. */
export function integerOf(amount: Amount | undefined): bigint | undefined {
  if (amount === undefined || amount.scale < 0) return undefined;
  const value = scaled(amount, 0);
  return value < minInt || value > maxInt ? undefined : value;
}

function scaled({ value, scale }: Amount, to: number): bigint {
  return value * 10n ** BigInt(scale - to);
}
