// Where in a schema there are rules: a tree of those places only, so that documents are walked
// no further than rules go, and schemas without rules not at all. A rule is compiled when a
// document first needs it.

import type { Schema } from "../schema/schema.ts";
import { escapeName } from "./escape.ts";
import { lazyRules } from "./rules.ts";
import type { LazyRule } from "./rules.ts";
import { schemaType } from "./schema-types.ts";
import type { CelSchema } from "./schema-types.ts";

export interface RuleNode {
  readonly schema: Schema;
  readonly celSchema: CelSchema;
  readonly rules: readonly LazyRule[];
  readonly fields: ReadonlyMap<string, RuleNode>;
  readonly values: RuleNode | undefined;
  readonly items: RuleNode | undefined;
  readonly allOf: readonly RuleNode[];
}

/** Undefined when there are no rules at all. */
export function planRules(schema: Schema): RuleNode | undefined {
  if (!schema.hasRules) return undefined;
  const celSchema = schemaType(schema, true);
  return celSchema === undefined ? undefined : planNode(schema, schema, celSchema);
}

/** Rules may also be under allOf, beside the schema that describes the value. */
function planNode(ruleSchema: Schema, schema: Schema, celSchema: CelSchema): RuleNode | undefined {
  const node: RuleNode = {
    schema,
    celSchema,
    rules: lazyRules(ruleSchema.validations, schema, celSchema),
    fields: planFields(ruleSchema, schema, celSchema),
    values: planValues(ruleSchema, schema, celSchema),
    items: planItems(ruleSchema, schema, celSchema),
    allOf: ruleSchema.allOf
      .map((part) => planNode(part, schema, celSchema))
      .filter((part) => part !== undefined),
  };
  const isEmpty =
    node.rules.length === 0 &&
    node.fields.size === 0 &&
    node.values === undefined &&
    node.items === undefined &&
    node.allOf.length === 0;
  return isEmpty ? undefined : node;
}

function planFields(
  ruleSchema: Schema,
  schema: Schema,
  celSchema: CelSchema,
): ReadonlyMap<string, RuleNode> {
  const fields = new Map<string, RuleNode>();
  for (const [name, rules] of ruleSchema.properties) {
    const property = schema.properties.get(name);
    if (property === undefined || !rules.hasRules) continue;
    const escaped = escapeName(name);
    const known = celSchema.kind === "object" ? celSchema.fields.get(escaped ?? "") : undefined;
    const inner =
      known?.schema ??
      (escaped === undefined ? schemaType(property, property.embeddedResource) : undefined);
    const node = inner === undefined ? undefined : planNode(rules, property, inner);
    if (node !== undefined) fields.set(name, node);
  }
  return fields;
}

function planValues(
  ruleSchema: Schema,
  schema: Schema,
  celSchema: CelSchema,
): RuleNode | undefined {
  const [rules, values] = [ruleSchema.additionalProperties, schema.additionalProperties];
  if (typeof rules !== "object" || typeof values !== "object") return undefined;
  return celSchema.kind === "map" ? planNode(rules, values, celSchema.values) : undefined;
}

function planItems(ruleSchema: Schema, schema: Schema, celSchema: CelSchema): RuleNode | undefined {
  if (ruleSchema.items === undefined || schema.items === undefined) return undefined;
  return celSchema.kind === "list"
    ? planNode(ruleSchema.items, schema.items, celSchema.items)
    : undefined;
}
