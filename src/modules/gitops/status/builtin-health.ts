// The health of the kinds of Kubernetes, by their documented status. Pure. A kind that is not in
// the table has no built-in rule.

import type { JsonObject } from "../../../kernel/json.ts";
import { isTrueAt, listAt, numberAt, objectAt, objectsAt } from "../../../kernel/json-read.ts";
import { textAt } from "../../../kernel/json-read.ts";
import { gitopsGroup } from "../names.ts";
import { deploymentHealth } from "./deployment-health.ts";
import type { Health, HealthStatus } from "./health.ts";

export type BuiltInRule = (live: JsonObject) => Health;

export function builtInRule(group: string, kind: string): BuiltInRule | undefined {
  return rules.get(`${group}/${kind}`);
}

/** Controllers of these kinds state `observedGeneration` in every status that they write. */
export function needsObservedGeneration(group: string, kind: string): boolean {
  return group === "apps" && observing.has(kind);
}

const observing = new Set(["Deployment", "StatefulSet", "DaemonSet", "ReplicaSet"]);

const rules: ReadonlyMap<string, BuiltInRule> = new Map([
  ["apps/Deployment", deployment],
  ["apps/StatefulSet", statefulSet],
  ["apps/DaemonSet", daemonSet],
  ["apps/ReplicaSet", replicaSet],
  ["batch/Job", job],
  ["batch/CronJob", cronJob],
  ["/Pod", pod],
  ["/PersistentVolumeClaim", volumeClaim],
  ["/Service", service],
  ["networking.k8s.io/Ingress", ingress],
  ["autoscaling/HorizontalPodAutoscaler", autoscaler],
  ["apiregistration.k8s.io/APIService", apiService],
  ["apiextensions.k8s.io/CustomResourceDefinition", definition],
  [`${gitopsGroup}/GitOpsDeployment`, deploymentHealth],
]);

function deployment(live: JsonObject): Health {
  if (isTrueAt(live, "spec", "paused")) return health("Suspended", "the Deployment is paused");
  const progress = conditionOf(live, "Progressing");
  if (textAt(progress, "reason") === "ProgressDeadlineExceeded") {
    return health("Degraded", textAt(progress, "message"));
  }
  const wanted = numberAt(live, "spec", "replicas") ?? 1;
  const updated = countOf(live, "updatedReplicas");
  if (updated < wanted) return rollingOut(updated, wanted, "updated");
  const old = countOf(live, "replicas") - updated;
  if (old > 0) return health("Progressing", `${old} old replicas are still running`);
  const available = countOf(live, "availableReplicas");
  return available < updated ? rollingOut(available, updated, "available") : healthy;
}

function statefulSet(live: JsonObject): Health {
  const wanted = numberAt(live, "spec", "replicas") ?? 1;
  const ready = countOf(live, "readyReplicas");
  if (ready < wanted) return rollingOut(ready, wanted, "ready");
  if (textAt(live, "spec", "updateStrategy", "type") === "OnDelete") return healthy;
  const partition = numberAt(live, "spec", "updateStrategy", "rollingUpdate", "partition") ?? 0;
  if (partition > 0) {
    const updated = countOf(live, "updatedReplicas");
    const most = Math.max(0, wanted - partition);
    return updated < most ? rollingOut(updated, most, "updated") : healthy;
  }
  const isUpdated =
    textAt(live, "status", "updateRevision") === textAt(live, "status", "currentRevision");
  return isUpdated ? healthy : rollingOut(countOf(live, "updatedReplicas"), wanted, "updated");
}

function daemonSet(live: JsonObject): Health {
  if (textAt(live, "spec", "updateStrategy", "type") === "OnDelete") return healthy;
  const wanted = countOf(live, "desiredNumberScheduled");
  const updated = countOf(live, "updatedNumberScheduled");
  if (updated < wanted) return rollingOut(updated, wanted, "updated");
  const available = countOf(live, "numberAvailable");
  return available < wanted ? rollingOut(available, wanted, "available") : healthy;
}

function replicaSet(live: JsonObject): Health {
  const failure = conditionOf(live, "ReplicaFailure");
  if (textAt(failure, "status") === "True") return health("Degraded", textAt(failure, "message"));
  const wanted = numberAt(live, "spec", "replicas") ?? 1;
  const available = countOf(live, "availableReplicas");
  return available < wanted ? rollingOut(available, wanted, "available") : healthy;
}

function job(live: JsonObject): Health {
  const failed = trueCondition(live, "Failed");
  if (failed !== undefined) return health("Degraded", textAt(failed, "message"));
  if (trueCondition(live, "Complete") !== undefined) return healthy;
  if (trueCondition(live, "Suspended") !== undefined || isTrueAt(live, "spec", "suspend")) {
    return health("Suspended", "the Job is suspended");
  }
  return health("Progressing", "the Job has not ended");
}

