// What is wrong with the rules of a schema, as it is told to who writes the schema: rules that do
// not compile, that use the old value where there is no telling which one that is, and that could
// cost too much on the largest document that the schema allows.

import type { FieldError } from "../field-error.ts";
import { forbiddenField, invalidField } from "../field-error.ts";
import { goValue } from "../field-error-text.ts";
import type { Json } from "../json.ts";
import { limits } from "../limits.ts";
import type { Schema, ValidationRule } from "../schema/schema.ts";
import { noBound } from "./estimates.ts";
import { compileRules } from "./rules.ts";
import type { CompiledRule } from "./rules.ts";
import { escapeName } from "./escape.ts";
import { schemaType } from "./schema-types.ts";
import type { CelSchema } from "./schema-types.ts";

/**
 * The path is that of the schema, as in "spec.versions[0].schema.openAPIV3Schema". The form of the
 * rules, such as a line break in a message, is checked with the rest of the schema.
 */
export function ruleProblems(schema: Schema, path: string): readonly FieldError[] {
  const total: TotalCost = { cost: 0, expensive: [] };
  const found = visit(
    {
      schema,
      path,
      isRoot: true,
      celSchema: schemaType(schema, true),
      uncorrelatable: undefined,
      cardinality: 1,
    },
    total,
  );
  return [...found, ...totalProblems(total, path)];
}

interface Place {
  readonly schema: Schema;
  readonly path: string;
  readonly isRoot: boolean;
  readonly celSchema: CelSchema | undefined;
  /** The list around it whose old items cannot be told apart. */
  readonly uncorrelatable: string | undefined;
  /** How often such a value can be in one document; undefined when nothing bounds it. */
  readonly cardinality: number | undefined;
}

interface TotalCost {
  cost: number;
  expensive: readonly { readonly path: string; readonly cost: number }[];
}

/** What is below comes first. */
function visit(place: Place, total: TotalCost): readonly FieldError[] {
  const below = childPlaces(place).flatMap((child) => visit(child, total));
  return place.schema.validations.length === 0 ? below : [...below, ...ownProblems(place, total)];
}

function childPlaces(place: Place): readonly Place[] {
  const { schema, path, celSchema } = place;
  const cardinality = multiplied(place.cardinality, elementsOf(schema));
  const child = (inner: Schema, step: string, known: CelSchema | undefined): Place => ({
    schema: inner,
    path: `${path}.${step}`,
    isRoot: inner.embeddedResource,
    celSchema: known ?? schemaType(inner, inner.embeddedResource),
    uncorrelatable: place.uncorrelatable,
    cardinality,
  });
  const places = Array.from(schema.properties, ([name, property]) => {
    const fields = celSchema?.kind === "object" ? celSchema.fields : undefined;
    return child(property, `properties[${name}]`, fields?.get(escapeName(name) ?? "")?.schema);
  });
  if (typeof schema.additionalProperties === "object") {
    const known = celSchema?.kind === "map" ? celSchema.values : undefined;
    places.push(child(schema.additionalProperties, "additionalProperties", known));
  }
  if (schema.items !== undefined) {
    const known = celSchema?.kind === "list" ? celSchema.items : undefined;
    const items = child(schema.items, "items", known);
    const isCorrelatable = schema.listType === "map";
    const uncorrelatable = place.uncorrelatable ?? (isCorrelatable ? undefined : path);
    places.push({ ...items, uncorrelatable });
  }
  return places;
}

function elementsOf(schema: Schema): number | undefined {
  if (schema.type === "array") return schema.maxItems;
  if (typeof schema.additionalProperties === "object") return schema.maxProperties;
  return 1;
}

function multiplied(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? undefined : a * b;
}

function ownProblems(place: Place, total: TotalCost): readonly FieldError[] {
  const { schema, celSchema, path } = place;
  if (celSchema === undefined) {
    const detail =
      "internal error: failed to construct type information for x-kubernetes-validations rules: " +
      "unable to convert structural schema to CEL declarations";
    return [{ kind: "internal", path: `${path}.x-kubernetes-validations`, detail }];
  }
  const rules = compileRules(schema.validations, schema, celSchema);
  return rules.flatMap((rule, index) => {
    const rulePath = `${path}.x-kubernetes-validations[${index}]`;
    return problemsOfRule(rule, place, celSchema, rulePath, total);
  });
}

