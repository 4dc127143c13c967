// The kind EnvironmentResource: one instance of an entry of a Template in one Environment. Only the
// module writes them.

import type { JsonObject } from "../../../kernel/json.ts";
import type { KindInput } from "../../../kernel/kind.ts";
import { choice, described, list, name, object } from "../../../kernel/schema-parts.ts";
import { environmentLimits } from "../limits.ts";
import { environmentsGroup } from "../names.ts";
import { resourceStates } from "../resource/states.ts";
import { conditionColumn, count, displayName, drift, freeObject, key } from "./kind-parts.ts";
import { longText, shownHealth, shownLinks, tags, time, versions } from "./kind-parts.ts";
import { anyText as text } from "./kind-parts.ts";

const spec: JsonObject = object(
  {
    environment: name,
    template: described(name, "The Template that creates it."),
    key: described(key, "The entry of the Template."),
    name: displayName,
    description: longText,
    tags,
    group: key,
    count: described(count, "How many instances of the entry the Environment has."),
    index: described(count, "Which of them it is, from 0; absent without a count."),
    dependsOn: described(
      list(name, environmentLimits.maxInstanceDependencies),
      "Names of the EnvironmentResources that are ready before it is applied.",
    ),
    externals: list(name, environmentLimits.maxExternals),
    input: described(
      object({ parameters: freeObject, secrets: freeObject, environment: freeObject }),
      "The values that its expressions read.",
    ),
    serviceAccountName: name,
  },
  ["environment", "template", "key"],
);

const target: JsonObject = object({
  apiVersion: text,
  kind: text,
  resource: text,
  name,
  uid: text,
  generation: count,
});

const status: JsonObject = object({
  state: choice(...resourceStates),
  reason: text,
  message: longText,
  target: described(target, "The resource that it applied."),
  outputs: freeObject,
  secretOutputs: described(object({ name, keys: list(text) }), "The Secret with secret outputs."),
  drift,
  links: described(shownLinks, "Entry points, with their expressions evaluated."),
  statusEndpoints: shownHealth,
  progress: object({ done: count, of: count, message: longText }),
  run: described(name, "The last Operation that ran it again."),
  digest: described(text, "Of the document that was applied."),
  readyAt: time,
  deployedGeneration: count,
  dependsOn: described(
    list(name, environmentLimits.maxInstanceDependencies),
    "Of the applied document.",
  ),
});

export const resourceKind: KindInput = {
  group: environmentsGroup,
  names: {
    plural: "environmentresources",
    kind: "EnvironmentResource",
    shortNames: ["envres"],
    categories: ["environment-kinds"],
  },
  scope: "Namespaced",
  subresources: { status: true },
  versions: versions(
    { spec, status },
    [
      { name: "Environment", type: "string", jsonPath: ".spec.environment" },
      { name: "Key", type: "string", jsonPath: ".spec.key" },
      { name: "State", type: "string", jsonPath: ".status.state" },
      { name: "Target", type: "string", jsonPath: ".status.target.kind" },
      { name: "Drift", type: "string", jsonPath: ".status.drift.state" },
      { ...conditionColumn("Reason", "Ready", "reason"), priority: 1 },
    ],
    [".spec.environment"],
  ),
  fieldRules: [{ path: "/spec/input/secrets", rule: "secret" }],
};
