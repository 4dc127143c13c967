import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject } from "../../../kernel/json.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { healthOf } from "./health.ts";
import { comparable, ownerLabel, secretTexts, wantedObjects } from "./objects.ts";

function of(apiVersion: string, kind: string, more: JsonObject): JsonObject {
  return { apiVersion, kind, metadata: { name: "x", generation: 2 }, ...more };
}

const deployment = (status: JsonObject, replicas = 2): JsonObject =>
  of("apps/v1", "Deployment", { spec: { replicas }, status });
const condition = (type: string, status: string, more: JsonObject = {}): JsonObject => {
  return { conditions: [{ type, status, ...more }] };
};

describe("the health of an object", () => {
  const cases: readonly (readonly [string, JsonObject, string])[] = [
    ["an object without a status", of("v1", "ConfigMap", {}), "Healthy"],
    [
      "a deployed Deployment",
      deployment({ observedGeneration: 2, replicas: 2, updatedReplicas: 2, readyReplicas: 2 }),
      "Healthy",
    ],
    [
      "a Deployment with an old pod",
      deployment({ observedGeneration: 2, replicas: 3, updatedReplicas: 2, readyReplicas: 2 }),
      "Progressing",
    ],
    [
      "a Deployment that was not seen",
      deployment({ observedGeneration: 1, replicas: 2, updatedReplicas: 2, readyReplicas: 2 }),
      "Progressing",
    ],
    ["a Deployment without a status", deployment({}), "Progressing"],
    ["a Deployment of nothing", deployment({ observedGeneration: 2 }, 0), "Healthy"],
    [
      "a Deployment that is stuck",
      deployment(condition("Progressing", "False", { reason: "ProgressDeadlineExceeded" })),
      "Degraded",
    ],
    [
      "a DaemonSet",
      of("apps/v1", "DaemonSet", {
        status: { desiredNumberScheduled: 3, updatedNumberScheduled: 3, numberReady: 2 },
      }),
      "Progressing",
    ],
    ["a running Job", of("batch/v1", "Job", { status: {} }), "Progressing"],
    ["a complete Job", of("batch/v1", "Job", { status: condition("Complete", "True") }), "Healthy"],
    ["a failed Job", of("batch/v1", "Job", { status: condition("Failed", "True") }), "Degraded"],
    ["a Pod that succeeded", of("v1", "Pod", { status: { phase: "Succeeded" } }), "Healthy"],
    ["a Pod that failed", of("v1", "Pod", { status: { phase: "Failed" } }), "Degraded"],
    ["a bound claim", of("v1", "PersistentVolumeClaim", { status: { phase: "Bound" } }), "Healthy"],
    [
      "a definition that is not established",
      of("apiextensions.k8s.io/v1", "CustomResourceDefinition", {}),
      "Progressing",
    ],
    [
      "an object with Ready",
      of("a.example/v1", "A", { status: condition("Ready", "True", { observedGeneration: 2 }) }),
      "Healthy",
    ],
    [
      "an object with an old Ready",
      of("a.example/v1", "A", { status: condition("Ready", "True", { observedGeneration: 1 }) }),
      "Progressing",
    ],
  ];
  for (const [what, object, health] of cases) {
    it(`of ${what} is ${health}`, () => {
      assert.equal(healthOf(object).health, health, JSON.stringify(healthOf(object)));
    });
  }
});

function set(spec: JsonObject): Resource {
  const metadata = { name: "s", namespace: "default", uid: "uid-1" };
  return { apiVersion: "v1", kind: "ManifestSet", metadata, spec } as unknown as Resource;
}

describe("the objects of a ManifestSet", () => {
  it("are applied in the order that they need, with the label of their owner", () => {
    const manifests = [
      of("apps/v1", "Deployment", {}),
      of("v1", "ConfigMap", {}),
      of("v1", "Namespace", {}),
      of("v1", "Service", {}),
    ];
    const secretManifests = [of("v1", "Secret", { stringData: { a: "secret-text-1" } })];
    const objects = wantedObjects(set({ manifests, secretManifests }));
    assert.deepEqual(
      objects.map(({ kind }) => kind),
      ["Namespace", "Secret", "ConfigMap", "Deployment", "Service"],
    );
    for (const { metadata } of objects) {
      assert.deepEqual((metadata as JsonObject)["labels"], { [ownerLabel]: "uid-1" });
    }
  });

  it("have secret texts in every form in which a server may quote them", () => {
    const encoded = Buffer.from("secret-text-2").toString("base64");
    const stringData = { a: "secret-text-1" };
    const secretManifests = [of("v1", "Secret", { stringData, data: { b: encoded } })];
    const texts = secretTexts(set({ secretManifests }));
    for (const text of ["secret-text-1", "secret-text-2", encoded]) assert.ok(texts.includes(text));
  });

  it("are compared without the fields that a server sets", () => {
    const metadata = { name: "x", resourceVersion: "5", generation: 3, managedFields: [] };
    const object = { apiVersion: "v1", kind: "A", metadata, spec: {}, status: { a: 1 } };
    assert.deepEqual(comparable(object), {
      apiVersion: "v1",
      kind: "A",
      metadata: { name: "x" },
      spec: {},
    });
  });
});
