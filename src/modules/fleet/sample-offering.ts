// An Offering for unit tests.

import type { JsonObject } from "../../kernel/json.ts";
import type { Resource } from "../../kernel/resource.ts";
import { fleetVersion } from "./names.ts";

/** The seed's dinosaurs. `spec` replaces parts of the first level. */
export function sampleOffering(spec: JsonObject = {}): Resource {
  const types = [{ name: "standard" }, { name: "eval" }];
  return {
    apiVersion: fleetVersion,
    kind: "Offering",
    metadata: {
      name: "dinosaurs",
      uid: "offering-1",
      generation: 1,
      creationTimestamp: "2026-01-01T00:00:00Z",
    },
    spec: {
      instances: { group: "dinosaurs.example.dev", kind: "Dinosaur", plural: "dinosaurs" },
      types: [
        { name: "standard", quota: "required" },
        { name: "eval", quota: "none", onePerOwner: true, lifespanSeconds: 172_800 },
      ],
      providers: [
        {
          id: "aws",
          displayName: "Amazon Web Services",
          isDefault: true,
          regions: [
            { id: "us-east-1", displayName: "US East", isDefault: true, types },
            { id: "eu-west-1", types: [{ name: "standard", limit: 5 }] },
          ],
        },
        { id: "gcp", enabled: false, regions: [{ id: "us-east1", isDefault: true, types }] },
      ],
      ...spec,
    },
  };
}
