// What is wrong with a search, and where.

import { SetpointError } from "../../../kernel/errors.ts";

/** `at` counts from 0; people count positions from 1. */
export function searchError(at: number, problem: string): SetpointError {
  const position = at + 1;
  const message = `search: position ${position}: ${problem}`;
  return new SetpointError("fleet.search_invalid", message, {
    details: { field: "query.search", position },
    suggestion: "write an expression such as name LIKE 'web-%' AND (region = eu OR region = us)",
  });
}
