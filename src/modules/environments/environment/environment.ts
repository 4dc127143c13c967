// An Environment as the module reads it. Pure.

import { hash } from "node:crypto";
import { canonicalJson } from "../../../kernel/canonical-json.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { objectAt, textAt, textsAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { destroyedAnnotation } from "../names.ts";

export const defaultServiceAccount = "environment";

/** The fields that make up a deployment: a change of one of them is another deployment. */
export const deploymentFields = [
  "templates",
  "parameters",
  "secretParameters",
  "serviceAccountName",
  "displayName",
  "tags",
] as const;

/** The copy of a deployment that an Operation keeps. */
export function deploymentOf(spec: JsonObject): JsonObject {
  return {
    templates: textsAt(spec, "templates"),
    parameters: objectAt(spec, "parameters"),
    secretParameters: objectAt(spec, "secretParameters"),
    serviceAccountName: serviceAccountOf(spec),
    displayName: textAt(spec, "displayName"),
    tags: objectAt(spec, "tags"),
  };
}

/** Of secret parameters, only their names: a digest of a short secret would reveal it. */
export function deploymentDigest(spec: JsonObject): string {
  const { templates, parameters, secretParameters } = deploymentOf(spec);
  const secrets = Object.keys(secretParameters as JsonObject).toSorted();
  const text = canonicalJson({ templates, parameters, secrets } as JsonObject);
  return hash("sha256", text, "hex").slice(0, 32);
}

export function serviceAccountOf(spec: JsonObject): string {
  return textAt(spec, "serviceAccountName") || defaultServiceAccount;
}

export function isDestructionWanted({ spec }: Resource): boolean {
  return textAt(spec, "desired") === "Destroyed";
}

export function phaseOf({ status }: Resource): string {
  return textAt(status, "phase");
}

/** The server marks an Environment when its destruction is complete. */
export function isMarkedDestroyed({ metadata }: Pick<Resource, "metadata">): boolean {
  return metadata.annotations?.[destroyedAnnotation] !== undefined;
}
