// The operators and functions of the language itself. Their costs are those of cel-go: by the
// characters that have to be looked at for text, one for everything that is done at once.

import { compare, equal } from "./compare.ts";
import * as costs from "./costs.ts";
import { declare, declareGeneric, global, member } from "./functions.ts";
import type { FunctionDeclaration, Overload } from "./functions.ts";
import { limits } from "../limits.ts";
import { arithmetic, negate } from "./numbers.ts";
import type { Operator } from "./numbers.ts";
import { compileRegex, regexProblem } from "../regex.ts";
import { codePoints } from "./sizes.ts";
import { addDuration, between, duration } from "./time.ts";
import { boolType, bytesType, doubleType, durationType, dynType, intType } from "./types.ts";
import { listType, mapType, paramType, stringType, timestampType, uintType } from "./types.ts";
import type { CelType } from "./types.ts";
import type { CelError, CelList, CelValue } from "./values.ts";
import { bytes, error, isError, items, list, noSuchOverload } from "./values.ts";

const a = paramType("A");
const b = paramType("B");
const listOfA = listType(a);
const mapOfAB = mapType(a, b);

type Signature = Omit<Overload, "run">;

const signature = (id: string, args: readonly CelType[], result: CelType): Signature => ({
  id,
  isMember: false,
  args,
  result,
});

/** Text, timestamps and durations are asked for a method of that name before it is given up. */
function noOverload(name: string, receiver: CelValue): CelError {
  if (typeof receiver === "string") return noSuchOverload;
  if (typeof receiver === "object" && receiver !== null) {
    if (receiver.kind === "timestamp" || receiver.kind === "duration") return noSuchOverload;
  }
  return error(`no such overload: ${name}`);
}

const never = (): CelValue => noSuchOverload;

/** Planned on their own, because they do not evaluate all their arguments. */
const logic: readonly FunctionDeclaration[] = [
  declareGeneric("_?_:_", [signature("conditional", [boolType, a, a], a)], never),
  declareGeneric("_&&_", [signature("logical_and", [boolType, boolType], boolType)], never),
  declareGeneric("_||_", [signature("logical_or", [boolType, boolType], boolType)], never),
  declareGeneric("!_", [signature("logical_not", [boolType], boolType)], (value) =>
    typeof value === "boolean" ? !value : noSuchOverload,
  ),
  declareGeneric(
    "@not_strictly_false",
    [signature("not_strictly_false", [boolType], boolType)],
    (value) => value !== false,
  ),
  declareGeneric(
    "_==_",
    [signature("equals", [a, a], boolType)],
    (x, y) => equal(x, y),
    costs.equality,
  ),
  declareGeneric(
    "_!=_",
    [signature("not_equals", [a, a], boolType)],
    (x, y) => !equal(x, y),
    costs.smallerText,
  ),
];

const numbers: readonly (readonly [string, CelType])[] = [
  ["int64", intType],
  ["uint64", uintType],
  ["double", doubleType],
];

const arithmeticOperators: readonly FunctionDeclaration[] = [
  declareGeneric(
    "_+_",
    [
      signature("add_bytes", [bytesType, bytesType], bytesType),
      signature("add_double", [doubleType, doubleType], doubleType),
      signature("add_duration_duration", [durationType, durationType], durationType),
      signature("add_duration_timestamp", [durationType, timestampType], timestampType),
      signature("add_timestamp_duration", [timestampType, durationType], timestampType),
      signature("add_int64", [intType, intType], intType),
      signature("add_list", [listOfA, listOfA], listOfA),
      signature("add_string", [stringType, stringType], stringType),
      signature("add_uint64", [uintType, uintType], uintType),
    ],
    (x, y) => plus(x, y),
    costs.addition,
  ),
  declareGeneric(
    "_-_",
    [
      signature("subtract_double", [doubleType, doubleType], doubleType),
      signature("subtract_duration_duration", [durationType, durationType], durationType),
      signature("subtract_int64", [intType, intType], intType),
      signature("subtract_timestamp_duration", [timestampType, durationType], timestampType),
      signature("subtract_timestamp_timestamp", [timestampType, timestampType], durationType),
      signature("subtract_uint64", [uintType, uintType], uintType),
    ],
    (x, y) => minus(x, y),
  ),
  numeric("_*_", "multiply", "*", numbers),
  numeric("_/_", "divide", "/", numbers),
  numeric("_%_", "modulo", "%", numbers.slice(0, 2)),
  declareGeneric(
    "-_",
    [
      signature("negate_double", [doubleType], doubleType),
      signature("negate_int64", [intType], intType),
    ],
    (value) => negate(value) ?? noOverload("-_", value),
  ),
];

