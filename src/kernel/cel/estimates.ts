// Ranges of sizes and of costs, as static estimation computes with them. Costs saturate at the
// largest 64-bit number, which stands for "no bound"; that is what makes a rule over unbounded
// lists of unbounded lists expensive beyond any limit instead of wrapping around to cheap.

export interface Range {
  readonly min: number;
  readonly max: number;
}

/** 2^64: JavaScript has no 2^64 - 1, and no estimate tells them apart. */
export const noBound = 2 ** 64;

export const unknownSize: Range = { min: 0, max: noBound };

/** What walking over one character costs, in units of one lookup. */
export const traversalFactor = 0.1;
/** What one character of a pattern costs, per character of the text. */
export const regexFactor = 0.25;
export const createListCost = 10;
export const createMapCost = 30;
export const createStructCost = 40;

export function exactly(value: number): Range {
  return { min: value, max: value };
}

export function add(a: Range, b: Range): Range {
  return { min: Math.min(noBound, a.min + b.min), max: Math.min(noBound, a.max + b.max) };
}

export function multiply(a: Range, b: Range): Range {
  return { min: product(a.min, b.min), max: product(a.max, b.max) };
}

/** Rounds up, as part of a unit is a unit. */
export function scale(a: Range, factor: number): Range {
  return { min: scaled(a.min, factor), max: scaled(a.max, factor) };
}

export function union(a: Range, b: Range): Range {
  return { min: Math.min(a.min, b.min), max: Math.max(a.max, b.max) };
}

function product(a: number, b: number): number {
  return Math.min(noBound, a * b);
}

function scaled(value: number, factor: number): number {
  return Math.min(noBound, Math.ceil(value * factor));
}
