// From a kind that was written in TypeScript to the definition by which it is served, so that it is
// from then on a kind like any other. What the engine writes into a status is added to the schema,
// and what people want to see of it to the columns, so that no author has to know.

import { annotations } from "../../kernel/annotations.ts";
import { isSetpointError } from "../../kernel/errors.ts";
import { getOwn, isJsonObject } from "../../kernel/json.ts";
import type { Json, JsonObject } from "../../kernel/json.ts";
import { objectAt } from "../../kernel/json-read.ts";
import { defineKind, kindId } from "../../kernel/kind.ts";
import type { FieldRule, Kind, KindInput, KindVersion, PrinterColumn } from "../../kernel/kind.ts";
import { parsePointer } from "../../kernel/pointer.ts";
import { formatFieldErrors } from "../../kernel/field-error-text.ts";
import { definitionErrors } from "./definition-check.ts";
import { defaultDefinition } from "./definition-defaults.ts";
import { fieldRuleKey } from "./definition-field-rules.ts";

/** Throws `resource.invalid` for what is no kind. */
export function definitionOfKind(input: KindInput, isReconciled = true): JsonObject {
  return definitionOf(input, isReconciled, (version) => {
    const { printerColumns, schema } = version;
    const columns = printerColumns.length === 0 ? usualColumns : printerColumns;
    return { ...version, printerColumns: columns, schema: withEngineStatus(schema) };
  });
}

/** For a second form of a kind, which stays as it was written: the engine never writes it. */
export function definitionOfForm(input: KindInput): JsonObject {
  return definitionOf(input, false, (version) => version);
}

function definitionOf(
  input: KindInput,
  isReconciled: boolean,
  completed: (version: KindVersion) => KindVersion,
): JsonObject {
  const kind = defineKind({ ...input, origin: "definition" });
  const { group, scope, versions, fieldRules } = kind;
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: {
      name: kindId(kind),
      annotations: isReconciled ? { [annotations.reconciled]: "true" } : {},
    },
    spec: {
      group,
      scope,
      names: namesJson(kind),
      versions: versions.map((version) => {
        const schema = fieldRules.reduce(withRule, version.schema);
        return versionJson(completed({ ...version, schema }));
      }),
    },
  };
}

/** What is wrong with a kind, in words that name the field; nothing when it can be installed. */
export function kindInputProblem(input: KindInput): string | undefined {
  let definition: JsonObject;
  try {
    definition = definitionOfKind(input);
  } catch (error) {
    if (isSetpointError(error, "resource.invalid")) return error.message;
    throw error;
  }
  const lost = lostRule(input);
  if (lost !== undefined) return `fieldRules: ${lost.path} is not in the schema of any version`;
  const errors = definitionErrors(defaultDefinition(definition));
  return errors.length === 0 ? undefined : formatFieldErrors(errors);
}

function namesJson({ names }: Kind): JsonObject {
  const { plural, singular, kind, listKind, shortNames, categories } = names;
  return {
    plural,
    singular,
    kind,
    listKind,
    ...(shortNames.length === 0 ? {} : { shortNames }),
    ...(categories.length === 0 ? {} : { categories }),
  };
}

function versionJson(version: KindVersion): JsonObject {
  const { name, served, storage, schema } = version;
  const { selectableFields, printerColumns, subresources } = version;
  const { deprecationWarning } = version;
  const { scale } = subresources;
  return {
    name,
    served,
    storage,
    ...(deprecationWarning === undefined ? {} : { deprecated: true, deprecationWarning }),
    schema: { openAPIV3Schema: schema },
    subresources: { status: {}, ...(scale === undefined ? {} : { scale: { ...scale } }) },
    ...(printerColumns.length === 0
      ? {}
      : { additionalPrinterColumns: printerColumns as unknown as Json }),
    ...(selectableFields.length === 0
      ? {}
      : { selectableFields: selectableFields.map((jsonPath) => ({ jsonPath })) }),
  };
}

const usualColumns: readonly PrinterColumn[] = [
  { name: "Ready", type: "string", jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
  { name: "Synced", type: "string", jsonPath: '.status.conditions[?(@.type=="Synced")].status' },
  { name: "Reason", type: "string", jsonPath: '.status.conditions[?(@.type=="Ready")].reason' },
  { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
];

const text = { type: "string" };
const wholeNumber = { type: "integer", format: "int64" };

/** What the engine writes; the rest of the status is the author's. */
const engineStatus: JsonObject = {
  observedGeneration: wholeNumber,
  conditions: {
    type: "array",
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["type"],
    items: {
      type: "object",
      required: ["type", "status"],
      properties: {
        type: text,
        status: { type: "string", enum: ["True", "False", "Unknown"] },
        reason: text,
        message: text,
        lastTransitionTime: { type: "string", format: "date-time" },
        observedGeneration: wholeNumber,
      },
    },
  },
  reconcile: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
};

function withEngineStatus(schema: JsonObject): JsonObject {
  const properties = objectAt(schema, "properties");
  const status = objectAt(properties, "status");
  const fields = { ...objectAt(status, "properties"), ...engineStatus };
  return {
    type: "object",
    ...schema,
    properties: { ...properties, status: { type: "object", ...status, properties: fields } },
  };
}

/**
 * A kind whose definition somebody else wrote, and which is reconciled here: what the engine writes
 * is known to it although the definition does not say so. Otherwise the next write of a user would
 * lose it, or be refused as strict ones are when they find a field that nobody declared.
 */
export function knowingEngineStatus(kind: KindInput): KindInput {
  const versions = kind.versions.map((version) => {
    const { schema } = version;
    const properties = objectAt(schema, "properties");
    const status = objectAt(properties, "status");
    if ((getOwn(status, "type") ?? "object") !== "object") return version;
    if (getOwn(status, "additionalProperties") !== undefined) return version;
    const { reconcile = {} } = engineStatus;
    const fields = { ...engineStatus, ...objectAt(status, "properties"), reconcile };
    const known = { ...status, type: "object", properties: fields };
    return { ...version, schema: { ...schema, properties: { ...properties, status: known } } };
  });
  return { ...kind, versions };
}

/** The schema with the rule on its field; the same schema when it has no such field. */
export function withRule(schema: JsonObject, { path, rule }: FieldRule): JsonObject {
  return changedAt(schema, parsePointer(path), (node) => ({ ...node, [fieldRuleKey]: rule }));
}

function lostRule({ fieldRules = [], versions }: KindInput): FieldRule | undefined {
  return fieldRules.find(
    (rule) => !versions.some(({ schema }) => withRule(schema, rule) !== schema),
  );
}

/** The schema with the part that a path leads to changed; the same where it leads nowhere. */
export function changedAt(
  node: JsonObject,
  tokens: readonly string[],
  change: (node: JsonObject) => JsonObject,
): JsonObject {
  const [token, ...rest] = tokens;
  if (token === undefined) return change(node);
  const within = (holder: JsonObject, key: string): JsonObject => {
    const child: Json | undefined = getOwn(holder, key);
    if (!isJsonObject(child)) return holder;
    const changed = changedAt(child, rest, change);
    return changed === child ? holder : { ...holder, [key]: changed };
  };
  if (token === "*") return within(within(node, "items"), "additionalProperties");
  const properties = objectAt(node, "properties");
  const changed = within(properties, token);
  return changed === properties ? node : { ...node, properties: changed };
}
