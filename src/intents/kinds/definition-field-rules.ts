// Field rules in the schema of a definition: `x-setpoint-field-rule: secret` on a property says of
// that field what Kubernetes schemas cannot say. The key is Setpoint's own; Kubernetes drops it, or
// refuses it where unknown fields are not let pass.

import { unsupportedField, forbiddenField } from "../../kernel/field-error.ts";
import type { FieldError } from "../../kernel/field-error.ts";
import { getOwn, isJsonObject } from "../../kernel/json.ts";
import type { JsonObject } from "../../kernel/json.ts";
import type { FieldRule, FieldRuleName } from "../../kernel/kind.ts";
import { limits } from "../../kernel/limits.ts";
import { escapeToken } from "../../kernel/pointer.ts";

export const fieldRuleKey = "x-setpoint-field-rule";

const ruleNames: readonly FieldRuleName[] = ["read-only", "create-only", "write-only", "secret"];

/** All rules in a schema, in the order of its fields; `*` stands for items and free keys. */
export function fieldRulesOf(schema: JsonObject): readonly FieldRule[] {
  const rules: FieldRule[] = [];
  walk(schema, rootPlace, (node, place) => {
    const given = getOwn(node, fieldRuleKey);
    if (given === undefined || place.parent === undefined) return;
    const rule = ruleNames.find((name) => name === given);
    if (rule !== undefined) rules.push({ path: pointerOf(place), rule });
  });
  return rules;
}

/** Rules that are none, and rules where none can be kept. */
export function fieldRuleErrors(schema: JsonObject, path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  walk(schema, rootPlace, (node, place) => {
    const rule = getOwn(node, fieldRuleKey);
    if (rule === undefined) return;
    const field = `${pathOf(place, path)}.${fieldRuleKey}`;
    if (!ruleNames.some((name) => name === rule)) {
      errors.push(unsupportedField(field, rule, ruleNames));
    } else if (place.parent === undefined) {
      errors.push(forbiddenField(field, "must not be used at the root"));
    } else if (metaFields.test(pointerOf(place))) {
      errors.push(forbiddenField(field, "must not be used inside of resource meta"));
    } else if (hidingNames.some((name) => name === rule)) {
      const why = place.isInList ? hiddenItems : hasNamedItems(node, 0) ? hiddenNames : undefined;
      if (why !== undefined) errors.push(forbiddenField(field, `${why}: ${useMap}`));
    }
  });
  return errors;
}

const hidingNames: readonly FieldRuleName[] = ["write-only", "secret"];

/** Who writes a list back without its hidden parts would give them to other items. */
const hiddenItems =
  "must not be secret or write-only in list items, which are identified only by position";
const hiddenNames =
  "must not be secret or write-only on or above a list of type set or map, " +
  "whose items appear in metadata.managedFields";
const useMap = "use a map (additionalProperties) instead";

/** Whether some list in the schema is one whose items are told apart by what is in them. */
function hasNamedItems(node: JsonObject, depth: number): boolean {
  if (depth > limits.maxSchemaDepth) return false;
  const listType = getOwn(node, "x-kubernetes-list-type");
  if (listType === "set" || listType === "map") return true;
  const properties = getOwn(node, "properties");
  const children = [
    ...(isJsonObject(properties) ? Object.values(properties) : []),
    getOwn(node, "items"),
    getOwn(node, "additionalProperties"),
  ];
  return children.some((child) => isJsonObject(child) && hasNamedItems(child, depth + 1));
}

const metaFields = /^\/(?:apiVersion|kind|metadata)(?:\/|$)/;

/** A node of the schema; its texts are made only where they are needed, as schemas are large. */
interface Place {
  readonly parent: Place | undefined;
  /** The name of a property; undefined for items and free keys. */
  readonly name: string | undefined;
  readonly key: "properties" | "items" | "additionalProperties";
  readonly depth: number;
  readonly isInList: boolean;
}

/** Of the field in documents; empty for the whole. */
function pointerOf({ parent, name }: Place): string {
  if (parent === undefined) return "";
  return `${pointerOf(parent)}/${name === undefined ? "*" : escapeToken(name)}`;
}

/** Of the schema in the definition. */
function pathOf({ parent, name, key }: Place, root: string): string {
  if (parent === undefined) return root;
  return `${pathOf(parent, root)}.${key}${name === undefined ? "" : `[${name}]`}`;
}

const rootPlace: Place = {
  parent: undefined,
  name: undefined,
  key: "properties",
  depth: 0,
  isInList: false,
};

type Visit = (node: JsonObject, place: Place) => void;

function walk(node: JsonObject, place: Place, visit: Visit): void {
  visit(node, place);
  const depth = place.depth + 1;
  if (depth > limits.maxSchemaDepth) return;
  const { isInList } = place;
  const properties = getOwn(node, "properties");
  if (isJsonObject(properties)) {
    for (const name of Object.keys(properties)) {
      const child = properties[name];
      if (!isJsonObject(child)) continue;
      walk(child, { parent: place, name, key: "properties", depth, isInList }, visit);
    }
  }
  for (const key of ["items", "additionalProperties"] as const) {
    const child = getOwn(node, key);
    if (!isJsonObject(child)) continue;
    const below = { parent: place, name: undefined, key, depth };
    walk(child, { ...below, isInList: isInList || key === "items" }, visit);
  }
}
