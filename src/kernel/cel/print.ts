// Writes a tree as an expression again, macros as they were called. Parentheses stand where they
// have to, and the text parses to the same tree; positions are the only thing that is lost.

import type { Call, Expression, LiteralValue } from "./ast.ts";
import { formatDouble } from "./text.ts";
import { isInt, textOf } from "./values.ts";

export function print(expression: Expression): string {
  return printAt(expression, 0);
}

interface BinaryOperator {
  readonly symbol: string;
  readonly level: number;
}

const binary: ReadonlyMap<string, BinaryOperator> = new Map([
  ["_||_", { symbol: "||", level: 2 }],
  ["_&&_", { symbol: "&&", level: 3 }],
  ...["<", "<=", ">", ">=", "==", "!="].map((symbol): [string, BinaryOperator] => [
    `_${symbol}_`,
    { symbol, level: 4 },
  ]),
  ["@in", { symbol: "in", level: 4 }],
  ...["+", "-"].map((symbol): [string, BinaryOperator] => [`_${symbol}_`, { symbol, level: 5 }]),
  ...["*", "/", "%"].map((symbol): [string, BinaryOperator] => [
    `_${symbol}_`,
    { symbol, level: 6 },
  ]),
]);

const conditionalLevel = 1;
const unaryLevel = 7;
const memberLevel = 8;

/** In parentheses when it binds less than what is around it. */
function printAt(expression: Expression, level: number): string {
  const { text, binds } = printed(expression);
  return binds < level ? `(${text})` : text;
}

interface Printed {
  readonly text: string;
  readonly binds: number;
}

function printed(expression: Expression): Printed {
  if (expression.written !== undefined) {
    const { target, name, args } = expression.written;
    return { text: printCall(target, name, args), binds: memberLevel };
  }
  switch (expression.kind) {
    case "literal":
      return printLiteral(expression.value);
    case "ident":
      return { text: expression.name, binds: memberLevel };
    case "select":
      return member(`${printAt(expression.operand, memberLevel)}.${expression.field}`);
    case "call":
      return printOperator(expression);
    case "list": {
      const items = expression.items.map((item) => optional(item.isOptional) + print(item.value));
      return member(`[${items.join(", ")}]`);
    }
    case "map": {
      const entries = expression.entries.map(
        ({ key, value, isOptional }) => `${optional(isOptional)}${print(key)}: ${print(value)}`,
      );
      return member(`{${entries.join(", ")}}`);
    }
    case "struct": {
      const fields = expression.fields.map(
        ({ name, value, isOptional }) => `${optional(isOptional)}${name}: ${print(value)}`,
      );
      return member(`${expression.name}{${fields.join(", ")}}`);
    }
    default:
      throw new TypeError("a loop that no macro made cannot be written");
  }
}

function member(text: string): Printed {
  return { text, binds: memberLevel };
}

function optional(isOptional: boolean): string {
  return isOptional ? "?" : "";
}

function printOperator({ target, name, args }: Call): Printed {
  const [a, b, c] = args;
  const operator = binary.get(name);
  if (operator !== undefined && a !== undefined && b !== undefined) {
    const { symbol, level } = operator;
    const left = printAt(a, level);
    return { text: `${left} ${symbol} ${printAt(b, level + 1)}`, binds: level };
  }
  if (name === "_?_:_" && a !== undefined && b !== undefined && c !== undefined) {
    const [condition, ifTrue] = [a, b].map((part) => printAt(part, conditionalLevel + 1));
    const text = `${condition} ? ${ifTrue} : ${printAt(c, conditionalLevel)}`;
    return { text, binds: conditionalLevel };
  }
  if ((name === "!_" || name === "-_") && a !== undefined) {
    // A minus before a number would be taken for its sign.
    const operand = name === "-_" ? `(${print(a)})` : printAt(a, memberLevel);
    return { text: `${name[0] ?? ""}${operand}`, binds: unaryLevel };
  }
  if (a !== undefined && b !== undefined) {
    const from = printAt(a, memberLevel);
    if (name === "_[_]") return member(`${from}[${print(b)}]`);
    if (name === "_[?_]") return member(`${from}[?${print(b)}]`);
    if (name === "_?._" && b.kind === "literal") return member(`${from}.?${textOf(b.value)}`);
  }
  return member(printCall(target, name, args));
}

function printCall(
  target: Expression | undefined,
  name: string,
  args: readonly Expression[],
): string {
  const receiver = target === undefined ? "" : `${printAt(target, memberLevel)}.`;
  return `${receiver}${name}(${args.map(print).join(", ")})`;
}

function printLiteral(value: LiteralValue): Printed {
  if (value === null || typeof value === "boolean") return member(String(value));
  if (typeof value === "string") return member(quote(value));
  if (isInt(value)) return { text: String(value), binds: value < 0 ? unaryLevel : memberLevel };
  if (value.kind === "uint") return member(`${value.value}u`);
  if (value.kind === "double") return printDouble(value.value);
  const bytes = Array.from(value.bytes, (byte) => `\\x${byte.toString(16).padStart(2, "0")}`);
  return member(`b"${bytes.join("")}"`);
}

function printDouble(value: number): Printed {
  const text = formatDouble(value);
  const isNegative = value < 0 || Object.is(value, -0);
  const written = /[.e]/.test(text) ? text : `${text}.0`;
  return { text: written, binds: isNegative ? unaryLevel : memberLevel };
}

/** CEL reads every escape that JSON writes. */
function quote(text: string): string {
  return JSON.stringify(text.toWellFormed());
}
