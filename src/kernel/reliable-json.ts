// JSON.parse with a defect of V8 worked around: where an earlier object had a key that ends with a
// backslash, it reads a key such as "x\n" of a similar object as that earlier key. One document
// could so rename keys of another. Every key that is wrong ends with a backslash, so a document
// with such a key is parsed again with keys that no earlier object can have.

/** Throws what JSON.parse throws. */
export function parseReliably(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (!endsWithEscape.test(text) || !hasDoubtfulKey(value)) return value;
  return withoutNumbers(JSON.parse(withNumberedKeys(text)));
}

/** A key whose last character is written with a backslash; some values look the same. */
const endsWithEscape = /\\(?:u[\dA-Fa-f]{4}|.)"\s*:/;

/** The closing quote of the string that begins here. The text is known to be JSON. */
export function endOfString(text: string, open: number): number {
  let end = text.indexOf('"', open + 1);
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end;
}

const backslash = 0x5c;

function isEscaped(text: string, quote: number): boolean {
  let before = quote - 1;
  while (text.charCodeAt(before) === backslash) before -= 1;
  return (quote - before) % 2 === 0;
}

/** With a stack of its own, since the text may nest as deep as it likes. */
function hasDoubtfulKey(value: unknown): boolean {
  const left: unknown[] = [value];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (typeof next !== "object" || next === null) continue;
    if (!Array.isArray(next) && Object.keys(next).some((key) => key.endsWith("\\"))) return true;
    for (const inner of Object.values(next)) if (typeof inner === "object") left.push(inner);
  }
  return false;
}

/** Of a key, over all documents: no two objects ever have the same. */
let lastNumber = 0;

function withNumberedKeys(text: string): string {
  const parts: string[] = [];
  let done = 0;
  for (let quote = text.indexOf('"'); quote >= 0;) {
    const close = endOfString(text, quote);
    if (isKey(text, close + 1)) {
      parts.push(text.slice(done, quote + 1), `${(lastNumber += 1)}:`);
      done = quote + 1;
    }
    quote = text.indexOf('"', close + 1);
  }
  return parts.join("") + text.slice(done);
}

function isKey(text: string, after: number): boolean {
  let at = after;
  while (" \t\n\r".includes(text.charAt(at)) && at < text.length) at += 1;
  return text.charAt(at) === ":";
}

function withoutNumbers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNumbers);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, inner]) => {
    return [key.slice(key.indexOf(":") + 1), withoutNumbers(inner)] as const;
  });
  return Object.fromEntries(entries);
}
