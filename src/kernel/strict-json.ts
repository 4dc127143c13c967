// JSON texts of clients. They are parsed by the platform, and what it lets pass is looked for
// afterwards: nesting that would endanger recursive walks, numbers too large to be any, and keys
// given twice, of which the last one counts. Whether there are any is found by counting keys;
// which ones they are is asked only if so.

import { SetpointError } from "./errors.ts";
import { parseExact } from "./int64.ts";
import type { Json } from "./json.ts";
import { hasMoreContainers, nestsDeeper } from "./json-depth.ts";
import { jsonSyntaxProblem } from "./json-syntax.ts";
import { limits } from "./limits.ts";
import { formatChild } from "./schema/trail.ts";
import type { Trail } from "./schema/trail.ts";
import { decodeUtf8, refuseHalves } from "./whole-text.ts";

export interface ParseOptions {
  /** Look for keys that are given twice. */
  readonly strict: boolean;
}

export interface ParsedJson {
  readonly value: Json;
  /** Paths as in `duplicate field "spec.x"`, each once, in the order of the text. */
  readonly duplicates: readonly string[];
}

/** Throws request.invalid, also for texts that are not whole. */
export function parseJson(input: string | Uint8Array, options: ParseOptions): ParsedJson {
  const text = typeof input === "string" ? input : decodeUtf8(input);
  return checked(text, parse(text), options);
}

/** Undefined if the text is not JSON. Throws request.invalid as `parseJson` does for JSON. */
export function parseIfJson(input: Uint8Array, options: ParseOptions): ParsedJson | undefined {
  const text = decodeUtf8(input);
  refuseHeavy(text);
  let value: unknown;
  try {
    value = parseExact(text);
  } catch {
    return undefined;
  }
  return checked(text, value as Json, options);
}

function checked(text: string, value: Json, { strict }: ParseOptions): ParsedJson {
  const keys = countKeys(value, limits.maxJsonDepth);
  if (keys < 0) throw refusal(text, keys);
  refuseHalves(text, value);
  const hasDuplicates = strict && keys !== countKeysInText(text);
  return { value, duplicates: hasDuplicates ? findDuplicates(text) : none };
}

const none: readonly string[] = Object.freeze([]);
const tooDeep = -(2 ** 40);
const tooLarge = -(2 ** 41);
const maxDuplicates = 100;

/** Before it is parsed. */
function refuseHeavy(text: string): void {
  if (nestsDeeper(text, limits.maxJsonDepth)) throw refusal(text, tooDeep);
  const most = limits.maxJsonContainers;
  if (!hasMoreContainers(text, most)) return;
  const message = `the body has more than ${most} objects or lists`;
  throw new SetpointError("request.too_large", message);
}

function parse(text: string): Json {
  refuseHeavy(text);
  try {
    const value: unknown = parseExact(text);
    // JSON.parse returns nothing else.
    return value as Json;
  } catch (cause) {
    const problem = jsonSyntaxProblem(text) ?? String(cause);
    throw new SetpointError("request.invalid", problem, { cause });
  }
}

/** All keys in the value; very negative when it is too deep or has an infinite number. */
function countKeys(value: Json, depthLeft: number): number {
  if (typeof value !== "object" || value === null) {
    return value === Infinity || value === -Infinity ? tooLarge : 0;
  }
  if (depthLeft <= 0) return tooDeep;
  if (Array.isArray(value)) {
    const list: readonly Json[] = value;
    let keys = 0;
    for (let i = 0; i < list.length; i++) {
      const inner = list[i];
      if (typeof inner === "string") continue;
      keys += countKeys(inner ?? null, depthLeft - 1);
      if (keys < 0) return keys;
    }
    return keys;
  }
  const object = value as { readonly [key: string]: Json };
  const names = Object.keys(object);
  let keys = names.length;
  for (let i = 0; i < names.length; i++) {
    const inner = object[names[i] ?? ""];
    if (typeof inner === "string") continue;
    keys += countKeys(inner ?? null, depthLeft - 1);
    if (keys < 0) return keys;
  }
  return keys;
}

function refusal(text: string, keys: number): SetpointError {
  if (keys >= tooDeep) return new SetpointError("request.invalid", "exceeded max depth");
  const literals = text.matchAll(/-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/g);
  for (const [literal] of literals) {
    if (Number.isFinite(Number(literal))) continue;
    const message = `json: cannot unmarshal number ${literal} into Go value of type float64`;
    return new SetpointError("request.invalid", message);
  }
  return new SetpointError("request.invalid", "json: a number is too large");
}

/** Texts followed by a colon are keys; the text is known to be JSON. */
function countKeysInText(text: string): number {
  let keys = 0;
  let start = text.indexOf('"');
  while (start >= 0) {
    let i = endOfString(text, start) + 1;
    while (isSpace(text.charCodeAt(i))) i += 1;
    if (text.charCodeAt(i) === colon) keys += 1;
    start = text.indexOf('"', i);
  }
  return keys;
}

const [quote, backslash, colon, comma] = [34, 92, 58, 44];
const [openList, closeList, openObject, closeObject] = [91, 93, 123, 125];

/** Where the string that starts here is closed. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (text.charCodeAt(end - 1) === backslash && isEscaped(text, end)) {
    end = text.indexOf('"', end + 1);
  }
  return end;
}

function isEscaped(text: string, end: number): boolean {
  let i = end - 1;
  while (text.charCodeAt(i) === backslash) i -= 1;
  return (end - i) % 2 === 0;
}

function isSpace(code: number): boolean {
  return code === 32 || code === 10 || code === 13 || code === 9;
}

/** Walks the text, with the keys of the objects around it; a list has none. */
function findDuplicates(text: string): readonly string[] {
  const found = new Set<string>();
  const trail: Trail = [];
  const around: (Set<string> | undefined)[] = [];
  for (let i = 0; i < text.length && found.size < maxDuplicates; i++) {
    const code = text.charCodeAt(i);
    const keys = around.at(-1);
    if (code === quote) {
      const end = endOfString(text, i);
      let next = end + 1;
      while (isSpace(text.charCodeAt(next))) next += 1;
      if (text.charCodeAt(next) === colon && keys !== undefined) {
        const key = String(parseExact(text.slice(i, end + 1)));
        trail.pop();
        if (keys.has(key)) found.add(formatChild(trail, key));
        keys.add(key);
        trail.push(key);
      }
      i = next - 1;
    } else if (code === openObject || code === openList) {
      around.push(code === openObject ? new Set() : undefined);
      trail.push(code === openObject ? "" : 0);
    } else if (code === closeObject || code === closeList) {
      around.pop();
      trail.pop();
    } else if (code === comma && keys === undefined) {
      const index = trail.pop();
      trail.push(typeof index === "number" ? index + 1 : 0);
    }
  }
  return [...found];
}
