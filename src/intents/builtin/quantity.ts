// Quantities such as "500m", "1Gi" or "3e6": exact numbers with a unit. They are compared as whole
// numbers of billionths, and written in the shortest form that keeps the way of counting: "1024Mi"
// is "1Gi", "1000m" is "1", "0.5" is "500m". What is already in a form that needs no change is kept
// letter by letter, as every other reader of the Kubernetes API keeps it.

export interface Quantity {
  readonly nanos: bigint;
  /** The form in which it is stored and shown. */
  readonly text: string;
}

export type QuantityProblem = { readonly problem: string };

type Format = "decimal" | "binary" | "exponent";

const syntax = /^([+-]?)(\d*)(\.?)(\d*)([eEinumkKMGTP]*[-+]?\d*)$/;
const decimalUnits = ["n", "u", "m", "", "k", "M", "G", "T", "P", "E"];
const binaryUnits = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
const billion = 1_000_000_000n;
/** Decimals of a quantity; smaller amounts are rounded away from zero. */
const nanoDigits = 9;
const maxExponent = 40;
/** Amounts with more digits are always brought into the short form. */
const maxKeptDigits = 18;
/** Binary amounts end where 64 bits do. */
const maxBinary = (2n ** 63n - 1n) * billion;

export function parseQuantity(text: string): Quantity | QuantityProblem {
  const match = text.length > 0 && text.length <= 100 ? syntax.exec(text) : null;
  if (match === null) {
    const pattern = "^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$";
    return { problem: `quantities must match the regular expression '${pattern}'` };
  }
  const [, sign = "", whole = "", , fraction = "", suffix = ""] = match;
  const unit = unitOf(suffix);
  if (unit === undefined) return { problem: "unable to parse quantity's suffix" };
  const magnitude = nanosOf(whole, fraction, unit);
  const nanos = sign === "-" ? -magnitude : magnitude;
  const digits = whole.replace(/^0+/, "");
  const isKept = text === "0" || (magnitude < maxBinary && isShort(digits, fraction, unit));
  return { nanos, text: isKept ? text : canonical(nanos, unit.format) };
}

export function isQuantity(parsed: Quantity | QuantityProblem): parsed is Quantity {
  return "nanos" in parsed;
}

/** No finer than thousandths: what is smaller is rounded up. */
export function roundedToMilli(quantity: Quantity): Quantity {
  const million = 1_000_000n;
  if (quantity.nanos % million === 0n) return quantity;
  const nanos = milliValue(quantity) * million;
  return { nanos, text: canonical(nanos, "decimal") };
}

/** The whole number of thousandths, rounded up. */
export function milliValue({ nanos }: Quantity): bigint {
  return dividedUp(nanos, 1_000_000n);
}

interface Unit {
  readonly format: Format;
  /** A power of ten, or of two when binary. */
  readonly exponent: number;
}

function unitOf(suffix: string): Unit | undefined {
  const decimal = decimalUnits.indexOf(suffix);
  if (decimal >= 0) return { format: "decimal", exponent: 3 * decimal - nanoDigits };
  const binary = binaryUnits.indexOf(suffix);
  if (binary > 0) return { format: "binary", exponent: 10 * binary };
  const match = /^[eE]([-+]?\d{1,4})$/.exec(suffix);
  const exponent = Number(match?.[1]);
  if (match === null || Math.abs(exponent) > maxExponent) return undefined;
  return { format: "exponent", exponent };
}

function nanosOf(whole: string, fraction: string, { format, exponent }: Unit): bigint {
  const amount = BigInt(`${whole}${fraction}` || "0");
  if (format === "binary") {
    const scaled = amount * 2n ** BigInt(exponent) * billion;
    const nanos = dividedUp(scaled, 10n ** BigInt(fraction.length));
    return nanos > maxBinary ? maxBinary : nanos;
  }
  const places = exponent - fraction.length + nanoDigits;
  if (places >= 0) return amount * 10n ** BigInt(places);
  return dividedUp(amount, 10n ** BigInt(-places));
}

/** Whether the text is in a form that readers leave alone. */
function isShort(digits: string, fraction: string, { format, exponent }: Unit): boolean {
  const shifted = `${digits}${fraction}`;
  if (shifted.length > maxKeptDigits) return false;
  if (format === "binary") return fraction === "" && (BigInt(shifted || "0") & 7n) !== 0n;
  const scale = exponent - fraction.length;
  if (scale < -nanoDigits || scale % 3 !== 0 || digits === "") return false;
  return !shifted.endsWith("000");
}

function canonical(nanos: bigint, format: Format): string {
  if (nanos === 0n) return "0";
  const isWhole = nanos % billion === 0n;
  const size = nanos < 0n ? -nanos : nanos;
  if (format === "binary" && isWhole && size >= 1_024n * billion) {
    let amount = nanos / billion;
    let unit = 0;
    while (amount % 1_024n === 0n && unit < binaryUnits.length - 1) {
      amount /= 1_024n;
      unit++;
    }
    return `${amount}${binaryUnits[unit] ?? ""}`;
  }
  let amount = nanos;
  let unit = 0;
  while (amount % 1_000n === 0n && unit < decimalUnits.length - 1) {
    amount /= 1_000n;
    unit++;
  }
  if (format !== "exponent") return `${amount}${decimalUnits[unit] ?? ""}`;
  const exponent = 3 * unit - nanoDigits;
  return exponent === 0 ? String(amount) : `${amount}e${exponent}`;
}

/** Division that rounds away from zero: who asks for a little gets a little. */
function dividedUp(amount: bigint, divisor: bigint): bigint {
  const quotient = amount / divisor;
  const rest = amount % divisor;
  if (rest === 0n) return quotient;
  return amount < 0n ? quotient - 1n : quotient + 1n;
}
