// The state of Terraform. A TerraformState is the head: which version counts, and who has locked
// it. A TerraformStateVersion is one state file, compressed and encrypted at rest, and never shown
// by the Kubernetes API.

import type { DeclaredKind } from "../../../contract/module.ts";
import { described, name, object, text } from "../../../kernel/schema-parts.ts";
import { executorsGroup } from "../group.ts";

export const statesKind = `terraformstates.${executorsGroup}`;
export const versionsKind = `stateversions.${executorsGroup}`;
/** The label of a version with the uid of its TerraformState. */
export const stateLabel = `${executorsGroup}/state`;

const count = { type: "integer", minimum: 0 };
const time = { type: "string", format: "date-time" };

const version = {
  lineage: text,
  serial: count,
  digest: described(text, "SHA-256 of the state file."),
  bytes: count,
  resources: count,
};

const lock = described(
  object({
    id: text,
    info: described({ type: "string", maxLength: 16_384 }, "As the holder sent it."),
    user: text,
    since: time,
  }),
  "The holder of the lock.",
);

export const stateKinds: readonly DeclaredKind[] = [
  {
    isReconciled: false,
    kind: {
      group: executorsGroup,
      names: { plural: "terraformstates", kind: "TerraformState", categories: ["executors"] },
      scope: "Namespaced",
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: object({
            spec: object({
              stack: described(name, "The TerraformStack that alone writes the state."),
              ...version,
              version: described(name, "The StateVersion that counts."),
              lock,
            }),
          }),
          printerColumns: [
            { name: "Stack", type: "string", jsonPath: ".spec.stack" },
            { name: "Serial", type: "integer", jsonPath: ".spec.serial" },
            { name: "Resources", type: "integer", jsonPath: ".spec.resources" },
            { name: "Locked-By", type: "string", jsonPath: ".spec.lock.user" },
            { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
          ],
        },
      ],
    },
  },
  {
    isReconciled: false,
    kind: {
      group: executorsGroup,
      names: { plural: "stateversions", kind: "StateVersion", categories: ["executors"] },
      scope: "Namespaced",
      fieldRules: [{ path: "/spec/data", rule: "secret" }],
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: object(
            {
              spec: object(
                {
                  state: name,
                  ...version,
                  run: described(name, "The ExecutorRun that wrote it."),
                  user: described(text, "The user who sent it."),
                  restoredFrom: described(name, "The version whose content it has."),
                  data: described({ type: "string" }, "The state file: gzip, base64."),
                },
                ["state", "serial", "digest", "data"],
              ),
            },
            ["spec"],
          ),
          printerColumns: [
            { name: "State", type: "string", jsonPath: ".spec.state" },
            { name: "Serial", type: "integer", jsonPath: ".spec.serial" },
            { name: "Resources", type: "integer", jsonPath: ".spec.resources" },
            { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
          ],
        },
      ],
    },
  },
];
