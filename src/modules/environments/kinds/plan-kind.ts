// The kind Plan: what a change of an Environment would do. It changes nothing.

import type { JsonObject } from "../../../kernel/json.ts";
import type { KindInput } from "../../../kernel/kind.ts";
import { anything, choice, described, list, map } from "../../../kernel/schema-parts.ts";
import { name, object } from "../../../kernel/schema-parts.ts";
import { environmentLimits } from "../limits.ts";
import { environmentsGroup } from "../names.ts";
import { planPhases } from "../plans/plan.ts";
import { deployment } from "./environment-kind.ts";
import { count, longText, time, versions } from "./kind-parts.ts";
import { anyText as text } from "./kind-parts.ts";

const spec: JsonObject = object(
  {
    environment: name,
    destroy: described({ type: "boolean" }, "Plans the destruction."),
    ...deployment,
    templates: described(deployment.templates, "Default: those of the Environment."),
    requestedBy: described(text, "Set by the server."),
  },
  ["environment"],
);

const field: JsonObject = object({
  path: longText,
  before: anything,
  after: anything,
  deferred: described(longText, "The value is known after this resource is applied."),
  hidden: { type: "boolean" },
});

const change: JsonObject = object({
  resource: name,
  key: text,
  kind: text,
  action: choice("add", "change", "remove", "none"),
  reason: longText,
  willRun: described({ type: "boolean" }, "The kind cannot be planned: it will run."),
  fields: list(field, environmentLimits.maxPlanFields),
  nested: described(
    object({
      plan: name,
      add: count,
      change: count,
      remove: count,
      changes: list(object({ address: longText, action: text, fields: list(anything) })),
    }),
    "Changes that the kind of the target planned itself.",
  ),
});

const status: JsonObject = object({
  phase: choice(...planPhases),
  reason: text,
  message: longText,
  digest: described(text, "Of the deployment that was planned."),
  base: described(map(count, environmentLimits.maxEnvironmentResources), "Generations."),
  add: count,
  change: count,
  remove: count,
  deferred: count,
  changes: list(change, environmentLimits.maxPlanChanges),
  moreChanges: count,
  readyAt: time,
});

export const planKind: KindInput = {
  group: environmentsGroup,
  names: { plural: "plans", kind: "Plan", categories: ["environment-kinds"] },
  scope: "Namespaced",
  subresources: { status: true },
  versions: versions(
    { spec, status },
    [
      { name: "Environment", type: "string", jsonPath: ".spec.environment" },
      { name: "Phase", type: "string", jsonPath: ".status.phase" },
      { name: "Add", type: "integer", jsonPath: ".status.add" },
      { name: "Change", type: "integer", jsonPath: ".status.change" },
      { name: "Remove", type: "integer", jsonPath: ".status.remove" },
      { name: "Deferred", type: "integer", jsonPath: ".status.deferred" },
    ],
    [".spec.environment"],
  ),
  fieldRules: [{ path: "/spec", rule: "create-only" }],
};
