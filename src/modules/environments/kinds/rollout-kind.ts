// The kind TemplateRollout: moves Environments to another version of their Template, in waves. It
// plans first, and changes nothing until it is approved.

import type { JsonObject } from "../../../kernel/json.ts";
import type { KindInput } from "../../../kernel/kind.ts";
import { choice, described, list, name, object } from "../../../kernel/schema-parts.ts";
import { environmentLimits } from "../limits.ts";
import { environmentsGroup } from "../names.ts";
import { rolloutPhases, rolloutStates } from "../rollouts/decide.ts";
import { count, longText, tags, versions } from "./kind-parts.ts";

const fixed = { "x-setpoint-field-rule": "create-only" };

const member: JsonObject = object({ name, serviceAccountName: name }, ["name"]);

const spec: JsonObject = object(
  {
    template: described({ ...name, ...fixed }, "The Template that Environments are moved to."),
    tags: described({ ...tags, ...fixed }, "Only Environments with these tags. Default: all."),
    environments: described(
      { ...list(member, environmentLimits.maxRolloutEnvironments), ...fixed },
      "Set by the server: Environments that use another version when the rollout is created.",
    ),
    waves: described(
      list({ type: "integer", minimum: 1 }, environmentLimits.maxWaves),
      "How many Environments each wave moves; the last wave moves the rest. Default: one wave.",
    ),
    approved: described(
      { type: "boolean" },
      "Whether to move Environments. Needs the right to approve plans. Default: false.",
    ),
    requestedBy: described({ type: "string", ...fixed }, "Set by the server."),
    paused: described({ type: "boolean" }, "Whether to move no further Environments."),
    skip: described(
      list(name, environmentLimits.maxRolloutEnvironments),
      "Environments that are not moved.",
    ),
  },
  ["template"],
);

const shown: JsonObject = object({
  name,
  wave: count,
  state: choice(...rolloutStates),
  message: longText,
  plan: name,
  add: count,
  change: count,
  remove: count,
});

const status: JsonObject = object({
  phase: choice(...rolloutPhases),
  message: longText,
  wave: described(count, "The wave that is moved, from 1."),
  waves: count,
  total: count,
  moved: count,
  failed: count,
  add: count,
  change: count,
  remove: count,
  environments: list(shown, environmentLimits.maxRolloutEnvironments),
});

export const rolloutKind: KindInput = {
  group: environmentsGroup,
  names: { plural: "templaterollouts", kind: "TemplateRollout", categories: ["environment-kinds"] },
  scope: "Namespaced",
  subresources: { status: true },
  versions: versions({ spec, status }, [
    { name: "Template", type: "string", jsonPath: ".spec.template" },
    { name: "Phase", type: "string", jsonPath: ".status.phase" },
    { name: "Wave", type: "integer", jsonPath: ".status.wave" },
    { name: "Moved", type: "integer", jsonPath: ".status.moved" },
    { name: "Total", type: "integer", jsonPath: ".status.total" },
    { name: "Failed", type: "integer", jsonPath: ".status.failed" },
  ]),
};
