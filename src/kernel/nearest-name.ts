// Suggests the name that was probably meant by a misspelt one.

/** The name with the fewest differences, if these are at most a third of its letters. */
export function nearestName(name: string, names: readonly string[]): string | undefined {
  const [best] = names
    .map((each) => ({ each, changes: changesBetween(name.toLowerCase(), each.toLowerCase()) }))
    .sort((a, b) => a.changes - b.changes);
  return best !== undefined && best.changes <= Math.max(name.length / 3, 1) ? best.each : undefined;
}

/** How many letters must be inserted, removed or replaced to turn one text into the other. */
function changesBetween(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; i++) {
    const next = [i];
    for (let j = 1; j <= other.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (one[i - 1] === other[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
