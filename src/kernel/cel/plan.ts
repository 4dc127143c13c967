// Turns a checked expression into closures. Costs are charged as cel-go charges them, including
// its peculiarities: a chain of names and selections is one attribute, whose first name is free
// when it is the branch of a conditional or an index.

import { tick } from "../inline-time.ts";
import type { Call, CreateList, CreateMap, Expression, Ident, Select } from "./ast.ts";
import type { Checked } from "./check.ts";
import { charge, constant, findVariable } from "./code.ts";
import type { Code, Planned, Planner, Variable } from "./code.ts";
import { createListCost, createMapCost } from "./estimates.ts";
import { mapBuilder } from "./maps.ts";
import { planCall } from "./plan-call.ts";
import { planComprehension } from "./plan-loop.ts";
import { hasField, indexInto, optionalIndex, optionalSelect, selectField } from "./access.ts";
import { show } from "./text.ts";
import type { CelValue } from "./values.ts";
import { error, isError, list, noSuchOverload, textOf, typeName, typeOf } from "./values.ts";

export interface Plan {
  readonly code: Code;
  readonly slotCount: number;
}

/** The slots of the variables are given; loops take further ones. */
export function plan(
  checked: Checked,
  variables: ReadonlyMap<string, Variable>,
  constants: ReadonlyMap<string, CelValue>,
): Plan {
  const planner: Planner = {
    checked,
    scopes: [variables],
    constants,
    slotCount: variables.size,
    plan: (expression, isBranch = false) => planPart(planner, expression, isBranch),
  };
  const { code } = planner.plan(checked.expression);
  return { code, slotCount: planner.slotCount };
}

const ticksPerPart = 20;

function planPart(planner: Planner, expression: Expression, isBranch: boolean): Planned {
  tick(ticksPerPart);
  switch (expression.kind) {
    case "literal":
      return constant(expression.value);
    case "ident":
      return planName(planner, expression, isBranch);
    case "select":
      return planSelect(planner, expression, isBranch);
    case "call":
      return planCallNode(planner, expression, isBranch);
    case "list":
      return planList(planner, expression);
    case "map":
      return planMap(planner, expression);
    case "struct":
      return constant(error(`unknown type '${expression.name}'`));
    default:
      return planComprehension(planner, expression);
  }
}

function planName(planner: Planner, at: Ident | Select, isBranch: boolean): Planned {
  const name = planner.checked.names.get(at) ?? "";
  const variable = findVariable(planner, name);
  if (variable === undefined) {
    const known = planner.constants.get(name);
    return constant(known ?? error(`no such attribute(s): ${name}`));
  }
  const { slot, lazy } = variable;
  const units = isBranch ? 0 : 1;
  const missing = error(`no such attribute(s): ${name}`);
  if (lazy === undefined) {
    return {
      code: (frame) => {
        charge(frame, units);
        return frame.slots[slot] ?? missingOr(frame.slots[slot], missing);
      },
    };
  }
  return {
    code: (frame) => {
      charge(frame, units);
      let value = frame.slots[slot];
      if (value === undefined) {
        value = lazy(frame);
        frame.slots[slot] = value;
      }
      return value;
    },
  };
}

function missingOr(value: CelValue | undefined, missing: CelValue): CelValue {
  return value === undefined ? missing : value;
}

function planSelect(planner: Planner, select: Select, isBranch: boolean): Planned {
  if (planner.checked.names.has(select)) return planName(planner, select, isBranch);
  const { field, isTest } = select;
  const operand = planOperand(planner, select.operand, isBranch && !isTest);
  if (isTest) return { code: (frame) => hasField(operand(frame), field) };
  return {
    code: (frame) => {
      const value = operand(frame);
      if (isError(value)) return value;
      charge(frame, 1);
      return selectField(value, field);
    },
  };
}

/** What a selection selects from; a value that is not an attribute becomes one, for a unit. */
function planOperand(planner: Planner, operand: Expression, isBranch: boolean): Code {
  if (isAttribute(planner, operand)) return planner.plan(operand, isBranch).code;
  const { code } = planner.plan(operand);
  if (isBranch) return code;
  return (frame) => {
    const value = code(frame);
    charge(frame, 1);
    return value;
  };
}

const attributeCalls = new Set(["_[_]", "_[?_]", "_?._", "_?_:_"]);

function isAttribute(planner: Planner, expression: Expression): boolean {
  switch (expression.kind) {
    case "ident": {
      const name = planner.checked.names.get(expression) ?? "";
      return findVariable(planner, name) !== undefined;
    }
    case "select":
      return !expression.isTest;
    case "call":
      return attributeCalls.has(expression.name);
    default:
      return false;
  }
}

function planCallNode(planner: Planner, call: Call, isBranch: boolean): Planned {
  const [first, second, third] = call.args;
  switch (call.name) {
    case "_&&_":
    case "_||_":
      return planLogic(planner, call);
    case "_?_:_":
      if (first === undefined || second === undefined || third === undefined) break;
      return planConditional(planner, first, second, third);
    case "_[_]":
    case "_[?_]":
      if (first === undefined || second === undefined) break;
      return planIndex(planner, call.name, first, second, isBranch);
    case "_?._":
      if (first === undefined || second?.kind !== "literal") break;
      return planOptionalSelect(planner, first, textOf(second.value), isBranch);
    default:
      break;
  }
  return planCall(planner, call);
}