function cronJob(live: JsonObject): Health {
  return isTrueAt(live, "spec", "suspend")
    ? health("Suspended", "the CronJob is suspended")
    : healthy;
}

function pod(live: JsonObject): Health {
  const phase = textAt(live, "status", "phase");
  if (phase === "Succeeded") return healthy;
  if (phase === "Failed") return health("Degraded", failureOfPod(live));
  if (phase === "Unknown") return health("Unknown", textAt(live, "status", "message"));
  const isKeptRunning = (textAt(live, "spec", "restartPolicy") || "Always") === "Always";
  const problem = isKeptRunning ? waitingProblem(live) : undefined;
  if (problem !== undefined) return health("Degraded", problem);
  if (phase === "Running" && isKeptRunning && trueCondition(live, "Ready") !== undefined) {
    return healthy;
  }
  return health("Progressing", textAt(live, "status", "message") || `the Pod is ${phase || "new"}`);
}

function failureOfPod(live: JsonObject): string {
  const message = textAt(live, "status", "message");
  if (message !== "") return message;
  for (const container of containersOf(live)) {
    const ended = objectAt(container, "state", "terminated");
    const code = numberAt(ended, "exitCode") ?? 0;
    if (code === 0) continue;
    const reason = textAt(ended, "reason") || "Error";
    return `the container ${textAt(container, "name")} ended with code ${code} (${reason})`;
  }
  return textAt(live, "status", "reason");
}

/** A container that cannot start: its image, its configuration or its program is wrong. */
function waitingProblem(live: JsonObject): string | undefined {
  for (const container of containersOf(live)) {
    const waiting = objectAt(container, "state", "waiting");
    const reason = textAt(waiting, "reason");
    if (!/^Err|Error$|BackOff$/.test(reason)) continue;
    const message = textAt(waiting, "message");
    const name = textAt(container, "name");
    return `the container ${name} is waiting: ${message === "" ? reason : message}`;
  }
  return undefined;
}

function containersOf(live: JsonObject): readonly JsonObject[] {
  return [
    ...objectsAt(live, "status", "initContainerStatuses"),
    ...objectsAt(live, "status", "containerStatuses"),
  ];
}

function volumeClaim(live: JsonObject): Health {
  const phase = textAt(live, "status", "phase");
  if (phase === "Bound") return healthy;
  if (phase === "Lost") return health("Degraded", "the volume is lost");
  return health("Progressing", "the claim is not bound yet");
}

function service(live: JsonObject): Health {
  const hasAddress = textAt(live, "spec", "type") !== "LoadBalancer" || hasIngress(live);
  return hasAddress ? healthy : health("Progressing", "the load balancer has no address yet");
}

function ingress(live: JsonObject): Health {
  return hasIngress(live) ? healthy : health("Progressing", "the Ingress has no address yet");
}

function hasIngress(live: JsonObject): boolean {
  return listAt(live, "status", "loadBalancer", "ingress").length > 0;
}

function autoscaler(live: JsonObject): Health {
  for (const type of ["AbleToScale", "ScalingActive"]) {
    const found = conditionOf(live, type);
    const isFailure = /^(?:Failed|Invalid)/.test(textAt(found, "reason"));
    if (textAt(found, "status") === "False" && isFailure) {
      return health("Degraded", textAt(found, "message"));
    }
  }
  const isReady = ["AbleToScale", "ScalingLimited"].some(
    (type) => trueCondition(live, type) !== undefined,
  );
  return isReady ? healthy : health("Progressing", "the autoscaler has not begun yet");
}

function apiService(live: JsonObject): Health {
  const available = conditionOf(live, "Available");
  if (textAt(available, "status") === "True") return healthy;
  return health("Progressing", textAt(available, "message") || "the APIService is not available");
}

function definition(live: JsonObject): Health {
  const names = conditionOf(live, "NamesAccepted");
  if (textAt(names, "status") === "False") return health("Degraded", textAt(names, "message"));
  if (trueCondition(live, "Established") !== undefined) return healthy;
  return health("Progressing", "the definition is not established yet");
}

const healthy: Health = { status: "Healthy", message: "" };

function health(status: HealthStatus, message: string): Health {
  return { status, message };
}

function rollingOut(count: number, of: number, word: string): Health {
  return health("Progressing", `${count} of ${of} are ${word}`);
}

function countOf(live: JsonObject, field: string): number {
  return numberAt(live, "status", field) ?? 0;
}

function trueCondition(live: JsonObject, type: string): JsonObject | undefined {
  const found = conditionOf(live, type);
  return textAt(found, "status") === "True" ? found : undefined;
}

function conditionOf(live: JsonObject, type: string): JsonObject | undefined {
  const conditions = objectsAt(live, "status", "conditions");
  return conditions.find((condition) => textAt(condition, "type") === type);
}
