// How many there are of each combination of labels. A combination that does not occur any more is
// not shown, unless it was declared: then it is shown as 0.

import type { GaugeSample } from "../../../contract/ports.ts";

type Labels = GaugeSample["labels"];

interface Entry {
  readonly labels: Labels;
  isDeclared: boolean;
  value: number;
}

export class Tally {
  readonly #entries = new Map<string, Entry>();

  declare(labels: Labels): void {
    this.#entryOf(labels).isDeclared = true;
  }

  add(labels: Labels, by: number): void {
    const entry = this.#entryOf(labels);
    entry.value += by;
    if (entry.value === 0 && !entry.isDeclared) this.#entries.delete(keyOf(labels));
  }

  *samples(): Iterable<GaugeSample> {
    for (const { labels, value } of this.#entries.values()) yield { labels, value };
  }

  #entryOf(labels: Labels): Entry {
    const key = keyOf(labels);
    const found = this.#entries.get(key);
    if (found !== undefined) return found;
    const entry: Entry = { labels, isDeclared: false, value: 0 };
    this.#entries.set(key, entry);
    return entry;
  }
}

/** Callers give labels in one order. */
function keyOf(labels: Labels): string {
  return Object.values(labels).join("\n");
}

/**
 * Keeps the groups small that a reporter could grow: the combinations with the most, and the rest
 * of each group as one with `other` as the value of the label.
 */
export function* bounded(
  samples: Iterable<GaugeSample>,
  label: string,
  most: number,
): Iterable<GaugeSample> {
  const groups = new Map<string, GaugeSample[]>();
  for (const sample of samples) {
    const group = keyOf({ ...sample.labels, [label]: "" });
    const found = groups.get(group);
    if (found === undefined) groups.set(group, [sample]);
    else found.push(sample);
  }
  for (const group of groups.values()) {
    const sorted = group.toSorted((one, two) => two.value - one.value);
    yield* sorted.slice(0, most);
    const [first, ...others] = sorted.slice(most);
    if (first === undefined) continue;
    const value = others.reduce((sum, { value: each }) => sum + each, first.value);
    yield { labels: { ...first.labels, [label]: "other" }, value };
  }
}