function planLogic(planner: Planner, call: Call): Planned {
  const terms = call.args.map((term) => planner.plan(term).code);
  const [left, right] = terms;
  if (left === undefined || right === undefined) return constant(noSuchOverload);
  const decides = call.name === "_||_";
  return {
    code: (frame) => {
      const a = left(frame);
      if (a === decides) return decides;
      const b = right(frame);
      if (b === decides) return decides;
      if (typeof a !== "boolean") return isError(a) ? a : noSuchOverload;
      if (typeof b !== "boolean") return isError(b) ? b : noSuchOverload;
      return !decides;
    },
  };
}

function planConditional(
  planner: Planner,
  condition: Expression,
  ifTrue: Expression,
  ifFalse: Expression,
): Planned {
  const test = planner.plan(condition).code;
  const branch = (part: Expression): Code => planner.plan(part, isAttribute(planner, part)).code;
  const positive = branch(ifTrue);
  const negative = branch(ifFalse);
  return {
    code: (frame) => {
      const value = test(frame);
      if (value === true) return positive(frame);
      if (value === false) return negative(frame);
      return isError(value) ? value : noSuchOverload;
    },
  };
}

function planIndex(
  planner: Planner,
  name: "_[_]" | "_[?_]",
  operand: Expression,
  index: Expression,
  isBranch: boolean,
): Planned {
  const from = planOperand(planner, operand, isBranch);
  const { code } = planner.plan(index, isAttribute(planner, index));
  if (name === "_[_]") {
    return {
      code: (frame) => {
        const value = from(frame);
        if (isError(value)) return value;
        const key = code(frame);
        charge(frame, 1);
        return isError(key) ? key : indexInto(value, key);
      },
    };
  }
  return {
    code: (frame) => {
      const value = from(frame);
      if (isError(value)) return value;
      const key = code(frame);
      if (isError(key)) return key;
      const found = optionalIndex(value, key);
      if (found.kind === "error" || found.value !== undefined) charge(frame, 1);
      return found;
    },
  };
}

function planOptionalSelect(
  planner: Planner,
  operand: Expression,
  field: string,
  isBranch: boolean,
): Planned {
  const from = planOperand(planner, operand, isBranch);
  return {
    code: (frame) => {
      const value = from(frame);
      if (isError(value)) return value;
      const found = optionalSelect(value, field);
      if (found.kind === "error" || found.value !== undefined) charge(frame, 1);
      return found;
    },
  };
}

/** A list of constants is a constant, and costs nothing. */
function planList(planner: Planner, { items }: CreateList): Planned {
  const planned = items.map(({ value, isOptional }) => ({ ...planner.plan(value), isOptional }));
  const constants = planned.flatMap(({ constant: value, isOptional }) =>
    value === undefined || isOptional ? [] : [value],
  );
  if (constants.length === planned.length) return constant(list(constants));
  return {
    code: (frame) => {
      const values: CelValue[] = [];
      let failed: CelValue | undefined;
      for (const { code, isOptional } of planned) {
        const value = isOptional ? unwrapped(code(frame), "list element") : code(frame);
        if (value === undefined) continue;
        if (isError(value)) {
          failed = value;
          break;
        }
        values.push(value);
      }
      charge(frame, createListCost);
      return failed ?? list(values);
    },
  };
}

function unwrapped(value: CelValue, what: string): CelValue | undefined {
  if (typeof value === "object" && value?.kind === "optional") return value.value;
  if (isError(value)) return value;
  return error(`cannot initialize optional ${what} from non-optional value ${show(value)}`);
}

function planMap(planner: Planner, { entries }: CreateMap): Planned {
  const planned = entries.map(({ key, value, isOptional }) => ({
    key: planner.plan(key),
    value: planner.plan(value),
    isOptional,
  }));
  const code: Code = (frame) => {
    const builder = mapBuilder();
    let failed: CelValue | undefined;
    for (const entry of planned) {
      const key = entry.key.code(frame);
      if (isError(key)) {
        failed = key;
        break;
      }
      const given = entry.value.code(frame);
      const value = entry.isOptional ? unwrapped(given, `entry '${show(key)}'`) : given;
      if (value === undefined) continue;
      if (isError(value)) failed = value;
      else if (!builder.set(key, value)) failed = unsupportedKey(key);
      if (failed !== undefined) break;
    }
    charge(frame, createMapCost);
    return failed ?? builder.build();
  };
  const isConstant = planned.every(
    ({ key, value, isOptional }) =>
      key.constant !== undefined && value.constant !== undefined && !isOptional,
  );
  if (!isConstant) return { code };
  return constant(code({ slots: [], cost: 0, limit: Infinity, work: 0 }));
}

function unsupportedKey(key: CelValue): CelValue {
  return error(`unsupported key type: ${typeName(typeOf(key))}`);
}
