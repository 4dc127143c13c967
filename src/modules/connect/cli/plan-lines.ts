// A plan as lines for people: the request, and below it each field with the reason for it.
import type { Json, JsonObject } from "../../../kernel/json.ts";
import { objectAt, objectsAt, presentObjectAt, textAt } from "../../../kernel/json-read.ts";

const reasons: Readonly<Record<string, string>> = {
  wanted: "spec changed",
  removed: "removed from the spec",
  drift: "changed by others",
};

/** Deeper than the server answers; a bound for answers of others. */
const deepest = 4;

export function planLines(document: Json): readonly string[] {
  return linesOf(document, "", deepest);
}

function linesOf(document: Json, before: string, depth: number): readonly string[] {
  const request = objectAt(document, "request");
  const method = textAt(request, "method");
  const what = method === "" ? "no request" : `${method} ${textAt(request, "path")}`;
  const action = textAt(document, "action");
  const lines = [`${before}${action}: ${what} (${textAt(document, "message")})`];
  const isNew = action === "create";
  for (const change of objectsAt(document, "changes")) {
    lines.push(`  ${isNew ? newLine(change) : changeLine(change)}`);
  }
  for (const change of objectsAt(document, "drift")) lines.push(`  ${leftLine(change)}`);
  const next = presentObjectAt(document, "afterwards");
  if (next === undefined || depth === 0) return lines;
  return [...lines, ...linesOf(next, "then ", depth - 1)];
}

/** Of what is not there yet nothing was before. */
function newLine(change: JsonObject): string {
  return `${textAt(change, "path")}: ${JSON.stringify(change["after"] ?? null)}`;
}

/** Nothing is done about it, so it must not read as a change to come. */
function leftLine(change: JsonObject): string {
  const { before, after } = change;
  const path = textAt(change, "path");
  return `not corrected: ${path} is ${text(before)}, spec has ${text(after)}`;
}

function changeLine(change: JsonObject): string {
  const { before, after } = change;
  const why = reasons[textAt(change, "why")] ?? "";
  return `${textAt(change, "path")}: ${text(before)} -> ${text(after)} (${why})`;
}

function text(value: Json | undefined): string {
  return value === undefined ? "nothing" : JSON.stringify(value);
}
