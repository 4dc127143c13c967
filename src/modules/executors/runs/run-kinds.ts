// The records of runs. An ExecutorRun describes one execution of an executor. Its output is in
// ExecutorLogs, chunks that are only added. The module alone writes both. Secret values are removed
// before a line is stored.

import type { DeclaredKind } from "../../../contract/module.ts";
import type { KindInput } from "../../../kernel/kind.ts";
import { choice, described, name, object, text } from "../../../kernel/schema-parts.ts";
import { executorsGroup } from "../group.ts";
import { executorLimits } from "../limits.ts";

export const runsKind = `executorruns.${executorsGroup}`;
export const logsKind = `executorlogs.${executorsGroup}`;

/** Labels of both kinds. The labels of the environment are copied from the owner. */
export const ownerKindLabel = `${executorsGroup}/owner-kind`;
export const ownerNameLabel = `${executorsGroup}/owner-name`;
export const runLabel = `${executorsGroup}/run`;

const time = { type: "string", format: "date-time" };
const count = { type: "integer", minimum: 0 };

/** Detached: the program runs and waits for the next server on the same machine. */
export const runPhases = [
  "Running",
  "Detached",
  "Succeeded",
  "Failed",
  "Cancelled",
  "Interrupted",
] as const;
export type RunPhase = (typeof runPhases)[number];

const spec = object(
  {
    owner: object({ kind: text, name, uid: text, generation: count }, ["kind", "name"]),
    action: described(text, "Such as apply, plan, destroy, drift, run."),
    operation: described(text, "The operation of the environment, if there is one."),
  },
  ["owner", "action"],
);

const status = object({
  phase: choice(...runPhases),
  reason: text,
  message: { type: "string", maxLength: executorLimits.maxRunMessageChars },
  startedAt: time,
  endedAt: time,
  exitCode: { type: "integer" },
  progress: object({ done: count, of: count, message: { type: "string", maxLength: 1_024 } }),
  log: object({ chunks: count, bytes: count, isTruncated: { type: "boolean" } }),
  traceId: text,
});

const runKind: KindInput = {
  group: executorsGroup,
  names: { plural: "executorruns", kind: "ExecutorRun", categories: ["executors"] },
  scope: "Namespaced",
  versions: [
    {
      name: "v1",
      served: true,
      storage: true,
      schema: object({ spec, status }, ["spec"]),
      printerColumns: [
        { name: "Owner", type: "string", jsonPath: ".spec.owner.name" },
        { name: "Action", type: "string", jsonPath: ".spec.action" },
        { name: "Phase", type: "string", jsonPath: ".status.phase" },
        { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
      ],
    },
  ],
};

const logKind: KindInput = {
  group: executorsGroup,
  names: { plural: "executorlogs", kind: "ExecutorLog", categories: ["executors"] },
  scope: "Namespaced",
  versions: [
    {
      name: "v1",
      served: true,
      storage: true,
      schema: object(
        {
          spec: object(
            {
              run: name,
              chunk: described(count, "From 0; the order of the chunks of a run."),
              text: described(
                { type: "string", maxLength: executorLimits.maxLogChunkBytes },
                "Complete lines. Each begins with its time.",
              ),
            },
            ["run", "chunk", "text"],
          ),
        },
        ["spec"],
      ),
      printerColumns: [
        { name: "Run", type: "string", jsonPath: ".spec.run" },
        { name: "Chunk", type: "integer", jsonPath: ".spec.chunk" },
      ],
    },
  ],
};

export const runKinds: readonly DeclaredKind[] = [
  { kind: runKind, isReconciled: false },
  { kind: logKind, isReconciled: false },
];
