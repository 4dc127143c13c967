// Suggests the name that was probably meant by a misspelt one. Names may come from a document of a
// user, so the comparisons are bounded: a suggestion that needs more of them is not made.

import { limits } from "./limits.ts";

/** The name with the fewest differences, if these are at most a third of its letters. */
export function nearestName(name: string, names: Iterable<string>): string | undefined {
  if (name.length > limits.maxSuggestedChars) return undefined;
  const most = Math.max(Math.floor(name.length / 3), 1);
  const wanted = name.toLowerCase();
  let best: { readonly each: string; readonly changes: number } | undefined;
  let compared = 0;
  for (const each of names) {
    if (Math.abs(each.length - name.length) > most) continue;
    if (++compared > limits.maxSuggestedNames) break;
    const changes = changesBetween(wanted, each.toLowerCase());
    if (changes <= most && (best === undefined || changes < best.changes)) best = { each, changes };
  }
  return best?.each;
}

/** "; did you mean X?" when a known name is near. */
export type Suggest = (name: string, names: Iterable<string>) => string;

/** For one document: after some suggestions it makes no more. */
export function suggester(): Suggest {
  let left: number = limits.maxSuggestions;
  return (name, names) => {
    if (left <= 0) return "";
    left--;
    const nearest = nearestName(name, names);
    return nearest === undefined ? "" : `; did you mean ${nearest}?`;
  };
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
