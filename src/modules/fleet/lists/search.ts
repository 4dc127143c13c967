// The search language of the lists, as fleet managers define it:
//
//   name LIKE 'web-%' AND (region = us-east-1 OR owner IN (ann, bob))
//
// Operators are =, <>, LIKE, ILIKE, IN and NOT IN; AND binds more tightly than OR. Keywords and
// columns ignore case, values do not. A search becomes a predicate over rows in memory. No part of
// it reaches a database, so there is nothing to inject into.

import { fleetLimits } from "../limits.ts";
import { likePattern } from "./like.ts";
import { searchError } from "./search-error.ts";
import { searchTokens } from "./search-tokens.ts";
import type { Sign, Token } from "./search-tokens.ts";

/** The text of a column in a row; a row without a value has the empty text. */
export type TextOf<Row> = (row: Row) => string;

export type Search<Row> = (row: Row) => boolean;

/** An empty search selects every row. Throws fleet.search_invalid. */
export function parseSearch<Row>(
  text: string,
  columns: ReadonlyMap<string, TextOf<Row>>,
): Search<Row> {
  if (text.length > fleetLimits.maxSearchChars) {
    const problem = `the search is longer than ${fleetLimits.maxSearchChars} characters`;
    throw searchError(fleetLimits.maxSearchChars, problem);
  }
  if (text.trim() === "") return () => true;
  return new SearchParser(searchTokens(text), columns).parse();
}

class SearchParser<Row> {
  readonly #tokens: readonly Token[];
  readonly #columns: ReadonlyMap<string, TextOf<Row>>;
  #next = 0;
  #joins = 0;
  #depth = 0;

  constructor(tokens: readonly Token[], columns: ReadonlyMap<string, TextOf<Row>>) {
    this.#tokens = tokens;
    this.#columns = columns;
  }

  parse(): Search<Row> {
    const whole = this.#any();
    const rest = this.#take();
    if (rest.kind === "end") return whole;
    throw searchError(rest.at, `expected AND, OR or the end, got ${shown(rest)}`);
  }

  #any(): Search<Row> {
    const parts = [this.#all()];
    while (this.#takeJoin("or")) parts.push(this.#all());
    return parts.length === 1 ? (parts[0] ?? none) : (row) => parts.some((part) => part(row));
  }

  #all(): Search<Row> {
    const parts = [this.#one()];
    while (this.#takeJoin("and")) parts.push(this.#one());
    return parts.length === 1 ? (parts[0] ?? none) : (row) => parts.every((part) => part(row));
  }

  #one(): Search<Row> {
    const open = this.#peek();
    if (!isSign(open, "(")) return this.#comparison();
    this.#take();
    this.#depth += 1;
    if (this.#depth > fleetLimits.maxSearchDepth) {
      throw searchError(open.at, `more than ${fleetLimits.maxSearchDepth} nested parentheses`);
    }
    const inner = this.#any();
    const close = this.#take();
    if (!isSign(close, ")")) {
      throw searchError(close.at, `expected ) for the ( at position ${open.at + 1}`);
    }
    this.#depth -= 1;
    return inner;
  }

  #comparison(): Search<Row> {
    const column = this.#column();
    const operator = this.#operator();
    switch (operator) {
      case "=": {
        const value = this.#value();
        return (row) => column(row) === value;
      }
      case "<>": {
        const value = this.#value();
        return (row) => column(row) !== value;
      }
      case "like": {
        const matches = likePattern(this.#value());
        return (row) => matches(column(row));
      }
      case "ilike": {
        const matches = likePattern(this.#value().toLowerCase());
        return (row) => matches(column(row).toLowerCase());
      }
      case "in": {
        const values = this.#values();
        return (row) => values.has(column(row));
      }
      case "not in": {
        const values = this.#values();
        return (row) => !values.has(column(row));
      }
      default:
        return operator satisfies never;
    }
  }

  #column(): TextOf<Row> {
    const token = this.#take();
    const column = token.kind === "word" ? this.#columns.get(token.text.toLowerCase()) : undefined;
    if (column !== undefined) return column;
    const known = [...this.#columns.keys()].join(", ");
    throw searchError(token.at, `expected a column (${known}), got ${shown(token)}`);
  }

  #operator(): "=" | "<>" | "like" | "ilike" | "in" | "not in" {
    const token = this.#take();
    if (isSign(token, "=")) return "=";
    if (isSign(token, "<>")) return "<>";
    const keyword = keywordOf(token);
    if (keyword === "like" || keyword === "ilike" || keyword === "in") return keyword;
    if (keyword === "not" && keywordOf(this.#peek()) === "in") {
      this.#take();
      return "not in";
    }
    throw searchError(
      token.at,
      `expected an operator (=, <>, LIKE, ILIKE, IN, NOT IN), got ${shown(token)}`,
    );
  }

  #value(): string {
    const token = this.#take();
    if (token.kind === "word" || token.kind === "quoted") return token.text;
    throw searchError(token.at, `expected a value, got ${shown(token)}`);
  }

  #values(): ReadonlySet<string> {
    const open = this.#take();
    if (!isSign(open, "(")) throw searchError(open.at, `expected ( after IN, got ${shown(open)}`);
    const values = new Set<string>();
    for (;;) {
      values.add(this.#value());
      if (values.size > fleetLimits.maxSearchValues) {
        throw searchError(open.at, `the list has more than ${fleetLimits.maxSearchValues} values`);
      }
      const next = this.#take();
      if (isSign(next, ")")) return values;
      if (!isSign(next, ",")) throw searchError(next.at, `expected , or ), got ${shown(next)}`);
    }
  }

  #takeJoin(word: "and" | "or"): boolean {
    const token = this.#peek();
    if (keywordOf(token) !== word) return false;
    this.#take();
    this.#joins += 1;
    if (this.#joins > fleetLimits.maxSearchJoins) {
      throw searchError(token.at, `more than ${fleetLimits.maxSearchJoins} AND and OR`);
    }
    return true;
  }

  #peek(): Token {
    return this.#tokens[this.#next] ?? end;
  }

  #take(): Token {
    const token = this.#peek();
    this.#next += 1;
    return token;
  }
}

const end: Token = { kind: "end", text: "", at: 0 };

function none(): boolean {
  return false;
}

function isSign(token: Token, text: Sign): boolean {
  return token.kind === "sign" && token.text === text;
}

/** Undefined for a quoted text, which is always a value. */
function keywordOf(token: Token): string | undefined {
  return token.kind === "word" ? token.text.toLowerCase() : undefined;
}

function shown(token: Token): string {
  return token.kind === "end" ? "the end" : JSON.stringify(token.text.slice(0, 60));
}
