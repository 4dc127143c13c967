// The checks of a definition's spec, in the order of Kubernetes: first the group and scope, then
// each version, then what the versions have in common.

import { invalidField, requiredField, unsupportedField } from "../../kernel/field-error.ts";
import type { FieldError } from "../../kernel/field-error.ts";
import { getOwn, isJsonArray } from "../../kernel/json.ts";
import type { Json, JsonObject } from "../../kernel/json.ts";
import { hasObject, isTrueAt, objectAt, objectsAt, textAt } from "../../kernel/json-read.ts";
import { subdomainProblems } from "../../kernel/names.ts";
import { conversionErrors } from "./definition-conversion-check.ts";
import { goVersions } from "./definition-go-text.ts";
import { hiddenPathErrors } from "./definition-hidden-paths.ts";
import { hasStatus, internalForm, schemaIn } from "./definition-internal-form.ts";
import type { InternalForm, InternalVersion, Parts } from "./definition-internal-form.ts";
import { missingNameErrors, nameSyntaxErrors } from "./definition-names-check.ts";
import { specOf } from "./definition-parts.ts";
import { hasDefaults, schemaErrors } from "./definition-schema-check.ts";
import { selectableErrors } from "./definition-selectable-check.ts";
import { labelProblem } from "./definition-syntax.ts";
import { columnErrors, deprecationErrors, subresourceErrors } from "./definition-version-check.ts";

export interface SpecCheck {
  readonly mayHaveBadCaBundle: boolean;
  /** Versions whose schema has been accepted before. */
  readonly unchanged: ReadonlySet<string>;
}

export function specErrors(definition: JsonObject, check: SpecCheck): readonly FieldError[] {
  const spec = specOf(definition);
  const form = internalForm(definition);
  const names = objectAt(spec, "names");
  return [
    ...groupErrors(textAt(spec, "group")),
    ...scopeErrors(textAt(spec, "scope")),
    ...missingSchemaErrors(form),
    ...looseDefaultErrors(spec, form),
    ...form.versions.flatMap((version, index) => versionErrors(version, index, form, check)),
    ...versionListErrors(form),
    ...missingNameErrors(names, "spec.names"),
    ...nameSyntaxErrors(names, "spec.names"),
    ...topErrors(form, check),
    ...conversionPartErrors(spec, check),
    ...hiddenPathErrors(form),
  ];
}

function groupErrors(group: string): readonly FieldError[] {
  if (group === "") return [requiredField("spec.group")];
  const problems = subdomainProblems(group);
  if (problems.length > 0) return [invalidField("spec.group", group, problems.join(","))];
  if (group.includes(".")) return [];
  return [invalidField("spec.group", group, "should be a domain with at least one dot")];
}

function scopeErrors(scope: string): readonly FieldError[] {
  if (scope === "") return [requiredField("spec.scope")];
  const scopes = ["Cluster", "Namespaced"];
  return scopes.includes(scope) ? [] : [unsupportedField("spec.scope", scope, scopes)];
}

function missingSchemaErrors({ top, versions }: InternalForm): readonly FieldError[] {
  if (schemaIn(top) !== undefined) return [];
  return [...versions.entries()]
    .filter(([, { parts }]) => schemaIn(parts) === undefined)
    .map(([index]) => requiredField(`spec.versions[${index}].schema.openAPIV3Schema`));
}

function looseDefaultErrors(spec: JsonObject, { top, versions }: InternalForm): FieldError[] {
  if (!isTrueAt(spec, "preserveUnknownFields")) return [];
  const all = [top, ...versions.map(({ parts }) => parts)];
  if (!all.some((parts) => hasDefaults(schemaIn(parts)))) return [];
  const detail = "must be false in order to use defaults in the schema";
  return [invalidField("spec.preserveUnknownFields", true, detail)];
}

