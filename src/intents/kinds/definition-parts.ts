// Reads the parts of a CustomResourceDefinition, which is untrusted JSON until it has been checked.
// A part that is absent, null or of another type is read as empty, so that the checks can run over
// any document and report everything that is wrong with it at once.

import type { Condition } from "../../kernel/conditions.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { objectAt, objectsAt, presentObjectAt, textAt, textsAt } from "../../kernel/json-read.ts";
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
  return presentObjectAt(version, "schema", "openAPIV3Schema");
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

/** Also those that a client wrote incompletely, such as without a type: they are kept. */
export function conditionsOf(definition: JsonObject): readonly Condition[] {
  return objectsAt(statusOf(definition), "conditions") as unknown as readonly Condition[];
}

export function annotationOf(definition: JsonObject, key: string): string {
  return textAt(definition, "metadata", "annotations", key);
}
