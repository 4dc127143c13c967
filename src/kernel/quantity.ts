// Amounts of resources such as "500m", "2Gi" and "1e3", as Kubernetes reads, compares and writes
// them. An amount is a whole number of billionths: finer ones are rounded up when they are read,
// so that who asks for little gets something. The text that was read is kept when Kubernetes
// would keep it, because clients compare what they wrote with what they get.

import { limits } from "./limits.ts";

export interface Quantity {
  readonly nanos: bigint;
  readonly format: QuantityFormat;
  /** The form in which it is stored and shown. */
  readonly text: string;
}

export type QuantityFormat = "DecimalSI" | "BinarySI" | "DecimalExponent";

/** What is wrong with a text, in the words of Kubernetes. */
export interface QuantityProblem {
  readonly problem: string;
}

export function parseQuantity(text: string): Quantity | QuantityProblem {
  const found = text.length > limits.maxQuantityChars ? null : quantityPattern.exec(text);
  if (found === null) return { problem: wrongFormat };
  const [, sign = "", numerator = "", fraction = "", suffix = ""] = found;
  const scale = scaleOf(suffix);
  if (scale === undefined) return { problem: wrongSuffix };
  const whole = numerator.replace(/^0+/, "") || "0";
  const size = capped(magnitude(whole, fraction, scale), scale.format);
  const nanos = sign === "-" ? -size : size;
  const isTiny = size > 0n && size < nanosOfOne;
  const format = scale.format === "BinarySI" && isTiny ? "DecimalSI" : scale.format;
  return isKept(whole, fraction, scale) ? { nanos, format, text } : written(nanos, format);
}

export function isQuantity(parsed: Quantity | QuantityProblem): parsed is Quantity {
  return "nanos" in parsed;
}

/** Negative when a is less than b, positive when it is more, whatever they are written in. */
export function compareQuantities(a: Sized, b: Sized): number {
  if (a.nanos === b.nanos) return 0;
  return a.nanos < b.nanos ? -1 : 1;
}

type Sized = Pick<Quantity, "nanos">;

/** The whole number of thousandths, rounded away from zero. */
export function milliValue({ nanos }: Sized): bigint {
  return nanos < 0n ? -divideUp(-nanos, nanosOfMilli) : divideUp(nanos, nanosOfMilli);
}

/** No finer than thousandths, which is what the built-in kinds store. */
export function roundedToMilli(quantity: Quantity): Quantity {
  if (quantity.nanos % nanosOfMilli === 0n) return quantity;
  return written(milliValue(quantity) * nanosOfMilli, quantity.format);
}

const syntax = "^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$";
const wrongFormat = `quantities must match the regular expression '${syntax}'`;
const wrongSuffix = "unable to parse quantity's suffix";
const quantityPattern = /^(?=.)([+-]?)(\d*)(?:\.(\d*))?([eEinumkKMGTP]*[-+]?\d*)$/;

const nanosOfOne = 1_000_000_000n;
const nanosOfMilli = 1_000_000n;
const maxBinary = (2n ** 63n - 1n) * nanosOfOne;
const decimalSuffixes = ["n", "u", "m", "", "k", "M", "G", "T", "P", "E"];
const binarySuffixes = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];

interface Scale {
  readonly exponent: number;
  readonly format: QuantityFormat;
}

function scaleOf(suffix: string): Scale | undefined {
  const decimal = decimalSuffixes.indexOf(suffix);
  if (decimal >= 0) return { exponent: decimal * 3 - 9, format: "DecimalSI" };
  const binary = binarySuffixes.indexOf(suffix);
  if (binary > 0) return { exponent: binary * 10, format: "BinarySI" };
  if (!/^[eE][-+]?\d+$/.test(suffix)) return undefined;
  const exponent = Number(suffix.slice(1));
  if (Math.abs(exponent) > limits.maxQuantityExponent) return undefined;
  return { exponent, format: "DecimalExponent" };
}

/** The size in billionths, rounded up. */
function magnitude(whole: string, fraction: string, { exponent, format }: Scale): bigint {
  const digits = BigInt(whole + fraction);
  if (format === "BinarySI") {
    return divideUp(digits * 2n ** BigInt(exponent) * nanosOfOne, 10n ** BigInt(fraction.length));
  }
  const shift = exponent + 9 - fraction.length;
  return shift >= 0 ? digits * 10n ** BigInt(shift) : divideUp(digits, 10n ** BigInt(-shift));
}

function divideUp(dividend: bigint, divisor: bigint): bigint {
  return (dividend + divisor - 1n) / divisor;
}

function capped(size: bigint, format: QuantityFormat): bigint {
  return format === "BinarySI" && size > maxBinary ? maxBinary : size;
}

/** What Kubernetes takes for canonical already, which is a little more than what it writes. */
function isKept(whole: string, fraction: string, { exponent, format }: Scale): boolean {
  const digits = whole + fraction;
  if (format === "BinarySI") {
    const precision = 15 - whole.length - Math.trunc((exponent * 3) / 10) - 1;
    return fraction === "" && precision >= 0 && BigInt(whole) % 8n !== 0n;
  }
  const scale = exponent - fraction.length;
  if (digits.length > 18 || scale < -9 || scale % 3 !== 0) return false;
  return !digits.endsWith("000") && !digits.startsWith("0");
}

function written(nanos: bigint, format: QuantityFormat): Quantity {
  return { nanos, format, text: canonicalText(nanos, format) };
}

function canonicalText(nanos: bigint, format: QuantityFormat): string {
  if (nanos === 0n) return "0";
  const size = nanos < 0n ? -nanos : nanos;
  // Other amounts would be read as decimal ones the next time, and be written as such.
  const isBinary = format === "BinarySI" && size % (1024n * nanosOfOne) === 0n;
  const sign = nanos < 0n ? "-" : "";
  if (isBinary) return sign + binaryText(size / nanosOfOne);
  return sign + decimalText(size, format === "DecimalExponent");
}

function binaryText(value: bigint): string {
  let [rest, power] = [value, 0];
  while (rest % 1024n === 0n) [rest, power] = [rest / 1024n, power + 1];
  return `${rest}${binarySuffixes[power] ?? ""}`;
}

function decimalText(nanos: bigint, hasExponent: boolean): string {
  let [rest, exponent] = [nanos, -9];
  while (rest % 1000n === 0n) [rest, exponent] = [rest / 1000n, exponent + 3];
  if (hasExponent) return exponent === 0 ? String(rest) : `${rest}e${exponent}`;
  // Amounts beyond the largest suffix keep their zeros.
  for (; exponent > 18; exponent -= 3) rest *= 1000n;
  return `${rest}${decimalSuffixes[(exponent + 9) / 3] ?? ""}`;
}
