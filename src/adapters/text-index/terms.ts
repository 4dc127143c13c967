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
  let sum = 0;
  for (const term of terms) {
    let best = 0;
    for (const [field, score] of fieldScores) {
      if (best < score) best = Math.max(best, score * closeness(fields[field], term));
    }
    sum += best;
  }
  return Math.round(isWholeTitle(fields.title, terms) ? sum * 2 : sum);
}

function isWholeTitle(title: string, terms: readonly string[]): boolean {
  // Most titles begin with another word.
  if (!title.includes(terms[0] ?? "")) return false;
  const words = wordsOf(title);
  return words.length === terms.length && terms.every((term, at) => words[at] === term);
}

/** 1 for the word itself, less for its beginning, least for a part of it. */
function closeness(text: string, term: string): number {
  let best = 0;
  for (let at = text.indexOf(term); at >= 0; at = text.indexOf(term, at + 1)) {
    if (isInWord(before(text, at))) best = Math.max(best, 0.4);
    else if (isInWord(text.codePointAt(at + term.length))) best = Math.max(best, 0.7);
    else return 1;
  }
  return best;
}

function before(text: string, at: number): number | undefined {
  const unit = text.charCodeAt(at - 1);
  const isSecondHalf = unit >= 0xdc_00 && unit <= 0xdf_ff;
  return at === 0 ? undefined : text.codePointAt(isSecondHalf ? at - 2 : at - 1);
}

function isInWord(point: number | undefined): boolean {
  if (point === undefined) return false;
  // Spaces and ASCII are most of what there is.
  if (point < 0x80) return (point >= 0x61 && point <= 0x7a) || (point >= 0x30 && point <= 0x39);
  return /[\p{L}\p{N}]/u.test(String.fromCodePoint(point));
}
