// Cuts an expression into tokens. What no token can begin with is reported and skipped, as the
// parser generators behind other implementations do, so that one stray character does not hide
// the other problems.

import { tick } from "../inline-time.ts";
import type { Problem } from "./source.ts";
import { operators } from "./token.ts";
import type { Token, TokenKind } from "./token.ts";

export interface Tokens {
  /** Ends with the end of the text. */
  readonly tokens: readonly Token[];
  readonly problems: readonly Problem[];
}

export function tokenize(text: string): Tokens {
  const tokens: Token[] = [];
  const problems: Problem[] = [];
  let at = 0;
  while (at < text.length) {
    tick(ticksPerToken);
    const hidden = matchAt(hiddenPattern, text, at);
    if (hidden !== undefined) {
      at += hidden.length;
      continue;
    }
    const token = tokenAt(text, at);
    if (token === undefined) {
      const bad = badText(text, at);
      problems.push({ at, message: `Syntax error: token recognition error at: '${shown(bad)}'` });
      at += bad.length;
    } else {
      tokens.push(token);
      at += token.text.length;
    }
  }
  tokens.push({ kind: "<EOF>", text: "<EOF>", at: text.length });
  return { tokens, problems };
}

const ticksPerToken = 20;

const hiddenPattern = /[\t \r\n\f]+|\/\/[^\n]*/y;

const hex = "[0-9a-fA-F]";
const coded = `[xX]${hex}{2}|u${hex}{4}|U${hex}{8}`;
const escape = String.raw`\\(?:[abfnrtv"'\\?\x60]|[0-3][0-7][0-7]|${coded})`;
const stringBodies = [
  String.raw`"""(?:${escape}|[^\\])*?"""`,
  String.raw`'''(?:${escape}|[^\\])*?'''`,
  String.raw`"(?:${escape}|[^\\"\n\r])*"`,
  String.raw`'(?:${escape}|[^\\'\n\r])*'`,
];
const rawBodies = [
  String.raw`"""[^]*?"""`,
  String.raw`'''[^]*?'''`,
  String.raw`"[^"\n\r]*"`,
  String.raw`'[^'\n\r]*'`,
];
const allBodies = [...stringBodies, ...rawBodies.map((body) => `[rR]${body}`)];
const stringSource = `(?:${allBodies.join("|")})`;

/** In the order in which they are tried; what is longer comes first where both could match. */
const patterns: readonly { readonly kind: TokenKind; readonly pattern: RegExp }[] = [
  { kind: "BYTES", pattern: new RegExp(`[bB]${stringSource}`, "y") },
  { kind: "STRING", pattern: new RegExp(stringSource, "y") },
  {
    kind: "NUM_FLOAT",
    pattern: /(?:\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\.\d+(?:[eE][+-]?\d+)?)/y,
  },
  { kind: "NUM_UINT", pattern: /(?:0x[0-9a-fA-F]+|\d+)[uU]/y },
  { kind: "NUM_INT", pattern: /0x[0-9a-fA-F]+|\d+/y },
  { kind: "IDENTIFIER", pattern: /[A-Za-z_]\w*/y },
  { kind: "ESC_IDENTIFIER", pattern: /`[\w.\-/ ]+`/y },
];

const words = new Map<string, TokenKind>([
  ["in", "in"],
  ["true", "true"],
  ["false", "false"],
  ["null", "null"],
]);

function tokenAt(text: string, at: number): Token | undefined {
  for (const { kind, pattern } of patterns) {
    const found = matchAt(pattern, text, at);
    if (found === undefined) continue;
    const word = kind === "IDENTIFIER" ? words.get(found) : undefined;
    return { kind: word ?? kind, text: found, at };
  }
  const operator = operators.find((candidate) => text.startsWith(candidate, at));
  return operator === undefined ? undefined : { kind: operator, text: operator, at };
}

/** A string that never ends is bad up to where it cannot go on; else it is one character. */
function badText(text: string, at: number): string {
  const open = matchAt(openString, text, at);
  if (open !== undefined) return text.slice(at, Math.min(text.length, at + open.length + 1));
  if (/[=|&]/.test(text[at] ?? "")) return text.slice(at, at + 2);
  return String.fromCodePoint(text.codePointAt(at) ?? 0);
}

const openString = new RegExp(
  [
    String.raw`[bB]?[rR](?:"[^"\n\r]*|'[^'\n\r]*)`,
    String.raw`[bB]?(?:"(?:${escape}|[^\\"\n\r])*|'(?:${escape}|[^\\'\n\r])*)` +
      String.raw`(?:\\[0-3uUxX]?${hex}*)?`,
  ].join("|"),
  "y",
);

function shown(bad: string): string {
  return bad
    .replaceAll("\n", String.raw`\n`)
    .replaceAll("\r", String.raw`\r`)
    .replaceAll("\t", String.raw`\t`);
}

function matchAt(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}