function numeric(
  name: string,
  id: string,
  operator: Operator,
  kinds: typeof numbers,
): FunctionDeclaration {
  return declareGeneric(
    name,
    kinds.map(([kind, type]) => signature(`${id}_${kind}`, [type, type], type)),
    (x, y) => arithmetic(operator, x, y) ?? mismatch(name, operator, x),
  );
}

/** The left operand decides whether the operator is unknown, or only the right one wrong. */
function mismatch(name: string, operator: Operator, left: CelValue): CelError {
  if (typeof left === "number" || typeof left === "bigint") return noSuchOverload;
  if (typeof left === "object" && left !== null) {
    if (left.kind === "uint") return noSuchOverload;
    if (left.kind === "double" && operator !== "%") return noSuchOverload;
    const isSum = operator === "+" || operator === "-";
    if (isSum && (left.kind === "timestamp" || left.kind === "duration")) return noSuchOverload;
    if (operator === "+" && (left.kind === "list" || left.kind === "bytes")) return noSuchOverload;
  }
  return noOverload(name, left);
}

function plus(x: CelValue, y: CelValue): CelValue {
  if (typeof x === "string" && typeof y === "string") {
    return x.length + y.length > limits.maxCelTextChars ? error("string is too long") : x + y;
  }
  const sum = arithmetic("+", x, y);
  if (sum !== undefined) return sum;
  if (typeof x === "object" && typeof y === "object" && x !== null && y !== null) {
    if (x.kind === "list" && y.kind === "list") return concatenate(x, y);
    if (x.kind === "bytes" && y.kind === "bytes") {
      return bytes(new Uint8Array(Buffer.concat([x.bytes, y.bytes])));
    }
    if (x.kind === "duration" && y.kind === "duration") return duration(x.nanos + y.nanos);
    if (x.kind === "duration" && y.kind === "timestamp") return addDuration(y, x.nanos);
    if (x.kind === "timestamp" && y.kind === "duration") return addDuration(x, y.nanos);
  }
  return mismatch("_+_", "+", x);
}

/**
 * Adding costs one unit however long the lists are, so it may not copy them. Short ones are copied
 * all the same, which keeps the trees that are made of long ones flat.
 */
function concatenate(x: CelList, y: CelList): CelList | CelError {
  const total = x.size + y.size;
  if (total > limits.maxCelListItems) return error("list is too long");
  if (x.plus !== undefined) return x.plus(y);
  if (total <= shortList) return list([...items(x), ...items(y)]);
  return {
    kind: "list",
    size: total,
    at: (index) => (index < x.size ? x.at(index) : y.at(index - x.size)),
  };
}

const shortList = 64;

function minus(x: CelValue, y: CelValue): CelValue {
  const difference = arithmetic("-", x, y);
  if (difference !== undefined) return difference;
  if (typeof x === "object" && typeof y === "object" && x !== null && y !== null) {
    if (x.kind === "duration" && y.kind === "duration") return duration(x.nanos - y.nanos);
    if (x.kind === "timestamp" && y.kind === "duration") return addDuration(x, -y.nanos);
    if (x.kind === "timestamp" && y.kind === "timestamp") return between(x, y);
  }
  return mismatch("_-_", "-", x);
}

const comparable: readonly (readonly [string, CelType, CelType])[] = [
  ["bool", boolType, boolType],
  ["int64", intType, intType],
  ["int64_double", intType, doubleType],
  ["int64_uint64", intType, uintType],
  ["uint64", uintType, uintType],
  ["uint64_double", uintType, doubleType],
  ["uint64_int64", uintType, intType],
  ["double", doubleType, doubleType],
  ["double_int64", doubleType, intType],
  ["double_uint64", doubleType, uintType],
  ["string", stringType, stringType],
  ["bytes", bytesType, bytesType],
  ["timestamp", timestampType, timestampType],
  ["duration", durationType, durationType],
];

