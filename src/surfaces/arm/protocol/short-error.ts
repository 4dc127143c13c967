// A refusal that fits into an answer, whatever it quotes. Each problem is told in a few lines, and
// of very many of them only the first ones are.

import { getOwn, isJsonArray, isJsonObject } from "../../../kernel/json.ts";
import type { Json, JsonObject, MutableJsonObject } from "../../../kernel/json.ts";
import { shortText } from "../../../kernel/short-text.ts";

/** The body of a refusal, `{"error":...}`, cut where it is too long. */
export function shortError(body: JsonObject): JsonObject {
  const error = getOwn(body, "error");
  if (!isJsonObject(error)) return body;
  const details = getOwn(error, "details");
  const isOne = !isJsonArray(details) || details.length < 2;
  const left = { chars: maxChars };
  return { ...body, error: shortProblem(error, isOne ? maxProblemChars : maxMessageChars, left) };
}

/** Of the message that tells all problems. */
const maxMessageChars = 8_192;
/** Of one problem, and of a name. */
const maxProblemChars = 1_024;
const maxChars = 131_072;

function shortProblem(
  problem: JsonObject,
  maxTextChars: number,
  left: { chars: number },
): JsonObject {
  const result: MutableJsonObject = { ...problem };
  for (const key of ["message", "target"]) {
    const text = getOwn(problem, key);
    if (typeof text !== "string") continue;
    result[key] = shortText(text, key === "target" ? maxProblemChars : maxTextChars);
    left.chars -= Math.min(text.length, maxTextChars);
  }
  const details = getOwn(problem, "details");
  if (!isJsonArray(details)) return result;
  const told: Json[] = [];
  for (const detail of details) {
    if (left.chars < 0) break;
    told.push(isJsonObject(detail) ? shortProblem(detail, maxProblemChars, left) : detail);
  }
  result["details"] = told;
  return result;
}
