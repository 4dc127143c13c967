// YAML 1.2 in and out, by the one library for it. A document becomes plain JSON values; anchors
// may not blow it up, and what JSON cannot hold is refused. Whoever sends a text decides how long
// reading it takes, so it is bounded in size, its nesting is counted while it is read, reading
// ends at the first error, and keys given twice are found here: the library compares each key with
// all others of its map.

import { Composer, Lexer, LineCounter, Parser, isMap, isScalar, isSeq, stringify } from "yaml";
import type { CST, Document, Scalar, YAMLParseError } from "yaml";
import { SetpointError, isSetpointError } from "./errors.ts";
import { integerOf, parseExact } from "./int64.ts";
import { jsonProblem } from "./json.ts";
import type { Json } from "./json.ts";
import { limits } from "./limits.ts";
import { parseJson } from "./strict-json.ts";
import { refuseHalves } from "./whole-text.ts";

export interface ParsedYaml {
  readonly value: Json;
  /** As in `key "a" already set in map`, each with its line. */
  readonly duplicates: readonly string[];
}

/** How others write it: for documents that are nobody's intent and that a person asked to read. */
export interface ForeignYaml {
  readonly maxChars: number;
  readonly maxAliases: number;
  /** `<<` adds the keys of another map, and whole numbers too large to be exact are rounded. */
  readonly isLenient: true;
}

/** Throws request.invalid, or request.too_large for a text that is no JSON and very long. */
export function parseYaml(text: string, foreign?: ForeignYaml): ParsedYaml {
  const json = foreign === undefined ? asJson(text) : undefined;
  if (json !== undefined) return json;
  const maxChars = foreign?.maxChars ?? limits.maxYamlChars;
  const maxAliases = foreign?.maxAliases ?? limits.maxYamlAliases;
  if (text.length > maxChars) throw tooLarge(maxChars);
  const lines = new LineCounter();
  const document = documentOf(text, { lines, maxAliases, merge: foreign !== undefined });
  const [problem] = document.errors;
  if (problem !== undefined) throw unreadableAt(inWordsOfGo(problem), lines, problem.pos[0]);
  const duplicates = duplicatesIn(document.contents, lines, foreign !== undefined);
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: maxAliases });
  } catch (cause) {
    throw unreadable(cause instanceof Error ? cause.message : "it cannot be read", cause);
  }
  const depth = jsonProblem(value, limits.maxJsonDepth);
  if (depth !== undefined) throw unreadable(depth);
  if (foreign === undefined) refuseHalves(text, value as Json);
  return { value: value as Json, duplicates };
}

/** Sorted, and quoted so that readers of YAML 1.1 see the same values, as Go writes it. */
export function formatYaml(value: Json): string {
  return stringify(value, {
    version: "1.1",
    lineWidth: 0,
    aliasDuplicateObjects: false,
    sortMapEntries: true,
    indentSeq: false,
  });
}

