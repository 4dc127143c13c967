// Reads the parts of a CustomResourceDefinition, which is untrusted JSON until it has been checked.
// A part that is absent, null or of another type is read as empty, so that the checks can run over
// any document and report everything that is wrong with it at once.

import type { Condition } from "../../kernel/conditions.ts";
import { getOwn, isJsonArray, isJsonObject } from "../../kernel/json.ts";
import type { Json, JsonObject } from "../../kernel/json.ts";
import type { KindNames } from "../../kernel/kind.ts";

/** A definition, stored or still on its way. */
export interface Definition extends JsonObject {
  readonly metadata: DefinitionMetadata;
}

interface DefinitionMetadata extends JsonObject {
  readonly name: string;
}

export const approvedAnnotation = "api-approved.kubernetes.io";

export function specOf(definition: JsonObject): JsonObject {
  return objectAt(definition, "spec");
}

export function statusOf(definition: JsonObject): JsonObject {
  return objectAt(definition, "status");
}

export function versionsOf(definition: JsonObject): readonly JsonObject[] {
  return objectsAt(specOf(definition), "versions");
}

/** The schema of a version, or undefined when it has none. */
export function schemaOf(version: JsonObject): JsonObject | undefined {
  const schema = getOwn(objectAt(version, "schema"), "openAPIV3Schema");
  return isJsonObject(schema) ? schema : undefined;
}

/** The names as written, without defaults. */
export function namesIn(holder: JsonObject): KindNames {
  return {
    plural: textAt(holder, "plural"),
    singular: textAt(holder, "singular"),
    kind: textAt(holder, "kind"),
    listKind: textAt(holder, "listKind"),
    shortNames: textsAt(holder, "shortNames"),
    categories: textsAt(holder, "categories"),
  };
}

export function conditionsOf(definition: JsonObject): readonly Condition[] {
  return objectsAt(statusOf(definition), "conditions").filter(isCondition);
}

export function annotationOf(definition: JsonObject, key: string): string {
  return textAt(objectAt(objectAt(definition, "metadata"), "annotations"), key);
}

export function isTrueAt(holder: JsonObject, key: string): boolean {
  return getOwn(holder, key) === true;
}

export function textAt(holder: JsonObject, key: string): string {
  const value = getOwn(holder, key);
  return typeof value === "string" ? value : "";
}

export function textsAt(holder: JsonObject, key: string): readonly string[] {
  return listAt(holder, key).filter((item) => typeof item === "string");
}

export function objectAt(holder: JsonObject, key: string): JsonObject {
  const value = getOwn(holder, key);
  return isJsonObject(value) ? value : {};
}

export function objectsAt(holder: JsonObject, key: string): readonly JsonObject[] {
  return listAt(holder, key).filter(isJsonObject);
}

/** True when the key holds an object, be it empty. */
export function hasObject(holder: JsonObject, key: string): boolean {
  return isJsonObject(getOwn(holder, key));
}

function listAt(holder: JsonObject, key: string): readonly Json[] {
  const value = getOwn(holder, key);
  return isJsonArray(value) ? value : [];
}

function isCondition(value: JsonObject): value is Condition {
  const texts = ["type", "status", "reason", "message", "lastTransitionTime"];
  return texts.every((key) => typeof getOwn(value, key) === "string");
}
