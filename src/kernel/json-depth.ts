// Finds nesting, and numbers of objects and lists, beyond a limit before a text is parsed.
// JSON.parse needs 0.2 s for three megabytes of open brackets, and the search for what is wrong
// with them as long again; as long for a million empty objects. A text with few brackets cannot
// take long, so only one with many is scanned.

import { endOfString } from "./reliable-json.ts";

/** Brackets that are parsed within a millisecond, however they are nested. */
const fewBrackets = 10_000;

/** True if the text nests deeper and has many brackets. The text need not be JSON. */
export function nestsDeeper(text: string, depth: number): boolean {
  if (!hasMore(text, "[", fewBrackets) && !hasMore(text, "{", fewBrackets)) return false;
  let open = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === quote) {
      const end = endOfString(text, i);
      if (end < 0) return false;
      i = end;
    } else if (code === openList || code === openObject) {
      open += 1;
      if (open > depth) return true;
    } else if (code === closeList || code === closeObject) open -= 1;
  }
  return false;
}

/** Whether the text has more objects, or more lists, than this. The text need not be JSON. */
export function hasMoreContainers(text: string, most: number): boolean {
  return hasMoreOutside(text, "{", most) || hasMoreOutside(text, "[", most);
}

/** Outside of strings. */
function hasMoreOutside(text: string, bracket: string, most: number): boolean {
  if (!hasMore(text, bracket, most)) return false;
  const wanted = bracket.charCodeAt(0);
  let count = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === wanted) {
      count += 1;
      if (count > most) return true;
    } else if (code === quote) {
      i = endOfString(text, i);
      if (i < 0) return false;
    }
  }
  return false;
}

const [quote, openList, closeList, openObject, closeObject] = [0x22, 0x5b, 0x5d, 0x7b, 0x7d];

function hasMore(text: string, bracket: string, most: number): boolean {
  let at = text.indexOf(bracket);
  for (let count = 1; at >= 0; count++) {
    if (count > most) return true;
    at = text.indexOf(bracket, at + 1);
  }
  return false;
}