function problemsOfRule(
  compiled: CompiledRule,
  place: Place,
  celSchema: CelSchema,
  path: string,
  total: TotalCost,
): readonly FieldError[] {
  const { rule } = compiled;
  const problems: FieldError[] = [];
  const times =
    place.cardinality ?? Math.floor(limits.maxCelRequestBytes / (celSchema.minBytes + 1));
  const cost = Math.min(noBound, compiled.maxCost() * times);
  charge(`${path}.rule`, "estimated rule cost", cost, total, problems);
  if (compiled.problem !== undefined) {
    problems.push(invalidRule(`${path}.rule`, rule, compiled.problem));
  }
  if (compiled.messageProblem !== undefined) {
    const field = `${path}.messageExpression`;
    problems.push(invalidRule(field, rule, compiled.messageProblem));
  } else if (compiled.message !== undefined) {
    const name = "estimated messageExpression cost";
    charge(`${path}.messageExpression`, name, compiled.maxMessageCost(), total, problems);
  }
  if (compiled.usesOldSelf) {
    if (place.uncorrelatable !== undefined) {
      const where = `within ${place.uncorrelatable}`;
      const detail = `oldSelf cannot be used on the uncorrelatable portion of the schema ${where}`;
      problems.push(invalidField(`${path}.rule`, rule.rule, detail));
    }
  } else if (rule.optionalOldSelf !== undefined) {
    const detail = "may not be set if oldSelf is not used in rule";
    problems.push(invalidField(`${path}.optionalOldSelf`, rule.optionalOldSelf, detail));
  }
  return problems;
}

/** The rule as Kubernetes shows it: its structure in Go, as JSON. */
function invalidRule(field: string, rule: ValidationRule, detail: string): FieldError {
  const fields: readonly (readonly [string, Json])[] = [
    ["Rule", rule.rule],
    ["Message", rule.message],
    ["MessageExpression", rule.messageExpression],
    ["Reason", rule.reason === "" ? null : rule.reason],
    ["FieldPath", rule.fieldPath],
    ["OptionalOldSelf", rule.optionalOldSelf ?? null],
  ];
  // One by one, because the fields are not in the order of their names.
  const parts = fields.map(([name, value]) => goValue({ [name]: value }).slice(1, -1));
  return { ...invalidField(field, null, detail), shown: `{${parts.join(",")}}` };
}

function charge(
  path: string,
  name: string,
  cost: number,
  total: TotalCost,
  problems: FieldError[],
): void {
  if (cost > limits.maxCelRuleEstimate) {
    problems.push(forbiddenField(path, tooExpensive(name, cost, limits.maxCelRuleEstimate)));
  }
  total.cost = Math.min(noBound, total.cost + cost);
  if (cost < limits.maxCelSchemaEstimate / 100) return;
  total.expensive = [...total.expensive, { path, cost }]
    .sort((a, b) => b.cost - a.cost)
    .slice(0, 4);
}

function totalProblems(total: TotalCost, path: string): readonly FieldError[] {
  if (total.cost <= limits.maxCelSchemaEstimate) return [];
  const detail =
    "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema";
  const name = "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema";
  return [
    ...total.expensive.map((rule) => forbiddenField(rule.path, detail)),
    forbiddenField(path, tooExpensive(name, total.cost, limits.maxCelSchemaEstimate)),
  ];
}

function tooExpensive(name: string, cost: number, limit: number): string {
  const factor = cost / limit;
  let shown = "more than 100x";
  if (factor < 1.5) shown = `${factor.toFixed(6)}x`;
  else if (factor <= 100) shown = `${factor.toFixed(1)}x`;
  const advice =
    "(try simplifying the rule, or adding maxItems, maxProperties, and maxLength " +
    "where arrays, maps, and strings are declared)";
  return `${name} exceeds budget by factor of ${shown} ${advice}`;
}
