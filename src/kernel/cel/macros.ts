// Calls that are rewritten before anything else looks at them: presence tests, and everything
// that loops, because a loop is a fold and functions cannot be passed to functions. The rewritten
// tree decides what an expression costs, so it has to be exactly what cel-go builds.

import { accumulatorName } from "./ast.ts";
import type { Comprehension, Expression, LiteralValue } from "./ast.ts";

export interface MacroUse {
  readonly at: number;
  readonly target: Expression | undefined;
  readonly name: string;
  readonly args: readonly Expression[];
}

export interface MacroProblem {
  /** Where, when it is not the call itself. */
  readonly at: number | undefined;
  readonly message: string;
}

/** Undefined: it is not the macro after all, but an ordinary call. */
export type Macro = (use: MacroUse) => Expression | MacroProblem | undefined;

/** By name, kind and number of arguments; see `macroKey`. */
export type Macros = ReadonlyMap<string, Macro>;

export function macroKey(name: string, isMember: boolean, argCount: number): string {
  return `${isMember ? "." : ""}${name}/${argCount}`;
}

export function expandMacro(macros: Macros, use: MacroUse): Expression | MacroProblem | undefined {
  const macro = macros.get(macroKey(use.name, use.target !== undefined, use.args.length));
  return macro?.(use);
}

export const standardMacros: Macros = new Map<string, Macro>([
  [macroKey("has", false, 1), expandHas],
  [macroKey("all", true, 2), quantifier(all)],
  [macroKey("exists", true, 2), quantifier(exists)],
  [macroKey("exists_one", true, 2), quantifier(existsOne)],
  [macroKey("map", true, 2), expandMap],
  [macroKey("map", true, 3), expandMap],
  [macroKey("filter", true, 2), expandFilter],
]);

export const twoVariableMacros: Macros = new Map<string, Macro>([
  [macroKey("all", true, 3), quantifier(all)],
  [macroKey("exists", true, 3), quantifier(exists)],
  [macroKey("existsOne", true, 3), quantifier(existsOne)],
  [macroKey("exists_one", true, 3), quantifier(existsOne)],
  ...[3, 4].flatMap((count): [string, Macro][] => [
    [macroKey("transformList", true, count), transform("list")],
    [macroKey("transformMap", true, count), transform("map")],
    [macroKey("transformMapEntry", true, count), transform("entries")],
  ]),
]);

export const optionalMacros: Macros = new Map<string, Macro>([
  [macroKey("optMap", true, 2), (use) => expandOptional(use, true)],
  [macroKey("optFlatMap", true, 2), (use) => expandOptional(use, false)],
]);

/** Not part of the Kubernetes environments. */
export const bindMacros: Macros = new Map<string, Macro>([[macroKey("bind", true, 3), expandBind]]);

const literal = (at: number, value: LiteralValue): Expression => ({ kind: "literal", at, value });
const accumulator = (at: number): Expression => ({ kind: "ident", at, name: accumulatorName });
const listOf = (at: number, ...values: readonly Expression[]): Expression => ({
  kind: "list",
  at,
  items: values.map((value) => ({ value, isOptional: false })),
});
const call = (at: number, name: string, ...args: readonly Expression[]): Expression => ({
  kind: "call",
  at,
  target: undefined,
  name,
  args,
});
const memberCall = (at: number, target: Expression, name: string): Expression => ({
  kind: "call",
  at,
  target,
  name,
  args: [],
});

function expandHas({ at, args }: MacroUse): Expression | MacroProblem | undefined {
  const [field] = args;
  if (field?.kind !== "select") {
    return { at: field?.at, message: "invalid argument to has() macro" };
  }
  return { kind: "select", at, operand: field.operand, field: field.field, isTest: true };
}

type Loop = Pick<Comprehension, "initial" | "condition" | "step" | "result">;

function all(at: number, predicate: Expression): Loop {
  return {
    initial: literal(at, true),
    condition: call(at, "@not_strictly_false", accumulator(at)),
    step: call(at, "_&&_", accumulator(at), predicate),
    result: accumulator(at),
  };
}

function exists(at: number, predicate: Expression): Loop {
  return {
    initial: literal(at, false),
    condition: call(at, "@not_strictly_false", call(at, "!_", accumulator(at))),
    step: call(at, "_||_", accumulator(at), predicate),
    result: accumulator(at),
  };
}

function existsOne(at: number, predicate: Expression): Loop {
  const counted = call(at, "_+_", accumulator(at), literal(at, 1));
  return {
    initial: literal(at, 0),
    condition: literal(at, true),
    step: call(at, "_?_:_", predicate, counted, accumulator(at)),
    result: call(at, "_==_", accumulator(at), literal(at, 1)),
  };
}

function quantifier(loop: (at: number, predicate: Expression) => Loop): Macro {
  return ({ at, target, args }) => {
    const predicate = args.at(-1);
    if (target === undefined || predicate === undefined) return undefined;
    const names = variables(args.slice(0, -1), "argument must be a simple name");
    return "message" in names ? names : fold(at, target, names, loop(at, predicate));
  };
}

