// What the string functions cost that make texts of other sizes: the result may be longer than
// the text, and whatever is done with it afterwards is estimated by its size.

import { itemNode } from "../costs.ts";
import { add, multiply, noBound, scale, traversalFactor } from "../estimates.ts";
import type { Range } from "../estimates.ts";
import type { CallCost } from "../functions.ts";

/** The largest result replaces as often as it can by the longest text there may be. */
export const estimateReplace: CallCost["estimate"] = ({ target, args, sizeOf: size }) => {
  const [old, by] = args;
  if (target === undefined || old === undefined || by === undefined) return undefined;
  const on = size(target);
  const most = replacements(on.max, size(old).min, size(by).max <= size(old).min);
  const least = replacements(on.min, size(old).max, size(old).max <= size(by).min);
  const counts = { min: least.count, max: most.count };
  const kept = { min: least.kept, max: most.kept };
  const resultSize = add(multiply(counts, size(by)), kept);
  return { cost: scale(on, 2 * traversalFactor), resultSize };
};

export const estimateSplit: CallCost["estimate"] = ({ target, args, sizeOf: size }) => {
  if (target === undefined) return undefined;
  const on = size(target);
  const count = args[1]?.expression;
  const given = count?.kind === "literal" && typeof count.value === "number" ? count.value : on.max;
  const max = given < 0 ? noBound : given;
  return { cost: scale(on, 2 * traversalFactor), resultSize: { min: 0, max } };
};

export const estimateJoin: CallCost["estimate"] = ({ target, args, sizeOf: size }) => {
  if (target === undefined) return undefined;
  const count = size(target);
  const item = itemNode(target);
  let resultSize: Range = item === undefined ? { min: 0, max: 0 } : multiply(count, size(item));
  const [separator] = args;
  if (separator !== undefined) {
    const between = { min: Math.max(0, count.min - 1), max: Math.max(0, count.max - 1) };
    resultSize = add(resultSize, multiply(size(separator), between));
  }
  return { cost: scale(resultSize, traversalFactor), resultSize };
};

function replacements(on: number, old: number, changesNothing: boolean) {
  if (old === 0) return { count: Math.min(noBound, on + 1), kept: on };
  if (changesNothing) return { count: 0, kept: on };
  return { count: Math.ceil(on / old), kept: 0 };
}
