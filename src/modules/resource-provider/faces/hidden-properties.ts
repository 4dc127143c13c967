// What is hidden in `properties`, whoever says so. A kind may hide a field of which an api-version
// says nothing, or something else, such as that it is fixed; and what one version hides, another
// has under the same path. All of it is hidden in each version that has the shape of what is
// stored, so that whatever is done with a secret follows from one list. In a version with functions
// of its own, paths mean what those make of them: what they make of a secret is found by what they
// do not make without it.

import { fieldRulesOf } from "../../../intents/kinds/definition-field-rules.ts";
import { changedAt } from "../../../intents/kinds/kind-definition.ts";
import type { ArmVersion } from "./arm-face.ts";
import { equalJson, getOwn, isJsonObject } from "../../../kernel/json.ts";
import type { Json, JsonObject } from "../../../kernel/json.ts";
import type { CompiledFieldRule, FieldRule } from "../../../kernel/kind.ts";
import { formatPointer, parsePointer } from "../../../kernel/pointer.ts";
import type { Tokens } from "../../../kernel/pointer.ts";

/** Marks in a schema what is hidden although its own rule says something else, or nothing. */
export const hiddenKey = "x-setpoint-hidden";

/** The versions, each with what it hides besides what its own schema says. */
export function withShared(
  versions: readonly ArmVersion[],
  fieldRules: readonly FieldRule[],
  isOfStored: (version: ArmVersion) => boolean = hasNoFunctions,
): readonly ArmVersion[] {
  const ofKind = fieldRules.flatMap(({ path, rule }): FieldRule[] => {
    const isOfSpec = path.startsWith(`${spec}/`);
    return isOfSpec && isHiding(rule) ? [{ path: path.slice(spec.length), rule }] : [];
  });
  const ofVersions = versions.filter(isOfStored).flatMap(({ schema }) => hidingIn(schema));
  const all = new Map([...ofVersions, ...ofKind].map((rule) => [rule.path, rule]));
  return versions.map((version) => {
    if (!isOfStored(version)) return version;
    const own = new Set(hidingIn(version.schema).map(({ path }) => path));
    const hidden = [...all.values()].filter(({ path }) => !own.has(path));
    return hidden.length === 0 ? version : { ...version, hidden };
  });
}

const spec = "/spec";

function hasNoFunctions({ fromStored, toStored }: ArmVersion): boolean {
  return fromStored === undefined && toStored === undefined;
}

function hidingIn(schema: JsonObject): readonly FieldRule[] {
  return fieldRulesOf(schema).filter(({ rule }) => isHiding(rule));
}

function isHiding(rule: FieldRule["rule"]): boolean {
  return rule === "secret" || rule === "write-only";
}

/** The schema of a version, with marks on what is hidden besides. */
export function markedSchema({ schema, hidden = [] }: ArmVersion): JsonObject {
  return hidden.reduce(
    (marked, { path, rule }) =>
      changedAt(marked, parsePointer(path), (node) => ({ ...node, [hiddenKey]: rule })),
    schema,
  );
}

/** Rules for all that is not the same without what the kind hides. */
export function hiddenBetween(whole: JsonObject, shown: JsonObject): readonly CompiledFieldRule[] {
  return differing(whole, shown, []).map((segments) => ({
    path: formatPointer(segments),
    rule: "secret",
    segments,
  }));
}

/** An object that is not shown at all is there as a whole, and with each of its fields. */
function differing(whole: Json, shown: Json | undefined, path: Tokens): readonly Tokens[] {
  const isOther = shown === undefined || !isJsonObject(shown);
  if (!isJsonObject(whole)) return equalJson(whole, shown) ? [] : [path];
  const inner = Object.entries(whole).flatMap(([key, value]) =>
    differing(value, isOther ? undefined : getOwn(shown, key), [...path, key]),
  );
  return isOther ? [path, ...inner] : inner;
}
