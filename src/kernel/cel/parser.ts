// From text to tree: the grammar of CEL by recursive descent, with macros expanded on the way.
// Messages are those of the generated parser that Kubernetes uses, down to what it expects and
// when it goes on after leaving out or making up one token. Size and depth are bounded first.

import type { CreateStruct, Expression, ListItem, MapEntry, StructField } from "./ast.ts";
import { tokenize } from "./lexer.ts";
import { expandMacro } from "./macros.ts";
import type { Macros } from "./macros.ts";
import { literalOf } from "./literals.ts";
import { codePoints } from "./sizes.ts";
import type { Problem } from "./source.ts";
import { expectation, expressionStart } from "./token.ts";
import type { Token, TokenKind } from "./token.ts";
import { weigh } from "./weight.ts";

export type Parsed =
  | { readonly kind: "parsed"; readonly expression: Expression }
  | { readonly kind: "failed"; readonly problems: readonly Problem[] };

export interface ParseLimits {
  readonly maxCodePoints: number;
  readonly maxDepth: number;
  /** After macros were expanded. */
  readonly maxParts: number;
}

export function parse(text: string, macros: Macros, limits: ParseLimits): Parsed {
  const size = codePoints(text);
  if (size > limits.maxCodePoints) {
    const sizes = `size: ${size}, limit ${limits.maxCodePoints}`;
    const message = `expression code point size exceeds limit: ${sizes}`;
    return { kind: "failed", problems: [{ at: undefined, message }] };
  }
  const { tokens, problems } = tokenize(text);
  const parser: Parser = {
    tokens,
    macros,
    maxDepth: limits.maxDepth,
    problems: [...problems],
    around: [["<EOF>"]],
    next: 0,
    depth: 0,
  };
  try {
    const expression = parseExpression(parser);
    match(parser, "<EOF>", []);
    if (weigh(expression) > limits.maxParts) stop(parser, "expression is too large");
    if (parser.problems.length === 0) return { kind: "parsed", expression };
  } catch (error) {
    if (!(error instanceof ParseStop)) throw error;
  }
  return { kind: "failed", problems: parser.problems };
}

/** Ends the parsing; what is wrong is in the parser's problems already. */
class ParseStop extends Error {}

interface Parser {
  readonly tokens: readonly Token[];
  readonly macros: Macros;
  readonly maxDepth: number;
  readonly problems: Problem[];
  /** What may end the part that is being parsed; the innermost last. */
  readonly around: (readonly TokenKind[])[];
  next: number;
  depth: number;
}

const reserved = new Set(
  (
    "as break const continue else false for function if import in let loop package namespace " +
    "null return true var void while"
  ).split(" "),
);

const relations: Partial<Record<TokenKind, string>> = {
  "<": "_<_",
  "<=": "_<=_",
  ">=": "_>=_",
  ">": "_>_",
  "==": "_==_",
  "!=": "_!=_",
  in: "@in",
};
const sums: Partial<Record<TokenKind, string>> = { "+": "_+_", "-": "_-_" };
const products: Partial<Record<TokenKind, string>> = { "*": "_*_", "/": "_/_", "%": "_%_" };

function parseExpression(parser: Parser): Expression {
  return nested(parser, () => {
    const condition = parseLogic(parser, "||");
    const mark = peek(parser);
    if (mark.kind !== "?") return condition;
    parser.next++;
    const ifTrue = within(parser, [":"], () => parseLogic(parser, "||"));
    match(parser, ":", expressionStart);
    const ifFalse = parseExpression(parser);
    return call(mark.at, "_?_:_", [condition, ifTrue, ifFalse]);
  });
}

/** Chains become balanced trees, so that a long one is not a deep one. */
function parseLogic(parser: Parser, operator: "||" | "&&"): Expression {
  const operand = (): Expression =>
    operator === "||" ? parseLogic(parser, "&&") : parseRelation(parser);
  const terms = [operand()];
  const places: number[] = [];
  while (peek(parser).kind === operator) {
    places.push(take(parser).at);
    terms.push(operand());
  }
  const balance = (from: number, to: number): Expression => {
    const middle = Math.floor((from + to + 1) / 2);
    const left = middle === from ? terms[middle] : balance(from, middle - 1);
    const right = middle === to ? terms[middle + 1] : balance(middle + 1, to);
    const args = [left, right].filter((term) => term !== undefined);
    return call(places[middle] ?? 0, `_${operator}_`, args);
  };
  const [only] = terms;
  return terms.length === 1 && only !== undefined ? only : balance(0, places.length - 1);
}

