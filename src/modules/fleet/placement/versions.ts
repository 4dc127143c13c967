// Which versions a new instance runs: the newest operator that is ready, and the newest product
// version that this operator can run. Versions are X.Y.Z with an optional build, X.Y.Z-B.

import type { Operator } from "../clusters/cluster.ts";

export interface DesiredVersions {
  readonly operator: string;
  /** Undefined when the operator reports no versions of the product. */
  readonly product?: string;
}

/** Undefined when no operator is ready. */
export function newestVersions(operators: readonly Operator[]): DesiredVersions | undefined {
  let newest: Operator | undefined;
  for (const operator of operators) {
    if (!operator.isReady) continue;
    if (newest === undefined || compareVersions(operator.version, newest.version) > 0) {
      newest = operator;
    }
  }
  if (newest === undefined) return undefined;
  const product = newest.versions.toSorted(compareVersions).at(-1);
  return { operator: newest.version, ...(product === undefined ? {} : { product }) };
}

/** Numbers are compared as numbers, and everything else as text. A build is newer than none. */
export function compareVersions(one: string, other: string): number {
  const [left, right] = [partsOf(one), partsOf(other)];
  for (let at = 0; at < Math.max(left.length, right.length); at += 1) {
    const order = compareParts(left[at], right[at]);
    if (order !== 0) return order;
  }
  return 0;
}

export function partsOf(version: string): readonly string[] {
  return version.split(/[.+-]/);
}

function compareParts(one: string | undefined, other: string | undefined): number {
  if (one === undefined || other === undefined) {
    return one === other ? 0 : one === undefined ? -1 : 1;
  }
  if (isDigits(one) && isDigits(other)) {
    const order = Number(one) - Number(other);
    if (order !== 0) return order;
  }
  return one === other ? 0 : one < other ? -1 : 1;
}

function isDigits(text: string): boolean {
  return /^\d{1,15}$/.test(text);
}
