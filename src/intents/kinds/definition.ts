// From a CustomResourceDefinition to a kind. The definition has been checked and defaulted before,
// so nothing is refused here. The names are those the definition was granted: a name that belongs
// to another kind is not served, even though the definition asks for it.

import { getOwn, isJsonObject } from "../../kernel/json.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { hasObject, isTrueAt, objectAt, objectsAt, textAt } from "../../kernel/json-read.ts";
import type {
  FieldRule,
  KindInput,
  KindNames,
  KindVersion,
  PrinterColumn,
  ScalePaths,
  Subresources,
} from "../../kernel/kind.ts";
import { compareVersions } from "../../kernel/version-priority.ts";
import { fieldRulesOf } from "./definition-field-rules.ts";
import { namesIn, schemaOf, specOf, statusOf, versionsOf } from "./definition-parts.ts";

/** The versions are in the order of preference: the first one served is what clients use. */
export function kindOfDefinition(definition: JsonObject): KindInput {
  const spec = specOf(definition);
  const group = textAt(spec, "group");
  const names = grantedNames(definition);
  const all = versionsOf(definition);
  const of = { group, kind: names.kind, versions: all };
  const versions = all.map((version) => versionOf(version, of));
  return {
    group,
    names,
    scope: getOwn(spec, "scope") === "Cluster" ? "Cluster" : "Namespaced",
    versions: versions.toSorted((a, b) => compareVersions(a.name, b.name)),
    fieldRules: rulesOf(versions),
    origin: "definition",
  };
}

/** The accepted names; before any were accepted, the names asked for. */
function grantedNames(definition: JsonObject): KindNames {
  const accepted = namesIn(objectAt(statusOf(definition), "acceptedNames"));
  const isComplete = accepted.plural !== "" && accepted.kind !== "";
  const names = isComplete ? accepted : namesIn(objectAt(specOf(definition), "names"));
  return {
    ...names,
    singular: names.singular === "" ? names.kind.toLowerCase() : names.singular,
    listKind: names.listKind === "" ? `${names.kind}List` : names.listKind,
  };
}

interface VersionOf {
  readonly group: string;
  readonly kind: string;
  readonly versions: readonly JsonObject[];
}

/** Names the best served version that is newer and not deprecated, if there is one. */
function deprecationText(version: JsonObject, { group, kind, versions }: VersionOf): string {
  const name = textAt(version, "name");
  const [better] = versions
    .filter((one) => isTrueAt(one, "served") && !isTrueAt(one, "deprecated"))
    .map((one) => textAt(one, "name"))
    .filter((other) => compareVersions(other, name) < 0)
    .sort(compareVersions);
  const advice = better === undefined ? "" : `; use ${group}/${better} ${kind}`;
  return `${group}/${name} ${kind} is deprecated${advice}`;
}

function versionOf(version: JsonObject, of: VersionOf): KindVersion {
  const name = textAt(version, "name");
  const warning = getOwn(version, "deprecationWarning");
  const deprecation = typeof warning === "string" ? warning : deprecationText(version, of);
  return {
    name,
    served: isTrueAt(version, "served"),
    storage: isTrueAt(version, "storage"),
    schema: schemaOf(version) ?? {},
    selectableFields: objectsAt(version, "selectableFields").map((one) => textAt(one, "jsonPath")),
    printerColumns: objectsAt(version, "additionalPrinterColumns").map(columnOf),
    subresources: subresourcesOf(objectAt(version, "subresources")),
    ...(isTrueAt(version, "deprecated") ? { deprecationWarning: deprecation } : {}),
  };
}

function subresourcesOf(subresources: JsonObject): Subresources {
  const status = hasObject(subresources, "status");
  const scale = getOwn(subresources, "scale");
  return isJsonObject(scale) ? { status, scale: scaleOf(scale) } : { status };
}

function scaleOf(scale: JsonObject): ScalePaths {
  const labelSelectorPath = textAt(scale, "labelSelectorPath");
  return {
    specReplicasPath: textAt(scale, "specReplicasPath"),
    statusReplicasPath: textAt(scale, "statusReplicasPath"),
    ...(labelSelectorPath === "" ? {} : { labelSelectorPath }),
  };
}

const columnTypes = ["string", "integer", "number", "boolean", "date"] as const;

function columnOf(column: JsonObject): PrinterColumn {
  const format = textAt(column, "format");
  const description = textAt(column, "description");
  const priority = getOwn(column, "priority");
  return {
    name: textAt(column, "name"),
    type: columnTypes.find((type) => type === getOwn(column, "type")) ?? "string",
    jsonPath: textAt(column, "jsonPath"),
    ...(format === "" ? {} : { format }),
    ...(description === "" ? {} : { description }),
    ...(typeof priority === "number" ? { priority } : {}),
  };
}

/** A rule of any version holds for the kind: what is secret in one is secret in all. */
function rulesOf(versions: readonly KindVersion[]): readonly FieldRule[] {
  const rules = new Map<string, FieldRule>();
  for (const { schema } of versions) {
    for (const rule of fieldRulesOf(schema)) rules.set(`${rule.rule} ${rule.path}`, rule);
  }
  return [...rules.values()];
}
