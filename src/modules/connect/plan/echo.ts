// Two ways in which services return a written value that do not change it. A name or an id is
// written, and the object that it refers to is returned. A secret is written, and a mask is
// returned.

import { getOwn, isJsonArray, isJsonObject } from "../../../kernel/json.ts";
import type { Json, JsonObject } from "../../../kernel/json.ts";
import { connectLimits } from "../limits.ts";

/** Names of the fields by which an object is referred to. */
const identityNames = [
  "id",
  "_id",
  "Id",
  "ID",
  "uuid",
  "guid",
  "name",
  "key",
  "slug",
  "code",
  "identifier",
  "login",
  "username",
  "email",
  "href",
  "self",
  "url",
  "value",
];

/** Whether an object, or each object of a list, is the one that the written value refers to. */
export function isReferenceTo(sent: Json | undefined, shown: Json | undefined): boolean {
  if (sent === undefined || shown === undefined) return false;
  if (isJsonArray(sent)) return isJsonArray(shown) && areReferences(sent, shown);
  if (!isJsonObject(shown)) return false;
  const text = referenceText(sent);
  return text !== undefined && identityNames.some((name) => identityOf(shown, name) === text);
}

function areReferences(sent: readonly Json[], shown: readonly Json[]): boolean {
  if (sent.length !== shown.length || sent.length === 0) return false;
  const left = [...shown];
  return sent.every((one) => {
    const at = left.findIndex((other) => isReferenceTo(one, other));
    if (at !== -1) left.splice(at, 1);
    return at !== -1;
  });
}

function identityOf(object: JsonObject, name: string): string | undefined {
  return referenceText(getOwn(object, name));
}

function referenceText(value: Json | undefined): string | undefined {
  if (typeof value === "number") return String(value);
  return typeof value === "string" && value !== "" ? value : undefined;
}

const maskWords =
  /^[[<({]*(?:redacted|masked|hidden|secret|sensitive(?: value)?|encrypted|obfuscated)[\])>}]*$/i;
const maskMarks = /^([\w.-]{0,12}?)[*\u2022\u25cf]{3,}([\w.-]{0,12})$/u;
const crosses = /^x{6,}$/i;

/** Whether a text is shown in the place of the written one, to hide it. */
export function isMaskOf(sent: Json | undefined, shown: Json | undefined): boolean {
  if (typeof sent !== "string" || typeof shown !== "string" || sent === shown) return false;
  if (shown.length > connectLimits.maxFormChars) return false;
  if (isMask(shown)) return true;
  // A part may stay readable, such as the last four characters.
  const [, start = "", end = ""] = maskMarks.exec(shown) ?? [];
  return start + end !== "" && sent.startsWith(start) && sent.endsWith(end);
}

/** Whether a text is certainly no value, whatever was written. */
export function isMask(shown: Json): boolean {
  if (typeof shown !== "string" || shown.length > connectLimits.maxFormChars) return false;
  const isBracketed = /^[[<({]/.test(shown) && maskWords.test(shown);
  const isLoud = shown === shown.toUpperCase() && maskWords.test(shown);
  return isBracketed || isLoud || crosses.test(shown) || /^[*\u2022\u25cf]{3,}$/u.test(shown);
}
