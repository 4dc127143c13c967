// Says what is wrong with a text that is not JSON, in the words of Go, which clients of the
// Kubernetes API know. It runs only after JSON.parse has refused the text, so it is plain
// rather than fast; it keeps its own stack, because the text may nest as deep as it likes.

import { goQuote } from "./go-text.ts";

/** Undefined when the text is JSON. */
export function jsonSyntaxProblem(text: string): string | undefined {
  const stack: ("{" | "[")[] = [];
  let next: Expected = "value";
  let i = 0;
  for (;;) {
    i = skipSpace(text, i);
    if (i >= text.length) return next === "nothing" ? undefined : endless;
    const char = text.charAt(i);
    const step = take(text, i, char, next, stack);
    if (typeof step === "string") return step;
    ({ next, i } = step);
  }
}

type Expected =
  | "value"
  | "value or ]"
  | "key"
  | "key or }"
  | ":"
  | "after pair"
  | "after item"
  | "nothing";

interface Step {
  readonly next: Expected;
  readonly i: number;
}

const endless = "unexpected end of JSON input";

function take(
  text: string,
  i: number,
  char: string,
  expected: Expected,
  stack: ("{" | "[")[],
): Step | string {
  switch (expected) {
    case "value or ]":
      if (char === "]") return close(stack, i);
      return takeValue(text, i, char, stack);
    case "value":
      return takeValue(text, i, char, stack);
    case "key or }":
      if (char === "}") return close(stack, i);
      return takeKey(text, i, char);
    case "key":
      return takeKey(text, i, char);
    case ":":
      return char === ":" ? { next: "value", i: i + 1 } : bad(char, "after object key");
    case "after pair":
      if (char === "}") return close(stack, i);
      return char === "," ? { next: "key", i: i + 1 } : bad(char, "after object key:value pair");
    case "after item":
      if (char === "]") return close(stack, i);
      return char === "," ? { next: "value", i: i + 1 } : bad(char, "after array element");
    default:
      return bad(char, "after top-level value");
  }
}

function takeValue(text: string, i: number, char: string, stack: ("{" | "[")[]): Step | string {
  if (char === "{") {
    stack.push("{");
    return { next: "key or }", i: i + 1 };
  }
  if (char === "[") {
    stack.push("[");
    return { next: "value or ]", i: i + 1 };
  }
  const end = endOfScalar(text, i, char);
  return typeof end === "string" ? end : { next: after(stack), i: end };
}

function takeKey(text: string, i: number, char: string): Step | string {
  if (char !== '"') return bad(char, "looking for beginning of object key string");
  const end = endOfText(text, i + 1);
  return typeof end === "string" ? end : { next: ":", i: end };
}

function close(stack: ("{" | "[")[], i: number): Step {
  stack.pop();
  return { next: after(stack), i: i + 1 };
}

function after(stack: readonly ("{" | "[")[]): Expected {
  const top = stack.at(-1);
  if (top === undefined) return "nothing";
  return top === "{" ? "after pair" : "after item";
}

function endOfScalar(text: string, i: number, char: string): number | string {
  if (char === '"') return endOfText(text, i + 1);
  if (char === "-" || isDigit(char)) return endOfNumber(text, i);
  const literal = ["true", "false", "null"].find((word) => word.startsWith(char));
  if (literal === undefined) return bad(char, "looking for beginning of value");
  for (let k = 1; k < literal.length; k++) {
    const wanted = literal.charAt(k);
    const found = text.charAt(i + k);
    if (found === "") return endless;
    if (found !== wanted) return bad(found, `in literal ${literal} (expecting '${wanted}')`);
  }
  return i + literal.length;
}

function endOfText(text: string, start: number): number | string {
  for (let i = start; i < text.length; i++) {
    const char = text.charAt(i);
    if (char === '"') return i + 1;
    if (char < " ") return bad(char, "in string literal");
    if (char !== "\\") continue;
    i += 1;
    const escape = text.charAt(i);
    if (escape === "") return endless;
    if (escape !== "u") {
      if (!'bfnrt\\/"'.includes(escape)) return bad(escape, "in string escape code");
      continue;
    }
    for (let k = 1; k <= 4; k++) {
      const hex = text.charAt(i + k);
      if (hex === "") return endless;
      if (!/[0-9a-fA-F]/.test(hex)) return bad(hex, "in \\u hexadecimal character escape");
    }
    i += 4;
  }
  return endless;
}

function endOfNumber(text: string, start: number): number | string {
  let i = text.charAt(start) === "-" ? start + 1 : start;
  if (!isDigit(text.charAt(i))) return badOrEndless(text.charAt(i), "in numeric literal");
  i = text.charAt(i) === "0" ? i + 1 : skipDigits(text, i);
  if (text.charAt(i) === ".") {
    i += 1;
    const where = "after decimal point in numeric literal";
    if (!isDigit(text.charAt(i))) return badOrEndless(text.charAt(i), where);
    i = skipDigits(text, i);
  }
  if (text.charAt(i) !== "e" && text.charAt(i) !== "E") return i;
  i += 1;
  if (text.charAt(i) === "+" || text.charAt(i) === "-") i += 1;
  const where = "in exponent of numeric literal";
  if (!isDigit(text.charAt(i))) return badOrEndless(text.charAt(i), where);
  return skipDigits(text, i);
}

function badOrEndless(char: string, where: string): string {
  return char === "" ? endless : bad(char, where);
}

function bad(char: string, where: string): string {
  return `invalid character ${quoteChar(char)} ${where}`;
}

/** Go looks at bytes, so that only the first one of a character is shown. */
function quoteChar(char: string): string {
  if (char === "'") return "'\\''";
  if (char === '"') return "'\"'";
  const byte = Buffer.from(char).toString("latin1").charAt(0);
  return `'${goQuote(byte).slice(1, -1)}'`;
}

function skipSpace(text: string, start: number): number {
  let i = start;
  while (i < text.length && " \t\n\r".includes(text.charAt(i))) i += 1;
  return i;
}

function skipDigits(text: string, start: number): number {
  let i = start;
  while (isDigit(text.charAt(i))) i += 1;
  return i;
}

function isDigit(char: string): boolean {
  return char >= "0" && char <= "9";
}
