// Finding what a pattern matches. Patterns are RE2, so a text costs time linear in its length.

import { findAllMatches, regexProblem } from "../../regex.ts";
import { regexFind } from "../costs.ts";
import { declare, member } from "../functions.ts";
import type { FunctionDeclaration } from "../functions.ts";
import { intType, listType, stringType } from "../types.ts";
import type { CelValue } from "../values.ts";
import { error, list, noSuchOverload } from "../values.ts";

const text = stringType;

export const regexFunctions: readonly FunctionDeclaration[] = [
  declare(
    "find",
    [
      member("string_find_string", [text, text], text, (on, pattern) =>
        search(on, pattern, 1, (found) => found[0] ?? ""),
      ),
    ],
    regexFind,
  ),
  declare(
    "findAll",
    [
      member("string_find_all_string", [text, text], listType(text), (on, pattern) =>
        search(on, pattern, -1, list),
      ),
      member(
        "string_find_all_string_int",
        [text, text, intType],
        listType(text),
        (on, pattern, count) => search(on, pattern, Number(count), list),
      ),
    ],
    regexFind,
  ),
];

/** A negative count is all. */
function search(
  on: CelValue,
  pattern: CelValue,
  count: number,
  answer: (found: readonly string[]) => CelValue,
): CelValue {
  if (typeof on !== "string" || typeof pattern !== "string") return noSuchOverload;
  const problem = regexProblem(pattern);
  if (problem !== undefined) return error(`Illegal regex: ${problem}`);
  return answer(findAllMatches(pattern, on, count));
}