function parseRelation(parser: Parser): Expression {
  return parseChain(parser, relations, () =>
    parseChain(parser, sums, () => parseChain(parser, products, () => parseUnary(parser))),
  );
}

function parseChain(
  parser: Parser,
  operators: Partial<Record<TokenKind, string>>,
  operand: () => Expression,
): Expression {
  let left = operand();
  let length = 0;
  for (;;) {
    const token = peek(parser);
    const name = operators[token.kind];
    if (name === undefined) return left;
    parser.next++;
    lengthen(parser, ++length);
    left = call(token.at, name, [left, operand()]);
  }
}

function parseUnary(parser: Parser): Expression {
  const first = peek(parser);
  if (first.kind !== "!" && first.kind !== "-") return parseMember(parser);
  const isNumber = ["NUM_INT", "NUM_FLOAT"].includes(peek(parser, 1).kind);
  if (first.kind === "-" && isNumber) return parseMember(parser);
  let count = 0;
  while (peek(parser).kind === first.kind) {
    parser.next++;
    count++;
  }
  if (first.kind === "-") requireOperand(parser, first);
  else if (peek(parser).kind === "<EOF>") {
    report(
      parser,
      peek(parser),
      `extraneous input '<EOF>' expecting ${expectation(expressionStart)}`,
    );
    throw new ParseStop();
  }
  const operand = parseMember(parser);
  if (count % 2 === 0) return operand;
  return call(first.at, first.kind === "!" ? "!_" : "-_", [operand]);
}

function requireOperand(parser: Parser, minus: Token): void {
  const token = peek(parser);
  if (token.kind !== "-" && token.kind !== "!" && expressionStart.includes(token.kind)) return;
  report(parser, token, `no viable alternative at input '${joined(minus, token)}'`);
  throw new ParseStop();
}

function parseMember(parser: Parser): Expression {
  let member = parsePrimary(parser);
  let length = 0;
  for (;;) {
    const token = peek(parser);
    if (token.kind !== "." && token.kind !== "[") return member;
    lengthen(parser, ++length);
    parser.next++;
    member =
      token.kind === "." ? parseDot(parser, member, token) : parseIndex(parser, member, token);
  }
}

function parseDot(parser: Parser, operand: Expression, dot: Token): Expression {
  const isOptional = peek(parser).kind === "?";
  if (isOptional) parser.next++;
  const name = peek(parser);
  if (name.kind === "ESC_IDENTIFIER") {
    problem(parser, name.at, "unsupported syntax: '`'");
  } else if (name.kind !== "IDENTIFIER") {
    report(parser, name, `no viable alternative at input '${joined(dot, name)}'`);
    throw new ParseStop();
  }
  parser.next++;
  const open = peek(parser);
  if (isOptional) {
    const field = { kind: "literal", at: name.at, value: name.text } as const;
    return call(dot.at, "_?._", [operand, field]);
  }
  if (open.kind !== "(" || name.kind !== "IDENTIFIER") {
    return { kind: "select", at: dot.at, operand, field: name.text, isTest: false };
  }
  parser.next++;
  return callOrMacro(parser, open.at, operand, name.text, parseArguments(parser));
}

function parseIndex(parser: Parser, operand: Expression, bracket: Token): Expression {
  const isOptional = peek(parser).kind === "?";
  if (isOptional) parser.next++;
  expectOneOf(parser, isOptional ? expressionStart : [...expressionStart, "?"]);
  const index = within(parser, ["]"], () => parseExpression(parser));
  match(parser, "]", afterPrimary(parser));
  return call(bracket.at, isOptional ? "_[?_]" : "_[_]", [operand, index]);
}

/** What may stand after a complete operand, whatever is around it. */
const afterOperand: readonly TokenKind[] = [
  ...(["==", "!=", "in", "<", "<=", ">=", ">", "&&", "||"] as const),
  ...(["[", ".", "-", "?", "+", "*", "/", "%"] as const),
];

/** What may stand after the operand that ends here: an operator, or the end of what is around. */
function afterPrimary(parser: Parser): readonly TokenKind[] {
  return [...afterOperand, ...(parser.around.at(-1) ?? [])];
}

