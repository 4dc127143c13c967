// GitOpsDeployments that the server generates: those of a GitOpsDeploymentSet and of a
// SnapshotEnvironmentBinding. Pure.

import type { ChildDocument } from "../../engine/reconciler.ts";
import { equalJson, isJsonObject } from "../../kernel/json.ts";
import type { Json, JsonObject } from "../../kernel/json.ts";
import { objectAt, textAt } from "../../kernel/json-read.ts";
import type { Resource } from "../../kernel/resource.ts";
import { digestOf } from "./digest.ts";
import { generatedAnnotation, gitopsVersion } from "./names.ts";

export interface GeneratedDeployment {
  readonly name: string;
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly spec: JsonObject;
}

export function generatedDocument(generated: GeneratedDeployment): ChildDocument {
  const { name, namespace, labels, annotations = {}, spec } = generated;
  const digest = digestOf({ labels, annotations, spec });
  return {
    apiVersion: gitopsVersion,
    kind: "GitOpsDeployment",
    metadata: {
      name,
      namespace,
      labels,
      annotations: { ...annotations, [generatedAnnotation]: digest },
    },
    spec,
  };
}

/** Fields that other clients add are theirs; one that was changed or removed is applied again. */
export function isAsGenerated(document: ChildDocument, live: Resource): boolean {
  const { metadata, ["spec"]: spec } = document;
  const digest = metadata.annotations?.[generatedAnnotation] ?? "";
  return (
    textAt(live, "metadata", "annotations", generatedAnnotation) === digest &&
    covers(objectAt(live, "metadata", "labels"), metadata.labels ?? {}) &&
    covers(objectAt(live, "metadata", "annotations"), metadata.annotations ?? {}) &&
    covers(objectAt(live, "spec"), spec ?? {})
  );
}

/** Whether every field of the wanted value has its value in the live one. */
function covers(live: Json | undefined, wanted: Json): boolean {
  if (!isJsonObject(wanted)) return equalJson(live ?? null, wanted);
  if (live === undefined || !isJsonObject(live)) return false;
  return Object.entries(wanted).every(([key, value]) => covers(live[key], value));
}

/** A name of at most 250 characters, in which long parts are replaced by a digest. */
export function generatedName(...parts: readonly string[]): string {
  const name = parts.join("-");
  return name.length <= 250 ? name : `${name.slice(0, 200)}-${digestOf(name).slice(0, 20)}`;
}
