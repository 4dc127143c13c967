// The definition of an imported kind: a CustomResourceDefinition like any other, made by the same
// code that serves the kinds of modules, and judged by the same checks before anybody sees it.

import { definitionOfKind, kindInputProblem } from "../../../intents/kinds/kind-definition.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import type { FieldRule, KindInput, PrinterColumn } from "../../../kernel/kind.ts";
import { nodeOf } from "../fields/field-table.ts";
import type { Classified } from "../fields/classify.ts";
import { connectSchema, managedStatusSchema } from "../kinds/managed-schema.ts";
import type { KindName } from "./names.ts";
import { specSchema } from "./spec-schema.ts";
import type { SpecInput } from "./spec-schema.ts";

export interface DefinitionInput extends SpecInput {
  /** Fields that changes take, where the document lists them. */
  readonly listed?: ReadonlySet<string>;
  readonly group: string;
  readonly name: KindName;
}

export interface MadeDefinition {
  readonly definition: JsonObject;
  /** What stands in the way of using it. */
  readonly problem: string | undefined;
  /** Secret fields that cannot be hidden, since they lie in lists. */
  readonly unhidden: readonly string[];
}

export function makeDefinition(input: DefinitionInput): MadeDefinition {
  const { group, name } = input;
  const spec = specSchema(input);
  const { rules, unhidden } = rulesOf(input);
  const schema: JsonObject = {
    type: "object",
    properties: { spec, connect: connectSchema, status: managedStatusSchema },
  };
  const kind: KindInput = {
    group,
    names: { ...name, categories: ["connect"] },
    scope: "Namespaced",
    subresources: { status: true },
    versions: [{ name: "v1", served: true, storage: true, schema, printerColumns: columns }],
    fieldRules: rules.filter(({ path }) => isIn(spec, path)),
  };
  return { definition: definitionOfKind(kind), problem: kindInputProblem(kind), unhidden };
}

const columns: readonly PrinterColumn[] = [
  { name: "Ready", type: "string", jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
  { name: "Reason", type: "string", jsonPath: '.status.conditions[?(@.type=="Ready")].reason' },
  { name: "Synced", type: "string", jsonPath: '.status.conditions[?(@.type=="Synced")].status' },
  {
    name: "Sync-Reason",
    type: "string",
    jsonPath: '.status.conditions[?(@.type=="Synced")].reason',
  },
  { name: "Id", type: "string", jsonPath: ".status.connect.id" },
  // Of what the service works on: a change that goes on leaves it ready as it was before.
  { name: "Operation", type: "string", jsonPath: ".status.connect.operation.verb" },
  { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
];

/**
 * Secret fields are sealed and never shown; those fixed at creation are refused when they change.
 */
function rulesOf({ classified, listed }: DefinitionInput): {
  readonly rules: readonly FieldRule[];
  readonly unhidden: readonly string[];
} {
  const { judgements, table } = classified;
  const rules: FieldRule[] = [];
  const unhidden: string[] = [];
  for (const judgement of judgements.values()) {
    const field = table.get(judgement.path);
    const above = field?.parent === undefined ? undefined : judgements.get(field.parent.path);
    const path = `/spec${judgement.path}`;
    if (judgement.class === "read-only") continue;
    if (judgement.isSecret && above?.isSecret !== true) {
      if (isBelowList(judgement.path, classified)) unhidden.push(judgement.path);
      else rules.push({ path, rule: "secret" });
    }
    const isLater =
      listed === undefined || field?.level !== 0 || listed.has(judgement.path.slice(1));
    const isUpdated = (field?.at.replace !== undefined && isLater) || field?.at.patch !== undefined;
    const isFixed =
      judgement.class === "create-only" || (judgement.class === "write-only" && !isUpdated);
    if (isFixed && above?.class !== judgement.class && !judgement.isSecret) {
      rules.push({ path, rule: "create-only" });
    }
  }
  return { rules, unhidden };
}

function isBelowList(path: string, { table }: Classified): boolean {
  let at = table.get(path)?.parent;
  while (at !== undefined) {
    if (nodeOf(at)?.items !== undefined) return true;
    at = at.parent;
  }
  return false;
}

function isIn(spec: JsonObject, path: string): boolean {
  let at: JsonObject | undefined = spec;
  for (const token of path.split("/").slice(2)) {
    const key = token.replaceAll("~1", "/").replaceAll("~0", "~");
    at = childOf(at, key);
    if (at === undefined) return false;
  }
  return true;
}

function childOf(schema: JsonObject, key: string): JsonObject | undefined {
  const { properties, items, additionalProperties } = schema as {
    readonly properties?: Readonly<Record<string, JsonObject>>;
    readonly items?: JsonObject;
    readonly additionalProperties?: JsonObject;
  };
  if (key === "*") return items ?? additionalProperties;
  return properties !== undefined && Object.hasOwn(properties, key) ? properties[key] : undefined;
}
