// Rollouts and instances for unit tests.

import type { JsonObject } from "../../../kernel/json.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { fleetVersion } from "../names.ts";
import { readMember } from "./member.ts";
import type { Member } from "./member.ts";
import { readRollout } from "./rollout.ts";
import type { Rollout } from "./rollout.ts";

export const sampleOperators = [
  { version: "1.0.0", isReady: true, versions: ["1.0.0", "2.0.0", "3.0.0"] },
];

/** One wave for all instances. `spec` and `status` replace parts of the first level. */
export function sampleRollout(spec: JsonObject = {}, status: JsonObject = {}): Resource {
  return {
    apiVersion: fleetVersion,
    kind: "Rollout",
    metadata: {
      name: "two",
      uid: "rollout-1",
      generation: 1,
      creationTimestamp: "2026-01-01T00:00:00Z",
    },
    spec: {
      offering: "dinosaurs",
      versions: { product: "2.0.0" },
      waves: [{ percent: 100 }],
      scope: ["aws/us-east-1/standard"],
      ...spec,
    },
    status,
  };
}

export function sampleRun(spec: JsonObject = {}, status: JsonObject = {}): Rollout {
  return readRollout(sampleRollout(spec, status));
}

/** A ready instance with version 1.0.0. */
export function sampleInstance(
  name: string,
  spec: JsonObject = {},
  status: JsonObject = {},
): Resource {
  const versions = { product: "1.0.0", operator: "1.0.0" };
  return {
    apiVersion: "dinosaurs.example.dev/v1",
    kind: "Dinosaur",
    metadata: {
      name,
      namespace: "org-acme",
      uid: `uid-${name}`,
      generation: 1,
      creationTimestamp: "2026-01-01T00:00:00Z",
    },
    spec: {
      id: name,
      cloudProvider: "aws",
      region: "us-east-1",
      type: "standard",
      ...spec,
    },
    status: {
      phase: "ready",
      phaseSince: "2026-01-01T00:00:00Z",
      placement: { cluster: "east-1" },
      desiredVersions: versions,
      actualVersions: versions,
      ...status,
    },
  };
}

export const sampleInstanceKind = "dinosaurs.dinosaurs.example.dev";

export function sampleMember(name: string, spec: JsonObject = {}, status: JsonObject = {}): Member {
  return readMember(sampleInstanceKind, sampleInstance(name, spec, status));
}
