// Splits a search into tokens. Every token knows its position, which errors name. A word is a
// column, a keyword or a value without quotes: its place in the expression decides which.

import { searchError } from "./search-error.ts";

export type Token =
  | { readonly kind: "word"; readonly text: string; readonly at: number }
  /** In single quotes, where \' is a quote. */
  | { readonly kind: "quoted"; readonly text: string; readonly at: number }
  | { readonly kind: "sign"; readonly text: Sign; readonly at: number }
  | { readonly kind: "end"; readonly text: ""; readonly at: number };

export type Sign = "(" | ")" | "," | "=" | "<>";

const space = /\s+/y;
const sign = /<>|[(),=]/y;
const quoted = /'((?:[^'\\]|\\[\s\S])*)'/y;
const word = /[^\s'(),=<>]+/y;

/** Ends with a token of the kind "end". */
export function searchTokens(text: string): readonly Token[] {
  const tokens: Token[] = [];
  let at = skip(space, text, 0);
  while (at < text.length) {
    const [token, next] = tokenAt(text, at);
    tokens.push(token);
    at = skip(space, text, next);
  }
  return [...tokens, { kind: "end", text: "", at: text.length }];
}

function tokenAt(text: string, at: number): readonly [Token, number] {
  const mark = match(sign, text, at);
  if (mark !== undefined) return [{ kind: "sign", text: mark as Sign, at }, at + mark.length];
  const plain = match(word, text, at);
  if (plain !== undefined) return [{ kind: "word", text: plain, at }, at + plain.length];
  const whole = match(quoted, text, at);
  if (whole !== undefined) {
    const value = whole.slice(1, -1).replaceAll(String.raw`\'`, "'");
    return [{ kind: "quoted", text: value, at }, at + whole.length];
  }
  const problem = text[at] === "'" ? "the quote is not closed" : "this character has no meaning";
  throw searchError(at, problem);
}

function match(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

function skip(pattern: RegExp, text: string, at: number): number {
  return at + (match(pattern, text, at)?.length ?? 0);
}
