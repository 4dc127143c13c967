// The document of a target, with its name, labels, owner and the requests that are passed on to it.
// Pure.

import { hash } from "node:crypto";
import { annotations as engineAnnotations } from "../../../kernel/annotations.ts";
import { canonicalJson } from "../../../kernel/canonical-json.ts";
import type { JsonObject, MutableJsonObject } from "../../../kernel/json.ts";
import { setOwn } from "../../../kernel/json.ts";
import { objectAt, textAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { checkDriftAnnotation, environmentLabel, indexLabel, operationLabel } from "../names.ts";
import { reconcileDriftAnnotation, resourceLabel, runAnnotation } from "../names.ts";

const passedOn: readonly (readonly [string, string])[] = [
  [runAnnotation, engineAnnotations.request],
  [checkDriftAnnotation, checkDriftAnnotation],
  [reconcileDriftAnnotation, reconcileDriftAnnotation],
];
const labels = [environmentLabel, resourceLabel, indexLabel, operationLabel];

/** `rendered` comes from the template. The name is that of the owner unless it is stated. */
export function targetDocument(rendered: JsonObject, owner: Resource): JsonObject {
  const metadata = objectAt(rendered, "metadata");
  const { namespace = "" } = owner.metadata;
  return {
    ...rendered,
    metadata: {
      name: textAt(metadata, "name") || owner.metadata.name,
      namespace,
      labels: { ...objectAt(metadata, "labels"), ...picked(owner.metadata.labels ?? {}) },
      annotations: { ...objectAt(metadata, "annotations"), ...requestsOf(owner) },
    },
  };
}

function picked(from: Readonly<Record<string, string>>): JsonObject {
  const found: MutableJsonObject = {};
  for (const name of labels) {
    const value = from[name];
    if (value !== undefined) setOwn(found, name, value);
  }
  return found;
}

/** Requests to the EnvironmentResource that its target has to answer. */
function requestsOf({ metadata }: Resource): JsonObject {
  const found: MutableJsonObject = {};
  for (const [from, to] of passedOn) {
    const value = metadata.annotations?.[from];
    if (value !== undefined) setOwn(found, to, value);
  }
  return found;
}

/** Equal for equal documents. Secrets are not in it: `versions` changes when one of them does. */
export function documentDigest(shown: JsonObject, versions: readonly string[]): string {
  return hash("sha256", canonicalJson({ shown, versions }), "hex").slice(0, 32);
}
