// How much a value contains, counted only as far as the answer needs it.

import type { Json } from "./json.ts";

/** Whether a value contains more than this many values, itself not counted. */
export function hasMoreValuesThan(value: Json, most: number): boolean {
  const left: Json[] = [value];
  let count = 0;
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (typeof next !== "object" || next === null) continue;
    const values: readonly Json[] = Array.isArray(next)
      ? (next as readonly Json[])
      : Object.values(next as { readonly [key: string]: Json });
    count += values.length;
    if (count > most) return true;
    for (const inner of values) left.push(inner);
  }
  return false;
}