/** JSON is YAML, and read much faster as what it is; only YAML knows the lines of repeated keys. */
function asJson(text: string): ParsedYaml | undefined {
  if (!/^\s*[{[]/.test(text)) return undefined;
  try {
    parseExact(text);
  } catch {
    return undefined;
  }
  const { value, duplicates } = parseJson(text, { strict: true });
  if (duplicates.length > 0 && text.length <= limits.maxYamlChars) return undefined;
  const repeated = duplicates.map((path) => `key ${JSON.stringify(path)} already set in map`);
  return { value, duplicates: repeated };
}

interface Reading {
  readonly lines: LineCounter;
  readonly maxAliases: number;
  readonly merge: boolean;
}

function documentOf(text: string, { lines, maxAliases, merge }: Reading): Document.Parsed {
  const composer = new Composer({ uniqueKeys: false, prettyErrors: false, merge });
  const tokens = tokensOf(text, lines, maxAliases);
  let first: Document.Parsed | undefined;
  for (const document of composer.compose(tokens, true, text.length)) {
    if (first !== undefined) throw unreadable("there is more than one document");
    first = document;
  }
  if (first === undefined) throw unreadable("no document was given");
  return first;
}

/**
 * All documents of a text whose scalars are left as texts, for readers with rules of their own.
 * Throws request.invalid for text that nests too deep; other errors are in the documents.
 */
export function composeDocuments(text: string, lines: LineCounter): Iterable<Document.Parsed> {
  const composer = new Composer({
    uniqueKeys: false,
    prettyErrors: false,
    schema: "failsafe",
    resolveKnownTags: false,
    logLevel: "silent",
  });
  return composer.compose(tokensOf(text, lines, Infinity), false, text.length);
}

/** What the library's own parser does, with an eye on the nesting and an end at an error. */
function* tokensOf(
  text: string,
  lines: LineCounter,
  maxAliases: number,
): Generator<CST.Token, void> {
  const parser = new Parser(lines.addNewLine);
  lines.addNewLine(0);
  let isAfterComma = false;
  let aliases = 0;
  let isText = false;
  for (const lexeme of new Lexer().lex(text)) {
    if (lexeme === "," && isAfterComma) {
      throw unreadableAt("did not find expected node content", lines, parser.offset);
    }
    if (lexeme.trim() !== "") isAfterComma = lexeme === ",";
    // Each alias is looked up in the whole document.
    if (!isText && lexeme.startsWith("*")) aliases += 1;
    if (aliases > maxAliases) {
      throw unreadableAt("there are too many aliases", lines, parser.offset);
    }
    isText = lexeme === startOfText;
    for (const token of parser.next(lexeme)) {
      yield token;
      if (token.type === "error") return;
    }
    if (parser.stack.length > maxOpenTokens) throw unreadable("exceeded max depth");
  }
  yield* parser.end();
}

/** The mark of the lexer before the text of a scalar. */
const startOfText = "\u001f";

/** A document, its innermost scalar, and a value for each level around it. */
const maxOpenTokens = limits.maxJsonDepth + 2;

/** In the order of the text; whole numbers that lost digits get them back on the way. */
function duplicatesIn(contents: unknown, lines: LineCounter, mayRound: boolean): readonly string[] {
  const found: string[] = [];
  const visit = (node: unknown): void => {
    if (isSeq(node)) for (const item of node.items) visit(item);
    else if (isMap(node)) {
      const keys = new Set<unknown>();
      for (const { key, value } of node.items) {
        if (!isScalar(key)) throw unreadableAt("invalid map key", lines, startOf(key));
        if (!mayRound) restoreDigits(key);
        if (keys.has(key.value)) found.push(alreadySet(key, lines));
        keys.add(key.value);
        visit(value);
      }
    } else if (isScalar(node) && !mayRound) restoreDigits(node);
  };
  visit(contents);
  return found.slice(0, limits.maxShownErrors);
}

function alreadySet({ value, range }: Scalar, lines: LineCounter): string {
  const { line } = lines.linePos(range?.[0] ?? 0);
  return `line ${line}: key ${JSON.stringify(String(value))} already set in map`;
}

function restoreDigits(scalar: Scalar): void {
  const { value, source = "" } = scalar;
  if (typeof value !== "number" || !Number.isInteger(value) || Number.isSafeInteger(value)) return;
  const [, sign, digits] = /^([-+]?)(\d+|0[ox][\da-fA-F]+)$/.exec(source) ?? [];
  if (digits === undefined) return;
  scalar.value = integerOf(sign === "-" ? -BigInt(digits) : BigInt(digits));
}

/** The commonest problems as Kubernetes words them; clients print these. */
function inWordsOfGo({ code, message }: YAMLParseError): string {
  switch (code) {
    case "BLOCK_AS_IMPLICIT_KEY":
      return "mapping values are not allowed in this context";
    case "TAB_AS_INDENT":
      return "found character that cannot start any token";
    case "BAD_INDENT":
      return "did not find expected key";
    default:
      return message;
  }
}

function tooLarge(maxChars: number): SetpointError {
  const message = `YAML that is not JSON may have ${maxChars} characters; send JSON`;
  return new SetpointError("request.too_large", message);
}

function startOf(node: unknown): number {
  return (node as { readonly range?: readonly number[] | null } | null)?.range?.[0] ?? 0;
}

/** With its place. As in Go, the message leaves out the first line. */
function unreadableAt(why: string, lines: LineCounter, offset: number): SetpointError {
  const { line, col: column } = lines.linePos(offset);
  const message = line > 1 ? `yaml: line ${line}: ${why}` : `yaml: ${why}`;
  return new SetpointError("request.invalid", message, { details: { line, column } });
}

/** As in " (line 3, column 5)"; empty for an error without a place. */
export function yamlPlace(error: unknown): string {
  const { line, column } = isSetpointError(error) ? error.details : {};
  const hasPlace = typeof line === "number" && typeof column === "number";
  return hasPlace ? ` (line ${line}, column ${column})` : "";
}

function unreadable(why: string, cause?: unknown): SetpointError {
  return new SetpointError("request.invalid", `yaml: ${why}`, { cause });
}
