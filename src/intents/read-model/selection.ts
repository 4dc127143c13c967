// Finds a range of a sorted order without sorting the rest: quickselect. A page in the middle of
// 100,000 rows needs about four passes over the rows, and a sort of the page alone. Between passes
// the event loop belongs to other requests.

import type { Pause } from "../../kernel/pauses.ts";

/** Of two items by their index; never 0 for two different items. */
export type CompareIndexes = (one: number, other: number) => number;

export interface WantedRange {
  readonly count: number;
  readonly compare: CompareIndexes;
  /** The first position of the sorted order, and the one after the last. */
  readonly from: number;
  readonly to: number;
  readonly pause: Pause;
}

/** The indexes of the items at the positions `from` to `to` of the sorted order, in that order. */
export async function selectRange(wanted: WantedRange): Promise<Uint32Array> {
  const { count, compare, from, pause } = wanted;
  const to = Math.min(wanted.to, count);
  if (from >= to) return new Uint32Array(0);
  const indexes = new Uint32Array(count);
  for (let each = 0; each < count; each += 1) indexes[each] = each;
  const selection = { indexes, compare, pause };
  await place(selection, from, 0, count);
  await place(selection, to, from, count);
  const range = indexes.slice(from, to);
  await pause();
  return range.sort(compare);
}

interface Selection {
  readonly indexes: Uint32Array;
  readonly compare: CompareIndexes;
  readonly pause: Pause;
}

/** Afterwards no item in [low, position) is after one in [position, high). */
async function place(
  { indexes, compare, pause }: Selection,
  position: number,
  low: number,
  high: number,
): Promise<void> {
  let [from, to] = [low, high];
  // A range that does not shrink fast enough is sorted: the time is bounded for every order.
  let passes = 2 * Math.ceil(Math.log2(high - low + 1)) + 2;
  while (from < position && position < to) {
    if (to - from <= sortedAtOnce || passes === 0) {
      indexes.subarray(from, to).sort(compare);
      return;
    }
    passes -= 1;
    const middle = partition(indexes, compare, from, to);
    if (position <= middle) to = middle;
    else from = middle;
    await pause();
  }
}

const sortedAtOnce = 64;

/** Returns a position inside the range: items before it are not after those at and behind it. */
function partition(
  indexes: Uint32Array,
  compare: CompareIndexes,
  from: number,
  to: number,
): number {
  const pivot = pivotOf(indexes, compare, from, to);
  let left = from - 1;
  let right = to;
  for (;;) {
    do left += 1;
    while (compare(at(indexes, left), pivot) < 0);
    do right -= 1;
    while (compare(at(indexes, right), pivot) > 0);
    if (left >= right) return right + 1;
    swap(indexes, left, right);
  }
}

/** The median of nine. It is neither the first nor the last, so both parts have an item. */
function pivotOf(indexes: Uint32Array, compare: CompareIndexes, from: number, to: number): number {
  const step = Math.floor((to - from) / 9);
  const sample = Array.from({ length: 9 }, (_, each) => at(indexes, from + each * step));
  return sample.sort(compare)[4] ?? at(indexes, from);
}

function swap(indexes: Uint32Array, one: number, other: number): void {
  const kept = at(indexes, one);
  indexes[one] = at(indexes, other);
  indexes[other] = kept;
}

/** The position is always inside the array. */
function at(indexes: Uint32Array, position: number): number {
  return indexes[position] ?? 0;
}
