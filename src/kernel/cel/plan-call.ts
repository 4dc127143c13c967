// Calls of functions. Arguments are evaluated in order and an error among them is the result;
// which overload runs is known from the types, or decided by the values where a type is dyn.

import type { Call, Expression } from "./ast.ts";
import type { Resolution } from "./check.ts";
import { charge, constant, findVariable, PlanError } from "./code.ts";
import type { Code, Planned, Planner } from "./code.ts";
import { foldable } from "./conversions.ts";
import type { CallCost, FunctionDeclaration, Implementation, Overload } from "./functions.ts";
import { mapBuilder } from "./maps.ts";
import { planAppend, planInsert } from "./plan-loop-step.ts";
import { regexProblem } from "../regex.ts";
import type { CelType } from "./types.ts";
import type { CelList, CelValue } from "./values.ts";
import { error, isError, items, noSuchOverload, typeName, typeOf } from "./values.ts";

export function planCall(planner: Planner, call: Call): Planned {
  const resolution = planner.checked.calls.get(call);
  if (resolution === undefined) return constant(noSuchOverload);
  const { target, declaration } = resolution;
  const args = target === undefined ? call.args : [target, ...call.args];
  const building = planBuilding(planner, call);
  if (building !== undefined) return building;
  if (declaration.name === "or" || declaration.name === "orValue") {
    return planOr(planner, declaration.name, args);
  }
  const planned = args.map((arg) => planner.plan(arg));
  if (declaration.name === "@in") {
    const membership = planMembership(resolution, planned);
    if (membership !== undefined) return membership;
  }
  if (regexFunctions.has(declaration.name)) checkPattern(planned[1]?.constant);
  const run = implementation(resolution, args.map(planner.checked.typeOf));
  if (foldable.has(declaration.name)) {
    const folded = fold(planned, run);
    if (folded !== undefined) return constant(folded);
  }
  const overload = resolution.overloads.length === 1 ? (resolution.overloads[0]?.id ?? "") : "";
  const isStrict = declaration.name !== "@not_strictly_false";
  const codes = planned.map(({ code }) => code);
  return { code: strictCall(codes, run, declaration.cost, overload, isStrict) };
}

function strictCall(
  codes: readonly Code[],
  run: Implementation,
  cost: CallCost,
  overload: string,
  isStrict: boolean,
): Code {
  const [first, second] = codes;
  if (codes.length === 1 && first !== undefined) {
    return (frame) => {
      const a = first(frame);
      const result = isStrict && isError(a) ? a : run(a);
      charge(frame, cost.actual([a], result, overload));
      return result;
    };
  }
  if (codes.length === 2 && first !== undefined && second !== undefined) {
    return binaryCall(first, second, run, cost, overload);
  }
  return (frame) => {
    const args: CelValue[] = [];
    for (const code of codes) {
      const value = code(frame);
      if (isError(value)) return value;
      args.push(value);
    }
    const result = run(...args);
    charge(frame, cost.actual(args, result, overload));
    return result;
  };
}

function binaryCall(
  first: Code,
  second: Code,
  run: Implementation,
  cost: CallCost,
  overload: string,
): Code {
  const { actual } = cost;
  return (frame) => {
    const a = first(frame);
    const b = second(frame);
    let result: CelValue;
    if (isError(a)) result = a;
    else result = isError(b) ? b : run(a, b);
    charge(frame, actual([a, b], result, overload));
    return result;
  };
}

/** One implementation when the types say which; else the values choose among the overloads. */
function implementation(resolution: Resolution, types: readonly CelType[]): Implementation {
  const { declaration, overloads } = resolution;
  const [only] = overloads;
  if (only === undefined) return () => noSuchOverload;
  if (declaration.isGeneric) return only.run;
  const isCertain = overloads.length === 1 && !types.some(mayVary);
  if (isCertain) return only.run;
  return (...args) => {
    const match = overloads.find((overload) => accepts(overload, args));
    return match === undefined ? noMatch(declaration, args) : match.run(...args);
  };
}

