// Arithmetic of 64 bits on numbers that are usually small: the plain path adds two JavaScript
// numbers and is done when the result is exact; only beyond that are bigints involved. What
// leaves the 64 bits is an error, as nothing in CEL wraps around.

import type { CelDouble, CelUint, CelValue } from "./values.ts";
import { double, error, int, maxInt, maxUint, minInt, uint } from "./values.ts";

export type Numeric = number | bigint | CelDouble | CelUint;

export function isNumeric(value: CelValue): value is Numeric {
  switch (typeof value) {
    case "number":
    case "bigint":
      return true;
    case "object":
      return value !== null && (value.kind === "double" || value.kind === "uint");
    default:
      return false;
  }
}

/** The number as JavaScript compares it exactly. */
export function getOrUndefined(value: CelValue): number | bigint | undefined {
  if (typeof value === "number" || typeof value === "bigint") return value;
  if (typeof value !== "object" || value === null) return undefined;
  return value.kind === "double" || value.kind === "uint" ? value.value : undefined;
}

export type Operator = "+" | "-" | "*" | "/" | "%";

/** Undefined when the kinds do not go together. */
export function arithmetic(operator: Operator, a: CelValue, b: CelValue): CelValue | undefined {
  if (typeof a === "number" && typeof b === "number") return smallInts(operator, a, b);
  if (typeof a === "number" || typeof a === "bigint") {
    if (typeof b !== "number" && typeof b !== "bigint") return undefined;
    return bigInts(operator, BigInt(a), BigInt(b));
  }
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return undefined;
  if (a.kind === "double" && b.kind === "double") return doubles(operator, a.value, b.value);
  if (a.kind === "uint" && b.kind === "uint") return uints(operator, a.value, b.value);
  return undefined;
}

export function negate(value: CelValue): CelValue | undefined {
  if (typeof value === "number") return value === 0 ? 0 : -value;
  if (typeof value === "bigint") {
    return value === minInt ? error("integer overflow") : int(-value);
  }
  if (typeof value === "object" && value?.kind === "double") return double(-value.value);
  return undefined;
}

const intOverflow = error("integer overflow");
const uintOverflow = error("unsigned integer overflow");
const divideByZero = error("division by zero");
const modulusByZero = error("modulus by zero");

function smallInts(operator: Operator, a: number, b: number): CelValue {
  let result;
  switch (operator) {
    case "+":
      result = a + b;
      break;
    case "-":
      result = a - b;
      break;
    case "*":
      result = a * b;
      break;
    case "/":
      if (b === 0) return divideByZero;
      result = Math.trunc(a / b);
      break;
    case "%":
      if (b === 0) return modulusByZero;
      result = a % b;
      break;
  }
  // Adding zero turns -0 into 0, which ints do not distinguish.
  return Number.isSafeInteger(result) ? result + 0 : bigInts(operator, BigInt(a), BigInt(b));
}

function bigInts(operator: Operator, a: bigint, b: bigint): CelValue {
  const result = exact(operator, a, b);
  if (typeof result !== "bigint") return result;
  return result < minInt || result > maxInt ? intOverflow : int(result);
}

function uints(operator: Operator, a: bigint, b: bigint): CelValue {
  const result = exact(operator, a, b);
  if (typeof result !== "bigint") return result;
  return result < 0n || result > maxUint ? uintOverflow : uint(result);
}

function exact(operator: Operator, a: bigint, b: bigint): bigint | CelValue {
  switch (operator) {
    case "+":
      return a + b;
    case "-":
      return a - b;
    case "*":
      return a * b;
    case "/":
      return b === 0n ? divideByZero : a / b;
    default:
      // The smallest int modulo -1 overflows where it is computed by division.
      if (a === minInt && b === -1n) return intOverflow;
      return b === 0n ? modulusByZero : a % b;
  }
}

function doubles(operator: Operator, a: number, b: number): CelValue | undefined {
  switch (operator) {
    case "+":
      return double(a + b);
    case "-":
      return double(a - b);
    case "*":
      return double(a * b);
    case "/":
      return double(a / b);
    default:
      return undefined;
  }
}