function relation(
  name: string,
  id: string,
  holds: (order: number) => boolean,
): FunctionDeclaration {
  return declareGeneric(
    name,
    comparable.map(([kind, left, right]) => signature(`${id}_${kind}`, [left, right], boolType)),
    (x, y) => {
      const order = compare(x, y);
      if (typeof order === "number") return holds(order);
      return order === noSuchOverload && !isComparable(x) ? noOverload(name, x) : order;
    },
    costs.comparison,
  );
}

function isComparable(value: CelValue): boolean {
  if (typeof value !== "object") return true;
  if (value === null) return false;
  return ["double", "uint", "bytes", "timestamp", "duration"].includes(value.kind);
}

const relations: readonly FunctionDeclaration[] = [
  relation("_<_", "less", (order) => order < 0),
  relation("_<=_", "less_equals", (order) => order <= 0),
  relation("_>_", "greater", (order) => order > 0),
  relation("_>=_", "greater_equals", (order) => order >= 0),
];

const collections: readonly FunctionDeclaration[] = [
  declareGeneric(
    "_[_]",
    [signature("index_list", [listOfA, intType], a), signature("index_map", [mapOfAB, a], b)],
    never,
  ),
  declareGeneric(
    "@in",
    [signature("in_list", [a, listOfA], boolType), signature("in_map", [a, mapOfAB], boolType)],
    (x, y) => isIn(x, y),
    costs.membership,
  ),
  declareGeneric(
    "size",
    [
      ["bytes", bytesType] as const,
      ["list", listOfA] as const,
      ["map", mapOfAB] as const,
      ["string", stringType] as const,
    ].flatMap(([kind, type]) => [
      signature(`size_${kind}`, [type], intType),
      { ...signature(`${kind}_size`, [type], intType), isMember: true },
    ]),
    (value) => size(value),
  ),
];

function isIn(value: CelValue, container: CelValue): CelValue {
  if (typeof container !== "object" || container === null) return noSuchOverload;
  if (container.kind === "map") {
    const found = container.get(value);
    return found !== undefined && isError(found) ? found : found !== undefined;
  }
  if (container.kind !== "list") return noSuchOverload;
  for (let i = 0; i < container.size; i++) if (equal(container.at(i), value)) return true;
  return false;
}

function size(value: CelValue): CelValue {
  if (typeof value === "string") return codePoints(value);
  if (typeof value === "object" && value !== null) {
    if (value.kind === "list" || value.kind === "map") return value.size;
    if (value.kind === "bytes") return value.bytes.length;
    if (value.kind === "opaque" && value.size !== undefined) return value.size;
  }
  return noOverload("size", value);
}

function onStrings(run: (text: string, part: string) => CelValue) {
  return (x: CelValue, y: CelValue): CelValue =>
    typeof x === "string" && typeof y === "string" ? run(x, y) : noSuchOverload;
}

const matches = onStrings((text, pattern) => {
  const problem = regexProblem(pattern);
  return problem === undefined ? compileRegex(pattern)(text) : error(problem);
});

const strings: readonly FunctionDeclaration[] = [
  stringTest("contains", "contains_string", (text, part) => text.includes(part), costs.containment),
  stringTest("endsWith", "ends_with_string", (text, part) => text.endsWith(part), costs.prefix),
  stringTest(
    "startsWith",
    "starts_with_string",
    (text, part) => text.startsWith(part),
    costs.prefix,
  ),
  declareGeneric(
    "matches",
    [
      signature("matches", [stringType, stringType], boolType),
      { ...signature("matches_string", [stringType, stringType], boolType), isMember: true },
    ],
    matches,
    costs.regexMatch,
  ),
];

function stringTest(
  name: string,
  id: string,
  run: (text: string, part: string) => boolean,
  cost: FunctionDeclaration["cost"],
): FunctionDeclaration {
  const test = onStrings(run);
  return {
    ...declare(name, [member(id, [stringType, stringType], boolType, test)], cost),
    isGeneric: true,
  };
}

const dynamic: readonly FunctionDeclaration[] = [
  { ...declare("dyn", [global("to_dyn", [a], dynType, (value) => value)]), isGeneric: true },
];

export const standardFunctions: readonly FunctionDeclaration[] = [
  ...logic,
  ...arithmeticOperators,
  ...relations,
  ...collections,
  ...strings,
  ...dynamic,
];
