// The kind Environment: what is wanted, and the state that is derived from its resources.

import type { JsonObject } from "../../../kernel/json.ts";
import type { KindInput } from "../../../kernel/kind.ts";
import { choice, described, list, name, object } from "../../../kernel/schema-parts.ts";
import { environmentPhases } from "../environment/phases.ts";
import { environmentLimits } from "../limits.ts";
import { environmentsGroup } from "../names.ts";
import { conditionColumn, count, displayName, drift, entryPoints } from "./kind-parts.ts";
import { freeObject, longText, seconds, shownHealth, shownLinks } from "./kind-parts.ts";
import { statusEndpoints, tags, time, versions } from "./kind-parts.ts";
import { anyText as text } from "./kind-parts.ts";

const plannedDestruction: JsonObject = object({
  at: described(time, "Date of planned destruction."),
  onDue: described(
    choice("Destroy", "Keep"),
    "Destroy: destroys it at the date. Keep: reports that the date has passed. Default: Destroy.",
  ),
  remindSeconds: described(
    list({ ...seconds, minimum: 1 }, environmentLimits.maxReminders),
    "Reminders before the date. Default: two days, two hours, half an hour.",
  ),
});

const driftPolicy: JsonObject = object({
  checkSeconds: described(
    { ...seconds },
    "How often resources are compared with the external systems; 0: on request only.",
  ),
  onDrift: described(choice("Report", "Reconcile"), "Default: Report."),
  accept: described(text, "status.drift.digest of the drift that is accepted."),
});

/** What a deployment consists of. Operations keep a copy. */
export const deployment = {
  templates: described(
    { ...list(name, environmentLimits.maxTemplates), minItems: 1 },
    "Names of the Templates that create it.",
  ),
  parameters: freeObject,
  secretParameters: { ...freeObject, "x-setpoint-field-rule": "secret" },
};

const spec: JsonObject = object(
  {
    displayName: described(displayName, "Unique in the namespace while it is not Destroyed."),
    description: longText,
    tags,
    ...deployment,
    desired: described(choice("Deployed", "Destroyed"), "Default: Deployed."),
    serviceAccountName: described(
      name,
      "The ServiceAccount that applies the resources. Default: environment.",
    ),
    approval: choice("Automatic", "Required"),
    approvedPlan: described(name, "The Plan that may be carried out."),
    plannedDestruction,
    protected: described({ type: "boolean" }, "Whether destruction and deletion are refused."),
    drift: driftPolicy,
    entryPoints,
    statusEndpoints,
  },
  ["templates"],
);

const transition: JsonObject = object({
  at: time,
  phase: choice(...environmentPhases),
  reason: text,
  message: longText,
  operation: name,
});

const status: JsonObject = object({
  phase: choice(...environmentPhases),
  statusText: described(text, "The phase in words, such as Deployed - OK."),
  reason: text,
  message: longText,
  createdAt: described(time, "Date of creation."),
  destroyedAt: described(time, "Date of destruction."),
  plannedDestructionAt: described(time, "Date of planned destruction."),
  health: object({
    state: choice("Healthy", "Unhealthy", "Unknown"),
    message: longText,
    endpoints: shownHealth,
    since: time,
    validUntil: time,
  }),
  drift,
  resources: object({
    total: count,
    waiting: count,
    deploying: count,
    ready: count,
    failed: count,
    cancelled: count,
    removing: count,
    drifted: count,
  }),
  failures: list(object({ resource: text, reason: text, message: longText }), 20),
  operation: described(name, "The Operation that runs."),
  lastOperation: name,
  deployed: described(
    object({ operation: name, templates: list(name), digest: text, at: time, generation: count }),
    "The last deployment that was completed.",
  ),
  entryPoints: shownLinks,
  transitions: list(transition, environmentLimits.maxTransitions),
  reminders: list(time, environmentLimits.maxReminders),
  overdueAnnouncedAt: time,
});

export const environmentKind: KindInput = {
  group: environmentsGroup,
  names: {
    plural: "environments",
    kind: "Environment",
    shortNames: ["env"],
    categories: ["environment-kinds"],
  },
  scope: "Namespaced",
  subresources: { status: true },
  versions: versions({ spec, status }, [
    { name: "Display Name", type: "string", jsonPath: ".spec.displayName" },
    { name: "Phase", type: "string", jsonPath: ".status.statusText" },
    { name: "Ready", type: "integer", jsonPath: ".status.resources.ready" },
    { name: "Total", type: "integer", jsonPath: ".status.resources.total" },
    { name: "Health", type: "string", jsonPath: ".status.health.state" },
    { name: "Drift", type: "string", jsonPath: ".status.drift.state" },
    { name: "Destruction", type: "string", jsonPath: ".status.plannedDestructionAt" },
    { ...conditionColumn("Reason", "Ready", "reason"), priority: 1 },
  ]),
};
