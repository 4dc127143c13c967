// The text "a-${expression}-b" in its parts. An expression ends at the brace that closes it: braces
// in quotes and braces of maps do not. "$${" is a "${" that is not an expression. Pure.

export type TextPart =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "expression"; readonly source: string };

/** Undefined when an expression has no end. */
export function textParts(given: string): readonly TextPart[] | undefined {
  const parts: TextPart[] = [];
  let text = "";
  for (let at = 0; at < given.length;) {
    if (given.startsWith("$${", at)) {
      text += "${";
      at += 3;
      continue;
    }
    if (!given.startsWith("${", at)) {
      text += given.charAt(at);
      at += 1;
      continue;
    }
    const end = endOfExpression(given, at + 2);
    if (end === undefined) return undefined;
    if (text !== "") parts.push({ kind: "text", text });
    text = "";
    parts.push({ kind: "expression", source: given.slice(at + 2, end).trim() });
    at = end + 1;
  }
  if (text !== "") parts.push({ kind: "text", text });
  return parts;
}

function endOfExpression(given: string, start: number): number | undefined {
  let depth = 0;
  let quote: string | undefined;
  for (let at = start; at < given.length; at++) {
    const char = given.charAt(at);
    if (quote !== undefined) {
      if (char === "\\") at += 1;
      else if (char === quote) quote = undefined;
      continue;
    }
    if (char === '"' || char === "'") quote = char;
    else if (char === "{") depth += 1;
    else if (char === "}") {
      if (depth === 0) return at;
      depth -= 1;
    }
  }
  return undefined;
}
