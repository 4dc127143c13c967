// The rules a kind must keep, each answered with the field at fault. All problems are collected,
// since whoever imports a CustomResourceDefinition wants to see them at once.

import { isSetpointError } from "./errors.ts";
import { isJsonObject } from "./json.ts";
import type { FieldRule, Kind, KindVersion, ScalePaths } from "./kind.ts";
import { limits } from "./limits.ts";
import { dnsLabelProblems, subdomainProblems } from "./names.ts";
import { parsePointer } from "./pointer.ts";

type Unchecked = Omit<Kind, "fieldRules"> & { readonly fieldRules: readonly FieldRule[] };

const fieldPath = /^(?:\.[^.[\]]+)+$/;
/** CamelCase by custom, but definitions may use any DNS label in any case. */
const kindName = /^[A-Za-z](?:[-A-Za-z0-9]{0,61}[A-Za-z0-9])?$/;
const columnTypes = ["string", "integer", "number", "boolean", "date"];

export function kindProblems(kind: Unchecked): readonly string[] {
  return [
    ...nameProblems(kind),
    ...storageProblems(kind.versions),
    ...kind.versions.flatMap((version, index) => versionProblems(version, `versions[${index}]`)),
    ...(kind.origin === "built-in" ? [] : kind.versions.flatMap(selectableProblems)),
    ...kind.fieldRules.flatMap((rule, index) => ruleProblems(rule, `fieldRules[${index}]`)),
  ];
}

function nameProblems({ group, names, scope }: Unchecked): readonly string[] {
  const problems: string[] = [];
  if (group !== "") problems.push(...at("group", subdomainProblems(group)));
  problems.push(...at("names.plural", dnsLabelProblems(names.plural)));
  problems.push(...at("names.singular", dnsLabelProblems(names.singular)));
  for (const field of ["kind", "listKind"] as const) {
    if (kindName.test(names[field])) continue;
    problems.push(`names.${field}: must be a word of letters, digits and dashes`);
  }
  if (names.kind === names.listKind) problems.push("names.listKind: must differ from names.kind");
  for (const field of ["shortNames", "categories"] as const) {
    for (const name of names[field]) problems.push(...at(`names.${field}`, dnsLabelProblems(name)));
  }
  if (scope !== "Namespaced" && scope !== "Cluster") {
    problems.push("scope: must be Namespaced or Cluster");
  }
  return problems;
}

function storageProblems(versions: readonly KindVersion[]): readonly string[] {
  const problems: string[] = [];
  const stored = versions.filter((version) => version.storage).length;
  if (stored !== 1) problems.push("versions: exactly one must be the storage version");
  if (new Set(versions.map((version) => version.name)).size !== versions.length) {
    problems.push("versions: names must be unique");
  }
  return problems;
}

function versionProblems(version: KindVersion, path: string): readonly string[] {
  const { name, schema, selectableFields, printerColumns, subresources } = version;
  const problems = at(`${path}.name`, dnsLabelProblems(name));
  problems.push(...at(path, scaleProblems(subresources.scale)));
  if (!isJsonObject(schema)) problems.push(`${path}.schema: must be an object`);
  for (const field of selectableFields) {
    if (fieldPath.test(field)) continue;
    problems.push(`${path}.selectableFields: "${field}" is not a path such as ".spec.color"`);
  }
  for (const column of printerColumns) {
    if (column.name === "") problems.push(`${path}.printerColumns: a name is empty`);
    if (!column.jsonPath.startsWith(".")) {
      problems.push(`${path}.printerColumns: jsonPath "${column.jsonPath}" must start with "."`);
    }
    if (!columnTypes.includes(column.type)) {
      problems.push(`${path}.printerColumns: type must be one of ${columnTypes.join(", ")}`);
    }
  }
  return problems;
}

/** Definitions may not make writes dear at will; the built-in kinds are known. */
function selectableProblems(version: KindVersion, index: number): readonly string[] {
  if (version.selectableFields.length <= limits.maxSelectableFields) return [];
  return [`versions[${index}].selectableFields: at most ${limits.maxSelectableFields}`];
}

function ruleProblems(rule: FieldRule, path: string): readonly string[] {
  try {
    if (parsePointer(rule.path).length > 0) return [];
    return [`${path}.path: must not be the whole document`];
  } catch (error) {
    if (isSetpointError(error, "request.invalid")) return [`${path}.path: ${error.message}`];
    throw error;
  }
}

function scaleProblems(scale: ScalePaths | undefined): readonly string[] {
  if (scale === undefined) return [];
  const names = ["specReplicasPath", "statusReplicasPath", "labelSelectorPath"] as const;
  return names
    .filter((name) => scale[name] !== undefined && !scale[name].startsWith("."))
    .map((name) => `subresources.scale.${name}: must be a path such as ".spec.replicas"`);
}

function at(path: string, problems: readonly string[]): string[] {
  return problems.map((problem) => `${path}: ${problem}`);
}
