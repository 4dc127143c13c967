// The kind ScalingRule: how much capacity of a region is kept free, and how clusters are created
// and removed for that. Only administrators create one. See docs/reference/fleet-operations.md.

import type { JsonObject } from "../../../kernel/json.ts";
import type { KindInput } from "../../../kernel/kind.ts";
import { described, name, object, text } from "../../../kernel/schema-parts.ts";
import { fleetGroup } from "../names.ts";
import { clusterTemplate } from "./cluster-kind.ts";
import { age, seconds, time } from "./kind-parts.ts";

const flag: JsonObject = { type: "boolean" };
const units: JsonObject = { type: "integer", minimum: 0, maximum: 1_000_000 };
const clusters: JsonObject = { type: "integer", minimum: 1, maximum: 10_000 };
const message: JsonObject = { type: "string", maxLength: 1_024 };

const spec: JsonObject = object(
  {
    offering: name,
    provider: text,
    region: text,
    type: described(text, "Only capacity for this type counts. Absent: for all types."),
    slack: described(
      object({
        units: described(units, "Units that are kept free."),
        percent: described(
          { type: "integer", minimum: 1, maximum: 1_000 },
          "The same, as a share of the units in use.",
        ),
      }),
      "Either units or percent.",
    ),
    maxClusters: described(clusters, "Clusters of the region, with those of other origin."),
    minClusters: described({ ...clusters, default: 1 }, "Clusters that are never removed."),
    template: described(
      object(clusterTemplate, ["dns", "capacity"]),
      "The spec of new clusters. ${name} in dns and displayName is the name of the cluster.",
    ),
    removeAfterSeconds: described(
      seconds,
      "A cluster of the rule that is empty and not needed for this long is removed.",
    ),
    dryRun: described(
      { ...flag, default: true },
      "Decisions are reported and not performed. Default: true.",
    ),
  },
  ["offering", "provider", "region", "slack", "maxClusters", "template"],
);

const status: JsonObject = object({
  clusters: units,
  /** Units of usable clusters; absent without a limit. */
  capacity: units,
  used: units,
  free: units,
  /** Units of clusters that are being created. */
  coming: units,
  wanted: units,
  sequence: units,
  surplus: object({ cluster: name, since: time }, ["cluster", "since"]),
  decision: object({
    action: text,
    cluster: name,
    message,
    at: time,
    isDryRun: flag,
  }),
});

export const scalingRuleKind: KindInput = {
  group: fleetGroup,
  names: { plural: "scalingrules", kind: "ScalingRule", categories: ["fleet"] },
  scope: "Cluster",
  subresources: { status: true },
  versions: [
    {
      name: "v1",
      served: true,
      storage: true,
      schema: object({ spec, status }, ["spec"]),
      printerColumns: [
        { name: "Offering", type: "string", jsonPath: ".spec.offering" },
        { name: "Region", type: "string", jsonPath: ".spec.region" },
        { name: "Clusters", type: "integer", jsonPath: ".status.clusters" },
        { name: "Free", type: "integer", jsonPath: ".status.free" },
        { name: "Wanted", type: "integer", jsonPath: ".status.wanted" },
        { name: "Dry run", type: "boolean", jsonPath: ".spec.dryRun" },
        { name: "Decision", type: "string", jsonPath: ".status.decision.action" },
        age,
      ],
    },
  ],
  fieldRules: ["offering", "provider", "region", "type"].map((field) => ({
    path: `/spec/${field}`,
    rule: "create-only",
  })),
};