/** Parses a part with knowledge of what may end it. */
function within<T>(parser: Parser, ends: readonly TokenKind[], parsePart: () => T): T {
  parser.around.push(ends);
  const part = parsePart();
  parser.around.pop();
  return part;
}

function parsePrimary(parser: Parser): Expression {
  expectOneOf(parser, expressionStart);
  const token = peek(parser);
  switch (token.kind) {
    case "(": {
      parser.next++;
      const inner = within(parser, [")"], () => parseExpression(parser));
      match(parser, ")", afterPrimary(parser));
      return inner;
    }
    case "[":
      return parseList(parser);
    case "{":
      return parseMap(parser);
    case ".":
    case "IDENTIFIER":
      return parseName(parser);
    default:
      return parseLiteral(parser);
  }
}

function parseLiteral(parser: Parser): Expression {
  const sign = peek(parser).kind === "-" ? take(parser) : undefined;
  const token = take(parser);
  const literal = literalOf(token, sign !== undefined);
  const at = (sign ?? token).at;
  if (literal.kind === "value") return { kind: "literal", at, value: literal.value };
  problem(parser, at, literal.message);
  return { kind: "literal", at, value: null };
}

function parseName(parser: Parser): Expression {
  const first = peek(parser);
  if (first.kind === "." && peek(parser, 1).kind !== "IDENTIFIER") {
    report(
      parser,
      peek(parser, 1),
      `no viable alternative at input '${joined(first, peek(parser, 1))}'`,
    );
    throw new ParseStop();
  }
  const struct = parseStruct(parser);
  if (struct !== undefined) return struct;
  const leading = first.kind === "." ? take(parser).text : "";
  const token = take(parser);
  const name = leading + token.text;
  const open = peek(parser);
  if (reserved.has(token.text)) problem(parser, first.at, `reserved identifier: ${token.text}`);
  if (open.kind !== "(") return { kind: "ident", at: token.at, name };
  parser.next++;
  return callOrMacro(parser, open.at, undefined, name, parseArguments(parser));
}

/** `a.b.C{field: value}`: what follows the names tells it from a selection. */
function parseStruct(parser: Parser): CreateStruct | undefined {
  let ahead = peek(parser).kind === "." ? 1 : 0;
  let name = ahead === 1 ? "." : "";
  for (;;) {
    name += peek(parser, ahead).text;
    if (peek(parser, ahead + 1).kind === "{") break;
    if (peek(parser, ahead + 1).kind !== "." || peek(parser, ahead + 2).kind !== "IDENTIFIER") {
      return undefined;
    }
    name += ".";
    ahead += 2;
  }
  parser.next += ahead + 1;
  const brace = take(parser);
  const fields: StructField[] = [];
  expectOneOf(parser, ["}", ",", "?", "IDENTIFIER", "ESC_IDENTIFIER"]);
  parseItems(parser, "}", () => {
    const isOptional = peek(parser).kind === "?";
    if (isOptional) parser.next++;
    expectOneOf(parser, ["IDENTIFIER", "ESC_IDENTIFIER"]);
    const field = take(parser);
    const colon = peek(parser);
    match(parser, ":", expressionStart);
    fields.push({ at: colon.at, name: field.text, value: parseExpression(parser), isOptional });
  });
  return { kind: "struct", at: brace.at, name, fields };
}

function parseList(parser: Parser): Expression {
  const bracket = take(parser);
  const items: ListItem[] = [];
  expectOneOf(parser, [...expressionStart, "]", ",", "?"]);
  parseItems(parser, "]", () => {
    const isOptional = peek(parser).kind === "?";
    if (isOptional) parser.next++;
    items.push({ value: parseExpression(parser), isOptional });
  });
  return { kind: "list", at: bracket.at, items };
}

function parseMap(parser: Parser): Expression {
  const brace = take(parser);
  const entries: MapEntry[] = [];
  expectOneOf(parser, [...expressionStart, "}", ",", "?"]);
  parseItems(parser, "}", () => {
    const isOptional = peek(parser).kind === "?";
    if (isOptional) parser.next++;
    const key = within(parser, [":"], () => parseExpression(parser));
    match(parser, ":", expressionStart);
    entries.push({ key, value: parseExpression(parser), isOptional });
  });
  return { kind: "map", at: brace.at, entries };
}

