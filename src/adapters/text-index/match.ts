// The texts of FTS5 queries. Terms are quoted, so no text of a user is syntax. Pure.

import type { AllowedKind } from "./port.ts";

const [kindMark, placeMark, endMark] = [0xe1_00, 0xe1_01, 0xe1_ff];

/**
 * A token of characters for private use, one for each byte. The tokenizers keep it whole, and no
 * term of a search can match a part of it.
 */
function token(mark: number, text: string): string {
  const bytes = [...Buffer.from(text)].map((byte) => 0xe0_00 + byte);
  return String.fromCodePoint(mark, ...bytes, endMark);
}

/** The tokens of the place of an entry, in a column of their own. */
export function placeText(kind: string, place: string): string {
  return `${token(kindMark, kind)} ${token(placeMark, place)}`;
}

/** Undefined when the caller may see nothing. */
export function placeMatch(allowed: readonly AllowedKind[]): string | undefined {
  const kinds = allowed.flatMap(({ kind, places }): readonly string[] => {
    const ofKind = `"${token(kindMark, kind)}"`;
    if (places === undefined) return [ofKind];
    if (places.length === 0) return [];
    const inPlaces = places.map((place) => `"${token(placeMark, place)}"`).join(" OR ");
    return [`(${ofKind} AND (${inPlaces}))`];
  });
  return kinds.length === 0 ? undefined : `place : (${kinds.join(" OR ")})`;
}

/** Every term as a word. */
export function wordMatch(terms: readonly string[], place: string): string {
  return `(${terms.map((term) => `"${term}"`).join(" AND ")}) AND ${place}`;
}

/** Every term as the beginning of a word. */
export function prefixMatch(terms: readonly string[], place: string): string {
  return `(${terms.map((term) => `"${term}" *`).join(" AND ")}) AND ${place}`;
}

/** Every term inside of a word; undefined when a term is too short for trigrams. */
export function partMatch(terms: readonly string[], place: string): string | undefined {
  return terms.some((term) => Array.from(term).length < 3) ? undefined : wordMatch(terms, place);
}
