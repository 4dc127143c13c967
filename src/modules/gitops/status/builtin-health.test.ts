import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../../kernel/json.ts";
import { referenceOf } from "../object-reference.ts";
import { healthEngine } from "./health-engine.ts";

const rules = healthEngine({ healthRules: () => [], isReconciled: () => false }).rulesFor({});

function statusOf(apiVersion: string, kind: string, parts: JsonObject): string {
  const live = { apiVersion, kind, ...parts };
  const found = rules.assess(referenceOf(live, "shop"), live);
  return found === undefined ? "" : found.status;
}

function textOf(apiVersion: string, kind: string, parts: JsonObject): string {
  const live = { apiVersion, kind, ...parts };
  const { status = "", message = "" } = rules.assess(referenceOf(live, "shop"), live) ?? {};
  return `${status}: ${message}`;
}

const condition = (type: string, status: string, reason = "", message = ""): JsonObject => ({
  conditions: [{ type, status, reason, message }],
});

test("Deployment", () => {
  const of = (status: JsonObject, spec: JsonObject = {}): string =>
    textOf("apps/v1", "Deployment", {
      metadata: { generation: 2 },
      spec: { replicas: 3, ...spec },
      status: { observedGeneration: 2, ...status },
    });
  const all = { replicas: 3, updatedReplicas: 3, availableReplicas: 3 };
  assert.equal(of(all), "Healthy: ");
  assert.match(of({ ...all, observedGeneration: 1 }), /^Progressing: the controller/);
  assert.equal(of({ ...all, updatedReplicas: 1 }), "Progressing: 1 of 3 are updated");
  assert.match(of({ ...all, replicas: 4 }), /^Progressing: 1 old replicas/);
  assert.equal(of({ ...all, availableReplicas: 2 }), "Progressing: 2 of 3 are available");
  assert.equal(of({}, { replicas: 0 }), "Healthy: ");
  assert.match(of(all, { paused: true }), /^Suspended/);
  const late = condition("Progressing", "False", "ProgressDeadlineExceeded", "timed out");
  assert.equal(of({ ...all, ...late }), "Degraded: timed out");
  // Right after its creation, no controller has seen it.
  assert.equal(
    statusOf("apps/v1", "Deployment", { metadata: { generation: 1 }, spec: { replicas: 0 } }),
    "Progressing",
  );
});

test("StatefulSet", () => {
  const of = (status: JsonObject, updateStrategy: JsonObject = {}): string =>
    statusOf("apps/v1", "StatefulSet", { spec: { replicas: 3, updateStrategy }, status });
  const same = { readyReplicas: 3, currentRevision: "a", updateRevision: "a" };
  const changing = { ...same, updateRevision: "b", updatedReplicas: 1 };
  assert.equal(of(same), "Healthy");
  assert.equal(of({ ...same, readyReplicas: 2 }), "Progressing");
  assert.equal(of(changing), "Progressing");
  assert.equal(of(changing, { type: "OnDelete" }), "Healthy");
  assert.equal(of(changing, { rollingUpdate: { partition: 2 } }), "Healthy");
  assert.equal(of(changing, { rollingUpdate: { partition: 1 } }), "Progressing");
});

test("DaemonSet and ReplicaSet", () => {
  const all = { desiredNumberScheduled: 2, updatedNumberScheduled: 2, numberAvailable: 2 };
  const daemons = (status: JsonObject, type = "RollingUpdate"): string =>
    statusOf("apps/v1", "DaemonSet", { spec: { updateStrategy: { type } }, status });
  assert.equal(daemons(all), "Healthy");
  assert.equal(daemons({ ...all, updatedNumberScheduled: 1 }), "Progressing");
  assert.equal(daemons({ ...all, numberAvailable: 1 }), "Progressing");
  assert.equal(daemons({ ...all, updatedNumberScheduled: 1 }, "OnDelete"), "Healthy");
  const replicas = (status: JsonObject): string =>
    statusOf("apps/v1", "ReplicaSet", { spec: { replicas: 2 }, status });
  assert.equal(replicas({ availableReplicas: 2 }), "Healthy");
  assert.equal(replicas({ availableReplicas: 1 }), "Progressing");
  assert.equal(replicas(condition("ReplicaFailure", "True")), "Degraded");
});

