// Finds the type of every part of an expression, and the overloads that each call can mean, or
// says what does not fit. Both are kept beside the tree: planning and cost estimation need them.
// Messages, and what counts as an error at all, follow cel-go, whose users know them.

import { tick } from "../inline-time.ts";
import { qualifiedName } from "./ast.ts";
import type { Call, Comprehension, CreateStruct, Expression, Ident, Select } from "./ast.ts";
import type { FunctionDeclaration, Functions, Overload } from "./functions.ts";
import type { Problem } from "./source.ts";
import { boolType, bytesType, doubleType, dynType, errorType, intType } from "./types.ts";
import { formatCall, formatType, isDyn, isOptional, listType, mapType } from "./types.ts";
import { nullType, optionalType, paramType, sameType, stringType, uintType } from "./types.ts";
import { unwrapOptional } from "./types.ts";
import type { CelType } from "./types.ts";
import { fill, moreGeneral, unify } from "./unify.ts";
import { isInt } from "./values.ts";

/** What a call turned out to mean. */
export interface Resolution {
  readonly declaration: FunctionDeclaration;
  readonly overloads: readonly Overload[];
  /** Without the receiver when its name belongs to the function, as in `ip.isCanonical(x)`. */
  readonly target: Expression | undefined;
}

export interface Checked {
  readonly expression: Expression;
  readonly type: CelType;
  readonly typeOf: (expression: Expression) => CelType;
  readonly calls: ReadonlyMap<Expression, Resolution>;
  /** The names that identifiers and selections of packages stand for. */
  readonly names: ReadonlyMap<Expression, string>;
}

export type CheckResult =
  | { readonly kind: "checked"; readonly checked: Checked }
  | { readonly kind: "failed"; readonly problems: readonly Problem[] };

export interface Declarations {
  readonly functions: Functions;
  /** Variables, and the names of types, whose type is type(T). */
  readonly identifiers: ReadonlyMap<string, CelType>;
}

export function check(expression: Expression, declarations: Declarations): CheckResult {
  const checker: Checker = {
    functions: declarations.functions,
    scopes: [declarations.identifiers],
    types: new Map(),
    calls: new Map(),
    names: new Map(),
    problems: [],
    fillings: new Map(),
    nextHole: 0,
  };
  visit(checker, expression);
  if (checker.problems.length > 0) return { kind: "failed", problems: checker.problems };
  const { types, calls, names, fillings } = checker;
  const typeOf = (part: Expression): CelType => fill(fillings, types.get(part) ?? dynType, true);
  const type = typeOf(expression);
  return { kind: "checked", checked: { expression, type, typeOf, calls, names } };
}

interface Checker {
  readonly functions: Functions;
  readonly scopes: ReadonlyMap<string, CelType>[];
  readonly types: Map<Expression, CelType>;
  readonly calls: Map<Expression, Resolution>;
  readonly names: Map<Expression, string>;
  readonly problems: Problem[];
  readonly fillings: Map<string, CelType>;
  nextHole: number;
}

const ticksPerPart = 20;

function visit(checker: Checker, expression: Expression): CelType {
  tick(ticksPerPart);
  const type = typeOfPart(checker, expression);
  checker.types.set(expression, type);
  return type;
}

function typeOfPart(checker: Checker, expression: Expression): CelType {
  switch (expression.kind) {
    case "literal":
      return literalType(expression.value);
    case "ident":
      return visitIdent(checker, expression);
    case "select":
      return visitSelect(checker, expression);
    case "call":
      return visitCall(checker, expression);
    case "list":
      return visitList(checker, expression);
    case "map":
      return visitMap(checker, expression);
    case "struct":
      return visitStruct(checker, expression);
    default:
      return visitComprehension(checker, expression);
  }
}

function literalType(value: Extract<Expression, { kind: "literal" }>["value"]): CelType {
  if (value === null) return nullType;
  if (typeof value === "boolean") return boolType;
  if (typeof value === "string") return stringType;
  if (isInt(value)) return intType;
  if (value.kind === "double") return doubleType;
  return value.kind === "uint" ? uintType : bytesType;
}

function visitIdent(checker: Checker, ident: Ident): CelType {
  const found = lookUp(checker, ident.name);
  if (found !== undefined) {
    checker.names.set(ident, found.name);
    return found.type;
  }
  undeclared(checker, ident.at, ident.name);
  return errorType;
}

function visitSelect(checker: Checker, select: Select): CelType {
  const qualified = select.isTest ? undefined : qualifiedName(select);
  const found = qualified === undefined ? undefined : lookUp(checker, qualified);
  if (found !== undefined) {
    checker.names.set(select, found.name);
    return found.type;
  }
  const type = fieldType(checker, select, select.operand, select.field, false);
  return select.isTest ? boolType : fill(checker.fillings, type, false);
}

