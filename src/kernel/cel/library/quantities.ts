// Amounts of resources, as in quantity("1.5Gi").isGreaterThan(quantity("1Gi")).

import { compareQuantities, isQuantity, parseQuantity } from "../../quantity.ts";
import type { Quantity } from "../../quantity.ts";
import { addAmounts, integerOf, negateAmount, parseAmount } from "./amount.ts";
import type { Amount } from "./amount.ts";
import { fixed, traversal } from "../costs.ts";
import { declare, global, member } from "../functions.ts";
import type { FunctionDeclaration, Overload } from "../functions.ts";
import { boolType, doubleType, intType, stringType, closedStructType } from "../types.ts";
import type { CelValue } from "../values.ts";
import { double, error, int, opaqueValues, textOf } from "../values.ts";

export const quantityType = closedStructType("kubernetes.Quantity");

interface Measured extends Pick<Quantity, "nanos"> {
  readonly amount: Amount | undefined;
}

const { wrap, unwrap } = opaqueValues<Measured>(quantityType, (a, b) => a.nanos === b.nanos);

const nanosOfOne = 1_000_000_000n;
const nominal = fixed(1);

const onOne = (id: string, result: Overload["result"], run: (value: Measured) => CelValue) =>
  member(id, [quantityType], result, (value) => run(unwrap(value)));

const onTwo = (
  id: string,
  result: Overload["result"],
  run: (a: Measured, b: Measured) => CelValue,
): Overload =>
  member(id, [quantityType, quantityType], result, (a, b) => run(unwrap(a), unwrap(b)));

function arithmetic(name: "add" | "sub", isSum: boolean): FunctionDeclaration {
  const change = (to: Measured, by: Measured): CelValue =>
    wrap({
      nanos: isSum ? to.nanos + by.nanos : to.nanos - by.nanos,
      amount: addAmounts(to.amount, isSum ? by.amount : negateAmount(by.amount)),
    });
  return declare(
    name,
    [
      onTwo(`quantity_${name}`, quantityType, change),
      member(`quantity_${name}_int`, [quantityType, intType], quantityType, (value, by) => {
        const whole = typeof by === "bigint" ? by : BigInt(Number(by));
        return change(unwrap(value), {
          nanos: whole * nanosOfOne,
          amount: { value: whole, scale: 0 },
        });
      }),
    ],
    nominal,
  );
}

export const quantityFunctions: readonly FunctionDeclaration[] = [
  declare(
    "quantity",
    [
      global("string_to_quantity", [stringType], quantityType, (text) => {
        const parsed = parseQuantity(textOf(text));
        if (!isQuantity(parsed)) return error(parsed.problem);
        return wrap({ nanos: parsed.nanos, amount: parseAmount(textOf(text)) });
      }),
    ],
    traversal(),
  ),
  declare(
    "isQuantity",
    [
      global("is_quantity_string", [stringType], boolType, (text) =>
        isQuantity(parseQuantity(textOf(text))),
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
      onOne("quantity_get_int", intType, ({ amount }) => {
        const value = integerOf(amount);
        return value === undefined ? error("cannot convert value to integer") : int(value);
      }),
    ],
    nominal,
  ),
  declare(
    "isInteger",
    [onOne("quantity_is_integer", boolType, ({ amount }) => integerOf(amount) !== undefined)],
    nominal,
  ),
  arithmetic("add", true),
  arithmetic("sub", false),
];
