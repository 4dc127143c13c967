// Calls of functions. Arguments are evaluated in order and an error among them is the result;
// which overload runs is known from the types, or decided by the values where a type is dyn.

import type { Call, Expression } from "./ast.ts";
import type { Resolution } from "./check.ts";
import { charge, constant, findVariable, meterOf, PlanError } from "./code.ts";
import { equal } from "./compare.ts";
import type { Code, Planned, Planner } from "./code.ts";
import { foldable } from "./conversions.ts";
import type { CallCost, FunctionDeclaration, Implementation } from "./functions.ts";
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
  const run = implementation(resolution);
  if (foldable.has(declaration.name)) {
    const folded = fold(planned, run);
    if (folded !== undefined) return constant(folded);
  }
  const overload = resolution.overloads.length === 1 ? (resolution.overloads[0]?.id ?? "") : "";
  const isStrict = declaration.name !== "@not_strictly_false";
  const codes = planned.map(({ code }) => code);
  const pay = payment(declaration.cost, overload);
  const equality = planEquality(declaration.name, codes, pay);
  if (equality !== undefined) return { code: equality };
  return { code: codeOf(codes, run, pay, isStrict) };
}

/** Whether two values are equal can take long to find out, and is metered on its own. */
function planEquality(name: string, codes: readonly Code[], { before }: Payment): Code | undefined {
  const [first, second] = codes;
  if (first === undefined || second === undefined || typeof before === "number") return undefined;
  if (name !== "_==_" && name !== "_!=_") return undefined;
  const isEqual = name === "_==_";
  return (frame) => {
    const a = first(frame);
    const b = second(frame);
    charge(frame, before([a, b]));
    if (isError(a)) return a;
    if (isError(b)) return b;
    const isDeep = typeof a === "object" && a !== null;
    return equal(a, b, isDeep ? meterOf(frame) : undefined) === isEqual;
  };
}

/** The work, and what it costs; most is paid before it is done. */
interface Payment {
  readonly before: ((args: readonly CelValue[]) => number) | number;
  readonly after: ((args: readonly CelValue[], result: CelValue) => number) | undefined;
}

function payment(cost: CallCost, overload: string): Payment {
  const bill = cost.bill(overload);
  if (typeof bill === "number") return { before: bill, after: undefined };
  if (cost.needsResult === true) return { before: 0, after: bill };
  return { before: (args) => bill(args, null), after: undefined };
}

/** An error among the arguments is the result, unless the function takes errors. */
function codeOf(
  codes: readonly Code[],
  run: Implementation,
  { before, after }: Payment,
  isStrict: boolean,
): Code {
  const [first, second] = codes;
  if (after === undefined && first !== undefined && codes.length === 1) {
    const checked: Implementation = isStrict ? (a) => (isError(a) ? a : run(a)) : run;
    return unaryCall(first, checked, before);
  }
  if (after === undefined && first !== undefined && second !== undefined && codes.length === 2) {
    return binaryCall(first, second, run, before);
  }
  return (frame) => {
    const args: CelValue[] = [];
    for (const code of codes) {
      const value = code(frame);
      args.push(value);
      // Calls with many arguments end at an error, and are billed only if it was the last one.
      if (codes.length > 2 && args.length < codes.length && isError(value)) return value;
    }
    charge(frame, typeof before === "number" ? before : before(args));
    const result = args.find(isError) ?? run(...args);
    if (after !== undefined) charge(frame, after(args, result));
    return result;
  };
}

function unaryCall(first: Code, run: Implementation, bill: Payment["before"]): Code {
  if (typeof bill === "number") {
    return (frame) => {
      const a = first(frame);
      charge(frame, bill);
      return run(a);
    };
  }
  return (frame) => {
    const a = first(frame);
    charge(frame, bill([a]));
    return run(a);
  };
}

function binaryCall(first: Code, second: Code, run: Implementation, bill: Payment["before"]): Code {
  if (typeof bill === "number") {
    return (frame) => {
      const a = first(frame);
      const b = second(frame);
      charge(frame, bill);
      if (isError(a)) return a;
      return isError(b) ? b : run(a, b);
    };
  }
  return (frame) => {
    const a = first(frame);
    const b = second(frame);
    charge(frame, bill([a, b]));
    if (isError(a)) return a;
    return isError(b) ? b : run(a, b);
  };
}

/** The values have the last word: a null may stand where the type promises a text. */
function implementation({ declaration, overloads }: Resolution): Implementation {
  const [only] = overloads;
  if (only === undefined) return () => noSuchOverload;
  if (declaration.isGeneric) return only.run;
  const candidates = overloads.map((overload) => ({
    run: overload.run,
    accepts: overload.args.map(acceptorOf),
  }));
  return (...args) => {
    const match = candidates.find(({ accepts }) =>
      accepts.every((accept, index) => accept(args[index] ?? null)),
    );
    return match === undefined ? noMatch(declaration, args) : match.run(...args);
  };
}

type Acceptor = (value: CelValue) => boolean;

function acceptorOf(type: CelType): Acceptor {
  switch (type.kind) {
    case "dyn":
    case "param":
      return () => true;
    case "string":
      return (value) => typeof value === "string";
    case "int":
      return (value) => typeof value === "number" || typeof value === "bigint";
    case "struct":
    case "opaque":
      return (value) => typeOf(value).name === type.name;
    case "list": {
      const [item] = type.params;
      const accept = item === undefined ? () => true : acceptorOf(item);
      return (value) =>
        typeof value === "object" &&
        value?.kind === "list" &&
        (value.size === 0 || accept(value.at(0)));
    }
    default:
      return (value) => typeOf(value).kind === type.kind;
  }
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
