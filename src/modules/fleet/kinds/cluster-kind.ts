// The kind DataPlaneCluster: a cluster that hosts instances. Its namespace cluster-NAME holds the
// credential of its agent and the ManagedInstances that the agent applies.

import type { JsonObject } from "../../../kernel/json.ts";
import type { KindInput } from "../../../kernel/kind.ts";
import {
  anything,
  choice,
  described,
  list,
  map,
  name,
  object,
  text,
} from "../../../kernel/schema-parts.ts";
import { fleetGroup } from "../names.ts";
import { age, conditionColumn, secretKey, time } from "./kind-parts.ts";

const flag: JsonObject = { type: "boolean" };
const amount: JsonObject = { type: "integer", minimum: -1, maximum: 1_000_000 };

export const clusterPhases = [
  "accepted",
  "provisioning",
  "provisioned",
  "waiting",
  "ready",
  "failed",
  "deprovisioning",
  "cleanup",
] as const;

const executor = object(
  {
    kind: described(
      choice("register", "kubernetes", "simulator"),
      "register: the cluster exists and its agent is installed by hand. kubernetes: the agent is " +
        "installed through the API of the cluster. simulator: instances are simulated.",
    ),
    kubernetes: object({ kubeconfig: secretKey }, ["kubeconfig"]),
    simulator: { type: "object", ...anything },
  },
  ["kind"],
);

const spec: JsonObject = object(
  {
    displayName: text,
    offerings: described(list(name, 100), "Offerings that may be placed here. Absent: all."),
    organisation: described(name, "Only instances of this organisation are placed here."),
    provider: text,
    region: text,
    isMultiAz: flag,
    isSchedulable: { ...flag, default: true },
    isDraining: described(flag, "Instances are moved to other clusters."),
    capacity: object({
      instances: described(amount, "Instances of all types; -1 is no limit. Default: -1."),
      types: described(map(amount, 20), "Instances of a type; -1 is no limit."),
    }),
    types: described(list(name, 20), "Types that may be placed here. Absent: all."),
    dns: described(text, "Domain of the ingress, such as apps.eu-1.example.com."),
    executor,
  },
  ["provider", "region", "dns"],
);

const report: JsonObject = object({
  at: time,
  isReady: flag,
  reason: text,
  message: { type: "string", maxLength: 1_024 },
  operators: list(
    object({ version: text, isReady: flag, versions: list(text, 100) }, ["version"]),
    100,
  ),
  capacity: map(object({ maxUnits: amount, remainingUnits: amount }), 20),
});

const status: JsonObject = object({
  phase: choice(...clusterPhases),
  phaseSince: time,
  report,
  externalId: text,
  remaining: { type: "integer" },
  used: { type: "integer" },
  failedReason: { type: "string", maxLength: 1_024 },
});

export const clusterKind: KindInput = {
  group: fleetGroup,
  names: {
    plural: "dataplaneclusters",
    kind: "DataPlaneCluster",
    shortNames: ["dpc"],
    categories: ["fleet"],
  },
  scope: "Cluster",
  subresources: { status: true },
  versions: [
    {
      name: "v1",
      served: true,
      storage: true,
      schema: object({ spec, status }, ["spec"]),
      printerColumns: [
        { name: "Phase", type: "string", jsonPath: ".status.phase" },
        { name: "Provider", type: "string", jsonPath: ".spec.provider" },
        { name: "Region", type: "string", jsonPath: ".spec.region" },
        { name: "Schedulable", type: "boolean", jsonPath: ".spec.isSchedulable" },
        { name: "Used", type: "integer", jsonPath: ".status.used" },
        { name: "Remaining", type: "integer", jsonPath: ".status.remaining" },
        conditionColumn("Reason", "Ready", "reason"),
        age,
      ],
    },
  ],
  fieldRules: [
    { path: "/spec/provider", rule: "create-only" },
    { path: "/spec/region", rule: "create-only" },
  ],
};
