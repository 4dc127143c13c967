// Documents of clusters and managed instances for unit tests.

import type { JsonObject } from "../../../kernel/json.ts";
import type { Metadata, Resource } from "../../../kernel/resource.ts";
import { clusterNamespace, fleetVersion } from "../names.ts";

/** `spec` and `status` replace parts of the first level. */
export function sampleCluster(spec: JsonObject = {}, status: JsonObject = {}): Resource {
  return {
    apiVersion: fleetVersion,
    kind: "DataPlaneCluster",
    metadata: sampleMetadata("east-1"),
    spec: { provider: "aws", region: "us-east-1", dns: "apps.east-1.example.com", ...spec },
    status,
  };
}

export function sampleManaged(
  spec: JsonObject = {},
  report?: JsonObject,
  metadata: Partial<Metadata> = {},
): Resource {
  return {
    apiVersion: fleetVersion,
    kind: "ManagedInstance",
    metadata: { ...sampleMetadata("i1"), namespace: clusterNamespace("east-1"), ...metadata },
    spec: {
      offering: "dinosaurs",
      instance: { namespace: "org-acme", name: "rex", uid: "u1" },
      placementId: "p1",
      type: "standard",
      host: "rex-i1.east-1.example.com",
      versions: { product: "1.0.0", operator: "1.0.0" },
      ...spec,
    },
    status: report === undefined ? {} : { report },
  };
}

function sampleMetadata(name: string): Metadata {
  return { name, uid: `uid-${name}`, generation: 1, creationTimestamp: "2026-01-01T00:00:00Z" };
}