function fieldType(
  checker: Checker,
  at: Expression,
  operand: Expression,
  field: string,
  yieldsOptional: boolean,
): CelType {
  const operandType = fill(checker.fillings, visit(checker, operand), false);
  const target = unwrapOptional(operandType);
  const type = selectedType(checker, at, target, field);
  return yieldsOptional || isOptional(operandType) ? optionalType(type) : type;
}

function selectedType(checker: Checker, at: Expression, target: CelType, field: string): CelType {
  switch (target.kind) {
    case "map":
      return target.params[1] ?? dynType;
    case "struct": {
      const type = target.fields?.get(field);
      if (type !== undefined) return type;
      report(
        checker,
        at.at,
        target.fields === undefined
          ? `unexpected failed resolution of '${target.name}'`
          : `undefined field '${field}'`,
      );
      return errorType;
    }
    case "param":
      assignable(checker, dynType, target);
      return dynType;
    case "dyn":
    case "error":
      return dynType;
    default:
      report(checker, at.at, `type '${formatType(target)}' does not support field selection`);
      return dynType;
  }
}

function visitCall(checker: Checker, call: Call): CelType {
  if (call.name === "_?._") return visitOptionalSelect(checker, call);
  for (const arg of call.args) visit(checker, arg);
  if (call.target === undefined) {
    const declaration = checker.functions.get(call.name.replace(/^\./, ""));
    if (declaration !== undefined) return resolve(checker, call, declaration, undefined);
    undeclared(checker, call.at, call.name);
    return errorType;
  }
  const prefix = qualifiedName(call.target);
  const qualified =
    prefix === undefined ? undefined : checker.functions.get(`${prefix}.${call.name}`);
  if (qualified !== undefined) return resolve(checker, call, qualified, undefined);
  visit(checker, call.target);
  const declaration = checker.functions.get(call.name);
  if (declaration !== undefined) return resolve(checker, call, declaration, call.target);
  undeclared(checker, call.at, call.name);
  return errorType;
}

function visitOptionalSelect(checker: Checker, call: Call): CelType {
  const [operand, field] = call.args;
  const declaration = checker.functions.get(call.name);
  if (operand === undefined || field?.kind !== "literal" || declaration === undefined) {
    undeclared(checker, call.at, call.name);
    return errorType;
  }
  const type = fieldType(checker, call, operand, nameOf(field.value), true);
  checker.types.set(field, stringType);
  const { overloads } = declaration;
  checker.calls.set(call, { declaration, overloads, target: undefined });
  return fill(checker.fillings, type, false);
}

function nameOf(value: Extract<Expression, { kind: "literal" }>["value"]): string {
  return typeof value === "string" ? value : "";
}

function resolve(
  checker: Checker,
  call: Call,
  declaration: FunctionDeclaration,
  target: Expression | undefined,
): CelType {
  const parts = target === undefined ? call.args : [target, ...call.args];
  const argTypes = parts.map((part) => checker.types.get(part) ?? errorType);
  if (declaration.name === "_&&_" || declaration.name === "_||_") {
    return resolveLogic(checker, call, declaration, argTypes);
  }
  const matching: Overload[] = [];
  let result: CelType | undefined;
  for (const overload of declaration.overloads) {
    if (overload.isMember !== (target !== undefined)) continue;
    const open = freshen(checker, overload);
    if (!unify(checker.fillings, argTypes, open.args)) continue;
    matching.push(overload);
    const type = fill(checker.fillings, open.result, false);
    if (result === undefined) result = type;
    else if (!isDyn(result) && !sameType(result, type)) result = dynType;
  }
  if (result === undefined) {
    const filled = argTypes.map((type) => fill(checker.fillings, type, true));
    const signature = formatCall(filled, target !== undefined);
    const applied = `'${declaration.name}' applied to '${signature}'`;
    report(checker, call.at, `found no matching overload for ${applied}`);
    return errorType;
  }
  checker.calls.set(call, { declaration, overloads: matching, target });
  return result;
}

function resolveLogic(
  checker: Checker,
  call: Call,
  declaration: FunctionDeclaration,
  argTypes: readonly CelType[],
): CelType {
  let fits = true;
  for (const [index, type] of argTypes.entries()) {
    if (assignable(checker, type, boolType)) continue;
    fits = false;
    mismatch(checker, call.args[index] ?? call, boolType, type);
  }
  checker.calls.set(call, { declaration, overloads: declaration.overloads, target: undefined });
  return fits ? boolType : errorType;
}

