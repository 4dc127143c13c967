// All libraries of the Kubernetes environments up to version 1.34, and the macros they bring.

import type { Expression } from "../ast.ts";
import { declareGeneric } from "../functions.ts";
import type { FunctionDeclaration } from "../functions.ts";
import { formatFunctions, formatType } from "./formats.ts";
import { listFunctions } from "./lists.ts";
import { expandMacro, macroKey, standardMacros } from "../macros.ts";
import type { Macro, Macros } from "../macros.ts";
import { cidrFunctions, cidrType, ipFunctions, ipType } from "./networks.ts";
import { optionalFunctions } from "./optionals.ts";
import { quantityFunctions, quantityType } from "./quantities.ts";
import { regexFunctions } from "./regexes.ts";
import { semverFunctions, semverType } from "./semvers.ts";
import { setFunctions } from "./sets.ts";
import { stringFunctions } from "./strings.ts";
import { mapType, paramType } from "../types.ts";
import type { CelType } from "../types.ts";
import { urlFunctions, urlType } from "./urls.ts";
import { noSuchOverload } from "../values.ts";

const k = paramType("K");
const v = paramType("V");
const map = mapType(k, v);

/** What transformMap() and its like collect with; planned on its own. */
const mapInsert: FunctionDeclaration = declareGeneric(
  "cel.@mapInsert",
  [
    { id: "@mapInsert_map_key_value", isMember: false, args: [map, k, v], result: map },
    { id: "@mapInsert_map_map", isMember: false, args: [map, map], result: map },
  ],
  () => noSuchOverload,
);

export const libraryFunctions: readonly FunctionDeclaration[] = [
  ...optionalFunctions,
  ...stringFunctions,
  ...listFunctions,
  ...setFunctions,
  ...regexFunctions,
  ...urlFunctions,
  ...quantityFunctions,
  ...semverFunctions,
  ...ipFunctions,
  ...cidrFunctions,
  ...formatFunctions,
  mapInsert,
];

const sortInput = "@__sortBy_input__";

/** `list.sortBy(x, key)`: the list is bound to a name, mapped to its keys and sorted by them. */
const sortBy: Macro = ({ at, target, args }) => {
  if (target === undefined) return undefined;
  const input: Expression = { kind: "ident", at, name: sortInput };
  const use = { at, target: { ...input }, name: "map", args };
  const keys = expandMacro(standardMacros, use);
  if (keys === undefined || "message" in keys) return keys;
  return {
    kind: "comprehension",
    at,
    range: { kind: "list", at, items: [] },
    variable: "#unused",
    variable2: undefined,
    accumulator: sortInput,
    initial: target,
    condition: { kind: "literal", at, value: false },
    step: { ...input },
    result: {
      kind: "call",
      at,
      target: { ...input },
      name: "@sortByAssociatedKeys",
      args: [keys],
    },
  };
};

export const libraryMacros: Macros = new Map([[macroKey("sortBy", true, 2), sortBy]]);

/** Types that expressions can name. */
export const libraryTypes: readonly CelType[] = [
  quantityType,
  urlType,
  ipType,
  cidrType,
  formatType,
  semverType,
];
