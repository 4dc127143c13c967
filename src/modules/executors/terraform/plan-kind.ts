// The kind TerraformPlan: what applying a stack would change, without changing anything. It is
// planned once for each generation.

import type { DeclaredKind } from "../../../contract/module.ts";
import {
  anything,
  choice,
  described,
  list,
  name,
  object,
  text,
} from "../../../kernel/schema-parts.ts";
import { readyColumns } from "../columns.ts";
import { executorsGroup } from "../group.ts";
import { executorLimits } from "../limits.ts";
import { activeRunSchema } from "../runs/active-run.ts";
import { stackSpecProperties } from "./stack-kind.ts";

export const plansKind = `terraformplans.${executorsGroup}`;

const count = { type: "integer", minimum: 0 };

const spec = object(
  {
    target: described(name, "The TerraformStack whose state is compared. It need not exist."),
    spec: described(
      { ...object(stackSpecProperties), ...anything },
      "The spec of the stack that would be applied.",
    ),
    destroy: described({ type: "boolean" }, "Plan the destruction of the stack."),
  },
  ["target", "spec"],
);

const field = object({
  path: text,
  before: { ...anything, description: "Left out for secret and absent values." },
  after: { ...anything, description: "Left out for secret and unknown values." },
  isSecret: { type: "boolean" },
  isUnknown: described({ type: "boolean" }, "Known after the apply."),
});

const status = object({
  add: count,
  change: count,
  remove: count,
  changes: list(
    object({
      address: { type: "string", maxLength: 2_048 },
      action: choice("create", "update", "delete", "replace", "import", "forget"),
      fields: list(field, executorLimits.maxPlannedFields),
    }),
    executorLimits.maxPlannedChanges,
  ),
  isTruncated: described({ type: "boolean" }, "There are more changes than are listed."),
  serial: described(count, "The serial of the state that was compared."),
  plannedGeneration: count,
  cancelled: object({ graceful: text, force: text }),
  run: activeRunSchema,
});

export const planKinds: readonly DeclaredKind[] = [
  {
    isReconciled: true,
    kind: {
      group: executorsGroup,
      names: { plural: "terraformplans", kind: "TerraformPlan", categories: ["executors"] },
      scope: "Namespaced",
      subresources: { status: true },
      fieldRules: [{ path: "/spec/spec/secretVariables/*", rule: "secret" }],
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: object({ spec, status }, ["spec"]),
          printerColumns: [
            { name: "Target", type: "string", jsonPath: ".spec.target" },
            { name: "Add", type: "integer", jsonPath: ".status.add" },
            { name: "Change", type: "integer", jsonPath: ".status.change" },
            { name: "Remove", type: "integer", jsonPath: ".status.remove" },
            ...readyColumns,
          ],
        },
      ],
    },
  },
];