test("Job and CronJob", () => {
  const of = (status: JsonObject, spec: JsonObject = {}): string =>
    textOf("batch/v1", "Job", { spec, status });
  assert.match(of({}), /^Progressing/);
  assert.equal(of(condition("Complete", "True")), "Healthy: ");
  assert.equal(of(condition("Failed", "True", "", "no more tries")), "Degraded: no more tries");
  assert.match(of(condition("Suspended", "True")), /^Suspended/);
  assert.match(of({}, { suspend: true }), /^Suspended/);
  assert.equal(statusOf("batch/v1", "CronJob", { spec: {} }), "Healthy");
  assert.equal(statusOf("batch/v1", "CronJob", { spec: { suspend: true } }), "Suspended");
});

test("Pod", () => {
  const of = (status: JsonObject, restartPolicy = "Always"): string =>
    textOf("v1", "Pod", { spec: { restartPolicy }, status });
  const ready = condition("Ready", "True");
  assert.equal(of({ phase: "Running", ...ready }), "Healthy: ");
  assert.match(of({ phase: "Running" }), /^Progressing/);
  assert.match(of({ phase: "Running", ...ready }, "Never"), /^Progressing/);
  assert.equal(of({ phase: "Succeeded" }, "Never"), "Healthy: ");
  assert.match(of({ phase: "Pending" }), /^Progressing/);
  assert.match(of({ phase: "Unknown" }), /^Unknown/);
  const waiting = (reason: string): JsonObject => ({
    phase: "Pending",
    containerStatuses: [{ name: "web", state: { waiting: { reason } } }],
  });
  assert.match(of(waiting("ImagePullBackOff")), /^Degraded: the container web is waiting: Image/);
  assert.match(of(waiting("CreateContainerConfigError")), /^Degraded/);
  assert.match(of(waiting("ContainerCreating")), /^Progressing/);
  const ended = { name: "web", state: { terminated: { exitCode: 3, reason: "Error" } } };
  assert.equal(
    of({ phase: "Failed", containerStatuses: [ended] }, "Never"),
    "Degraded: the container web ended with code 3 (Error)",
  );
});

test("PersistentVolumeClaim, Service and Ingress", () => {
  const claim = (phase: string): string =>
    statusOf("v1", "PersistentVolumeClaim", { status: { phase } });
  assert.deepEqual(["Bound", "Pending", "Lost"].map(claim), ["Healthy", "Progressing", "Degraded"]);
  const address = { status: { loadBalancer: { ingress: [{ ip: "192.0.2.1" }] } } };
  const spec = { type: "LoadBalancer" };
  assert.equal(statusOf("v1", "Service", { spec: { type: "ClusterIP" } }), "Healthy");
  assert.equal(statusOf("v1", "Service", { spec }), "Progressing");
  assert.equal(statusOf("v1", "Service", { spec, ...address }), "Healthy");
  assert.equal(statusOf("networking.k8s.io/v1", "Ingress", {}), "Progressing");
  assert.equal(statusOf("networking.k8s.io/v1", "Ingress", address), "Healthy");
});

test("HorizontalPodAutoscaler, APIService and CustomResourceDefinition", () => {
  const scaler = (...found: Parameters<typeof condition>): string =>
    statusOf("autoscaling/v2", "HorizontalPodAutoscaler", { status: condition(...found) });
  assert.equal(scaler("AbleToScale", "True"), "Healthy");
  assert.equal(scaler("ScalingActive", "False", "FailedGetResourceMetric"), "Degraded");
  assert.equal(scaler("ScalingActive", "False", "ScalingDisabled"), "Progressing");
  const api = (status: string): string =>
    statusOf("apiregistration.k8s.io/v1", "APIService", { status: condition("Available", status) });
  assert.deepEqual(["True", "False"].map(api), ["Healthy", "Progressing"]);
  const definition = (...found: Parameters<typeof condition>): string =>
    statusOf("apiextensions.k8s.io/v1", "CustomResourceDefinition", {
      status: condition(...found),
    });
  assert.equal(definition("Established", "True"), "Healthy");
  assert.equal(definition("Established", "False"), "Progressing");
  assert.equal(definition("NamesAccepted", "False"), "Degraded");
});

test("kinds of Kubernetes without a status have no health", () => {
  for (const kind of ["ConfigMap", "Secret", "ServiceAccount"]) {
    assert.equal(statusOf("v1", kind, {}), "");
  }
});