function expandMap({ at, target, args }: MacroUse): Expression | MacroProblem | undefined {
  const [variable, ...rest] = args;
  const mapped = rest.at(-1);
  if (target === undefined || variable === undefined || mapped === undefined) return undefined;
  const names = variables([variable], "argument is not an identifier");
  if ("message" in names) return names;
  const added = call(at, "_+_", accumulator(at), listOf(at, mapped));
  return fold(
    at,
    target,
    names,
    building(at, listOf(at), added, rest.length > 1 ? rest[0] : undefined),
  );
}

function expandFilter({ at, target, args }: MacroUse): Expression | MacroProblem | undefined {
  const [variable, predicate] = args;
  if (target === undefined || variable === undefined) return undefined;
  const names = variables([variable], "argument is not an identifier");
  if ("message" in names) return names;
  const added = call(at, "_+_", accumulator(at), listOf(at, variable));
  return fold(at, target, names, building(at, listOf(at), added, predicate));
}

function transform(to: "list" | "map" | "entries"): Macro {
  return ({ at, target, args }) => {
    const [variable1, variable2, ...rest] = args;
    const mapped = rest.at(-1);
    if (target === undefined || mapped === undefined) return undefined;
    if (variable1 === undefined || variable2 === undefined) return undefined;
    const names = variables([variable1, variable2], "argument must be a simple name");
    if ("message" in names) return names;
    const filter = rest.length > 1 ? rest[0] : undefined;
    if (to === "list") {
      const added = call(at, "_+_", accumulator(at), listOf(at, mapped));
      return fold(at, target, names, building(at, listOf(at), added, filter));
    }
    const key: Expression = { kind: "ident", at, name: names.first };
    const added =
      to === "map"
        ? call(at, "cel.@mapInsert", accumulator(at), key, mapped)
        : call(at, "cel.@mapInsert", accumulator(at), mapped);
    const empty: Expression = { kind: "map", at, entries: [] };
    return fold(at, target, names, building(at, empty, added, filter));
  };
}

/** Collects what `added` adds, for the elements that pass the filter. */
function building(
  at: number,
  initial: Expression,
  added: Expression,
  filter: Expression | undefined,
): Loop {
  return {
    initial,
    condition: literal(at, true),
    step: filter === undefined ? added : call(at, "_?_:_", filter, added, accumulator(at)),
    result: accumulator(at),
  };
}

interface Variables {
  readonly first: string;
  readonly second: string | undefined;
}

function variables(names: readonly Expression[], complaint: string): Variables | MacroProblem {
  const [first, second] = names;
  for (const name of names) {
    if (name.kind !== "ident") return { at: name.at, message: complaint };
  }
  if (first?.kind !== "ident") return { at: undefined, message: complaint };
  if (second?.kind === "ident" && second.name === first.name) {
    return { at: second.at, message: `duplicate variable name: ${first.name}` };
  }
  for (const name of names) {
    if (name.kind === "ident" && name.name === "__result__") {
      return { at: name.at, message: "iteration variable overwrites accumulator variable" };
    }
  }
  return { first: first.name, second: second?.kind === "ident" ? second.name : undefined };
}

function fold(at: number, range: Expression, names: Variables, loop: Loop): Comprehension {
  return {
    kind: "comprehension",
    at,
    range,
    variable: names.first,
    variable2: names.second,
    accumulator: accumulatorName,
    ...loop,
  };
}

/** A loop over nothing, whose accumulator is the variable and whose result is the body. */
function binding(at: number, variable: string, value: Expression, body: Expression): Expression {
  return {
    kind: "comprehension",
    at,
    range: listOf(at),
    variable: "#unused",
    variable2: undefined,
    accumulator: variable,
    initial: value,
    condition: literal(at, false),
    step: { kind: "ident", at, name: variable },
    result: body,
  };
}

function expandOptional(use: MacroUse, wraps: boolean): Expression | MacroProblem | undefined {
  const { at, target, args, name } = use;
  const [variable, body] = args;
  if (target === undefined || body === undefined) return undefined;
  if (variable?.kind !== "ident") {
    const message = `${name}() variable name must be a simple identifier`;
    return { at: variable?.at, message };
  }
  const bound = binding(at, variable.name, memberCall(at, target, "value"), body);
  const present = wraps ? call(at, "optional.of", bound) : bound;
  const isPresent = memberCall(at, target, "hasValue");
  return call(at, "_?_:_", isPresent, present, call(at, "optional.none"));
}

function expandBind({ at, target, args }: MacroUse): Expression | MacroProblem | undefined {
  const [variable, value, body] = args;
  if (target?.kind !== "ident" || target.name !== "cel") return undefined;
  if (value === undefined || body === undefined) return undefined;
  if (variable?.kind !== "ident") {
    return { at: variable?.at, message: "cel.bind() variable names must be simple identifiers" };
  }
  return binding(at, variable.name, value, body);
}
