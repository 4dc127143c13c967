// Amounts of resources, as in quantity("1.5Gi").isGreaterThan(quantity("1Gi")).

import { compareQuantities, parseQuantity, quantityProblem } from "../../quantity.ts";
import type { Quantity } from "../../quantity.ts";
import { fixed, traversal } from "../costs.ts";
import { declare, global, member } from "../functions.ts";
import type { FunctionDeclaration, Overload } from "../functions.ts";
import { boolType, doubleType, intType, stringType, closedStructType } from "../types.ts";
import type { CelValue } from "../values.ts";
import { double, error, int, maxInt, minInt, opaqueValues, textOf } from "../values.ts";

export const quantityType = closedStructType("kubernetes.Quantity");

const { wrap, unwrap } = opaqueValues<Quantity>(quantityType, (a, b) => a.nanos === b.nanos);

const nanosOfOne = 1_000_000_000n;
const nominal = fixed(1);

const onOne = (id: string, result: Overload["result"], run: (value: Quantity) => CelValue) =>
  member(id, [quantityType], result, (value) => run(unwrap(value)));

const onTwo = (
  id: string,
  result: Overload["result"],
  run: (a: Quantity, b: Quantity) => CelValue,
): Overload =>
  member(id, [quantityType, quantityType], result, (a, b) => run(unwrap(a), unwrap(b)));

function arithmetic(name: "add" | "sub", sign: bigint): FunctionDeclaration {
  const change = (to: Quantity, nanos: bigint): CelValue =>
    wrap({ nanos: to.nanos + sign * nanos, format: to.format });
  return declare(
    name,
    [
      onTwo(`quantity_${name}`, quantityType, (a, b) => change(a, b.nanos)),
      member(`quantity_${name}_int`, [quantityType, intType], quantityType, (value, by) =>
        change(unwrap(value), BigInt(Number(by)) * nanosOfOne),
      ),
    ],
    nominal,
  );
}

export const quantityFunctions: readonly FunctionDeclaration[] = [
  declare(
    "quantity",
    [
      global("string_to_quantity", [stringType], quantityType, (text) => {
        const problem = quantityProblem(textOf(text));
        return problem === undefined ? wrap(parseQuantity(textOf(text))) : error(problem);
      }),
    ],
    traversal(),
  ),
  declare(
    "isQuantity",
    [
      global(
        "is_quantity_string",
        [stringType],
        boolType,
        (text) => quantityProblem(textOf(text)) === undefined,
      ),
    ],
    traversal(),
  ),
  declare(
    "sign",
    [
      global("quantity_sign", [quantityType], intType, (value) => {
        const { nanos } = unwrap(value);
        if (nanos === 0n) return 0;
        return nanos < 0n ? -1 : 1;
      }),
    ],
    nominal,
  ),
  declare(
    "isGreaterThan",
    [onTwo("quantity_is_greater_than", boolType, (a, b) => compareQuantities(a, b) > 0)],
    nominal,
  ),
  declare(
    "isLessThan",
    [onTwo("quantity_is_less_than", boolType, (a, b) => compareQuantities(a, b) < 0)],
    nominal,
  ),
  declare("compareTo", [onTwo("quantity_compare_to", intType, compareQuantities)], nominal),
  declare(
    "asApproximateFloat",
    [onOne("quantity_get_float", doubleType, ({ nanos }) => double(Number(nanos) / 1e9))],
    nominal,
  ),
  declare(
    "asInteger",
    [
      onOne("quantity_get_int", intType, ({ nanos }) =>
        isWhole(nanos) ? int(nanos / nanosOfOne) : error("cannot convert value to integer"),
      ),
    ],
    nominal,
  ),
  declare(
    "isInteger",
    [onOne("quantity_is_integer", boolType, ({ nanos }) => isWhole(nanos))],
    nominal,
  ),
  arithmetic("add", 1n),
  arithmetic("sub", -1n),
];

function isWhole(nanos: bigint): boolean {
  const whole = nanos / nanosOfOne;
  return nanos % nanosOfOne === 0n && whole >= minInt && whole <= maxInt;
}
