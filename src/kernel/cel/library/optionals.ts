// Values that may be absent: optional.of(), optional.none(), and what can be asked of them. Field
// and index access on optionals, or() and orValue() are planned on their own; here they only
// have their types.

import { declare, declareGeneric, global, member } from "../functions.ts";
import type { FunctionDeclaration } from "../functions.ts";
import { boolType, dynType, intType, listType, mapType, optionalType } from "../types.ts";
import { paramType, stringType } from "../types.ts";
import type { CelType } from "../types.ts";
import type { CelList, CelOptional, CelValue } from "../values.ts";
import { error, items, list, noneOptional, noSuchOverload, optionalOf } from "../values.ts";

const k = paramType("K");
const v = paramType("V");
const optional = optionalType(v);
const listOfV = listType(v);
const mapOfKV = mapType(k, v);
const listOfOptionals = listType(optional);

const never = (): CelValue => noSuchOverload;
const signature = (id: string, args: readonly CelType[], result: CelType, isMember = false) => ({
  id,
  isMember,
  args,
  result,
});

export const optionalFunctions: readonly FunctionDeclaration[] = [
  declare("optional.of", [global("optional_of", [v], optional, optionalOf)]),
  declare("optional.ofNonZeroValue", [
    global("optional_ofNonZeroValue", [v], optional, (value) =>
      isZero(value) ? noneOptional : optionalOf(value),
    ),
  ]),
  declare("optional.none", [global("optional_none", [], optional, () => noneOptional)]),
  declare("value", [
    member("optional_value", [optional], v, (value) => {
      if (!isOptional(value)) return noSuchOverload;
      return value.value === undefined ? error("optional.none() dereference") : value.value;
    }),
  ]),
  declare("hasValue", [
    member("optional_hasValue", [optional], boolType, (value) =>
      isOptional(value) ? value.value !== undefined : noSuchOverload,
    ),
  ]),
  declareGeneric(
    "or",
    [signature("optional_or_optional", [optional, optional], optional, true)],
    never,
  ),
  declareGeneric("orValue", [signature("optional_orValue_value", [optional, v], v, true)], never),
  declareGeneric(
    "_?._",
    [signature("select_optional_field", [dynType, stringType], optional)],
    never,
  ),
  declareGeneric(
    "_[?_]",
    [
      signature("list_optindex_optional_int", [listOfV, intType], optional),
      signature("optional_list_optindex_optional_int", [optionalType(listOfV), intType], optional),
      signature("map_optindex_optional_value", [mapOfKV, k], optional),
      signature("optional_map_optindex_optional_value", [optionalType(mapOfKV), k], optional),
    ],
    never,
  ),
  declareGeneric(
    "_[_]",
    [
      signature("optional_list_index_int", [optionalType(listOfV), intType], optional),
      signature("optional_map_index_value", [optionalType(mapOfKV), k], optional),
    ],
    never,
  ),
  declare("first", [member("list_first", [listOfV], optional, (value) => at(value, 0))]),
  declare("last", [
    member("list_last", [listOfV], optional, (value) =>
      at(value, isList(value) ? value.size - 1 : 0),
    ),
  ]),
  declare("optional.unwrap", [global("optional_unwrap", [listOfOptionals], listOfV, unwrap)]),
  declare("unwrapOpt", [member("optional_unwrapOpt", [listOfOptionals], listOfV, unwrap)]),
];

function at(value: CelValue, index: number): CelValue {
  if (!isList(value)) return noSuchOverload;
  return value.size === 0 ? noneOptional : optionalOf(value.at(index));
}

function unwrap(value: CelValue): CelValue {
  if (!isList(value)) return noSuchOverload;
  const present: CelValue[] = [];
  for (const item of items(value)) {
    if (!isOptional(item)) return error("value is not optional");
    if (item.value !== undefined) present.push(item.value);
  }
  return list(present);
}

function isZero(value: CelValue): boolean {
  if (value === null || value === false || value === 0 || value === "") return true;
  if (typeof value !== "object") return false;
  switch (value.kind) {
    case "double":
      return value.value === 0;
    case "uint":
      return value.value === 0n;
    case "duration":
      return value.nanos === 0n;
    case "bytes":
      return value.bytes.length === 0;
    case "list":
    case "map":
      return value.size === 0;
    case "optional":
      return value.value === undefined;
    default:
      return false;
  }
}

function isOptional(value: CelValue): value is CelOptional {
  return typeof value === "object" && value?.kind === "optional";
}

function isList(value: CelValue): value is CelList {
  return typeof value === "object" && value?.kind === "list";
}
