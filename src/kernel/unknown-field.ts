// A misspelt field would be ignored, so it is refused with the name that was probably meant.

import { nearestName } from "./nearest-name.ts";

/** The first field that is not known, as a sentence; undefined when all are. */
export function unknownField(
  prefix: string,
  given: object,
  known: readonly string[],
): string | undefined {
  const unknown = Object.keys(given).find((name) => !known.includes(name));
  if (unknown === undefined) return undefined;
  const near = nearestName(unknown, known);
  const meant = near === undefined ? "" : `; did you mean ${near}?`;
  return `${prefix}${unknown} is not a known field; known fields: ${known.join(", ")}${meant}`;
}
