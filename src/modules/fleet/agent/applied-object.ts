// The object that the agent applies for an instance, and what it reads from that object. The object
// and its namespace have labels with cluster, Offering and instance, by which an agent that was
// killed finds everything that it has made. Pure.

import type { JsonObject } from "../../../kernel/json.ts";
import { numberAt, objectAt, objectsAt, textAt, valueAt } from "../../../kernel/json-read.ts";
import { clusterLabel } from "../clusters/cluster-resources.ts";
import type { DesiredInstance } from "./desired-instance.ts";

export const offeringLabel = "fleet.setpoint.dev/offering";
export const instanceLabel = "fleet.setpoint.dev/instance";
/** On an object: the agent does not change it. Any value but "false" counts. */
export const pausedAnnotation = "fleet.setpoint.dev/paused";
export const placementAnnotation = "fleet.setpoint.dev/placement";
const nameAnnotation = "fleet.setpoint.dev/instance-name";

export interface ObjectSettings {
  readonly cluster: string;
  readonly offering: string;
  readonly applies: { readonly apiVersion: string; readonly kind: string };
  /** For the objects of all instances; undefined: each instance has its own namespace. */
  readonly namespace: string | undefined;
}

export function labelsOf(
  { cluster, offering }: Pick<ObjectSettings, "cluster" | "offering">,
  id: string,
): JsonObject {
  return { [clusterLabel]: cluster, [offeringLabel]: offering, [instanceLabel]: id };
}

/** A selector for everything of this agent. */
export function selectorOf({ cluster, offering }: ObjectSettings): string {
  return `${clusterLabel}=${cluster},${offeringLabel}=${offering}`;
}

export function namespaceObject(settings: ObjectSettings, instance: DesiredInstance): JsonObject {
  const metadata = { name: instance.namespace, labels: labelsOf(settings, instance.id) };
  return { apiVersion: "v1", kind: "Namespace", metadata };
}

export function instanceObject(settings: ObjectSettings, instance: DesiredInstance): JsonObject {
  const { applies } = settings;
  const { id, name, placementId, spec } = instance;
  return {
    apiVersion: applies.apiVersion,
    kind: applies.kind,
    metadata: {
      name: id,
      namespace: settings.namespace ?? instance.namespace,
      labels: labelsOf(settings, id),
      annotations: { [placementAnnotation]: placementId, [nameAnnotation]: name },
    },
    spec,
  };
}

/** The parts of an object that a report depends on; the rest is not kept in memory. */
export interface ObservedObject {
  readonly id: string;
  readonly uid: string;
  readonly namespace: string;
  readonly placementId: string;
  /** Changes with every change of the spec of the object, by whichever program. */
  readonly generation: number;
  readonly isPaused: boolean;
  readonly isDeleting: boolean;
  /** The status is about an earlier spec. */
  readonly isStale: boolean;
  readonly conditions: readonly JsonObject[];
  readonly versions: JsonObject;
  readonly routes: readonly JsonObject[];
}

/** Undefined for an object without the label of an instance. */
export function readObserved(object: JsonObject): ObservedObject | undefined {
  const metadata = objectAt(object, "metadata");
  const id = textAt(metadata, "labels", instanceLabel);
  if (id === "") return undefined;
  const status = objectAt(object, "status");
  const generation = numberAt(metadata, "generation") ?? 0;
  const observed = numberAt(status, "observedGeneration");
  const paused = valueAt(metadata, "annotations", pausedAnnotation);
  return {
    id,
    uid: textAt(metadata, "uid"),
    namespace: textAt(metadata, "namespace"),
    placementId: textAt(metadata, "annotations", placementAnnotation),
    generation,
    isPaused: paused !== undefined && paused !== "false",
    isDeleting: valueAt(metadata, "deletionTimestamp") !== undefined,
    isStale: observed !== undefined && observed < generation,
    conditions: objectsAt(status, "conditions").slice(0, maxKept),
    versions: objectAt(status, "versions"),
    routes: objectsAt(status, "routes").slice(0, maxKept),
  };
}

const maxKept = 50;
