// One version of a kind, ready for documents: what it prunes, defaults and validates, and how
// documents of it are merged. Made once per version and used by every write.

import { objectType } from "../../kernel/apply/type-schema.ts";
import type { TypeNode } from "../../kernel/apply/type-schema.ts";
import { blockedRules, compileValidator } from "../../kernel/cel/validations.ts";
import type { FieldError } from "../../kernel/field-error.ts";
import { fieldErrorText } from "../../kernel/field-error-text.ts";
import { getOwn } from "../../kernel/json.ts";
import type { JsonObject } from "../../kernel/json.ts";
import type { KindVersion, ScalePaths } from "../../kernel/kind.ts";
import { once } from "../../kernel/once.ts";
import type { Resource } from "../../kernel/resource.ts";
import { compileSchema } from "../../kernel/schema/compile.ts";
import { addDefaults, applyDefaults } from "../../kernel/schema/defaults.ts";
import { coerceEmbedded, embeddedProblems } from "../../kernel/schema/embedded.ts";
import { listTypeProblems } from "../../kernel/schema/list-types.ts";
import { coerceMetadata } from "../../kernel/schema/metadata.ts";
import { prune } from "../../kernel/schema/prune.ts";
import type { Schema } from "../../kernel/schema/schema.ts";
import { validateValue } from "../../kernel/schema/validate.ts";
import { badRequest } from "../refusals.ts";
import { scaleErrors } from "./scale-check.ts";
import { statusJudge } from "./status-judge.ts";
import type { StatusJudge } from "./status-judge.ts";

export interface Known {
  readonly resource: Resource;
  /** The paths of fields that were taken out, sorted. */
  readonly unknown: readonly string[];
}

export interface CompiledType {
  readonly applyType: TypeNode;
  /** The fields; those of built-in kinds are judged by rules besides. */
  readonly schema: Schema;
  /** What an object of a built-in kind has before anything is set. */
  readonly skeleton?: JsonObject;
  /** The document with known fields only; refused where a value has a type nobody can read. */
  prune(resource: Resource): Known;
  withDefaults(resource: Resource): Resource;
  /** The same for what server-side apply has merged: its nulls are judged and not removed. */
  withDefaultsMerged(resource: Resource): Resource;
  validate(resource: Resource, context: ValidationContext): readonly FieldError[];
  /** Judges nothing but the status; built-in kinds have none that others than the server write. */
  readonly judgeStatus?: StatusJudge;
}

export interface ValidationContext {
  /** What was wrong already and has not changed is let pass. */
  readonly old: Resource | undefined;
  /** The status endpoint judges the status alone. */
  readonly subresource: string;
  /** What was found before; some errors keep the rules in CEL from running. */
  readonly errors: readonly FieldError[];
}

/**
 * The type of kinds that come from definitions: the schema says everything. What a write does not
 * need at once is compiled when it is needed.
 */
export function compileType(
  { schema: json, subresources }: KindVersion,
  schema = compileSchema(json),
): CompiledType {
  const rules = once(() => ({ run: compileValidator(schema) }));
  const judgeStatus = once(() => statusJudge(schema, rules().run));
  const judge = (resource: Resource, context: ValidationContext): FieldError[] =>
    context.subresource === "status"
      ? statusErrors(schema, subresources.scale, resource, context)
      : wholeErrors(schema, subresources.scale, resource, context);
  return {
    get applyType() {
      return objectType(json);
    },
    schema,
    prune: (resource) => pruneDefined(schema, resource),
    judgeStatus: (resource, old) => judgeStatus()(resource, old),
    withDefaults: (resource) => applyDefaults(schema, resource) as unknown as Resource,
    withDefaultsMerged: (resource) =>
      addDefaults(schema, withoutNullParts(resource)) as unknown as Resource,
    validate: (resource, context) => {
      const found = judge(resource, context);
      const { run } = rules();
      if (run === undefined) return found;
      const blocked = blockedRules([...context.errors, ...found]);
      if (blocked !== undefined) return [...found, blocked];
      const broken = run(resource, context.old);
      return broken.length === 0 ? found : [...found, ...broken];
    },
  };
}

/** A whole part that is null, such as a spec that lost all its fields, is as good as absent. */
function withoutNullParts(resource: Resource): JsonObject {
  const whole: JsonObject = resource;
  const parts = Object.entries(whole).filter(([, part]) => part !== null);
  return parts.length === Object.keys(whole).length ? whole : Object.fromEntries(parts);
}

function wholeErrors(
  schema: Schema,
  scale: ScalePaths | undefined,
  resource: Resource,
  { old }: ValidationContext,
): FieldError[] {
  return [
    ...validateValue(schema, resource, "", { old }),
    ...(scale === undefined ? [] : scaleErrors(scale, resource, "all")),
    ...embeddedProblems(schema, resource, ""),
    ...listTypeProblems(schema, resource, "", { old }),
  ];
}

function statusErrors(
  schema: Schema,
  scale: ScalePaths | undefined,
  resource: Resource,
  { old }: ValidationContext,
): FieldError[] {
  const status = getOwn(resource, "status");
  const part = schema.properties.get("status");
  const before = old === undefined ? undefined : getOwn(old, "status");
  return [
    ...(status === undefined || part === undefined
      ? []
      : validateValue(part, status, "status", { old: before })),
    ...(scale === undefined ? [] : scaleErrors(scale, resource, "status")),
    ...listTypeProblems(schema, resource, "", { old }),
  ];
}

function pruneDefined(schema: Schema, resource: Resource): Known {
  const { resource: known, unknown } = pruneDocument(schema, resource);
  const { value, unknown: more, error } = coerceEmbedded(schema, known);
  if (error !== undefined) throw badRequest(unfit(resource, fieldErrorText(error)));
  if (value === (known as JsonObject)) return { resource: known, unknown };
  const all = more.length === 0 ? unknown : [...unknown, ...more];
  return { resource: value as unknown as Resource, unknown: all };
}

/** Unknown fields are in the order of Kubernetes: metadata first, then those of the schema. */
export function pruneDocument(schema: Schema, resource: Resource): Known {
  const { value, unknown } = prune(schema, resource, { isRoot: true });
  const metadata = coerceMetadata(resource.metadata ?? {});
  if (metadata.problem !== undefined) throw badRequest(unfit(resource, metadata.problem));
  const isSame = metadata.value === resource.metadata;
  const known = isSame ? value : { ...value, metadata: metadata.value };
  const all = metadata.unknown.length === 0 ? unknown : [...metadata.unknown, ...unknown];
  return { resource: known as unknown as Resource, unknown: all };
}

function unfit({ kind, apiVersion }: Resource, problem: string): string {
  const version = apiVersion.slice(apiVersion.indexOf("/") + 1);
  return `${kind} in version "${version}" cannot be handled as a ${kind}: ${problem}`;
}