function versionErrors(
  { document, parts }: InternalVersion,
  index: number,
  { top, versions }: InternalForm,
  check: SpecCheck,
): readonly FieldError[] {
  const path = `spec.versions[${index}]`;
  const name = textAt(document, "name");
  const namesake = versions.find((other) => textAt(other.document, "name") === name);
  const problem = labelProblem(name);
  const schema = schemaIn(parts);
  const rootCheck = {
    hasStatus: hasStatus(namesake?.parts ?? parts) || hasStatus(top),
    isUnchanged: check.unchanged.has(name),
  };
  return [
    ...(problem === undefined ? [] : [invalidField(`${path}.name`, name, problem)]),
    ...deprecationErrors(document, path),
    ...(schema === undefined
      ? []
      : schemaErrors(schema, `${path}.schema.openAPIV3Schema`, rootCheck)),
    ...subresourceErrors(parts.subresources, `${path}.subresources`),
    ...columnsErrors(parts.columns, `${path}.additionalPrinterColumns`),
    ...selectablePartErrors(
      parts,
      `${path}.selectableFields`,
      "may only be set when `version.schema.openAPIV3Schema` is not included",
    ),
  ];
}

function versionListErrors({ versions }: InternalForm): readonly FieldError[] {
  const errors: FieldError[] = [];
  const names = versions.map(({ document }) => textAt(document, "name"));
  const fault = (detail: string): FieldError => ({
    ...invalidField("spec.versions", null, detail),
    shown: goVersions(versions),
  });
  if (new Set(names).size < names.length) errors.push(fault("must contain unique version names"));
  const stored = versions.filter(({ document }) => isTrueAt(document, "storage")).length;
  if (stored !== 1) errors.push(fault("must have exactly one version marked as storage version"));
  const [first = ""] = names;
  const problem = first === "" ? undefined : labelProblem(first);
  if (problem !== undefined) errors.push(invalidField("spec.version", first, problem));
  return errors;
}

/** The checks of what all versions have in common. */
function topErrors({ top, versions }: InternalForm, check: SpecCheck): readonly FieldError[] {
  const schema = schemaIn(top);
  const rootCheck = {
    hasStatus: hasStatus(top) || versions.some(({ parts }) => hasStatus(parts)),
    isUnchanged: versions.every(({ document }) => check.unchanged.has(textAt(document, "name"))),
  };
  return [
    ...(schema === undefined
      ? []
      : schemaErrors(schema, "spec.validation.openAPIV3Schema", rootCheck)),
    ...subresourceErrors(top.subresources, "spec.subresources"),
    ...columnsErrors(top.columns, "spec.additionalPrinterColumns"),
    ...selectablePartErrors(
      top,
      "spec.selectableFields",
      "may only be set when validations.schema is included",
    ),
  ];
}

function columnsErrors(columns: Json | undefined, path: string): readonly FieldError[] {
  const list = objectsAt({ columns: columns ?? null }, "columns");
  return list.flatMap((column, index) => columnErrors(column, `${path}[${index}]`));
}

/** Selectable fields need the schema to stand where they do: both common, or both per version. */
function selectablePartErrors(
  parts: Parts,
  path: string,
  withoutSchema: string,
): readonly FieldError[] {
  const { selectableFields } = parts;
  if (!isJsonArray(selectableFields)) return [];
  const schema = schemaIn(parts);
  if (schema === undefined) return [invalidField(path, "", withoutSchema)];
  return selectableErrors(objectsAt({ selectableFields }, "selectableFields"), schema, path);
}

function conversionPartErrors(spec: JsonObject, check: SpecCheck): readonly FieldError[] {
  if (!hasObject(spec, "conversion")) return [];
  const conversion = objectAt(spec, "conversion");
  const strategy = textAt(conversion, "strategy");
  const path = "spec.conversion";
  const detail = "must be None if spec.preserveUnknownFields is true";
  const isLoose = getOwn(spec, "preserveUnknownFields") === true && strategy !== "None";
  return [
    ...(isLoose ? [invalidField(`${path}.strategy`, strategy, detail)] : []),
    ...conversionErrors(conversion, path, check),
  ];
}
