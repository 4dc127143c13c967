// Regular expressions written by users. They run in time linear in the text, so that no pattern
// can hold up the process, and have the syntax and the meaning of Go's regexp package, because
// that is what the authors of schemas, CEL rules and field rules expect: a match may be anywhere.

import { RE2JS } from "re2js";
import { SetpointError } from "./errors.ts";
import { limits } from "./limits.ts";
import { regexSize } from "./regex-size.ts";

export type Matches = (text: string) => boolean;

/** Throws request.invalid with the reason that Go would give. */
export function compileRegex(pattern: string): Matches {
  const known = cache.get(pattern);
  if (known !== undefined) return known;
  const compiled = compile(pattern);
  cachedSize += sizeOf(pattern);
  cache.set(pattern, compiled);
  while (cache.size > limits.maxCachedRegexes || cachedSize > limits.maxCachedRegexSize) {
    if (!forgetOldest()) break;
  }
  return compiled;
}

/** The texts that the pattern matches, from left to right; a negative count is all of them. */
export function findAllMatches(pattern: string, text: string, count: number): readonly string[] {
  compileRegex(pattern);
  const found: string[] = [];
  const matcher = RE2JS.compile(pattern).matcher(text);
  let end = -1;
  const enough = count < 0 ? Infinity : count;
  while (found.length < enough && matcher.find()) {
    const isEmptyAfterMatch = matcher.start() === matcher.end() && matcher.start() === end;
    if (!isEmptyAfterMatch) found.push(matcher.group() ?? "");
    end = matcher.end();
  }
  return found;
}

/** Why the pattern is not one, in the words of Go; undefined when it is. */
export function regexProblem(pattern: string): string | undefined {
  try {
    compileRegex(pattern);
    return undefined;
  } catch (error) {
    return error instanceof SetpointError ? error.message : String(error);
  }
}

/** The cache saves time only; that it is global changes no answer. */
const cache = new Map<string, Matches>();
let cachedSize = 0;

/** False when the newest is the only one. */
function forgetOldest(): boolean {
  const [oldest] = cache.keys();
  if (oldest === undefined || cache.size === 1) return false;
  cache.delete(oldest);
  cachedSize -= sizeOf(oldest);
  return true;
}

function sizeOf(pattern: string): number {
  return regexSize(pattern, limits.maxRegexSize);
}

function compile(pattern: string): Matches {
  if (pattern.length > limits.maxRegexChars || sizeOf(pattern) > limits.maxRegexSize) {
    throw new SetpointError("request.invalid", "error parsing regexp: expression too large");
  }
  try {
    const compiled = RE2JS.compile(pattern);
    return (text) => compiled.test(text);
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new SetpointError("request.invalid", message, { cause });
  }
}
