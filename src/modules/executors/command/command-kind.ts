// The kind CommandRun: a program that runs once for each generation of its spec, and another one
// when it is deleted. The program may run again after a crash: SETPOINT_IDEMPOTENCY_KEY stays the
// same for one generation, so that it can find out what it has done.

import type { DeclaredKind } from "../../../contract/module.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import {
  anything,
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

export const commandsKind = `commandruns.${executorsGroup}`;

const seconds = { type: "integer", minimum: 1, maximum: 86_400 };
const value = { type: "string", maxLength: executorLimits.maxCommandValueChars };

const program: { readonly [key: string]: JsonObject } = {
  program: described(text, "As an ExecutorPolicy names it."),
  args: described(list(value, 1_000), "No shell reads them."),
};

const spec = object(
  {
    ...program,
    env: described(map(value, 200), "The environment; nothing else is in it but PATH and HOME."),
    secretEnv: described(
      map(value, 100),
      "Environment variables that are encrypted at rest and never shown.",
    ),
    stdin: described({ type: "string", maxLength: 1_048_576 }, "The standard input."),
    timeoutSeconds: { ...seconds, default: 600 },
    cancelGraceSeconds: {
      ...seconds,
      default: 10,
      description: "How long the program may take to stop after SIGINT.",
    },
    secretOutputs: described(
      list(name, 100),
      "Outputs that go to a Secret. Other outputs go to the status.",
    ),
    onDestroy: described(object(program, ["program"]), "Runs before the resource is deleted."),
  },
  ["program"],
);

const status = object({
  outputs: described({ type: "object", ...anything }, "From the last line that is a JSON object."),
  secretOutputs: described(object({ name }), "The Secret with the secret outputs."),
  exitCode: { type: "integer" },
  ranGeneration: { type: "integer", minimum: 0 },
  ranAt: { type: "string", format: "date-time" },
  requests: object({ reconcile: text }),
  cancelled: object({ graceful: text, force: text }),
  run: activeRunSchema,
});

export const commandKinds: readonly DeclaredKind[] = [
  {
    isReconciled: true,
    kind: {
      group: executorsGroup,
      names: { plural: "commandruns", kind: "CommandRun", categories: ["executors"] },
      scope: "Namespaced",
      subresources: { status: true },
      fieldRules: [{ path: "/spec/secretEnv/*", rule: "secret" }],
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: object({ spec, status }, ["spec"]),
          printerColumns: [
            { name: "Program", type: "string", jsonPath: ".spec.program" },
            { name: "Exit", type: "integer", jsonPath: ".status.exitCode" },
            ...readyColumns,
          ],
        },
      ],
    },
  },
];
