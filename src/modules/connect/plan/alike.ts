// Whether the value that a service shows is another form of the value that it was sent: different
// case or punctuation, a longer name, a number as a string, the same time in another format, the
// same elements in another order, or an absent value instead of an empty one. Such a difference is
// stored as a known difference at once. Any other difference is a write that had no effect.

import { canonicalJson } from "../../../kernel/canonical-json.ts";
import { equalJson, getOwn, isJsonArray, isJsonObject } from "../../../kernel/json.ts";
import type { Json } from "../../../kernel/json.ts";
import { connectLimits } from "../limits.ts";
import { isReferenceTo } from "./echo.ts";

export function areAlike(sent: Json | undefined, shown: Json | undefined): boolean {
  return compare(sent, shown, areTextsAlike);
}

/** As `areAlike`, but a longer name is different: it may be the name of another object. */
export function areSame(sent: Json | undefined, shown: Json | undefined): boolean {
  return compare(sent, shown, areTextsSame);
}

type CompareTexts = (sent: string, shown: string) => boolean;

function compare(sent: Json | undefined, shown: Json | undefined, texts: CompareTexts): boolean {
  if (isEmpty(sent) && isEmpty(shown)) return true;
  if (sent === undefined || shown === undefined) return false;
  if (equalJson(sent, shown)) return true;
  if (isReferenceTo(sent, shown)) return true;
  if (isJsonArray(sent)) return isJsonArray(shown) && compareLists(sent, shown, texts);
  if (isJsonObject(sent)) {
    if (!isJsonObject(shown)) return false;
    return Object.keys(sent).every((key) => compare(getOwn(sent, key), getOwn(shown, key), texts));
  }
  if (isJsonArray(shown) || isJsonObject(shown)) return false;
  return texts(String(sent), String(shown));
}

/** An absent value, in any of the forms that services use. */
function isEmpty(value: Json | undefined): boolean {
  if (value === undefined || value === null || value === "" || value === false) return true;
  if (isJsonArray(value)) return value.length === 0;
  return isJsonObject(value) && Object.values(value).every(isEmpty);
}

function compareLists(sent: readonly Json[], shown: readonly Json[], texts: CompareTexts): boolean {
  if (sent.length !== shown.length) return false;
  const sorted = (list: readonly Json[]): readonly Json[] =>
    list.toSorted((a, b) => (canonicalJson(a) < canonicalJson(b) ? -1 : 1));
  const pairs = (a: readonly Json[], b: readonly Json[]): boolean =>
    a.every((item, index) => compare(item, b[index], texts));
  return pairs(sent, shown) || pairs(sorted(sent), sorted(shown));
}

const instant = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/;

function areTextsSame(sent: string, shown: string): boolean {
  if (isLong(sent) || isLong(shown)) return sent === shown;
  if (instant.test(sent) && instant.test(shown)) return Date.parse(sent) === Date.parse(shown);
  if (sent === "" || shown === "") return false;
  return Number(sent) === Number(shown) || (plain(sent) !== "" && plain(sent) === plain(shown));
}

function areTextsAlike(sent: string, shown: string): boolean {
  if (areTextsSame(sent, shown)) return true;
  if (isLong(sent) || isLong(shown)) return false;
  if (instant.test(sent) && instant.test(shown)) return false;
  const [one, other] = [plain(sent), plain(shown)];
  return one.length >= 3 && isWithin(one, other);
}

function isLong(text: string): boolean {
  return text.length > connectLimits.maxFormChars;
}

function plain(text: string): string {
  return text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "");
}

/** Whether the longer text contains the characters of the shorter one, in the same order. */
function isWithin(shorter: string, longer: string): boolean {
  // Numbers that share digits are still different numbers.
  if (/^\d+$/.test(shorter) || longer.length > 3 * shorter.length) return false;
  let at = 0;
  for (const character of longer) if (character === shorter[at]) at += 1;
  return at === shorter.length;
}