/** Items with commas between them, and one after them if the author likes. */
function parseItems(parser: Parser, close: "]" | "}", item: () => void): void {
  if (peek(parser).kind !== close && peek(parser).kind !== ",") {
    for (;;) {
      within(parser, [close, ","], item);
      expectOneOf(parser, [close, ","]);
      const canContinue = peek(parser).kind === "," && startsItem(peek(parser, 1).kind);
      if (!canContinue) break;
      parser.next++;
    }
  }
  if (peek(parser).kind === ",") parser.next++;
  match(parser, close, afterPrimary(parser));
}

function startsItem(kind: TokenKind): boolean {
  return kind === "?" || kind === "ESC_IDENTIFIER" || expressionStart.includes(kind);
}

function parseArguments(parser: Parser): readonly Expression[] {
  const args: Expression[] = [];
  expectOneOf(parser, [...expressionStart, ")"]);
  if (peek(parser).kind !== ")") {
    within(parser, [")", ","], () => {
      args.push(parseExpression(parser));
      while (peek(parser).kind === ",") {
        parser.next++;
        args.push(parseExpression(parser));
      }
    });
  }
  match(parser, ")", afterPrimary(parser));
  return args;
}

function callOrMacro(
  parser: Parser,
  at: number,
  target: Expression | undefined,
  name: string,
  args: readonly Expression[],
): Expression {
  const expanded = expandMacro(parser.macros, { at, target, name, args });
  if (expanded === undefined) return { kind: "call", at, target, name, args };
  if (!("message" in expanded)) return { ...expanded, written: { target, name, args } };
  problem(parser, expanded.at ?? at, expanded.message);
  return { kind: "literal", at, value: null };
}

function call(at: number, name: string, args: readonly Expression[]): Expression {
  return { kind: "call", at, target: undefined, name, args };
}

function peek(parser: Parser, ahead = 0): Token {
  const token = parser.tokens[parser.next + ahead] ?? parser.tokens.at(-1);
  if (token === undefined) throw new ParseStop();
  return token;
}

function take(parser: Parser): Token {
  const token = peek(parser);
  parser.next++;
  return token;
}

/** Takes the token; leaves out one before it, or makes it up, when that explains the text. */
function match(parser: Parser, kind: TokenKind, follows: readonly TokenKind[]): void {
  const token = peek(parser);
  if (token.kind === kind) {
    parser.next++;
    return;
  }
  const expected = expectation([kind]);
  if (token.kind !== "<EOF>" && peek(parser, 1).kind === kind) {
    report(parser, token, `extraneous input '${token.text}' expecting ${expected}`);
    parser.next += 2;
    return;
  }
  if (follows.includes(token.kind)) {
    report(parser, token, `missing ${expected} at '${token.text}'`);
    return;
  }
  report(parser, token, `mismatched input '${token.text}' expecting ${expected}`);
  throw new ParseStop();
}

/** Goes on when the next token is one of these, or when leaving one out makes it so. */
function expectOneOf(parser: Parser, kinds: readonly TokenKind[]): void {
  const token = peek(parser);
  if (kinds.includes(token.kind)) return;
  const expected = expectation(kinds);
  if (token.kind === "<EOF>" || !kinds.includes(peek(parser, 1).kind)) {
    report(parser, token, `mismatched input '${token.text}' expecting ${expected}`);
    throw new ParseStop();
  }
  report(parser, token, `extraneous input '${token.text}' expecting ${expected}`);
  parser.next++;
}

function report(parser: Parser, token: Token, message: string): void {
  problem(parser, token.at, `Syntax error: ${message}`);
}

function problem(parser: Parser, at: number, message: string): void {
  parser.problems.push({ at, message });
}

function joined(first: Token, second: Token): string {
  return second.kind === "<EOF>" ? first.text : first.text + second.text;
}

function nested(parser: Parser, parseInner: () => Expression): Expression {
  parser.depth++;
  deepen(parser);
  const inner = parseInner();
  parser.depth--;
  return inner;
}

function deepen(parser: Parser): void {
  if (parser.depth > parser.maxDepth) {
    stop(parser, `expression recursion limit exceeded: ${parser.maxDepth}`);
  }
}

/** Chains nest as deep as they are long. */
function lengthen(parser: Parser, length: number): void {
  if (parser.depth - 1 + length > parser.maxDepth) stop(parser, "max recursion depth exceeded");
}

function stop(parser: Parser, message: string): never {
  parser.problems.push({ at: undefined, message });
  throw new ParseStop();
}
