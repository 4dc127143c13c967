// The kinds Operation and DestroyedEnvironment: what was done to an Environment, one Operation at a
// time, and the record of an Environment that was deleted.

import type { JsonObject } from "../../../kernel/json.ts";
import type { KindInput } from "../../../kernel/kind.ts";
import { choice, described, list, name, object } from "../../../kernel/schema-parts.ts";
import { environmentLimits } from "../limits.ts";
import { environmentsGroup } from "../names.ts";
import { operationPhases, operationTypes } from "../operations/operation.ts";
import { deployment } from "./environment-kind.ts";
import { count, freeObject, key, longText, tags, time, versions } from "./kind-parts.ts";
import { anyText as text } from "./kind-parts.ts";

const spec: JsonObject = object(
  {
    environment: name,
    type: choice(...operationTypes),
    action: described(key, "For Action: the action of the Template."),
    resource: described(
      text,
      "For Retry, CheckDrift and ReconcileDrift: a key, or the name of an EnvironmentResource.",
    ),
    to: described(name, "For Rollback: the Operation whose deployment is restored."),
    cancel: described(
      choice("Graceful", "Force"),
      "Cancels the Operation. Force does not wait for a graceful end.",
    ),
    requestedBy: described(text, "Set by the server."),
    deployment: described(
      object({
        ...deployment,
        serviceAccountName: name,
        displayName: text,
        tags,
        generation: count,
        digest: text,
      }),
      "What is deployed. Set by the server; a Rollback restores it.",
    ),
  },
  ["environment", "type"],
);

const status: JsonObject = object({
  phase: choice(...operationPhases),
  reason: text,
  message: longText,
  startedAt: time,
  endedAt: time,
  plan: described(name, "For Deploy: the Plan that was approved."),
  completedAt: described(
    time,
    "For a Deploy that failed or was cancelled: when its resources were all ready.",
  ),
  progress: object({ done: count, of: count, message: longText }),
  changes: object({ added: count, changed: count, removed: count }),
  failures: list(object({ resource: text, reason: text, message: longText }), 20),
  outputs: freeObject,
});

/** Everything but the cancellation. */
const fixedFields = [
  "environment",
  "type",
  "action",
  "resource",
  "to",
  "requestedBy",
  "deployment",
];

export const operationKind: KindInput = {
  group: environmentsGroup,
  names: { plural: "operations", kind: "Operation", categories: ["environment-kinds"] },
  scope: "Namespaced",
  subresources: { status: true },
  versions: versions(
    { spec, status },
    [
      { name: "Environment", type: "string", jsonPath: ".spec.environment" },
      { name: "Type", type: "string", jsonPath: ".spec.type" },
      { name: "Phase", type: "string", jsonPath: ".status.phase" },
      { name: "Done", type: "integer", jsonPath: ".status.progress.done" },
      { name: "Of", type: "integer", jsonPath: ".status.progress.of" },
      { name: "Reason", type: "string", jsonPath: ".status.reason", priority: 1 },
    ],
    [".spec.environment"],
  ),
  fieldRules: fixedFields.map((field) => ({ path: `/spec/${field}`, rule: "create-only" })),
};

export const destroyedEnvironmentKind: KindInput = {
  group: environmentsGroup,
  names: { plural: "destroyedenvironments", kind: "DestroyedEnvironment" },
  scope: "Namespaced",
  versions: versions(
    {
      spec: object(
        {
          id: described(name, "metadata.name of the Environment."),
          uid: text,
          displayName: text,
          createdAt: time,
          destroyedAt: time,
          expiresAt: time,
          templates: list(name, environmentLimits.maxTemplates),
          environment: described(freeObject, "Its last spec and status, without secrets."),
        },
        ["id", "uid"],
      ),
    },
    [
      { name: "Id", type: "string", jsonPath: ".spec.id" },
      { name: "Display Name", type: "string", jsonPath: ".spec.displayName" },
      { name: "Destroyed", type: "date", jsonPath: ".spec.destroyedAt" },
    ],
    [".spec.id"],
  ),
};
