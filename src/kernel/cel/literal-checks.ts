// What is written out and can never work: timestamp("yesterday"), matches("["), "%d".format(["x"]),
// or a list of numbers and texts. It is refused with the expression, rather than failing for every
// document later.

import type { Call, Expression } from "./ast.ts";
import type { Checked } from "./check.ts";
import { formatProblem } from "./format-check.ts";
import { regexProblem } from "../regex.ts";
import type { Problem } from "./source.ts";
import { parseDuration, parseTimestamp, timestamp } from "./time.ts";
import { formatType, sameType, unwrapOptional } from "./types.ts";
import { isError } from "./values.ts";
import { partsOf } from "./weight.ts";

export function literalProblems(checked: Checked): readonly Problem[] {
  const problems: Problem[] = [];
  visit(checked, checked.expression, false, problems);
  return problems;
}

/** Arguments of format() may be of any types. */
function visit(
  checked: Checked,
  expression: Expression,
  isExempt: boolean,
  problems: Problem[],
): void {
  if (expression.kind === "list" && !isExempt) checkList(checked, expression, problems);
  if (expression.kind === "map" && !isExempt) checkMap(checked, expression, problems);
  if (expression.kind === "call") checkCall(checked, expression, problems);
  const exempts = expression.kind === "call" && expression.name === "format";
  for (const child of partsOf(expression)) visit(checked, child, isExempt || exempts, problems);
}

function checkList(
  checked: Checked,
  { items }: Extract<Expression, { kind: "list" }>,
  problems: Problem[],
): void {
  const [first] = items;
  if (first === undefined) return;
  const typeOf = ({ value, isOptional }: typeof first) =>
    isOptional ? unwrapOptional(checked.typeOf(value)) : checked.typeOf(value);
  const expected = typeOf(first);
  for (const item of items) {
    const found = typeOf(item);
    if (sameType(expected, found)) continue;
    problems.push({ at: item.value.at, message: mismatch(expected, found) });
    return;
  }
}

function checkMap(
  checked: Checked,
  { entries }: Extract<Expression, { kind: "map" }>,
  problems: Problem[],
): void {
  const [first] = entries;
  if (first === undefined) return;
  const typeOf = ({ value, isOptional }: typeof first) =>
    isOptional ? unwrapOptional(checked.typeOf(value)) : checked.typeOf(value);
  const [keyType, valueType] = [checked.typeOf(first.key), typeOf(first)];
  for (const entry of entries) {
    const [key, value] = [checked.typeOf(entry.key), typeOf(entry)];
    if (!sameType(keyType, key)) {
      problems.push({ at: entry.key.at, message: mismatch(keyType, key) });
    }
    if (!sameType(valueType, value)) {
      problems.push({ at: entry.value.at, message: mismatch(valueType, value) });
    }
  }
}

function mismatch(
  expected: Parameters<typeof formatType>[0],
  found: Parameters<typeof formatType>[0],
): string {
  return `expected type '${formatType(expected)}' but found '${formatType(found)}'`;
}

function checkCall(checked: Checked, call: Call, problems: Problem[]): void {
  const name = checked.calls.get(call)?.declaration.name;
  const [argument] = call.args;
  if (name === "format") {
    const problem = formatProblem(checked, call);
    if (problem !== undefined) problems.push(problem);
    return;
  }
  if (name !== "timestamp" && name !== "duration" && name !== "matches") return;
  if (argument?.kind !== "literal" || isFine(name, argument.value)) return;
  problems.push({ at: argument.at, message: `invalid ${name} argument` });
}

function isFine(name: "timestamp" | "duration" | "matches", value: unknown): boolean {
  if (name === "matches") return typeof value === "string" && regexProblem(value) === undefined;
  if (name === "duration") {
    return typeof value === "string" && parseDuration(value) !== undefined;
  }
  if (typeof value === "number") return !isError(timestamp(value, 0));
  const parsed = typeof value === "string" ? parseTimestamp(value) : undefined;
  return parsed !== undefined && !isError(parsed);
}
