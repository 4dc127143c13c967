// Loops. The condition is asked before each element, the step computes the next accumulator, and
// errors go through the accumulator like any value, which is how all() and exists() absorb them.

import type { Comprehension } from "./ast.ts";
import type { Code, Frame, Planned, Planner, Variable } from "./code.ts";
import { growingList, growingMap } from "./plan-loop-step.ts";
import type { CelList, CelMap, CelValue } from "./values.ts";
import { error, isError, typeName, typeOf } from "./values.ts";

export function planComprehension(planner: Planner, loop: Comprehension): Planned {
  if (isBinding(loop)) return planBinding(planner, loop);
  const range = planner.plan(loop.range).code;
  const accumulator = newVariable(planner, builds(loop));
  const first = newVariable(planner);
  const second = loop.variable2 === undefined ? undefined : newVariable(planner);
  const initial = initialCode(planner, loop, accumulator);

  planner.scopes.push(new Map([[loop.accumulator, accumulator]]));
  const variables = new Map([[loop.variable, first]]);
  if (second !== undefined) variables.set(loop.variable2 ?? "", second);
  planner.scopes.push(variables);
  const condition = planner.plan(loop.condition);
  const step = planner.plan(loop.step).code;
  planner.scopes.pop();
  const result = planner.plan(loop.result).code;
  planner.scopes.pop();

  const turn = planTurn(accumulator, condition, step);
  return {
    code: (frame) => {
      const over = range(frame);
      if (isError(over)) return over;
      frame.slots[accumulator.slot] = initial(frame);
      if (isList(over)) runOverList(frame, over, first, second, turn);
      else if (isMap(over)) runOverMap(frame, over, first, second, turn);
      else return error(`got '${typeName(typeOf(over))}', expected iterable type`);
      return result(frame);
    },
  };
}

type Turn = (frame: Frame) => boolean;

/** One turn of the loop; false when it is over. */
function planTurn(accumulator: Variable, condition: Planned, step: Code): Turn {
  const { slot } = accumulator;
  const ask = condition.code;
  if (condition.constant === true) {
    return (frame) => {
      frame.slots[slot] = step(frame);
      return true;
    };
  }
  return (frame) => {
    if (ask(frame) === false) return false;
    frame.slots[slot] = step(frame);
    return true;
  };
}

function runOverList(
  frame: Frame,
  over: CelList,
  first: Variable,
  second: Variable | undefined,
  turn: Turn,
): void {
  for (let i = 0; i < over.size; i++) {
    if (second === undefined) frame.slots[first.slot] = over.at(i);
    else {
      frame.slots[first.slot] = i;
      frame.slots[second.slot] = over.at(i);
    }
    if (!turn(frame)) return;
  }
}

function runOverMap(
  frame: Frame,
  over: CelMap,
  first: Variable,
  second: Variable | undefined,
  turn: Turn,
): void {
  for (const key of over.keys()) {
    frame.slots[first.slot] = key;
    if (second !== undefined) frame.slots[second.slot] = over.get(key) ?? null;
    if (!turn(frame)) return;
  }
}

function isBinding(loop: Comprehension): boolean {
  const isOverNothing = loop.range.kind === "list" && loop.range.items.length === 0;
  return isOverNothing && loop.condition.kind === "literal" && loop.condition.value === false;
}

/** The value is computed when the body first asks for it. */
function planBinding(planner: Planner, loop: Comprehension): Planned {
  const lazy = planner.plan(loop.initial).code;
  const variable = { ...newVariable(planner), lazy };
  planner.scopes.push(new Map([[loop.accumulator, variable]]));
  const body = planner.plan(loop.result).code;
  planner.scopes.pop();
  return {
    code: (frame) => {
      frame.slots[variable.slot] = undefined;
      return body(frame);
    },
  };
}

function builds({ initial }: Comprehension): Variable["builds"] {
  if (initial.kind === "list" && initial.items.length === 0) return "list";
  return initial.kind === "map" && initial.entries.length === 0 ? "map" : undefined;
}

function initialCode(planner: Planner, loop: Comprehension, accumulator: Variable): Code {
  if (accumulator.builds === "list") return growingList;
  if (accumulator.builds === "map") return growingMap;
  return planner.plan(loop.initial).code;
}

function newVariable(planner: Planner, building?: Variable["builds"]): Variable {
  const slot = planner.slotCount++;
  return building === undefined ? { slot } : { slot, builds: building };
}

function isList(value: CelValue): value is CelList {
  return typeof value === "object" && value?.kind === "list";
}

function isMap(value: CelValue): value is CelMap {
  return typeof value === "object" && value?.kind === "map";
}
