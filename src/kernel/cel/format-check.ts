// Checks "...".format([...]) where both are written out: that the clauses can be read, that there
// is an argument for each, and that its type is one that the clause can write.

import type { Call, Expression } from "./ast.ts";
import type { Checked } from "./check.ts";
import { clauseProblem, parseTemplate } from "./library/format-text.ts";
import type { Verb } from "./library/format-text.ts";
import type { Problem } from "./source.ts";
import type { TypeKind } from "./types.ts";
import { typeName } from "./values.ts";

export function formatProblem(checked: Checked, call: Call): Problem | undefined {
  const template = call.target;
  const [list] = call.args;
  if (template?.kind !== "literal" || typeof template.value !== "string") return undefined;
  if (list?.kind !== "list") return undefined;
  const args = list.items.map(({ value }) => value);
  const parsed = parseTemplate(template.value, args.length);
  if (parsed.kind === "problem") return { at: call.at, message: parsed.message };
  const clauses = parsed.parts.filter((part) => typeof part !== "string");
  for (const [index, { verb }] of clauses.entries()) {
    const argument = args[index];
    const bad = argument === undefined ? undefined : misfit(checked, verb, argument);
    if (bad === undefined) continue;
    const complaint = clauseProblem(verb, typeName(checked.typeOf(bad)));
    return { at: bad.at, message: `error during formatting: ${complaint}` };
  }
  if (args.length <= clauses.length) return undefined;
  const counts = `(expected ${clauses.length}, got ${args.length})`;
  return { at: call.at, message: `too many arguments supplied to string.format ${counts}` };
}

const accepted: Readonly<Record<Verb, readonly TypeKind[]>> = {
  s: [
    ...(["list", "map", "int", "uint", "double", "bool", "string"] as const),
    ...(["timestamp", "bytes", "duration", "type", "null"] as const),
  ],
  d: ["int", "uint"],
  f: ["double", "string"],
  e: ["double", "string"],
  b: ["int", "uint", "bool"],
  x: ["int", "uint", "string", "bytes"],
  X: ["int", "uint", "string", "bytes"],
  o: ["int", "uint"],
};

/** The part that the clause cannot write; inside lists and maps every part has to do. */
function misfit(checked: Checked, verb: Verb, argument: Expression): Expression | undefined {
  const { kind } = checked.typeOf(argument);
  if (kind !== "dyn" && !accepted[verb].includes(kind)) return argument;
  if (verb !== "s") return undefined;
  const parts =
    argument.kind === "list"
      ? argument.items.map(({ value }) => value)
      : argument.kind === "map"
        ? argument.entries.flatMap(({ key, value }) => [key, value])
        : [];
  for (const part of parts) {
    const bad = misfit(checked, verb, part);
    if (bad !== undefined) return bad;
  }
  return undefined;
}
