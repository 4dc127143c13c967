// The kind DataPlaneCluster: a cluster that hosts instances. Its namespace cluster-NAME holds the
// credential of its agent and the ManagedInstances that the agent applies.

import type { JsonObject } from "../../../kernel/json.ts";
import type { KindInput } from "../../../kernel/kind.ts";
import { choice, described, list, map, name, object, text } from "../../../kernel/schema-parts.ts";
import { clusterPhases } from "../clusters/phases.ts";
import { fleetGroup } from "../names.ts";
import { age, conditionColumn, secretKey, time } from "./kind-parts.ts";

const flag: JsonObject = { type: "boolean" };
const amount: JsonObject = { type: "integer", minimum: -1, maximum: 1_000_000 };

const waitMs: JsonObject = { type: "integer", minimum: 0, maximum: 86_400_000 };
const operators = list(
  object({ version: text, isReady: flag, versions: list(text, 100) }, ["version"]),
  100,
);
const capacity = map(object({ maxUnits: amount, remainingUnits: amount }), 20);

const simulator = object({
  provisionMs: described(waitMs, "From accepted to provisioned. Default: 0."),
  provisionError: described(
    { type: "string", maxLength: 1_024 },
    "Why the cluster cannot be provisioned. Absent: it can.",
  ),
  installMs: described(waitMs, "From the placement of an instance to its result. Default: 0."),
  updateMs: described(waitMs, "From a change of versions to its end. Default: 0."),
  deleteMs: described(waitMs, "From the deletion of an instance to its end. Default: 0."),
  isReady: described(flag, "What the simulated agent reports about its cluster. Default: true."),
  operators,
  capacity,
  routes: described(
    list({ type: "string", maxLength: 63 }, 32),
    'Prefixes of the routes of each instance. Default: one route with the prefix "".',
  ),
  failures: described(
    list(
      object(
        {
          names: described(list(name, 100), "Names of instances; a * matches any characters."),
          fraction: described(
            { type: "number", minimum: 0, maximum: 1 },
            "The share of placements that fail, chosen by a hash of the placement. Default: 1.",
          ),
          result: choice("error", "rejected", "full", "silent"),
          message: { type: "string", maxLength: 1_024 },
          isOnce: described(flag, "Only until the instance has failed in this way."),
        },
        ["result"],
      ),
      50,
    ),
    "The first that matches decides. Without a match the instance becomes ready.",
  ),
});

const kubernetes = object(
  {
    kubeconfig: described(secretKey, "A kubeconfig for the API of the cluster."),
    controlPlane: described(
      object({ url: text, caBundle: { type: "string", maxLength: 65_536 } }, ["url"]),
      "How the agent reaches this server: URL and certificate authority (PEM).",
    ),
    namespace: described(name, "Of the agent on the cluster. Default: setpoint-agent."),
    image: described(text, "Image of the agent. Default: setpoint."),
    workload: described(
      choice("Deployment", "None"),
      "None: only the credential and the rights are installed; the agent runs elsewhere.",
    ),
  },
  ["kubeconfig", "controlPlane"],
);

const executor = object(
  {
    kind: described(
      choice("register", "kubernetes", "simulator"),
      "register: the cluster exists and its agent is installed by hand. kubernetes: the agent is " +
        "installed through the API of the cluster. simulator: instances are simulated.",
    ),
    kubernetes,
    simulator,
  },
  ["kind"],
);

/** What every cluster of a ScalingRule has in common. */
export const clusterTemplate: Readonly<Record<string, JsonObject>> = {
  displayName: text,
  offerings: described(list(name, 100), "Offerings that may be placed here. Absent: all."),
  organisation: described(name, "Only instances of this organisation are placed here."),
  isMultiAz: flag,
  capacity: object({
    instances: described(amount, "Instances of all types; -1 is no limit. Default: -1."),
    types: described(map(amount, 20), "Instances of a type; -1 is no limit."),
  }),
  types: described(list(name, 20), "Types that may be placed here. Absent: all."),
  dns: described(text, "Domain of the ingress, such as apps.eu-1.example.com."),
  agentTimeoutSeconds: described(
    { type: "integer", minimum: 10, maximum: 86_400 },
    "A ready cluster whose agent has not reported for this long is not ready. Default: 300.",
  ),
  executor,
};

const spec: JsonObject = object(
  {
    ...clusterTemplate,
    provider: text,
    region: text,
    isSchedulable: { ...flag, default: true },
    isDraining: described(flag, "Instances are moved to other clusters."),
  },
  ["provider", "region", "dns"],
);

const report: JsonObject = object({
  at: time,
  isReady: flag,
  reason: text,
  message: { type: "string", maxLength: 1_024 },
  operators,
  capacity,
  unavailable: described(
    map({ type: "string", maxLength: 1_024 }, 100),
    "Offerings that the cluster cannot host at present, with the reason.",
  ),
});

const status: JsonObject = object({
  phase: choice(...clusterPhases),
  phaseSince: time,
  namespace: name,
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
