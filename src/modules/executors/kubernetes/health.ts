// The health of an object from its status, by the conventions of Kubernetes. Pure.

import type { JsonObject } from "../../../kernel/json.ts";
import { numberAt, objectsAt, textAt, valueAt } from "../../../kernel/json-read.ts";

export interface ObjectHealth {
  readonly health: "Healthy" | "Progressing" | "Degraded";
  readonly message: string;
}

const healthy: ObjectHealth = { health: "Healthy", message: "" };

export function healthOf(object: JsonObject): ObjectHealth {
  if (valueAt(object, "metadata", "deletionTimestamp") !== undefined) {
    return progressing("it is being deleted");
  }
  const group = textAt(object, "apiVersion").split("/", 1)[0] ?? "";
  switch (`${group} ${textAt(object, "kind")}`) {
    case "apps Deployment":
    case "apps StatefulSet":
    case "apps ReplicaSet":
      return workload(object);
    case "apps DaemonSet":
      return daemonSet(object);
    case "batch Job":
      return job(object);
    case "v1 Pod":
      return pod(object);
    case "v1 PersistentVolumeClaim":
      return phase(object, "Bound", "Lost");
    case "v1 Namespace":
      return phase(object, "Active", "");
    case "apiextensions.k8s.io CustomResourceDefinition":
      return byCondition(object, "Established", true);
    default:
      return byCondition(object, "Ready", false);
  }
}

function workload(object: JsonObject): ObjectHealth {
  const failure = conditionOf(object, "Progressing");
  if (textAt(failure, "reason") === "ProgressDeadlineExceeded") {
    return degraded(textAt(failure, "message"));
  }
  if (isStale(object)) return progressing("the controller has not seen the change");
  const wanted = numberAt(object, "spec", "replicas") ?? 1;
  const updated = numberAt(object, "status", "updatedReplicas") ?? 0;
  const ready = numberAt(object, "status", "readyReplicas") ?? 0;
  const all = numberAt(object, "status", "replicas") ?? 0;
  const isUpdating = textAt(object, "kind") !== "ReplicaSet" && updated < wanted;
  if (isUpdating) return progressing(`${updated} of ${wanted} replicas are updated`);
  if (ready < wanted) return progressing(`${ready} of ${wanted} replicas are ready`);
  return all > wanted ? progressing(`${all - wanted} old replicas are left`) : healthy;
}

function daemonSet(object: JsonObject): ObjectHealth {
  if (isStale(object)) return progressing("the controller has not seen the change");
  const wanted = numberAt(object, "status", "desiredNumberScheduled") ?? 0;
  const updated = numberAt(object, "status", "updatedNumberScheduled") ?? 0;
  const ready = numberAt(object, "status", "numberReady") ?? 0;
  if (Math.min(updated, ready) >= wanted) return healthy;
  return progressing(`${Math.min(updated, ready)} of ${wanted} pods are ready`);
}

function job(object: JsonObject): ObjectHealth {
  const failed = conditionOf(object, "Failed");
  if (textAt(failed, "status") === "True") return degraded(textAt(failed, "message"));
  const complete = conditionOf(object, "Complete");
  return textAt(complete, "status") === "True" ? healthy : progressing("the job is running");
}

function pod(object: JsonObject): ObjectHealth {
  const phaseName = textAt(object, "status", "phase");
  if (phaseName === "Succeeded") return healthy;
  if (phaseName === "Failed") return degraded(textAt(object, "status", "message"));
  return byCondition(object, "Ready", true);
}

function phase(object: JsonObject, good: string, bad: string): ObjectHealth {
  const found = textAt(object, "status", "phase");
  if (found === good) return healthy;
  if (found === bad && bad !== "") return degraded(`the phase is ${found}`);
  return progressing(`the phase is ${found === "" ? "not set" : found}`);
}

/** An object without the condition is healthy, unless the condition is required. */
function byCondition(object: JsonObject, type: string, isRequired: boolean): ObjectHealth {
  const found = conditionOf(object, type);
  if (found === undefined) {
    return isRequired ? progressing(`the condition ${type} is not set`) : healthy;
  }
  const observed = numberAt(found, "observedGeneration");
  const generation = numberAt(object, "metadata", "generation");
  if (isStale(object) || (observed !== undefined && observed !== generation)) {
    return progressing("the controller has not seen the change");
  }
  if (textAt(found, "status") === "True") return healthy;
  const said = [textAt(found, "reason"), textAt(found, "message")].filter((text) => text !== "");
  return progressing(`${type} is ${textAt(found, "status")}: ${said.join(": ")}`);
}

function isStale(object: JsonObject): boolean {
  const observed = numberAt(object, "status", "observedGeneration");
  const generation = numberAt(object, "metadata", "generation");
  return observed !== undefined && generation !== undefined && observed < generation;
}

function conditionOf(object: JsonObject, type: string): JsonObject | undefined {
  return objectsAt(object, "status", "conditions").find((each) => textAt(each, "type") === type);
}

function progressing(message: string): ObjectHealth {
  return { health: "Progressing", message };
}

function degraded(message: string): ObjectHealth {
  return { health: "Degraded", message: message === "" ? "it has failed" : message };
}