/** The overload with holes of its own, so that two calls do not share theirs. */
function freshen(checker: Checker, overload: Overload): Pick<Overload, "args" | "result"> {
  const holes = new Map<string, CelType>();
  const rename = (type: CelType): CelType => {
    if (type.kind !== "param") {
      return type.params.length === 0 ? type : { ...type, params: type.params.map(rename) };
    }
    const hole = holes.get(type.name) ?? newHole(checker);
    holes.set(type.name, hole);
    return hole;
  };
  return { args: overload.args.map(rename), result: rename(overload.result) };
}

function visitList(checker: Checker, list: Extract<Expression, { kind: "list" }>): CelType {
  let type: CelType | undefined;
  for (const { value, isOptional: optional } of list.items) {
    const found = visit(checker, value);
    type = join(checker, type, optional ? inside(checker, value, found) : found);
  }
  return listType(type ?? newHole(checker));
}

function visitMap(checker: Checker, map: Extract<Expression, { kind: "map" }>): CelType {
  let keyType: CelType | undefined;
  let valueType: CelType | undefined;
  for (const { key, value, isOptional: optional } of map.entries) {
    keyType = join(checker, keyType, visit(checker, key));
    const found = visit(checker, value);
    valueType = join(checker, valueType, optional ? inside(checker, value, found) : found);
  }
  return mapType(keyType ?? newHole(checker), valueType ?? newHole(checker));
}

/** What `?value` adds: the value inside the optional that it has to be. */
function inside(checker: Checker, at: Expression, type: CelType): CelType {
  if (!isOptional(type) && !isDyn(type)) mismatch(checker, at, optionalType(type), type);
  return unwrapOptional(type);
}

/** Lists and maps may hold several types here; where they must not, that is found out later. */
function join(checker: Checker, previous: CelType | undefined, current: CelType): CelType {
  if (previous === undefined) return current;
  if (assignable(checker, previous, current)) return moreGeneral(previous, current);
  return dynType;
}

/** No environment declares message types yet, so there is none to create. */
function visitStruct(checker: Checker, struct: CreateStruct): CelType {
  undeclared(checker, struct.at, struct.name);
  return errorType;
}

function visitComprehension(checker: Checker, loop: Comprehension): CelType {
  const rangeType = fill(checker.fillings, visit(checker, loop.range), false);
  const accumulatorType = visit(checker, loop.initial);
  checker.scopes.push(new Map([[loop.accumulator, accumulatorType]]));
  checker.scopes.push(new Map(loopVariables(checker, loop, rangeType)));
  assertType(checker, loop.condition, boolType);
  assertType(checker, loop.step, accumulatorType);
  checker.scopes.pop();
  const type = visit(checker, loop.result);
  checker.scopes.pop();
  return fill(checker.fillings, type, false);
}

function loopVariables(
  checker: Checker,
  loop: Comprehension,
  rangeType: CelType,
): [string, CelType][] {
  const [first, second] = variableTypes(checker, loop, rangeType);
  if (loop.variable2 === undefined) return [[loop.variable, first]];
  return [
    [loop.variable, rangeType.kind === "list" ? intType : first],
    [loop.variable2, second],
  ];
}

function variableTypes(checker: Checker, loop: Comprehension, range: CelType): [CelType, CelType] {
  const [first = dynType, second = dynType] = range.params;
  switch (range.kind) {
    case "list":
      return [first, first];
    case "map":
      return [first, second];
    case "dyn":
    case "error":
    case "param":
      assignable(checker, dynType, range);
      return [dynType, dynType];
    default: {
      const message =
        `expression of type '${formatType(range)}' cannot be range of a comprehension ` +
        "(must be list, map, or dynamic)";
      report(checker, loop.range.at, message);
      return [errorType, errorType];
    }
  }
}

function assertType(checker: Checker, part: Expression, expected: CelType): void {
  const type = visit(checker, part);
  if (!assignable(checker, expected, type)) mismatch(checker, part, expected, type);
}

function lookUp(
  checker: Checker,
  name: string,
): { readonly name: string; readonly type: CelType } | undefined {
  const plain = name.replace(/^\./, "");
  const scopes = plain === name ? checker.scopes.toReversed() : checker.scopes.slice(0, 1);
  for (const scope of scopes) {
    const type = scope.get(plain);
    if (type !== undefined) return { name: plain, type };
  }
  return undefined;
}

function newHole(checker: Checker): CelType {
  return paramType(`_var${checker.nextHole++}`);
}

function assignable(checker: Checker, from: CelType, to: CelType): boolean {
  return unify(checker.fillings, [from], [to]);
}

function mismatch(checker: Checker, at: Expression, expected: CelType, actual: CelType): void {
  const message = `expected type '${formatType(expected)}' but found '${formatType(actual)}'`;
  report(checker, at.at, message);
}

function undeclared(checker: Checker, at: number, name: string): void {
  report(checker, at, `undeclared reference to '${name}' (in container '')`);
}

function report(checker: Checker, at: number, message: string): void {
  checker.problems.push({ at, message });
}
