// Every place that says whether a resource is ready says the same: the column of `kubectl get`, the
// row of the REST API, `why`, and `isReady` of authors. The rule is that of `kubectl wait`.
import assert from "node:assert/strict";
import { it } from "node:test";
import { isReady } from "../authoring/conditions.ts";
import { diagnose } from "../engine/why/diagnose.ts";
import { databases, keyTo, names, nowMs, subjectOf } from "../engine/why/samples.ts";
import type { Subject } from "../engine/why/diagnosis.ts";
import { judge } from "../intents/read-model/state.ts";
import { definitionOfKind } from "../intents/kinds/kind-definition.ts";
import { kindOfDefinition } from "../intents/kinds/definition.ts";
import { defineKind } from "../kernel/kind.ts";
import { tableFor } from "../surfaces/kube/table/table.ts";
import { objectsAt } from "../kernel/json-read.ts";

const kind = defineKind(
  kindOfDefinition(
    definitionOfKind({
      group: "example.com",
      names: { plural: "databases", kind: "Database" },
      scope: "Namespaced",
      versions: [{ name: "v1", served: true, storage: true, schema: { type: "object" } }],
    }),
  ),
);

/** What kubectl 1.34 decides for `wait --for=condition=Ready`, in resource_wait.go. */
function doesKubectlWaitEnd({ resource: { metadata, status } }: Subject): boolean {
  const { conditions = [], observedGeneration } = status as {
    readonly conditions?: readonly { readonly observedGeneration?: number }[];
    readonly observedGeneration?: number;
  };
  const [ready] = conditions as readonly { status?: string; observedGeneration?: number }[];
  const observed = ready?.observedGeneration ?? observedGeneration;
  if (observed !== undefined && observed < metadata.generation) return false;
  return ready?.status === "True";
}

function cellsOf(subject: Subject): readonly unknown[] {
  const [version] = kind.versions;
  assert.ok(version !== undefined);
  const table = tableFor(kind, version, [subject.resource], { nowMs });
  return objectsAt(table, "rows")[0]?.["cells"] as readonly unknown[];
}

it("columns, kubectl wait, why, rows and authors agree whether a resource is ready", () => {
  const generations = [undefined, 1, 2, 3];
  let ready = 0;
  for (const status of ["True", "False", "Unknown"]) {
    for (const ofCondition of generations) {
      for (const ofStatus of generations) {
        const own = ofCondition === undefined ? {} : { observedGeneration: ofCondition };
        const words = { reason: "Available", message: "", lastTransitionTime: "x" };
        const subject = subjectOf(keyTo(databases, "a"), {
          metadata: { generation: 2 },
          conditions: [{ type: "Ready", status, ...words, ...own }],
          reconcile: { lastRun: {} },
          ...(ofStatus === undefined ? {} : { observedGeneration: ofStatus }),
          isReconciled: true,
        });
        const [, column, , reason] = cellsOf(subject);
        const said = [
          column === "True",
          diagnose(subject, names, nowMs).ready === "True",
          judge(subject.resource, true).state === "Ready",
          isReady(subject.resource),
        ];
        const isWaitOver = doesKubectlWaitEnd(subject);
        assert.deepEqual(said, [isWaitOver, isWaitOver, isWaitOver, isWaitOver]);
        const isStale = status === "True" && !isWaitOver;
        assert.equal(reason, isStale ? "SpecChanged" : "Available");
        assert.equal(column, isStale ? "Unknown" : status);
        ready += isWaitOver ? 1 : 0;
      }
    }
  }
  assert.equal(ready, 11, "with the generation of the condition, or of the status, or neither");
});

it("columns of resources that another controller reports on are as in Kubernetes", () => {
  const subject = subjectOf(keyTo(databases, "a"), {
    metadata: { generation: 2 },
    conditions: [{ type: "Ready", status: "True", observedGeneration: 1 }],
  });
  assert.equal(cellsOf(subject)[1], "True");
});
