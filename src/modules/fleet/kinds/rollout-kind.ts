// The kind Rollout: new versions for the instances of an Offering, in waves. Only administrators
// create one. See docs/reference/fleet-operations.md.

import type { JsonObject } from "../../../kernel/json.ts";
import type { KindInput } from "../../../kernel/kind.ts";
import { choice, described, list, map, name, object, text } from "../../../kernel/schema-parts.ts";
import { fleetLimits } from "../limits.ts";
import { fleetGroup } from "../names.ts";
import { rolloutPhases } from "../rollouts/phases.ts";
import { age, seconds, time } from "./kind-parts.ts";

const amount: JsonObject = { type: "integer", minimum: 0, maximum: 10_000_000 };
const percent: JsonObject = { type: "integer", minimum: 0, maximum: 100 };
const message: JsonObject = { type: "string", maxLength: 1_024 };

const selector = described(
  object({
    providers: list(text, 50),
    regions: list(text, 1_000),
    clusters: list(name, 1_000),
    types: list(text, 20),
    organisations: list(name, 1_000),
    traits: described(list(text, 100), "An instance has at least one of them."),
  }),
  "Which instances. An absent list selects all. Instances of probes are never selected.",
);

const wave = object({
  percent: described(
    { ...percent, minimum: 1 },
    "Share of all selected instances that have the versions after the wave.",
  ),
  count: described(
    { ...amount, minimum: 1 },
    "Number of instances that have the versions after the wave.",
  ),
  maxUnavailable: described(
    { ...amount, minimum: 1, maximum: 10_000 },
    "Instances that are updated at the same time. Default: 1.",
  ),
  soakSeconds: described(seconds, "How long the gates must hold after the wave. Default: 0."),
});

const gates = object({
  maxFailed: described(amount, "Updated instances that may fail. Default: 0."),
  maxFailedPercent: described(percent, "The same, as a share of the updated instances."),
  notReadySeconds: described(
    { ...seconds, minimum: 1 },
    "An updated instance that is not ready for longer has failed. Default: 600.",
  ),
  condition: described(
    { type: "string", minLength: 1, maxLength: 4_096 },
    "CEL that must be true, over total, updated, healthy, updating, failed, waiting and wave.",
  ),
});

const spec: JsonObject = object(
  {
    offering: name,
    selector,
    versions: described(
      { ...map(text, 2), minProperties: 1 },
      "The wanted version of product, of operator, or of both.",
    ),
    waves: { ...list(wave, fleetLimits.maxRolloutWaves), minItems: 1 },
    gates,
    onFailure: described(
      choice("pause", "rollback"),
      "When a gate fails: pause, or return to the earlier versions. Default: pause.",
    ),
    action: described(
      choice("run", "pause", "rollback", "abort"),
      "What the Rollout does. abort ends it and leaves the versions as they are. Default: run.",
    ),
    scope: described(
      list(text, fleetLimits.maxRolloutScope),
      "Set by the server: PROVIDER/REGION/TYPE of all instances that may be selected.",
    ),
  },
  ["offering", "versions", "waves"],
);

const status: JsonObject = object({
  phase: choice(...rolloutPhases),
  wave: amount,
  waves: amount,
  waveDoneAt: time,
  pausedGeneration: { type: "integer" },
  total: amount,
  updated: amount,
  healthy: amount,
  updating: amount,
  failed: amount,
  waiting: amount,
  reverted: amount,
  waitingFor: list(object({ reason: message, instances: amount }), 20),
  failures: list(object({ id: text, namespace: name, name, reason: message }), 20),
  startedAt: time,
  endedAt: time,
  history: list(object({ at: time, event: text, message }), fleetLimits.maxRolloutHistory),
});

export const rolloutKind: KindInput = {
  group: fleetGroup,
  names: { plural: "rollouts", kind: "Rollout", categories: ["fleet"] },
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
        { name: "Phase", type: "string", jsonPath: ".status.phase" },
        { name: "Wave", type: "integer", jsonPath: ".status.wave" },
        { name: "Updated", type: "integer", jsonPath: ".status.updated" },
        { name: "Healthy", type: "integer", jsonPath: ".status.healthy" },
        { name: "Failed", type: "integer", jsonPath: ".status.failed" },
        { name: "Total", type: "integer", jsonPath: ".status.total" },
        age,
      ],
    },
  ],
  fieldRules: ["offering", "selector", "versions", "scope"].map((field) => ({
    path: `/spec/${field}`,
    rule: "create-only",
  })),
};
