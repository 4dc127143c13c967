// How texts become terms, the same for queries and for ranking. Pure.

import { textIndexLimits } from "./port.ts";

/** Lower case without accents, as the index stores words. */
export function plain(text: string): string {
  return text.normalize("NFD").replaceAll(/\p{M}/gu, "").toLowerCase();
}

/** Of a text that is plain. */
function wordsOf(text: string): readonly string[] {
  return text.match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** Different terms, in their order. */
export function termsOf(query: string): readonly string[] {
  const terms = wordsOf(plain(query)).map((word) => word.slice(0, textIndexLimits.maxTermChars));
  return [...new Set(terms)].slice(0, textIndexLimits.maxTerms);
}

/** All are plain. */
export interface RankedFields {
  readonly title: string;
  readonly tags: string;
  readonly text: string;
}

const fieldScores: readonly (readonly [keyof RankedFields, number])[] = [
  ["title", 100],
  ["tags", 40],
  ["text", 10],
];

/** The sum over the terms of the best place of each. A whole title is the best hit. */
export function scoreOf(fields: RankedFields, terms: readonly string[]): number {
  const title = wordsOf(fields.title);
  const isWhole = title.length === terms.length && terms.every((term, at) => title[at] === term);
  const words = fieldScores.map(
    ([field, score]) => [field === "title" ? title : wordsOf(fields[field]), score] as const,
  );
  const sum = terms.reduce((total, term) => {
    const best = words.map(([found, score]) => score * closeness(found, term));
    return total + Math.max(...best);
  }, 0);
  return Math.round(isWhole ? sum * 2 : sum);
}

/** 1 for the word itself, less for its beginning, least for a part of it. */
function closeness(words: readonly string[], term: string): number {
  let best = 0;
  for (const word of words) {
    if (word === term) return 1;
    if (word.startsWith(term)) best = Math.max(best, 0.7);
    else if (word.includes(term)) best = Math.max(best, 0.4);
  }
  return best;
}
