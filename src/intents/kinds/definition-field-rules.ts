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

const fieldRuleKey = "x-setpoint-field-rule";

const ruleNames: readonly FieldRuleName[] = ["read-only", "create-only", "write-only", "secret"];

/** All rules in a schema, in the order of its fields; `*` stands for items and free keys. */
export function fieldRulesOf(schema: JsonObject): readonly FieldRule[] {
  const rules: FieldRule[] = [];
  walk(schema, { pointer: "", path: "", depth: 0 }, (node, { pointer }) => {
    const rule = ruleNames.find((name) => name === getOwn(node, fieldRuleKey));
    if (rule !== undefined && pointer !== "") rules.push({ path: pointer, rule });
  });
  return rules;
}

/** Rules that are none, and rules where none can be kept. */
export function fieldRuleErrors(schema: JsonObject, path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  walk(schema, { pointer: "", path, depth: 0 }, (node, place) => {
    const rule = getOwn(node, fieldRuleKey);
    if (rule === undefined) return;
    const field = `${place.path}.${fieldRuleKey}`;
    if (!ruleNames.some((name) => name === rule)) {
      errors.push(unsupportedField(field, rule, ruleNames));
    } else if (place.pointer === "") {
      errors.push(forbiddenField(field, "must not be used at the root"));
    } else if (metaFields.test(place.pointer)) {
      errors.push(forbiddenField(field, "must not be used inside of resource meta"));
    }
  });
  return errors;
}

const metaFields = /^\/(?:apiVersion|kind|metadata)(?:\/|$)/;

interface Place {
  /** Of the field in documents. */
  readonly pointer: string;
  /** Of the schema in the definition. */
  readonly path: string;
  readonly depth: number;
}

type Visit = (node: JsonObject, place: Place) => void;

function walk(node: JsonObject, place: Place, visit: Visit): void {
  visit(node, place);
  const depth = place.depth + 1;
  if (depth > limits.maxSchemaDepth) return;
  const { pointer, path } = place;
  const properties = getOwn(node, "properties");
  if (isJsonObject(properties)) {
    for (const [name, child] of Object.entries(properties)) {
      if (!isJsonObject(child)) continue;
      const childPath = `${path}.properties[${name}]`;
      walk(child, { pointer: `${pointer}/${escapeToken(name)}`, path: childPath, depth }, visit);
    }
  }
  for (const key of ["items", "additionalProperties"]) {
    const child = getOwn(node, key);
    if (isJsonObject(child)) {
      walk(child, { pointer: `${pointer}/*`, path: `${path}.${key}`, depth }, visit);
    }
  }
}
