// Patterns of LIKE: % is any text, _ is any one character, and a backslash before one of them or
// before itself takes it literally. Matching needs no regular expression: its time is bounded by
// the product of the two lengths.

type Part = "any" | "one" | { readonly char: string };

export function likePattern(pattern: string): (text: string) => boolean {
  const parts = partsOf(pattern);
  return (text) => matches(parts, text);
}

function partsOf(pattern: string): readonly Part[] {
  const parts: Part[] = [];
  const chars = Array.from(pattern);
  for (let at = 0; at < chars.length; at += 1) {
    const char = chars[at] ?? "";
    const next = chars[at + 1] ?? "";
    if (char === "\\" && ["%", "_", "\\"].includes(next)) {
      parts.push({ char: next });
      at += 1;
    } else if (char === "%") parts.push("any");
    else parts.push(char === "_" ? "one" : { char });
  }
  return parts;
}

/** On a mismatch the last "any" takes one more character: earlier ones never have to. */
function matches(parts: readonly Part[], text: string): boolean {
  let at = 0;
  let part = 0;
  let retry: { readonly part: number; at: number } | undefined;
  while (at < text.length) {
    const wanted = parts[part];
    if (wanted === "any") {
      part += 1;
      retry = { part, at };
      continue;
    }
    const length = matchedUnits(wanted, text, at);
    if (length > 0) {
      at += length;
      part += 1;
    } else if (retry === undefined) return false;
    else {
      retry.at += 1;
      at = retry.at;
      part = retry.part;
    }
  }
  while (parts[part] === "any") part += 1;
  return part === parts.length;
}

/** How many code units of the text the part takes; 0 when it does not match. */
function matchedUnits(part: Exclude<Part, "any"> | undefined, text: string, at: number): number {
  if (part === undefined) return 0;
  if (part === "one") return (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
  return text.startsWith(part.char, at) ? part.char.length : 0;
}
