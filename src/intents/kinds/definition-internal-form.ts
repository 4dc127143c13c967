// A definition as Kubernetes sees it while it checks one: what is the same in all versions stands
// above them. Paths in error messages follow that form, not the document: an error in the schema
// of a definition with one version is at "spec.validation", and clients compare these texts.

import { equalJson, getOwn, isJsonArray, isJsonObject } from "../../kernel/json.ts";
import type { Json, JsonObject } from "../../kernel/json.ts";
import { hasObject } from "../../kernel/json-read.ts";
import { schemaOf, versionsOf } from "./definition-parts.ts";

export interface Parts {
  /** The holder of the schema; undefined when there is none. */
  readonly validation: Json | undefined;
  readonly subresources: Json | undefined;
  readonly columns: Json | undefined;
  readonly selectableFields: Json | undefined;
}

export interface InternalForm {
  /** What all versions have in common. */
  readonly top: Parts;
  /** What is left of each version, in the order of the document. */
  readonly versions: readonly InternalVersion[];
}

export interface InternalVersion {
  readonly document: JsonObject;
  readonly parts: Parts;
}

const keys = {
  validation: "schema",
  subresources: "subresources",
  columns: "additionalPrinterColumns",
  selectableFields: "selectableFields",
} as const;

export function internalForm(definition: JsonObject): InternalForm {
  const versions = versionsOf(definition);
  const top = partsFrom((key) =>
    isCommon(versions, key) ? presentAt(versions[0], key) : undefined,
  );
  return {
    top,
    versions: versions.map((document) => ({
      document,
      parts: partsFrom((key) => (isCommon(versions, key) ? undefined : presentAt(document, key))),
    })),
  };
}

export function hasStatus({ subresources }: Parts): boolean {
  return isJsonObject(subresources) && hasObject(subresources, "status");
}

/** The schema in a holder; undefined when there is none. */
export function schemaIn({ validation }: Parts): JsonObject | undefined {
  return validation === undefined ? undefined : schemaOf({ schema: validation });
}

function partsFrom(read: (key: string) => Json | undefined): Parts {
  return {
    validation: read(keys.validation),
    subresources: read(keys.subresources),
    columns: read(keys.columns),
    selectableFields: read(keys.selectableFields),
  };
}

function isCommon(versions: readonly JsonObject[], key: string): boolean {
  const first = presentAt(versions[0], key);
  return versions.every((version) => equalJson(presentAt(version, key), first));
}

/** Empty lists and null are the same as nothing. */
function presentAt(version: JsonObject | undefined, key: string): Json | undefined {
  const value = version === undefined ? undefined : getOwn(version, key);
  if (value === null || (isJsonArray(value) && value.length === 0)) return undefined;
  return value;
}