function mayVary(type: CelType): boolean {
  return type.kind === "dyn" || type.kind === "param" || type.params.some(mayVary);
}

function accepts({ args: types }: Overload, args: readonly CelValue[]): boolean {
  return (
    types.length === args.length &&
    types.every((type, index) => isOfType(args[index] ?? null, type))
  );
}

function isOfType(value: CelValue, type: CelType): boolean {
  if (type.kind === "dyn" || type.kind === "param") return true;
  const actual = typeOf(value);
  if (actual.kind === "opaque" || actual.kind === "struct") return actual.name === type.name;
  if (actual.kind !== type.kind) return false;
  if (type.kind !== "list" || typeof value !== "object" || value?.kind !== "list") return true;
  const [item] = type.params;
  return item === undefined || value.size === 0 || isOfType(value.at(0), item);
}

function noMatch({ name }: FunctionDeclaration, args: readonly CelValue[]): CelValue {
  const types = args.map((arg) => typeName(typeOf(arg)));
  return error(`no such overload: ${name}(${types.join(", ")})`);
}

function fold(planned: readonly Planned[], run: Implementation): CelValue | undefined {
  const [argument] = planned;
  if (planned.length !== 1 || argument?.constant === undefined) return undefined;
  const value = isError(argument.constant) ? argument.constant : run(argument.constant);
  if (isError(value)) throw new PlanError(value.message);
  return value;
}

const regexFunctions = new Set(["matches", "find", "findAll"]);

/** A pattern that is written in the expression is compiled with it, and refused with it. */
function checkPattern(pattern: CelValue | undefined): void {
  if (typeof pattern !== "string") return;
  const problem = regexProblem(pattern);
  if (problem !== undefined) throw new PlanError(problem);
}

/** Looking a value up in a list of constants costs nothing, as it is a set. */
function planMembership(resolution: Resolution, planned: readonly Planned[]): Planned | undefined {
  const [value, container] = planned;
  const candidates = container?.constant;
  const isList = resolution.overloads.length === 1 && resolution.overloads[0]?.id === "in_list";
  if (!isList || value === undefined) return undefined;
  if (typeof candidates !== "object" || candidates?.kind !== "list") return undefined;
  if (candidates.size === 0) return constant(false);
  const members = setOf(candidates);
  if (members === undefined) return undefined;
  const { code } = value;
  return {
    code: (frame) => {
      const sought = code(frame);
      return isError(sought) ? sought : members(sought);
    },
  };
}

function setOf(candidates: CelList): ((value: CelValue) => boolean) | undefined {
  const builder = mapBuilder();
  for (const item of items(candidates)) if (!builder.set(item, true)) return undefined;
  return builder.has;
}

/** The right side is evaluated only when the left one is empty. Neither call costs anything. */
function planOr(planner: Planner, name: "or" | "orValue", args: readonly Expression[]): Planned {
  const [left, right] = args.map((arg) => planner.plan(arg).code);
  if (left === undefined || right === undefined) return constant(noSuchOverload);
  return {
    code: (frame) => {
      const value = left(frame);
      if (isError(value)) return value;
      if (typeof value !== "object" || value?.kind !== "optional") return noSuchOverload;
      if (value.value === undefined) return right(frame);
      return name === "or" ? value : value.value;
    },
  };
}

function planBuilding(planner: Planner, call: Call): Planned | undefined {
  const [first, second, third] = call.args;
  if (first?.kind !== "ident" || second === undefined) return undefined;
  const accumulator = findVariable(planner, planner.checked.names.get(first) ?? "");
  if (accumulator?.builds === "list" && call.name === "_+_") {
    return { code: planAppend(accumulator.slot, planner.plan(second).code) };
  }
  if (accumulator?.builds !== "map" || call.name !== "cel.@mapInsert") return undefined;
  const last = third === undefined ? undefined : planner.plan(third).code;
  return { code: planInsert(accumulator.slot, planner.plan(second).code, last) };
}
