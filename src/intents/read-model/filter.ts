// Filters of rows: terms that must all hold, separated by commas.
//
//   state=Failed,columns.storage>=100,name~"web,1"
//
// "labels.KEY" is a label, whose key may contain "/".
//
// A term is a field, an operator (= != < <= > >= ~) and a value. "~" means "contains". A value may
// be in double quotes, in which \" and \\ are escapes. A field without a value satisfies "!=" only.

import { SetpointError } from "../../kernel/errors.ts";
import { compareNumbers, integerOf, isNumber } from "../../kernel/int64.ts";
import { limits } from "../../kernel/limits.ts";
import { labelField } from "./fields.ts";
import type { Field } from "./fields.ts";
import type { Cell, Row } from "./row.ts";

export type RowFilter = (row: Row) => boolean;

type Operator = "=" | "!=" | "<" | "<=" | ">" | ">=" | "~";

const termPattern =
  /\s*([A-Za-z][\w./-]*)\s*(!=|<=|>=|=|<|>|~)\s*(?:"((?:[^"\\]|\\.)*)"|([^,"]*))/y;

/** An empty text selects every row. Throws request.invalid, which names the term. */
export function parseFilter(text: string, fields: ReadonlyMap<string, Field>): RowFilter {
  if (text.trim() === "") return () => true;
  if (text.length > limits.maxFilterChars) {
    throw invalidFilter(`is longer than ${limits.maxFilterChars} characters`);
  }
  const terms: RowFilter[] = [];
  let at = 0;
  for (;;) {
    termPattern.lastIndex = at;
    const match = termPattern.exec(text);
    if (match === null) throw invalidFilter(`cannot be read at ${shown(text.slice(at))}`);
    const [, name = "", operator = "", quoted, plain = ""] = match;
    const value = quoted === undefined ? plain.trim() : quoted.replaceAll(/\\(.)/g, "$1");
    terms.push(termOf(fieldNamed(fields, name, "filter"), operator as Operator, value));
    if (terms.length > limits.maxFilterTerms) {
      throw invalidFilter(`has more than ${limits.maxFilterTerms} terms`);
    }
    at = skipSpace(text, termPattern.lastIndex);
    if (at >= text.length) break;
    if (text[at] !== ",") throw invalidFilter(`needs a comma at ${shown(text.slice(at))}`);
    at += 1;
  }
  return (row) => terms.every((term) => term(row));
}

export function fieldNamed(
  fields: ReadonlyMap<string, Field>,
  name: string,
  parameter: "filter" | "sort",
): Field {
  const field = fields.get(name) ?? labelField(name);
  if (field !== undefined) return field;
  const message = `${parameter}: ${shown(name)} is not a field of these rows`;
  throw new SetpointError("request.invalid", message, {
    details: { field: `query.${parameter}` },
    suggestion: `use labels.KEY, or one of ${[...fields.keys()].join(", ")}`,
  });
}

function termOf(field: Field, operator: Operator, text: string): RowFilter {
  if (operator === "~") {
    const wanted = text.toLowerCase();
    return (row) => {
      const cell = field.read(row);
      return cell !== null && String(cell).toLowerCase().includes(wanted);
    };
  }
  const value = valueFor(field, text);
  return (row) => {
    const cell = field.read(row);
    return cell === null ? operator === "!=" : holds(compareCells(cell, value), operator);
  };
}

function valueFor({ name, type }: Field, text: string): Cell {
  if (type === "text") return text;
  if (type === "boolean") {
    if (text === "true" || text === "false") return text === "true";
    throw invalidFilter(`${name} is true or false, not ${shown(text)}`);
  }
  const number = text === "" ? Number.NaN : Number(text);
  if (/^-?\d+$/.test(text)) return integerOf(BigInt(text));
  if (Number.isFinite(number)) return number;
  throw invalidFilter(`${name} is a number, and ${shown(text)} is not`);
}

function holds(order: number, operator: Exclude<Operator, "~">): boolean {
  switch (operator) {
    case "=":
      return order === 0;
    case "!=":
      return order !== 0;
    case "<":
      return order < 0;
    case "<=":
      return order <= 0;
    case ">":
      return order > 0;
    case ">=":
      return order >= 0;
    default:
      return operator satisfies never;
  }
}

/** Numbers and booleans by value, texts by code unit. Both cells are of one type. */
export function compareCells(one: Cell, other: Cell): number {
  if (isNumber(one) && isNumber(other)) return compareNumbers(one, other);
  const [left, right] = [String(one), String(other)];
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (text[at] === " ") at += 1;
  return at;
}

function shown(text: string): string {
  return JSON.stringify(text.slice(0, 60));
}

function invalidFilter(problem: string): SetpointError {
  return new SetpointError("request.invalid", `filter: ${problem}`, {
    details: { field: "query.filter" },
    suggestion: 'write terms such as state=Failed,name~web; put a value with a comma in ""',
  });
}
