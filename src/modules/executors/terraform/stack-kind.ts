// The kind TerraformStack: a configuration of Terraform or OpenTofu with its variables. Its state
// is a TerraformState of the same name.

import type { DeclaredKind } from "../../../contract/module.ts";
import type { JsonObject } from "../../../kernel/json.ts";
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
import { readyColumns } from "../columns.ts";
import { executorsGroup } from "../group.ts";
import { executorLimits } from "../limits.ts";
import { activeRunSchema } from "../runs/active-run.ts";

export const stacksKind = `terraformstacks.${executorsGroup}`;

const count = { type: "integer", minimum: 0 };
const time = { type: "string", format: "date-time" };
const seconds = { type: "integer", minimum: 1, maximum: 86_400 };

const source = object({
  files: described(
    map({ type: "string", maxLength: executorLimits.maxSourceFileBytes }, 500),
    "Files of the configuration by their relative path, such as main.tf or modules/web/main.tf.",
  ),
  configMap: described(
    object({ name }, ["name"]),
    "A ConfigMap of the namespace whose keys are files. In a key, __ stands for a slash.",
  ),
});

/** What TerraformPlan also has. */
export const stackSpecProperties: { readonly [key: string]: JsonObject } = {
  source,
  program: described(text, "A program that a policy allows. Default: the first of the policy."),
  version: described(text, "A constraint on the version of Terraform, such as >= 1.5, < 2."),
  variables: described(
    { ...map(anything, 500) },
    "Values of variables of the configuration, of any type.",
  ),
  secretVariables: described(
    map({ type: "string", maxLength: 65_536 }, 100),
    "Values of variables that are encrypted at rest and never shown. Complex values are JSON.",
  ),
  imports: described(
    list(object({ to: text, id: text }, ["to", "id"]), 1_000),
    "Existing objects that become resources of the stack, as import blocks.",
  ),
  timeoutSeconds: { ...seconds, default: 3_600, description: "For each run of Terraform." },
  cancelGraceSeconds: {
    ...seconds,
    default: executorLimits.graceSeconds,
    description: "How long Terraform may take to stop after the first SIGINT.",
  },
};

const spec = object(
  {
    ...stackSpecProperties,
    drift: object({
      intervalSeconds: described(
        { type: "integer", minimum: 0, maximum: 2_592_000 },
        "How often to compare the state with the real objects; 0: only on request.",
      ),
      reconcile: described({ type: "boolean" }, "Whether to apply again after drift was found."),
    }),
    adoptState: described(
      { type: "boolean" },
      "Take over the TerraformState of the same name, which the http backend has stored.",
    ),
    deletion: described(
      { ...choice("Destroy", "Keep"), default: "Destroy" },
      "Whether the objects are destroyed with the stack.",
    ),
  },
  ["source"],
);

export const driftSchema = object({
  state: choice("None", "Drifted", "Unknown"),
  checkedAt: time,
  items: list(
    object({
      address: text,
      kind: choice("changed", "missing", "unexpected"),
      message: { type: "string", maxLength: 2_048 },
    }),
    executorLimits.maxDriftItems,
  ),
});

const status = object({
  outputs: described({ type: "object", ...anything }, "Outputs that are not sensitive."),
  secretOutputs: described(object({ name }), "The Secret with the sensitive outputs."),
  state: object({ lineage: text, serial: count, version: name, resources: count }),
  drift: driftSchema,
  appliedGeneration: described(count, "The generation that was applied without an error."),
  appliedAt: time,
  plan: object({ add: count, change: count, remove: count, import: count }),
  version: described(text, "Of Terraform."),
  requests: described(
    object({ checkDrift: text, reconcileDrift: text, restore: text, reconcile: text }),
    "Requests by annotations that were handled.",
  ),
  cancelled: object({ graceful: text, force: text }),
  importCandidates: described(
    list(object({ address: text, id: text }), executorLimits.maxDriftItems),
    "Objects that a lost machine created after its last state was stored: import or delete them.",
  ),
  run: activeRunSchema,
});

export const stackKinds: readonly DeclaredKind[] = [
  {
    isReconciled: true,
    annotations: { "environments.setpoint.dev/plan-kind": "TerraformPlan" },
    kind: {
      group: executorsGroup,
      names: { plural: "terraformstacks", kind: "TerraformStack", categories: ["executors"] },
      scope: "Namespaced",
      subresources: { status: true },
      fieldRules: [{ path: "/spec/secretVariables/*", rule: "secret" }],
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: object({ spec, status }, ["spec"]),
          printerColumns: [
            { name: "Serial", type: "integer", jsonPath: ".status.state.serial" },
            { name: "Resources", type: "integer", jsonPath: ".status.state.resources" },
            { name: "Drift", type: "string", jsonPath: ".status.drift.state" },
            ...readyColumns,
          ],
        },
      ],
    },
  },
];
